//! Input that makes no sense: an error with a place, one object poisoned, nothing lost, no panic.

use proptest::prelude::*;
use syncvar::behaviour::BehaviourFields;
use syncvar::prelude::*;
use syncvar::{
    error::{PacketError, SpawnFailure},
    wire::ReadErrorKind,
};
use syncvar_testing::{ClientMessages as _, ServerMessages as _};
use syncvar_testing::{Door, Player, change, drain, frame, network, states};

const UPDATE_VARS: i16 = 8;

#[test]
fn malformed_update_poisons_its_object_until_sent_again() {
    let mut net = network(1);
    let (bad, good) = (
        net.server.spawn(Player::new(1, "Ann")),
        net.server.spawn(Player::new(2, "Bob")),
    );
    net.settle();
    drain(&mut net, 0);
    // One packet: a string that is cut short for the one, a change for the other.
    let packet = [
        frame(UPDATE_VARS, b"\x01\x02\x05\0Anna"),
        frame(UPDATE_VARS, b"\x02\x01\x09"),
    ]
    .concat();
    assert_eq!(net.client_mut(0).handle_messages(0, &packet), Ok(()));
    let events = drain(&mut net, 0);
    let [
        ClientEvent::Poisoned { object, error },
        ClientEvent::Changed {
            object: changed, ..
        },
    ] = &events[..]
    else {
        panic!("{events:?}")
    };
    assert_eq!((*object, *changed), (bad, good));
    assert_eq!(
        error.to_string(),
        "Player.name: 5 bytes needed, 4 left, at byte 3"
    );
    assert_eq!(*net.client(0).get::<Player>(good).unwrap().health, 9);

    change(&mut net, bad, |player| player.score.set(5));
    net.settle();
    assert_eq!(drain(&mut net, 0), [ClientEvent::Restored { object: bad }]);
    assert_eq!(states(&net, bad), [Some((1, "Ann".into(), 5))]);
    change(&mut net, bad, |player| player.score.set(6));
    net.settle();
    assert_eq!(
        states(&net, bad),
        [Some((1, "Ann".into(), 6))],
        "updates are read again"
    );
}

#[test]
fn a_poisoned_object_ignores_updates_and_runs_no_hook() {
    let mut net = network(1);
    let id = net.server.spawn(Player::new(1, "Ann"));
    net.settle();
    let client = net.client_mut(0);
    client
        .handle_messages(0, &frame(UPDATE_VARS, b"\x01\x03\x05\x09\0A"))
        .unwrap();
    client
        .handle_messages(0, &frame(UPDATE_VARS, b"\x01\x01\x07"))
        .unwrap();
    assert_eq!(syncvar_testing::hooks(&mut net, 0, id), [""; 0]);
    assert_eq!(*net.client(0).get::<Player>(id).unwrap().score, 0);
}

#[test]
fn bytes_left_over_and_bits_of_no_field_poison_too() {
    for payload in [&b"\x01\x01\x07\xff"[..], b"\x01\xf0\x07", b"\x01"] {
        let mut net = network(1);
        net.server.spawn(Player::new(1, "Ann"));
        net.settle();
        drain(&mut net, 0);
        net.client_mut(0)
            .handle_messages(0, &frame(UPDATE_VARS, payload))
            .unwrap();
        assert!(
            matches!(&drain(&mut net, 0)[..], [ClientEvent::Poisoned { .. }]),
            "{payload:?}"
        );
    }
}

