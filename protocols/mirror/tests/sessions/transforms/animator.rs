//! Parameters, states, triggers and speed of an animator reach the other ends.

use std::time::Duration;

use syncvar::mirror::components::{
    AnimatorLayer, AnimatorState, AnimatorTrigger, AnimatorValue, NetworkAnimator, animator_hash,
};
use syncvar::mirror::{
    Component, Limits, MirrorClient, MirrorClientConfig, MirrorPrefab, MirrorPrefabs, MirrorServer,
    MirrorServerConfig, SpawnPolicy, SyncDirection,
};
use syncvar::prelude::*;

const IDLE: AnimatorState = AnimatorState {
    hash: 100,
    normalized_time: 0.0,
};
const RUN: AnimatorState = AnimatorState {
    hash: 200,
    normalized_time: 0.25,
};

fn animator() -> NetworkAnimator {
    let parameters = [
        AnimatorValue::Float(0.0),
        AnimatorValue::Int(0),
        AnimatorValue::Trigger,
    ];
    NetworkAnimator::new(parameters, [AnimatorLayer::new(IDLE)])
}

struct World {
    server: MirrorServer,
    clients: Vec<(ConnectionId, MirrorClient)>,
    now: Duration,
    id: NetId,
}

impl World {
    fn new(direction: SyncDirection) -> Self {
        let prefabs = || {
            let component = Component::new().sync_direction(direction);
            let prefab = MirrorPrefab::new("Ann", 1001.into()).component(0, component);
            MirrorPrefabs::new().register_with(prefab, animator)
        };
        let config = MirrorServerConfig {
            spawn_policy: SpawnPolicy::WhenReady,
            ..MirrorServerConfig::default()
        };
        let mut server = MirrorServer::with_config(prefabs(), config);
        let id = server.spawn(animator());
        let mut world = Self {
            server,
            clients: Vec::new(),
            now: Duration::ZERO,
            id,
        };
        for _ in 0..2 {
            let config = MirrorClientConfig {
                auto_add_player: false,
                ..MirrorClientConfig::default()
            };
            let mut client = MirrorClient::with_config(prefabs(), config);
            client.handle_connect(Limits::KCP);
            let connection = world.server.handle_connect(Limits::KCP);
            world.clients.push((connection, client));
        }
        world.run();
        world
    }

    fn run(&mut self) {
        for _ in 0..4 {
            self.now += Duration::from_secs(1) / 60;
            self.server.update(self.now);
            while let Some(transmit) = self.server.poll_transmit() {
                let (channel, bytes) = (transmit.channel, transmit.to_bytes());
                let mut clients = self.clients.iter_mut();
                let to = clients.find(|(connection, _)| *connection == transmit.connection);
                to.expect("a client")
                    .1
                    .handle_packet(channel, &bytes)
                    .unwrap();
            }
            for (connection, client) in &mut self.clients {
                client.update(self.now);
                while let Some(packet) = client.poll_transmit() {
                    let server = &mut self.server;
                    server
                        .handle_packet(*connection, packet.channel, &packet.bytes)
                        .unwrap();
                }
            }
        }
    }

    fn check(&mut self, client: usize) {
        let mut animator = self.clients[client]
            .1
            .get_mut::<NetworkAnimator>(self.id)
            .unwrap();
        check(&mut animator);
    }
}

/// Does everything that an animator can do.
fn act(animator: &mut NetworkAnimator) {
    animator.parameters_mut()[0] = AnimatorValue::Float(2.5);
    animator.parameters_mut()[1] = AnimatorValue::Int(-3);
    animator.layers_mut()[0] = AnimatorLayer {
        weight: 0.5,
        ..AnimatorLayer::new(RUN)
    };
    animator.speed = 1.5;
    animator.set_trigger(animator_hash("Jump"));
}

fn check(animator: &mut NetworkAnimator) {
    let values = [
        AnimatorValue::Float(2.5),
        AnimatorValue::Int(-3),
        AnimatorValue::Trigger,
    ];
    assert_eq!(animator.parameters(), values);
    assert_eq!(animator.layers()[0].state, RUN);
    assert_eq!((animator.layers()[0].weight, animator.speed), (0.5, 1.5));
    let jump = AnimatorTrigger::Set(animator_hash("Jump"));
    assert_eq!(animator.poll_trigger(), Some(jump));
    assert_eq!(animator.poll_trigger(), None);
}

#[test]
fn animator_of_the_server_plays_at_clients() {
    let mut world = World::new(SyncDirection::ServerToClient);
    act(&mut world.server.get_mut::<NetworkAnimator>(world.id).unwrap());
    world.run();
    world.check(0);
    world.check(1);
}

#[test]
fn animator_of_an_owner_plays_at_all() {
    let mut world = World::new(SyncDirection::ClientToServer);
    let (owner, id) = (world.clients[0].0, world.id);
    world.server.set_owner(id, Some(owner)).unwrap();
    world.run();
    act(&mut world.clients[0].1.get_mut::<NetworkAnimator>(id).unwrap());
    world.run();
    check(&mut world.server.get_mut::<NetworkAnimator>(id).unwrap());
    world.check(1);
    // The owner's own trigger, and no echo of it.
    world.check(0);
}

#[test]
fn animator_of_a_stranger_is_not_believed() {
    let mut world = World::new(SyncDirection::ClientToServer);
    let (owner, id) = (world.clients[0].0, world.id);
    world.server.set_owner(id, Some(owner)).unwrap();
    world.run();
    act(&mut world.clients[1].1.get_mut::<NetworkAnimator>(id).unwrap());
    world.run();
    let animator = world.server.get::<NetworkAnimator>(id).unwrap();
    assert_eq!(animator.parameters()[0], AnimatorValue::Float(0.0));
    assert!((animator.speed - 1.0).abs() < 1e-6);
}
