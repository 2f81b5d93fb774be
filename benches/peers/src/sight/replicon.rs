//! `bevy_replicon` with a visibility that is set by hand for each client and object.
//!
//! It has no grid: what a game would spend to find out who sees what is not part of this. All clients
//! are real, for they are sent different messages and have to acknowledge their own.

use bevy::prelude::*;
use bevy_replicon::prelude::*;
use bevy_replicon::server::visibility::client_visibility::ClientVisibility;
use bevy_replicon::server::visibility::filters_mask::FilterBit;
use bevy_replicon::server::visibility::registry::FilterRegistry;
use bevy_replicon::shared::replication::registry::ReplicationRegistry;
use bevy_replicon::shared::server_entity_map::ServerEntityMap;

use super::Seeing;
use crate::peer::{Pair, Sent};
use crate::peers::replicon::{connect, connected_client, running_server};
use crate::plain_unit::PlainUnit;
use crate::support::floor::Sight;
use crate::support::random::Random;
use crate::support::workload::{Change, Server, Values};

pub(super) struct Replicon {
    server: App,
    /// The connections and their clients; the first is the one that is measured.
    clients: Vec<(Entity, App)>,
    objects: Vec<Entity>,
}

/// The bit that says whether an entity is visible.
fn entity_bit(world: &mut World) -> FilterBit {
    world.resource_scope(|world, mut filters: Mut<'_, FilterRegistry>| {
        world.resource_scope(|world, mut registry: Mut<'_, ReplicationRegistry>| {
            filters.register_scope::<Entity>(world, &mut registry, ScopeLifetime::WhileVisible)
        })
    })
}

impl Replicon {
    pub(super) fn new(objects: u32, sights: &[Sight]) -> Self {
        let mut server = running_server();
        let bit = entity_bit(server.world_mut());
        let connections: Vec<Entity> = sights.iter().map(|_| connect(&mut server)).collect();
        server.update();
        let (world, random) = (server.world_mut(), &mut Random::new(1));
        let spawn = |_| {
            let unit = PlainUnit::from(Values::random(random));
            world.spawn((Replicated, unit)).id()
        };
        let objects: Vec<Entity> = (0..objects).map(spawn).collect();
        for (connection, sight) in connections.iter().zip(sights) {
            let mut visibility = world.get_mut::<ClientVisibility>(*connection);
            let visibility = visibility.as_mut().expect("the server lets everybody in");
            for (number, entity) in (0..).zip(&objects) {
                visibility.set(*entity, bit, sight.sees(number));
            }
        }
        let clients = connections.into_iter();
        let mut this = Self {
            server,
            clients: clients.map(|client| (client, connected_client())).collect(),
            objects,
        };
        for _ in 0..3 {
            this.tick();
            this.collect();
            this.apply();
            this.acknowledge();
        }
        this
    }
}

impl Server for Replicon {
    fn change(&mut self, object: u32, change: Change) {
        let entity = self.objects[object as usize];
        let mut unit = self.server.world_mut().get_mut::<PlainUnit>(entity);
        unit.as_mut().expect("it was spawned").apply(change);
    }

    fn tick(&mut self) {
        self.server.update();
    }
}

impl Pair for Replicon {
    fn collect(&mut self) -> Sent {
        let mut outbox = self.server.world_mut().resource_mut::<ServerMessages>();
        let mut sent = Sent::default();
        for (receiver, channel, message) in outbox.drain_sent() {
            let position = self.clients.iter().position(|(id, _)| *id == receiver);
            let number = position.expect("only they were connected");
            if number == 0 {
                sent.add(&message);
            }
            let world = self.clients[number].1.world_mut();
            let mut inbox = world.resource_mut::<ClientMessages>();
            inbox.insert_received(channel, message);
        }
        sent
    }

    fn apply(&mut self) {
        self.clients[0].1.update();
    }

    /// Before that, the other clients apply what they were sent.
    fn acknowledge(&mut self) {
        for (_, client) in &mut self.clients[1..] {
            client.update();
        }
        let mut inbox = self.server.world_mut().resource_mut::<ServerMessages>();
        for (connection, client) in &mut self.clients {
            let mut outbox = client.world_mut().resource_mut::<ClientMessages>();
            for (channel, message) in outbox.drain_sent() {
                inbox.insert_received(*connection, channel, message);
            }
        }
        self.server.world_mut().run_schedule(PreUpdate);
    }
}

impl Seeing for Replicon {
    fn replicas(&mut self) -> Vec<(Values, Option<Values>)> {
        let (server, client) = (self.server.world(), self.clients[0].1.world());
        let known = client.resource::<ServerEntityMap>().to_client();
        let pair = |entity: &Entity| {
            let original = server.get::<PlainUnit>(*entity).expect("it was spawned");
            let replica = known
                .get(entity)
                .and_then(|&replica| client.get::<PlainUnit>(replica));
            (original.values(), replica.map(PlainUnit::values))
        };
        self.objects.iter().map(pair).collect()
    }
}
