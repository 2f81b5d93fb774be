//! Servers and clients that are broken, or mean harm.

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;
use syncvar::mirror::message::{
    EntityStateMessage, ObjectDestroyMessage, ObjectSpawnFinishedMessage,
    ObjectSpawnStartedMessage, ReadyMessage, SpawnMessage,
};
use syncvar::mirror::*;
use syncvar::{Channel, NetId};

use syncvar_testing::mirror::FRAME;
use syncvar_testing::mirror::messages::{self, message};

use super::net::{FoundNetwork, Whole, network, prefabs};

fn batch(all: &[Bytes]) -> Vec<u8> {
    let all: Vec<&[u8]> = all.iter().map(|message| &message[..]).collect();
    syncvar_testing::mirror::batch(Duration::from_secs(1), &all)
}

fn spawn(id: u32) -> Bytes {
    message(&SpawnMessage {
        asset_id: AssetId(1001),
        ..messages::spawn_fields(id, None)
    })
}

/// All messages of one side in the recordings, each once.
fn recorded(direction: &str) -> Vec<Vec<u8>> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/data");
    let mut all = Vec::new();
    for name in ["telepathy", "twoclients", "aoi", "scene", "kick"] {
        let text = std::fs::read(data.join(format!("session_{name}.json"))).unwrap();
        let session: Value = serde_json::from_slice(&text).unwrap();
        for sent in session["messages"].as_array().unwrap() {
            if sent["dir"]
                .as_str()
                .is_some_and(|it| it.starts_with(direction))
            {
                let batch = hex::decode(sent["hex"].as_str().unwrap()).unwrap();
                all.extend(messages::messages(&batch));
            }
        }
    }
    // Of each kind and length a few are enough.
    all.sort();
    all.dedup_by_key(|it| (it.len(), it.iter().take(3).copied().collect::<Vec<_>>()));
    assert!(all.len() > 20, "{}", all.len());
    all
}

#[test]
fn a_message_of_a_server_may_end_anywhere() {
    let fresh = || {
        let mut client = MirrorClient::new(prefabs());
        client.handle_connect(Limits::TELEPATHY);
        let burst = [
            message(&ObjectSpawnStartedMessage),
            spawn(1),
            spawn(2),
            spawn(4),
            message(&ObjectSpawnFinishedMessage),
        ];
        client
            .handle_packet(Channel::Reliable, &batch(&burst))
            .unwrap();
        client
    };
    let mut client = fresh();
    for whole in recorded("s2c") {
        for length in 0..=whole.len() {
            let cut = batch(&[Bytes::copy_from_slice(&whole[..length])]);
            let taken = client.handle_packet(Channel::Reliable, &cut);
            assert_eq!(taken.is_err(), client.poll_close());
            if taken.is_err() || client.is_loading_scene() {
                client = fresh();
            }
        }
    }
}

#[test]
fn a_message_of_a_client_may_end_anywhere() {
    let mut net = network();
    let (other, _) = net.join_whole();
    for whole in recorded("c") {
        for length in 0..=whole.len() {
            let connection = net.server.handle_connect(Limits::TELEPATHY);
            net.server.add_player(connection, Whole::default()).unwrap();
            let _ = net.say(connection, &[&whole[..length]]);
            net.server.handle_disconnect(connection);
        }
    }
    net.frames(3);
    assert!(net.server.is_connected(other));
    assert_eq!(net.clients[&other].object_count(), 1);
}

#[test]
fn objects_may_have_any_numbers() {
    let mut client = MirrorClient::new(prefabs());
    client.handle_connect(Limits::TELEPATHY);
    let numbers = [1, 63, 64, 1 << 24, (1 << 24) - 1, 1 << 31, u32::MAX];
    let mut messages = vec![message(&ObjectSpawnFinishedMessage)];
    messages.extend(numbers.map(spawn));
    client
        .handle_packet(Channel::Reliable, &batch(&messages))
        .unwrap();
    assert_eq!(client.object_count(), numbers.len());
    let gone = numbers.map(|id| message(&ObjectDestroyMessage { net_id: NetId(id) }));
    client
        .handle_packet(Channel::Reliable, &batch(&gone))
        .unwrap();
    assert_eq!(client.object_count(), 0);
}

#[test]
fn bursts_may_come_without_end_and_in_one_another() {
    let config = MirrorClientConfig {
        max_events: 100,
        ..MirrorClientConfig::default()
    };
    let mut client = MirrorClient::with_config(prefabs(), config);
    client.handle_connect(Limits::TELEPATHY);
    for round in 0..2000 {
        let id = 1 + round % 3;
        let state = EntityStateMessage {
            net_id: NetId(id),
            payload: Some(&[0]),
        };
        let messages = [
            message(&ObjectSpawnStartedMessage),
            spawn(id),
            message(&ObjectSpawnStartedMessage),
            // It waits, and nothing is made of this.
            message(&state),
            spawn(4),
            spawn(4),
            message(&ObjectDestroyMessage { net_id: NetId(4) }),
        ];
        client
            .handle_packet(Channel::Reliable, &batch(&messages))
            .unwrap();
        if round % 2 == 0 {
            let end = batch(&[message(&ObjectSpawnFinishedMessage)]);
            client.handle_packet(Channel::Reliable, &end).unwrap();
        }
    }
    assert_eq!(client.object_count(), 3);
    assert!(client.identity(NetId(4)).is_none());
    let events = std::iter::from_fn(|| client.poll_event()).count();
    assert!(events < 200, "{events}");
}

/// Some thousand times in a frame, in a world of some thousand objects.
#[test]
fn repeated_ready_gets_an_empty_burst_only() {
    let mut net = network();
    for _ in 0..1000 {
        net.server.spawn(Whole::default());
    }
    let (connection, _) = net.join_whole();
    let before = net.server.stats().messages.bytes;
    let ready = message(&ReadyMessage);
    let many = vec![&ready[..]; 5000];
    net.say(connection, &many).unwrap();
    net.advance(FRAME);
    net.server.update(net.now);
    // The beginning and the end of a burst, each time.
    assert_eq!(net.server.stats().messages.bytes - before, 5000 * 4);
}