#[test]
fn the_server_is_asked_once_until_the_object_has_come() {
    const OBJECT_SPAWN: i16 = 3;

    let mut net = network(1);
    let id = net.server.spawn(Player::new(1, "Ann"));
    net.settle();
    // The server's answer, garbled again and again: no loop.
    for _ in 0..3 {
        let spawn = [
            &[1][..],
            &net.client(0).identity(id).unwrap().asset_id().0,
            &[0; 12],
            &[1, 0, 7],
        ]
        .concat();
        net.client_mut(0)
            .handle_messages(0, &frame(OBJECT_SPAWN, &spawn))
            .unwrap();
    }
    let asked = std::iter::from_fn(|| net.client_mut(0).poll_transmit()).count();
    assert_eq!(asked, 1);
    assert_eq!(
        net.client(0)
            .stats()
            .encoded(syncvar::stats::MessageType::Resync)
            .messages,
        1
    );
    // The next change of it: asked again, and all is well.
    change(&mut net, id, |player| player.health.set(42));
    net.settle();
    assert_eq!(states(&net, id)[0].as_ref().map(|state| state.0), Some(42));
}

// checklist: T52
#[test]
fn an_unknown_prefab_is_skipped_and_every_other_object_is_right() {
    let mut net = MemoryNetwork::new(syncvar_testing::prefabs);
    let fewer = Prefabs::new().register::<Player>("player");
    let config = {
        ClientConfig {
            compare_schemas: false,
            ..ClientConfig::default()
        }
    };
    let server_config = ServerConfig {
        compare_schemas: false,
        ..ServerConfig::default()
    };
    net.server = NetworkServer::with_config(syncvar_testing::prefabs(), server_config);
    let client = net.connect_client(NetworkClient::with_config(fewer, config));
    let (door, player) = (
        net.server.spawn(Door::default()),
        net.server.spawn(Player::new(3, "Ann")),
    );
    net.settle();
    let events = drain(&mut net, client);
    let failed = |event: &ClientEvent| matches!(event, ClientEvent::SpawnFailed { object, reason: SpawnFailure::UnknownPrefab, .. } if *object == door);
    assert!(events.iter().any(failed), "{events:?}");
    assert_eq!(*net.client(client).get::<Player>(player).unwrap().health, 3);
    net.server.get_mut::<Door>(door).unwrap().open.set(true);
    net.settle();
    assert_eq!(net.client(client).stats().unknown_objects, 1);
}

#[test]
fn client_refuses_objects_beyond_its_limit() {
    let config = ClientConfig {
        max_objects: 2,
        ..ClientConfig::default()
    };
    let mut net = MemoryNetwork::new(syncvar_testing::prefabs);
    let client = net.connect_client(NetworkClient::with_config(
        syncvar_testing::prefabs(),
        config,
    ));
    let ids: Vec<_> = (0..3).map(|_| net.server.spawn(Door::default())).collect();
    net.settle();
    assert_eq!(net.client(client).object_count(), 2);
    let failure = drain(&mut net, client)
        .into_iter()
        .find_map(|event| match event {
            ClientEvent::SpawnFailed { object, reason, .. } => Some((object, reason)),
            _ => None,
        });
    assert_eq!(failure, Some((ids[2], SpawnFailure::TooManyObjects)));
}

#[test]
fn malformed_client_packet_is_an_error_with_a_place() {
    let mut net = network(1);
    while net.server.poll_event().is_some() {}
    let connection = net.connection(0);
    let error = net
        .server
        .handle_messages(connection, 0, &[200, 0, 35, 0])
        .unwrap_err();
    let PacketError::Malformed(error) = error else {
        panic!("{error}")
    };
    assert_eq!(
        error.kind(),
        ReadErrorKind::UnexpectedEnd {
            needed: 200,
            left: 0
        }
    );
    assert_eq!(
        net.server.poll_event(),
        Some(ServerEvent::Misbehaved { connection, error })
    );
    // What a server sends is nothing that a client may send.
    let update = frame(UPDATE_VARS, &[1, 1, 1]);
    let error = net
        .server
        .handle_messages(connection, 0, &update)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "malformed packet: message type 8 is unknown, at byte 0"
    );
    let gone = ConnectionId(77);
    assert_eq!(
        net.server.handle_messages(gone, 0, &[]),
        Err(PacketError::UnknownConnection(gone))
    );
}

