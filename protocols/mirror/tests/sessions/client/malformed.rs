//! What a client makes of a server that is broken, or wants it to be.

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use proptest::prelude::*;
use serde_json::Value;
use syncvar::Channel;
use syncvar::mirror::message::{
    NetworkMessage, NetworkPingMessage, ReadyMessage, RpcMessage, SpawnFlags,
};
use syncvar::mirror::{
    Limits, MirrorClient, MirrorClientConfig, MirrorClientEvent, MirrorError, hash16,
};
use syncvar::prelude::NetId;

use crate::client::game::{DOOR, Door, Monster, Player, Wallet, player, prefabs};
use crate::client::server::{
    MINE, MONSTER, PLAYER, World, batch, full, message, spawn, started, state,
};

/// What is given is refused, and the connection is over.
fn refused(bytes: &[u8]) -> MirrorError {
    let mut world = World::joined();
    let result = world.client.handle_packet(Channel::Reliable, bytes);
    let error = result.expect_err("it is refused");
    assert!(!world.client.is_connected());
    assert!(world.client.poll_close());
    assert_eq!(world.client.object_count(), 0);
    let told = MirrorClientEvent::Disconnected {
        error: Some(Box::new(error.clone())),
    };
    assert!(world.events().contains(&told));
    let again = world.client.handle_packet(Channel::Reliable, bytes);
    assert_eq!(again, Err(MirrorError::NoSuchConnection));
    error
}

#[test]
fn malformed_batch_or_message_ends_the_connection() {
    assert!(matches!(refused(&[0; 7]), MirrorError::Batch(_)));
    assert!(matches!(
        refused(&[&[0; 8][..], &[100, 1]].concat()),
        MirrorError::Batch(_)
    ));
    for short in [&[][..], &[1]] {
        let length = short.len();
        let short = batch(0.0, &[Bytes::copy_from_slice(short)]);
        assert_eq!(refused(&short), MirrorError::NoMessageId { length });
    }
    let unknown = batch(0.0, &[Bytes::from_static(&[0x39, 0x30])]);
    assert_eq!(
        refused(&unknown),
        MirrorError::UnknownMessage { id: 12_345 }
    );
    let of_clients = batch(0.0, &[message(&ReadyMessage)]);
    let id = ReadyMessage::ID;
    assert_eq!(refused(&of_clients), MirrorError::UnknownMessage { id });
    let cut = spawn(9, MONSTER, MINE, &full(Monster::default()));
    let cut = batch(0.0, &[cut.slice(..cut.len() - 1)]);
    assert!(matches!(
        refused(&cut),
        MirrorError::Message {
            message: "Mirror.SpawnMessage",
            ..
        }
    ));
}

#[test]
fn arguments_that_cannot_be_read_end_the_connection() {
    let rpc = message(&RpcMessage {
        net_id: NetId(4),
        component_index: 0,
        function_hash: hash16("System.Void Player::RpcOthers(System.Int32)"),
        payload: Some(&[]),
    });
    let error = refused(&batch(0.0, &[rpc]));
    assert!(matches!(
        error,
        MirrorError::Message {
            message: "Mirror.RpcMessage",
            ..
        }
    ));
}

#[test]
fn batches_may_be_empty_and_lengths_may_be_padded() {
    let mut world = World::joined();
    world.give(&[]);
    let longer = [&started()[..], &[1, 2, 3]].concat();
    world.give(&[longer.into()]);
    assert!(world.client.is_connected());
}

#[test]
fn overlong_component_is_reported_and_the_next_one_is_read() {
    let mut world = World::joined();
    // Mask 3; 11 bytes: no collection, mask 2, health 33 (42), and ee too much; 10 bytes: gold 77.
    let payload = hex::decode("030b00000000000000000242ee0a0000000000000000019a").unwrap();
    world.give(&[state(4, &payload)]);
    assert_eq!(*world.client.get::<Player>(NetId(4)).unwrap().health, 33);
    assert_eq!(*world.client.get::<Wallet>(NetId(4)).unwrap().gold, 77);
    let mismatch = world.events().into_iter().find_map(|event| match event {
        MirrorClientEvent::Mismatch(mismatch) => Some(mismatch),
        _ => None,
    });
    let mismatch = mismatch.expect("it is told");
    assert_eq!(
        (mismatch.component, mismatch.behaviour),
        (0, Some("Player"))
    );
    assert_eq!((mismatch.read, mismatch.corrected), (10, Some(11)));
    assert_eq!(world.client.stats().mismatches, 1);
    assert!(world.client.is_connected());
}

#[test]
fn unreadable_component_is_reported_and_the_next_one_is_read() {
    let mut world = World::joined();
    // Player: its name (mask 1) has more bytes than there are; 11 bytes. Then gold 77.
    let payload = hex::decode("030b000000000000000001ffff0a0000000000000000019a").unwrap();
    world.give(&[state(4, &payload)]);
    assert_eq!(*world.client.get::<Wallet>(NetId(4)).unwrap().gold, 77);
    let error = world.events().into_iter().find_map(|event| match event {
        MirrorClientEvent::Mismatch(mismatch) => mismatch.error,
        _ => None,
    });
    let error = error.expect("it is told").to_string();
    assert!(error.contains("player_name"), "{error}");
}

