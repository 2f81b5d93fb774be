//! Long messages that make no sense, and those of clients.

use proptest::prelude::*;
use syncvar::behaviour::BehaviourFields;
use syncvar::error::PacketError;
use syncvar::prelude::*;
use syncvar_testing::{ClientMessages as _, ServerMessages as _};

use super::route::{Route, network, numbers, settled};
use syncvar_testing::{Player, change, frame, states};

const UPDATE_BATCH: i16 = 22;
const LONG: i16 = 24;
/// A message in the long form, however short it is.
fn long(message_type: i16, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_le_bytes();
    let head = [&length[..], &message_type.to_le_bytes()].concat();
    [frame(LONG, &head), payload.to_vec()].concat()
}

/// The packets in which a change of an object is sent.
fn update(net: &mut MemoryNetwork, id: NetId) -> Vec<u8> {
    let mut route = net.server.get_mut::<Route>(id).unwrap();
    route.points.set(numbers(7_000, 9));
    drop(route);
    net.server
        .update(net.now() + std::time::Duration::from_secs(1));
    let mut packet = Vec::new();
    while let Some(transmit) = net.server.poll_transmit() {
        let sent = transmit.to_bytes();
        packet.extend_from_slice(syncvar_testing::messages(transmit.channel, &sent));
    }
    packet
}

#[test]
fn client_reads_the_long_form_of_any_message_and_continues() {
    let mut net = network(1);
    let ids = [1, 2].map(|health| net.server.spawn(Player::new(health, "x")));
    net.settle();
    let packet = [
        long(UPDATE_BATCH, b"\x02\x01\x12\x02\x01\x14"),
        frame(UPDATE_BATCH, b"\x02\x01\x16"),
        long(99, b"what?"),
        long(8, b"\x02\x01\x1e"),
    ];
    let error = net.client_mut(0).handle_messages(0, &packet.concat());
    let error = error.unwrap_err().to_string();
    assert_eq!(error, "message type 99 is unknown, at byte 0");
    let health = ids.map(|id| *net.client(0).get::<Player>(id).unwrap().health);
    assert_eq!(health, [11, 30]);
}

#[test]
fn server_refuses_the_long_form_of_any_message_and_continues() {
    const READY: i16 = 35;

    let mut net = network(1);
    let connection = net.connection(0);
    net.server.set_not_ready(connection);
    net.settle();
    while net.server.poll_event().is_some() {}
    for payload in [vec![], vec![1], vec![0; 100_000]] {
        for message_type in [READY, 20, 32, 33, UPDATE_BATCH] {
            let packet = long(message_type, &payload);
            let error = net
                .server
                .handle_messages(connection, 0, &packet)
                .unwrap_err();
            let PacketError::Malformed(error) = error else {
                panic!("{error}")
            };
            assert_eq!(error.to_string(), "message type 24 is unknown, at byte 0");
            let event = net.server.poll_event();
            assert_eq!(event, Some(ServerEvent::Misbehaved { connection, error }));
        }
    }
    assert!(!net.server.is_ready(connection));
    assert_eq!(
        net.server
            .stats()
            .decoded(syncvar::stats::MessageType::Ready)
            .messages,
        1
    );
    let packet = [long(READY, &[]), frame(READY, &[])].concat();
    assert!(net.server.handle_messages(connection, 0, &packet).is_err());
    net.settle();
    assert!(
        net.server.is_ready(connection),
        "the message behind it counts"
    );
    // One that has not been let in is refused too.
    let stranger = net.server.handle_connect();
    let packet = long(33, b"\0\0\0");
    assert!(net.server.handle_packet(stranger, 0, &packet).is_err());
    assert!(net.server.connections().any(|id| id == stranger));
}

#[test]
fn truncated_long_messages_are_refused_without_panic() {
    let mut net = network(1);
    let id = net.server.spawn(Route::default());
    net.settle();
    let packet = update(&mut net, id);
    assert_eq!(packet[..4], [6, 0, 24, 0]);
    for length in (1..40).chain((40..packet.len()).step_by(997)) {
        let handled = net.client_mut(0).handle_messages(0, &packet[..length]);
        let error = handled.unwrap_err().to_string();
        assert!(error.contains("bytes needed"), "{error}");
        assert!(net.client(0).get::<Route>(id).unwrap().points.is_empty());
    }
    assert_eq!(net.client_mut(0).handle_messages(0, &packet), Ok(()));
    assert!(settled(&net, id));
}

/// What a client could be told to keep is in the packet already.
#[test]
fn a_length_that_is_a_lie_takes_no_memory() {
    let mut net = network(1);
    let mut packet = long(UPDATE_BATCH, b"\x02\x01\x12");
    packet[4..8].copy_from_slice(&[255; 4]);
    let error = net.client_mut(0).handle_messages(0, &packet).unwrap_err();
    let expected = "4294967295 bytes needed, 3 left, at byte 10";
    assert_eq!(error.to_string(), expected);
}

proptest! {
    #![proptest_config(syncvar_testing::cases(256))]

    #[test]
    fn no_long_message_makes_a_client_or_server_panic(
        messages in prop::collection::vec(
            (0_i16..40, prop::collection::vec(any::<u8>(), 0..60), any::<prop::sample::Index>(), any::<u8>()),
            1..8,
        ),
        garbled in any::<bool>(),
    ) {
        let mut net = network(1);
        net.server.spawn(Player::new(1, "Ann"));
        net.server.spawn(Route::of(numbers(3, 1)));
        net.settle();
        let connection = net.connection(0);
        for (message_type, payload, place, value) in &messages {
            let mut packet = long(*message_type, payload);
            if garbled {
                let place = place.index(packet.len());
                packet[place] = *value;
            }
            for end in 1..=packet.len() {
                let _ = net.client_mut(0).handle_messages(0, &packet[..end]);
            }
            let _ = net.server.handle_messages(connection, 0, &packet);
        }
        net.settle();
    }

    /// A real one with some bytes changed: it is taken, or reported, and what comes after it is right.
    #[test]
    fn a_garbled_long_message_never_stops_the_updates_after_it(
        place in prop_oneof![4 => 0_usize..30, 1 => 30_usize..70_000],
        value in any::<u8>(),
    ) {
        let mut net = network(1);
        let (player, id) = (net.server.spawn(Player::new(1, "Ann")), net.server.spawn(Route::default()));
        net.settle();
        let mut packet = update(&mut net, id);
        packet[place] = value;
        let _ = net.client_mut(0).handle_messages(0, &packet);
        net.settle();
        change(&mut net, player, |player| player.set_dirty_bit(0b111));
        net.server.get_mut::<Route>(id).unwrap().set_dirty_bit(0b11);
        net.settle();
        prop_assert_eq!(states(&net, player), [Some((1, "Ann".into(), 0))]);
        prop_assert!(settled(&net, id));
    }
}