#[test]
fn a_client_cannot_ask_for_objects_that_it_does_not_see() {
    let mut net = network(1);
    let options = SpawnOptions {
        hidden: true,
        ..SpawnOptions::default()
    };
    net.server
        .try_spawn(Player::new(1, "secret"), options)
        .unwrap();
    net.settle();
    let connection = net.connection(0);
    let before = net.client(0).stats().received;
    for id in [1, 2, 200] {
        net.server
            .handle_messages(connection, 0, &frame(20, &[id]))
            .unwrap();
    }
    net.settle();
    assert_eq!(net.client(0).stats().received, before);
}

#[test]
fn asking_again_and_again_brings_an_object_once_for_each_update() {
    let mut net = network(1);
    net.server.spawn(Player::new(1, "Ann"));
    net.settle();
    let connection = net.connection(0);
    let before = net
        .client(0)
        .stats()
        .decoded(syncvar::stats::MessageType::SpawnBatch)
        .messages;
    for _ in 0..1000 {
        net.server
            .handle_messages(connection, 0, &frame(20, &[1]))
            .unwrap();
    }
    net.step();
    let after = net
        .client(0)
        .stats()
        .decoded(syncvar::stats::MessageType::SpawnBatch)
        .messages;
    assert_eq!(after - before, 1);
}

/// A greedy or broken client does not make the server encode everything again at once.
#[test]
fn request_for_all_objects_is_answered_over_several_updates() {
    let mut net = network(1);
    for health in 0..200 {
        net.server.spawn(Player::new(health, "x"));
    }
    net.settle();
    let connection = net.connection(0);
    let asked: Vec<u8> = (1..=200).flat_map(|id| frame(20, &[id])).collect();
    net.server.handle_messages(connection, 0, &asked).unwrap();
    let spawns = |net: &MemoryNetwork| {
        net.server
            .stats()
            .encoded(syncvar::stats::MessageType::SpawnBatch)
            .messages
    };
    let before = spawns(&net);
    for sent in [64, 128, 192, 200, 200] {
        net.step();
        assert_eq!(spawns(&net) - before, sent);
    }
}

proptest! {
    #![proptest_config(syncvar_testing::cases(512))]

    #[test]
    fn no_packet_makes_a_client_panic(packets in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..80), 1..6)) {
        let mut net = network(1);
        net.server.spawn(Player::new(1, "Ann"));
        net.server.spawn((Door::default(), Player::new(2, "Bob")));
        net.settle();
        for packet in &packets {
            let _ = net.client_mut(0).handle_packet(0, packet);
        }
    }

    /// The same with well-formed frames, so that the payloads are reached.
    #[test]
    fn no_payload_makes_a_client_or_server_panic(
        messages in prop::collection::vec((0_i16..40, prop::collection::vec(any::<u8>(), 0..60)), 1..8),
    ) {
        let mut net = network(1);
        net.server.spawn(Player::new(1, "Ann"));
        net.server.spawn((Door::default(), Player::new(2, "Bob")));
        net.settle();
        let connection = net.connection(0);
        for (message_type, payload) in &messages {
            let packet = frame(*message_type, payload);
            let _ = net.client_mut(0).handle_messages(0, &packet);
            let _ = net.server.handle_packet(connection, 0, &packet);
        }
        net.settle();
    }

    /// A real packet with some bytes changed: the client is right again when it has settled, unless
    /// it was told to disconnect or to forget, or took a wrong value for a right one.
    #[test]
    fn a_garbled_update_never_stops_the_updates_after_it(position in 4_usize..12, value in any::<u8>()) {
        let mut net = network(1);
        let id = net.server.spawn(Player::new(1, "Ann"));
        net.settle();
        let mut packet = frame(UPDATE_VARS, b"\x01\x07\x05\x02\0hi\x09");
        packet[position] = value;
        let _ = net.client_mut(0).handle_messages(0, &packet);
        net.settle();
        change(&mut net, id, |player| player.set_dirty_bit(0b111));
        net.settle();
        prop_assert_eq!(states(&net, id), [Some((1, "Ann".into(), 0))]);
    }
}