#[test]
fn components_that_this_client_does_not_have_are_passed_over() {
    let mut world = World::joined();
    // Bits 1 and 3, and there are three components.
    let payload = hex::decode("0a0a0000000000000000019a0100").unwrap();
    world.give(&[state(4, &payload)]);
    assert_eq!(*world.client.get::<Wallet>(NetId(4)).unwrap().gold, 77);
    assert!(world.client.is_connected());
}

#[test]
fn payload_shorter_than_its_components_ends_the_connection() {
    let error = refused(&batch(0.0, &[state(4, &[3])]));
    assert!(matches!(
        error,
        MirrorError::Message {
            message: "Mirror.EntityStateMessage",
            ..
        }
    ));
}

#[test]
fn a_server_that_wants_too_much_is_left() {
    let mut config = MirrorClientConfig::default();
    (config.max_objects, config.max_parked_bytes) = (3, 1000);
    let give = |messages: &[Bytes]| {
        let mut client = MirrorClient::with_config(prefabs(), config.clone());
        client.handle_connect(Limits::TELEPATHY);
        client.handle_packet(Channel::Reliable, &batch(0.0, messages))
    };
    let monsters = |count: u32| -> Vec<_> {
        (1..=count)
            .map(|id| spawn(id, MONSTER, SpawnFlags::NONE, &[]))
            .collect()
    };
    assert_eq!(give(&monsters(3)), Ok(()));
    let (what, limit) = ("objects", 3);
    assert_eq!(
        give(&monsters(4)),
        Err(MirrorError::TooMuch { what, limit })
    );
    let again = vec![spawn(1, MONSTER, SpawnFlags::NONE, &[0; 100]); 5];
    assert!(matches!(
        give(&again),
        Err(MirrorError::TooMuch { limit: 1000, .. })
    ));
}

#[test]
fn pings_are_not_answered_without_end() {
    let mut world = World::joined();
    let ping = message(&NetworkPingMessage {
        local_time: 1.0,
        predicted_time_adjusted: 1.0,
    });
    let pings = batch(0.0, &vec![ping; 800]);
    for _ in 0..100 {
        world
            .client
            .handle_packet(Channel::Unreliable, &pings)
            .unwrap();
    }
    world.client.update(world.now);
    let sent = std::iter::from_fn(|| world.client.poll_transmit());
    let bytes: usize = sent.map(|packet| packet.bytes.len()).sum();
    assert!((1_000_000..1_100_000).contains(&bytes), "{bytes}");
}

/// Every batch that a recorded client was sent.
fn recorded() -> Vec<Vec<u8>> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/data/session_telepathy.json");
    let session: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let messages = session["messages"].as_array().unwrap().iter();
    let sent = messages.filter(|message| message["dir"] == "s2c");
    sent.map(|message| hex::decode(message["hex"].as_str().unwrap()).unwrap())
        .collect()
}

/// Whatever comes: nothing panics, and what the client holds stays within its limits.
fn survive(batches: &[Vec<u8>]) {
    let mut config = MirrorClientConfig::default();
    (config.max_objects, config.max_events) = (50, 100);
    config.max_parked_bytes = 10_000;
    config.limits.max_elements = 1000;
    let mut client = MirrorClient::with_config(prefabs(), config);
    client.add_scene_object(DOOR, Door::default()).unwrap();
    client.handle_connect(Limits::TELEPATHY);
    for (frame, batch) in (1..).zip(batches) {
        if client.handle_packet(Channel::Reliable, batch).is_err() {
            assert!(client.poll_close());
            client.handle_connect(Limits::TELEPATHY);
        }
        if client.is_loading_scene() {
            client.scene_loaded();
        }
        client.update(Duration::from_millis(frame));
        assert!(client.object_count() <= 50);
        while client.poll_transmit().is_some() {}
    }
    let events = std::iter::from_fn(|| client.poll_event()).count();
    assert!(events <= 200, "{events}");
}

proptest! {
    #![proptest_config(syncvar_testing::cases(64))]

    #[test]
    fn any_bytes_are_survived(batches in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 0..20)) {
        survive(&batches);
    }

    #[test]
    fn any_payload_is_survived(
        payloads in prop::collection::vec((any::<bool>(), prop::collection::vec(any::<u8>(), 0..80)), 0..20),
    ) {
        let mut batches = vec![batch(0.0, &[started(), crate::client::server::finished()]).to_vec()];
        batches.push(batch(0.0, &[spawn(4, PLAYER, MINE, &full(player()))]).to_vec());
        for (is_spawn, payload) in payloads {
            let message = if is_spawn {
                spawn(4, MONSTER, MINE, &payload)
            } else {
                state(4, &payload)
            };
            batches.push(batch(0.0, &[message]).to_vec());
        }
        survive(&batches);
    }

    #[test]
    fn a_recorded_session_with_mistakes_is_survived(
        mistakes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()), 1..30),
    ) {
        let mut batches = recorded();
        for (which, place, byte) in mistakes {
            let batch = which.get_mut(&mut batches);
            if !batch.is_empty() {
                let place = place.index(batch.len());
                batch[place] = byte;
            }
        }
        survive(&batches);
    }
}
