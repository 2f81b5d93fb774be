//! The glue between tables of plain structs and the network: `send` on a server, `receive` on a client.

use std::collections::BTreeMap;

use syncvar::NetworkBehaviour;
use syncvar::behaviour::Optional;
use syncvar::prelude::*;

use super::components::{Burning, Player};
use super::world::{Entity, Table, World};

impl World {
    /// Runs the commands of the clients, before the systems of a tick.
    pub(crate) fn receive_commands(&mut self, server: &mut NetworkServer) {
        while let Some(event) = server.poll_event() {
            if let ServerEvent::Called(called) = event
                && let Some(entity) = self.entities.get(&called.object())
                && let Some(player) = self.players.get_mut(entity)
                && let Err(failure) = server.run_call(player, &called)
            {
                eprintln!("{failure:?}");
            }
        }
    }

    /// Passes all differences to the server, after the systems of a tick.
    pub(crate) fn send(&mut self, server: &mut NetworkServer) {
        let ids = &self.ids;
        for entity in self
            .spawned
            .drain(..)
            .filter(|entity| ids.contains_key(entity))
        {
            let options = SpawnOptions {
                net_id: Some(ids[&entity]),
                ..SpawnOptions::default()
            };
            let behaviours = (Player::default(), Optional::<Burning>::default());
            server
                .try_spawn(behaviours, options)
                .expect("a registered prefab");
        }
        for id in self.despawned.drain(..) {
            server.despawn(id).ok();
        }
        send_table(server, ids, &mut self.players);
        send_table(server, ids, &mut self.burning);
    }

    /// Takes over all received values. The entities of a burst exist before the first value is written.
    pub(crate) fn receive(&mut self, client: &mut NetworkClient) {
        let mut calls = Vec::new();
        while let Some(event) = client.poll_event() {
            match event {
                ClientEvent::Spawned { object } => drop(self.insert(object)),
                ClientEvent::Despawned { object, .. } => self.despawn(self.entities[&object]),
                ClientEvent::Called(called) => calls.push(called),
                _ => {}
            }
        }
        receive_table(client, &self.entities, &mut self.players);
        receive_table(client, &self.entities, &mut self.burning);
        for called in calls {
            let entity = self.entities.get(&called.object());
            if let Some(player) = entity.and_then(|entity| self.players.get_mut(entity)) {
                client.run_call(player, &called).ok();
            }
        }
    }
}

fn send_table<C: NetworkBehaviour>(
    server: &mut NetworkServer,
    ids: &Table<NetId>,
    table: &mut Table<C>,
) {
    let mut batch: Vec<_> = table
        .iter_mut()
        .map(|(entity, own)| (ids[entity], own))
        .collect();
    server.assign_all(None, &mut batch, |_, taken| {
        drop(taken.expect("a spawned object"));
    });
}

fn receive_table<C: NetworkBehaviour>(
    client: &mut NetworkClient,
    entities: &BTreeMap<NetId, Entity>,
    table: &mut Table<C>,
) {
    client.drain_received::<C>(|id, _, received, fields| {
        if let Some(own) = entities.get(&id).and_then(|entity| table.get_mut(entity)) {
            let taken = own.take_changes(received, fields);
            NetworkContext::detached(|ctx| own.call_hooks(taken.previous, ctx));
        }
    });
}
