//! Changes of scenes between our server and our clients, and their bytes.

use std::time::Duration;

use syncvar::mirror::batch::Unbatcher;
use syncvar::mirror::components::{ConnectionQuality, NetworkPingDisplay, QualityMethod};
use syncvar::mirror::message::{SceneMessage, SceneOperation};
use syncvar::mirror::{
    Limits, MirrorClient, MirrorClientEvent, MirrorError, MirrorPrefab, MirrorPrefabs,
    MirrorServer, MirrorServerEvent, SceneChange, hash16,
};
use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Hero {
    #[sync_var]
    health: SyncVar<i32>,
}

struct World {
    server: MirrorServer,
    clients: Vec<(ConnectionId, MirrorClient)>,
    /// Scene messages, by receiver.
    messages: Vec<(ConnectionId, Vec<u8>)>,
    now: Duration,
}

fn prefabs() -> MirrorPrefabs {
    MirrorPrefabs::new().register::<Hero>(MirrorPrefab::new("Hero", 1001.into()))
}

impl World {
    fn new() -> Self {
        let mut world = Self {
            server: MirrorServer::new(prefabs()),
            clients: Vec::new(),
            messages: Vec::new(),
            now: Duration::ZERO,
        };
        for _ in 0..2 {
            let mut client = MirrorClient::new(prefabs());
            let connection = world.server.handle_connect(Limits::TELEPATHY);
            client.handle_connect(Limits::TELEPATHY);
            world.clients.push((connection, client));
        }
        world.run(4);
        world
    }

    fn run(&mut self, frames: u32) {
        for _ in 0..frames {
            self.frame();
        }
    }

    fn frame(&mut self) {
        self.now += Duration::from_secs(1) / 60;
        while let Some(event) = self.server.poll_event() {
            if let MirrorServerEvent::AddPlayerRequested { connection } = event {
                self.server.add_player(connection, Hero::default()).unwrap();
            }
        }
        self.server.update(self.now);
        while let Some(transmit) = self.server.poll_transmit() {
            let (to, bytes) = (transmit.connection, transmit.to_bytes());
            let id = hash16("Mirror.SceneMessage").to_le_bytes();
            for message in Unbatcher::new(&bytes).unwrap().map(Result::unwrap) {
                if message.starts_with(&id) {
                    self.messages.push((to, message.to_vec()));
                }
            }
            let client = self.clients.iter_mut().find(|it| it.0 == to);
            let client = &mut client.unwrap().1;
            client.handle_packet(transmit.channel, &bytes).unwrap();
        }
        for (connection, client) in &mut self.clients {
            client.update(self.now);
            while let Some(packet) = client.poll_transmit() {
                let (channel, bytes) = (packet.channel, &packet.bytes);
                let handled = self.server.handle_packet(*connection, channel, bytes);
                handled.unwrap();
            }
        }
    }

    fn changes(&mut self, index: usize) -> Vec<SceneChange> {
        let client = &mut self.clients[index].1;
        let events = std::iter::from_fn(|| client.poll_event());
        let changes = events.filter_map(|event| match event {
            MirrorClientEvent::SceneChange(change) => Some(*change),
            _ => None,
        });
        changes.collect()
    }
}

/// The bytes of a message: its id, the length of the name and one more, the name, the operation, and whether
/// the game loads the scene by itself.
fn bytes(name: &str, operation: u8, custom: u8) -> Vec<u8> {
    let length = u16::try_from(name.len() + 1).unwrap().to_le_bytes();
    let id = hash16("Mirror.SceneMessage").to_le_bytes();
    [&id[..], &length, name.as_bytes(), &[operation, custom]].concat()
}

