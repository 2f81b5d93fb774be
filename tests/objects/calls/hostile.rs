//! Bytes that nobody of ours has written.

use proptest::prelude::*;
use syncvar::NetworkBehaviour;
use syncvar::prelude::*;
use syncvar::{Framing, calls::CommandRefusal};
use syncvar_testing::{ClientMessages as _, ServerMessages as _};

use super::world::{Unit, network, ran, seen, server_events, spawn};
use syncvar_testing::frame;

const COMMAND: i16 = 5;
const CALL: i16 = 25;

fn packed(hash: u32) -> Vec<u8> {
    [&[251][..], &hash.to_le_bytes()].concat()
}

fn hash(name: &str) -> u32 {
    let calls = Unit::INFO.calls.own().iter();
    let mut calls = calls.filter(|call| call.name == name);
    calls.next().expect("a call").hash
}

#[test]
fn each_malformed_call_is_refused_with_its_reason() {
    let fire = hash("fire");
    let rpc = hash("hear");
    for (message_type, payload) in [
        (COMMAND, [packed(fire), vec![99, 2]].concat()),
        (CALL, vec![99, 0, 2]),
        (CALL, vec![0, 0, 2]),
    ] {
        assert_eq!(
            refusal(message_type, &payload),
            Some(CommandRefusal::UnknownObject)
        );
    }
    for (message_type, payload) in [
        (COMMAND, [packed(0x0102_0304), vec![1, 2]].concat()),
        // A call of clients is no command.
        (COMMAND, [packed(rpc), vec![1, 0, 0]].concat()),
        (CALL, vec![1, 5, 0]),
        (CALL, vec![1, 200, 1]),
        (CALL, [&[1][..], &[255; 9], &[1]].concat()),
    ] {
        assert_eq!(
            refusal(message_type, &payload),
            Some(CommandRefusal::UnknownCall)
        );
    }
    for (message_type, payload) in [
        (COMMAND, [packed(fire), vec![1]].concat()),
        (COMMAND, [packed(fire), vec![1, 2, 255]].concat()),
        (CALL, vec![1, 0]),
        (CALL, vec![1, 0, 2, 0]),
        (CALL, [&[1, 0][..], &[255; 11]].concat()),
    ] {
        let refusal = refusal(message_type, &payload);
        let Some(CommandRefusal::Malformed(error)) = &refusal else {
            panic!("{refusal:?}");
        };
        assert!(
            error
                .field()
                .is_some_and(|field| field.starts_with("Unit.fire")),
            "{error}"
        );
    }

    /// What the server says to a message of the one client, which owns unit 1.
    fn refusal(message_type: i16, payload: &[u8]) -> Option<CommandRefusal> {
        let mut net = network(Framing::Compact, 1);
        let id = spawn(&mut net, Some(0));
        assert_eq!(id, NetId(1));
        server_events(&mut net);
        let connection = net.connection(0);
        let packet = [frame(message_type, payload), frame(CALL, &[1, 0, 8])];
        net.server
            .handle_messages(connection, 0, &packet.concat())
            .unwrap();
        assert_eq!(
            ran(&net, id).last().unwrap(),
            "fire 4 by Some(1)",
            "the rest of the packet"
        );
        let refused = net.server.stats().refused_commands.total();
        server_events(&mut net)
            .into_iter()
            .find_map(|event| match event {
                ServerEvent::CommandRefused { reason, .. } => {
                    assert_eq!(refused, 1);
                    Some(reason)
                }
                _ => None,
            })
    }
}

#[test]
fn command_without_a_target_is_a_malformed_message() {
    let mut net = network(Framing::Compact, 1);
    spawn(&mut net, Some(0));
    server_events(&mut net);
    let connection = net.connection(0);
    for packet in [frame(COMMAND, &[]), frame(CALL, &[]), frame(CALL, &[1])] {
        assert!(net.server.handle_messages(connection, 0, &packet).is_err());
        let events = server_events(&mut net);
        assert!(
            matches!(events[..], [ServerEvent::Misbehaved { .. }]),
            "{events:?}"
        );
    }
    // Before it is let in, a client cannot call anything.
    let stranger = net.server.handle_connect();
    assert!(
        net.server
            .handle_messages(stranger, 0, &frame(CALL, &[1, 1]))
            .is_err()
    );
}

