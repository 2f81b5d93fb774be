//! A server and its clients in one program.

use std::collections::BTreeMap;
use std::time::Duration;

use syncvar::NetworkIdentity;
use syncvar::mirror::{Limits, MirrorClient, MirrorClientEvent, MirrorServer, MirrorServerEvent};
use syncvar::prelude::*;

use crate::client::game::{self, Aim, DOOR, Door, Monster, Player, Wallet, prefabs};

/// A server, its clients, and nothing between them.
pub(crate) struct World {
    pub(crate) server: MirrorServer,
    pub(crate) clients: BTreeMap<ConnectionId, MirrorClient>,
    now: Duration,
    pub(crate) events: Vec<MirrorServerEvent>,
}

impl World {
    pub(crate) fn new() -> Self {
        let server = MirrorServer::new(prefabs());
        Self {
            server,
            clients: BTreeMap::new(),
            now: Duration::ZERO,
            events: Vec::new(),
        }
    }

    pub(crate) fn join(&mut self) -> ConnectionId {
        let connection = self.server.handle_connect(Limits::TELEPATHY);
        let mut client = MirrorClient::new(prefabs());
        client.add_scene_object(DOOR, Door::default()).unwrap();
        client.handle_connect(Limits::TELEPATHY);
        self.clients.insert(connection, client);
        connection
    }

    /// A fiftieth of a second: everything that is sent arrives.
    pub(crate) fn frame(&mut self) {
        self.now += Duration::from_millis(20);
        for (connection, client) in &mut self.clients {
            client.update(self.now);
            while let Some(packet) = client.poll_transmit() {
                let is_open = self.server.is_connected(*connection);
                let (channel, bytes) = (packet.channel, packet.bytes);
                let taken = self.server.handle_packet(*connection, channel, &bytes);
                assert_eq!(taken.is_ok(), is_open);
            }
        }
        while let Some(event) = self.server.poll_event() {
            if let MirrorServerEvent::AddPlayerRequested { connection } = event {
                self.server.add_player(connection, game::player()).unwrap();
            }
            self.events.push(event);
        }
        self.server.update(self.now);
        while let Some(transmit) = self.server.poll_transmit() {
            let client = self.clients.get_mut(&transmit.connection).unwrap();
            client
                .handle_packet(transmit.channel, &transmit.to_bytes())
                .unwrap();
        }
        while let Some(connection) = self.server.poll_close() {
            if let Some(mut client) = self.clients.remove(&connection) {
                client.handle_disconnect();
            }
            self.server.handle_disconnect(connection);
        }
    }

    pub(crate) fn settle(&mut self) {
        for _ in 0..4 {
            self.frame();
        }
    }

    pub(crate) fn client(&mut self, connection: ConnectionId) -> &mut MirrorClient {
        self.clients.get_mut(&connection).unwrap()
    }

    pub(crate) fn joined() -> (Self, ConnectionId, NetId) {
        let mut world = Self::new();
        let me = world.join();
        world.settle();
        let player = world.client(me).local_player().unwrap();
        assert_eq!(world.server.player_of(me), Some(player));
        (world, me, player)
    }

    /// Every client has every object that it observes, as the server has it.
    pub(crate) fn check(&mut self) {
        for (connection, client) in &mut self.clients {
            let observed = self.server.identities().map(NetworkIdentity::net_id);
            let observed: Vec<_> = observed
                .filter(|id| self.server.is_observer(*id, *connection))
                .collect();
            let seen: Vec<_> = client.identities().map(NetworkIdentity::net_id).collect();
            assert_eq!(seen, observed, "{connection}");
            for id in seen {
                let owned = self.server.owner(id) == Some(*connection);
                assert_eq!(client.is_owned(id), owned);
                assert_eq!(
                    view(client.identity(id).unwrap(), owned),
                    view(self.server.identity(id).unwrap(), owned),
                    "{id}"
                );
            }
            while let Some(event) = client.poll_event() {
                assert!(
                    !matches!(
                        event,
                        MirrorClientEvent::Mismatch(_) | MirrorClientEvent::SpawnFailed { .. }
                    ),
                    "{event:?}"
                );
            }
            let stats = client.stats();
            assert_eq!(
                (stats.unknown_objects, stats.unknown_calls),
                (0, 0),
                "{connection}"
            );
        }
    }
}

/// What an object is, as text; to the owner, if that is asked for.
fn view(object: NetworkIdentity<'_>, owned: bool) -> String {
    if let Some(monster) = object.behaviour::<Monster>() {
        let mut buffs: Vec<_> = monster.buffs.iter().collect();
        buffs.sort_unstable();
        let mut tags: Vec<_> = monster.tags.iter().collect();
        tags.sort_unstable();
        let values = (
            *monster.kind,
            *monster.hp,
            monster.target.id(),
            *monster.bounty,
        );
        return format!("{buffs:?} {tags:?} {:?} {values:?}", &monster.loot[..]);
    }
    if let Some(player) = object.behaviour::<Player>() {
        let wallet: &Wallet = object.behaviour().unwrap();
        let aim: &Aim = object.behaviour().unwrap();
        let gold = owned.then_some((*wallet.gold, *wallet.secret));
        let values = (&*player.player_name, *player.health, gold);
        return format!(
            "{values:?} {:?} {:?}",
            &player.inventory[..],
            (*aim.yaw, *aim.firing)
        );
    }
    format!("{:?}", *object.behaviour::<Door>().unwrap().open)
}
