//! Changes of scenes between our server and our clients, and their bytes.

use std::time::Duration;

use syncvar::mirror::batch::Unbatcher;
use syncvar::mirror::components::{ConnectionQuality, NetworkPingDisplay, QualityMethod};
use syncvar::mirror::message::{SceneMessage, SceneOperation};
use syncvar::mirror::{
    MirrorClient, MirrorClientEvent, MirrorError, MirrorPrefab, MirrorPrefabs, MirrorServer,
    MirrorServerEvent, SceneChange, hash16,
};
use syncvar::prelude::*;
use syncvar_testing::mirror::MirrorNetwork;

#[derive(NetworkBehaviour, Default)]
struct Hero {
    #[sync_var]
    health: SyncVar<i32>,
}

fn prefabs() -> MirrorPrefabs {
    MirrorPrefabs::new().register::<Hero>(MirrorPrefab::new("Hero", 1001.into()))
}

/// Returns a server and two clients with players, and the connections.
fn network() -> (MirrorNetwork, [ConnectionId; 2]) {
    let server = MirrorServer::new(prefabs());
    let mut net = MirrorNetwork::new(server, || MirrorClient::new(prefabs()));
    let connections = [net.connect(), net.connect()];
    run(&mut net, 4);
    (net, connections)
}

/// Runs frames in which each client gets the player that it asks for. Returns the messages about scenes.
fn run(net: &mut MirrorNetwork, frames: u32) -> Vec<(ConnectionId, Vec<u8>)> {
    for _ in 0..frames {
        for event in net.events() {
            if let MirrorServerEvent::AddPlayerRequested { connection } = event {
                net.server.add_player(connection, Hero::default()).unwrap();
            }
        }
        net.frame();
    }
    let id = hash16("Mirror.SceneMessage").to_le_bytes();
    let mut found = Vec::new();
    for packet in net.take_packets() {
        for message in Unbatcher::new(&packet.bytes).unwrap().map(Result::unwrap) {
            if message.starts_with(&id) && !packet.from_client {
                found.push((packet.connection, message.to_vec()));
            }
        }
    }
    found
}

fn changes(net: &mut MirrorNetwork, connection: ConnectionId) -> Vec<SceneChange> {
    let events = net.client_events(connection).into_iter();
    let changes = events.filter_map(|event| match event {
        MirrorClientEvent::SceneChange(change) => Some(*change),
        _ => None,
    });
    changes.collect()
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
    let (mut net, [first, second]) = network();
    let player = net.server.player_of(first).unwrap();
    let loaded = net.server.load_scene("Arena", SceneOperation::Normal);
    loaded.unwrap();
    assert!(!net.server.is_ready(first) && !net.server.is_ready(second));
    let messages = run(&mut net, 2);
    let expected = bytes("Arena", 0, 0);
    assert_eq!(messages, [(first, expected.clone()), (second, expected)]);
    *net.server.get_mut::<Hero>(player).unwrap().health = 7;
    net.client(first).scene_loaded();
    run(&mut net, 4);
    assert!(net.server.is_ready(first) && !net.server.is_ready(second));
    let seen = |net: &MirrorNetwork, client| *net.seen::<Hero>(client, player).health;
    // The second one has the old scene with its objects still, and no change of them.
    assert_eq!((seen(&net, first), seen(&net, second)), (7, 0));
    net.client(second).scene_loaded();
    run(&mut net, 4);
    assert_eq!(seen(&net, second), 7);
    assert_eq!(net.client(first).local_player(), Some(player));
}

#[test]
fn additive_scene_leaves_readiness_and_objects() {
    let (mut net, [first, second]) = network();
    let mut sent = Vec::new();
    for operation in [SceneOperation::LoadAdditive, SceneOperation::UnloadAdditive] {
        net.server.load_scene("Cave", operation).unwrap();
        sent.extend(run(&mut net, 2));
        assert!(net.server.is_ready(first) && net.server.is_ready(second));
        for connection in [first, second] {
            let change = changes(&mut net, connection).pop().unwrap();
            assert_eq!((&*change.scene, change.operation), ("Cave", operation));
            let client = net.client(connection);
            assert_eq!(client.object_count(), 2);
            client.scene_loaded();
            assert_eq!(client.object_count(), 2);
        }
        sent.extend(run(&mut net, 2));
    }
    let (load, unload) = (bytes("Cave", 1, 0), bytes("Cave", 2, 0));
    let sent: Vec<_> = sent.into_iter().map(|(_, message)| message).collect();
    assert_eq!(sent, [load.clone(), load, unload.clone(), unload]);
    assert_eq!(net.server.scene(), None);
}

#[test]
fn scene_of_one_client_is_sent_to_it_alone() {
    let (mut net, [first, second]) = network();
    let dungeon = SceneMessage {
        scene_name: Some("Dungeon"),
        operation: SceneOperation::LoadAdditive,
        custom_handling: true,
    };
    net.server.load_scene_on(second, &dungeon).unwrap();
    assert_eq!(run(&mut net, 2), [(second, bytes("Dungeon", 1, 1))]);
    assert!(changes(&mut net, first).is_empty());
    let change = changes(&mut net, second).pop().unwrap();
    assert!(change.custom_handling);
    assert!(net.server.is_ready(first) && net.server.is_ready(second));

    let name = "x".repeat(70_000);
    let long = SceneMessage {
        scene_name: Some(&name),
        ..dungeon
    };
    let refused = net.server.load_scene_on(first, &long);
    assert!(matches!(
        refused,
        Err(MirrorError::TooLong { limit: 65_534, .. })
    ));
    let name = "x".repeat(20_000);
    let long = SceneMessage {
        scene_name: Some(&name),
        ..dungeon
    };
    let refused = net.server.load_scene_on(first, &long);
    assert!(matches!(refused, Err(MirrorError::TooLong { .. })));
    net.server.handle_disconnect(first);
    let gone = net.server.load_scene_on(first, &dungeon);
    assert_eq!(gone, Err(MirrorError::NoSuchConnection));
}

#[test]
fn quality_of_a_connection_is_evaluated_every_three_seconds() {
    for method in [QualityMethod::Simple, QualityMethod::Pragmatic] {
        let (mut net, [first, _]) = network();
        net.frame_time = Duration::from_secs(1) / 60;
        let mut display = NetworkPingDisplay::new(method);
        assert_eq!(display.quality_text(), "Q: ");
        let mut changes = Vec::new();
        for _ in 0..500 {
            net.frame();
            changes.extend(display.update(net.client(first)));
        }
        let (before, now) = (ConnectionQuality::Estimating, ConnectionQuality::Excellent);
        assert_eq!(changes, [(before, now)]);
        assert_eq!(display.quality_text(), "Q: ----");
        let text = NetworkPingDisplay::round_trip(net.client(first));
        assert!(text.starts_with("RTT: ") && text.ends_with("ms"), "{text}");
    }
}