#[test]
fn normal_scene_makes_all_not_ready_until_they_have_loaded_it() {
    let mut world = World::new();
    let [first, second] = [0, 1].map(|index: usize| world.clients[index].0);
    let player = world.server.player_of(first).unwrap();
    let loaded = world.server.load_scene("Arena", SceneOperation::Normal);
    loaded.unwrap();
    assert!(!world.server.is_ready(first) && !world.server.is_ready(second));
    world.run(2);
    let expected = bytes("Arena", 0, 0);
    assert_eq!(
        world.messages,
        [(first, expected.clone()), (second, expected)]
    );
    *world.server.get_mut::<Hero>(player).unwrap().health = 7;
    world.clients[0].1.scene_loaded();
    world.run(4);
    assert!(world.server.is_ready(first) && !world.server.is_ready(second));
    let seen = |world: &World, index: usize| {
        let hero = world.clients[index].1.get::<Hero>(player);
        hero.map(|hero| *hero.health)
    };
    // The second one has the old scene with its objects still, and no change of them.
    assert_eq!((seen(&world, 0), seen(&world, 1)), (Some(7), Some(0)));
    world.clients[1].1.scene_loaded();
    world.run(4);
    assert_eq!(seen(&world, 1), Some(7));
    assert_eq!(world.clients[0].1.local_player(), Some(player));
}

#[test]
fn additive_scene_leaves_readiness_and_objects() {
    let mut world = World::new();
    let [first, second] = [0, 1].map(|index: usize| world.clients[index].0);
    for operation in [SceneOperation::LoadAdditive, SceneOperation::UnloadAdditive] {
        world.server.load_scene("Cave", operation).unwrap();
        world.run(2);
        assert!(world.server.is_ready(first) && world.server.is_ready(second));
        for index in 0..2 {
            let change = world.changes(index).pop().unwrap();
            assert_eq!((&*change.scene, change.operation), ("Cave", operation));
            let client = &mut world.clients[index].1;
            assert_eq!(client.object_count(), 2);
            client.scene_loaded();
            assert_eq!(client.object_count(), 2);
        }
        world.run(2);
    }
    let (load, unload) = (bytes("Cave", 1, 0), bytes("Cave", 2, 0));
    let sent: Vec<_> = world.messages.iter().map(|(_, it)| it.clone()).collect();
    assert_eq!(sent, [load.clone(), load, unload.clone(), unload]);
    assert_eq!(world.server.scene(), None);
}

#[test]
fn scene_of_one_client_is_sent_to_it_alone() {
    let mut world = World::new();
    let [first, second] = [0, 1].map(|index: usize| world.clients[index].0);
    let dungeon = SceneMessage {
        scene_name: Some("Dungeon"),
        operation: SceneOperation::LoadAdditive,
        custom_handling: true,
    };
    world.server.load_scene_on(second, &dungeon).unwrap();
    world.run(2);
    assert_eq!(world.messages, [(second, bytes("Dungeon", 1, 1))]);
    assert!(world.changes(0).is_empty());
    let change = world.changes(1).pop().unwrap();
    assert!(change.custom_handling);
    assert!(world.server.is_ready(first) && world.server.is_ready(second));

    let name = "x".repeat(70_000);
    let long = SceneMessage {
        scene_name: Some(&name),
        ..dungeon
    };
    let refused = world.server.load_scene_on(first, &long);
    assert!(matches!(
        refused,
        Err(MirrorError::TooLong { limit: 65_534, .. })
    ));
    let name = "x".repeat(20_000);
    let long = SceneMessage {
        scene_name: Some(&name),
        ..dungeon
    };
    let refused = world.server.load_scene_on(first, &long);
    assert!(matches!(refused, Err(MirrorError::TooLong { .. })));
    world.server.handle_disconnect(first);
    let gone = world.server.load_scene_on(first, &dungeon);
    assert_eq!(gone, Err(MirrorError::NoSuchConnection));
}

#[test]
fn quality_of_a_connection_is_evaluated_every_three_seconds() {
    for method in [QualityMethod::Simple, QualityMethod::Pragmatic] {
        let mut world = World::new();
        let mut display = NetworkPingDisplay::new(method);
        assert_eq!(display.quality_text(), "Q: ");
        let mut changes = Vec::new();
        for _ in 0..500 {
            world.frame();
            changes.extend(display.update(&world.clients[0].1));
        }
        let (before, now) = (ConnectionQuality::Estimating, ConnectionQuality::Excellent);
        assert_eq!(changes, [(before, now)]);
        assert_eq!(display.quality_text(), "Q: ----");
        let text = NetworkPingDisplay::round_trip(&world.clients[0].1);
        assert!(text.starts_with("RTT: ") && text.ends_with("ms"), "{text}");
    }
}
