//! The imported scene: a server that spawns its objects, and a client that has loaded it.

use std::time::Duration;

use syncvar::mirror::components::{AnimatorTrigger, AnimatorValue, NetworkTransformHybrid};
use syncvar::mirror::components::{NetworkAnimator, NetworkTransformReliable};
use syncvar::mirror::{
    Limits, MirrorClient, MirrorServer, MirrorServerConfig, MirrorSpawnOptions, SpawnPolicy,
};
use syncvar::prelude::*;
use syncvar::values::Vector3;

use super::game::{Door, add_arena, arena, hero, hero_animator, prefabs, spawn_arena};

/// A server and a client of the imported module.
struct Pair {
    server: MirrorServer,
    client: MirrorClient,
    connection: ConnectionId,
    now: Duration,
}

impl Pair {
    fn new() -> Self {
        let config = MirrorServerConfig {
            spawn_policy: SpawnPolicy::WhenReady,
            ..MirrorServerConfig::default()
        };
        let mut server = MirrorServer::with_config(prefabs(), config);
        let mut client = MirrorClient::new(prefabs());
        add_arena(&mut client).expect("new ids");
        let connection = server.handle_connect(Limits::TELEPATHY);
        client.handle_connect(Limits::TELEPATHY);
        Self {
            server,
            client,
            connection,
            now: Duration::ZERO,
        }
    }

    fn run(&mut self, frames: u32) {
        for _ in 0..frames {
            self.now += Duration::from_secs(1) / 60;
            self.server.update(self.now);
            while let Some(transmit) = self.server.poll_transmit() {
                let handled = self
                    .client
                    .handle_packet(transmit.channel, &transmit.to_bytes());
                handled.expect("a valid packet");
            }
            self.client.update(self.now);
            while let Some(packet) = self.client.poll_transmit() {
                let handled =
                    self.server
                        .handle_packet(self.connection, packet.channel, &packet.bytes);
                handled.expect("a valid packet");
            }
        }
    }
}

#[test]
fn scene_objects_reach_a_client_that_has_loaded_the_scene() {
    let mut pair = Pair::new();
    let ids = spawn_arena(&mut pair.server).expect("new ids");
    let [gate, second, back, raft] = ids[..] else {
        panic!("{ids:?}")
    };
    pair.run(10);
    let client = &pair.client;
    let scene = [arena::GATE, arena::GATE1, arena::BACK_DOOR, arena::RAFT];
    let found = scene.map(|id| client.scene_object(id));
    assert_eq!(found, [gate, second, back, raft].map(Some));
    let open = [gate, second, back].map(|id| *client.get::<Door>(id).expect("a door").open);
    assert_eq!(open, [true, false, false]);

    let mut hybrid = pair
        .server
        .get_mut::<NetworkTransformHybrid>(raft)
        .expect("a raft");
    hybrid.position = Vector3::new(-3.0, 0.0, 9.0);
    drop(hybrid);
    pair.run(120);
    let client = &pair.client;
    let shown = client.get::<NetworkTransformHybrid>(raft).expect("a raft");
    assert_eq!(shown.position, Vector3::new(-3.0, 0.0, 9.0));
}

#[test]
fn transforms_and_animators_of_an_imported_prefab_reach_a_client() {
    let mut pair = Pair::new();
    let hero = pair
        .server
        .try_spawn(hero(), MirrorSpawnOptions::default())
        .expect("the prefab is registered");
    pair.run(10);
    let mut animator = pair
        .server
        .get_mut::<NetworkAnimator>(hero)
        .expect("an animator");
    animator.parameters_mut()[hero_animator::SPEED] = AnimatorValue::Float(3.5);
    animator.set_trigger(hero_animator::JUMP);
    drop(animator);
    let mut arm = pair
        .server
        .get_mut::<NetworkTransformReliable>(hero)
        .expect("an arm");
    arm.position.y = 2.0;
    arm.scale.x = 1.5;
    drop(arm);
    pair.run(60);
    let client = &mut pair.client;
    let arm = client
        .get::<NetworkTransformReliable>(hero)
        .expect("an arm");
    let place = (arm.position, arm.scale.x);
    assert_eq!(place, (Vector3::new(0.5, 2.0, 0.0), 1.5));
    let animator = client.get::<NetworkAnimator>(hero).expect("an animator");
    let speed = animator.parameters()[hero_animator::SPEED];
    assert_eq!(speed, AnimatorValue::Float(3.5));
    let mut animator = client
        .get_mut::<NetworkAnimator>(hero)
        .expect("an animator");
    let trigger = animator.poll_trigger();
    assert_eq!(trigger, Some(AnimatorTrigger::Set(hero_animator::JUMP)));
}