#[test]
fn a_client_passes_over_calls_that_it_cannot_place_or_read() {
    let mut net = network(Framing::Compact, 1);
    let id = spawn(&mut net, None);
    let client = net.client_mut(0);
    let before = client.stats().unknown_objects;
    client
        .handle_messages(0, &frame(CALL, &[77, 5, 0]))
        .unwrap();
    client
        .handle_messages(0, &frame(2, &[packed(1), vec![77]].concat()))
        .unwrap();
    // They might be early: they are held for a while.
    assert_eq!(client.stats().unknown_objects, before);
    for seconds in [100, 110] {
        client.update(std::time::Duration::from_secs(seconds));
    }
    assert_eq!(client.stats().unknown_objects - before, 2);
    // Number 0 is a command; 200 is none at all; an event is no call, and the other way round.
    for packet in [
        frame(CALL, &[1, 0, 2]),
        frame(CALL, &[1, 200, 1]),
        frame(2, &[packed(0x0102_0304), vec![1]].concat()),
        frame(2, &[packed(hash("passed")), vec![1]].concat()),
        frame(7, &[packed(hash("hear")), vec![1, 0, 0]].concat()),
        frame(CALL, &[1]),
        frame(2, &[]),
    ] {
        assert!(client.handle_messages(0, &packet).is_err(), "{packet:?}");
    }
    while client.poll_event().is_some() {}
    // `hear` with a string that is cut off, and one with bytes left over.
    for payload in [&[1, 5, 3, b'x'][..], &[1, 5, 0, 0]] {
        assert!(client.handle_messages(0, &frame(CALL, payload)).is_err());
        let event = client.poll_event();
        let Some(ClientEvent::CallFailed(failure)) = event else {
            panic!("{event:?}");
        };
        assert_eq!((failure.behaviour, failure.call), ("Unit", "hear"));
        assert!(
            failure.message.starts_with("Unit.hear"),
            "{}",
            failure.message
        );
    }
    // The object is as good as before.
    net.server.calls::<Unit>(id).hear("well".into()).unwrap();
    net.settle();
    assert_eq!(seen(&net, 0, id), ["hear well"]);
}

#[test]
fn a_call_in_the_middle_of_a_join_waits_for_its_end() {
    let mut net = network(Framing::Compact, 1);
    let id = spawn(&mut net, None);
    net.datagrams = true;
    let late = net.connect();
    let connection = net.connection(late);
    let mut packets = Vec::new();
    for _ in 0..6 {
        let client = net.client_mut(late);
        let up: Vec<_> = std::iter::from_fn(|| client.poll_transmit()).collect();
        for packet in up {
            net.server
                .handle_packet(connection, packet.channel, &packet.bytes)
                .unwrap();
        }
        let now = net.now();
        net.server.update(now);
        while let Some(transmit) = net.server.poll_transmit() {
            if transmit.connection == connection {
                packets.push(transmit.chunks.concat());
            }
        }
        for packet in std::mem::take(&mut packets) {
            // Behind each message a call: an unreliable channel can bring it there.
            let mut rest = &packet[..];
            while !rest.is_empty() {
                let length = 4 + usize::from(u16::from_le_bytes([rest[0], rest[1]]));
                let (message, behind) = rest.split_at(length);
                net.client_mut(late).handle_messages(0, message).unwrap();
                if message[2] == 23 {
                    net.client_mut(late)
                        .handle_messages(1, &frame(CALL, &[1, 5, 1, b'x']))
                        .unwrap();
                    assert!(net.client(late).get::<Unit>(id).is_none());
                }
                rest = behind;
            }
        }
    }
    assert_eq!(seen(&net, late, id), ["hear x"]);
}

proptest! {
    #[test]
    fn no_bytes_bring_either_side_down(
        message_type in prop::sample::select(vec![2_i16, 5, 7, 25]),
        object in 0..4_u8,
        number in 0..20_u8,
        by_hash in any::<bool>(),
        arguments in prop::collection::vec(any::<u8>(), 0..40),
        garbage in prop::collection::vec(any::<u8>(), 0..20),
    ) {
        let mut net = network(Framing::Compact, 1);
        let id = spawn(&mut net, Some(0));
        net.server.spawn((Unit::default(), Unit::default()));
        net.settle();
        let calls = Unit::INFO.calls.own();
        let hash = calls[usize::from(number) % calls.len()].hash;
        let head = if by_hash { [packed(hash), vec![object]].concat() } else { vec![object, number] };
        let payload = [head, arguments].concat();
        let packet = [frame(message_type, &payload), frame(message_type, &garbage)].concat();
        let connection = net.connection(0);
        let _ = net.server.handle_messages(connection, 0, &packet);
        let _ = net.client_mut(0).handle_messages(0, &packet);
        net.server.calls::<Unit>(id).hear("alive".into()).unwrap();
        net.settle();
        prop_assert_eq!(seen(&net, 0, id).pop(), Some("hear alive".to_string()));
    }
}
