//! A lying server: its client stands, and has the state of the next honest one.

use syncvar_testing::cases;

use super::*;

/// Most objects of a client: those of the server, and forged ones.
const MOST_OBJECTS: usize = 2 * UNITS as usize;

/// Packet that a client receives.
#[derive(Clone, Debug)]
enum Packet {
    /// Those of the honest server.
    True,
    /// A datagram with any header and messages.
    Datagram((u8, [u16; 3], [u8; 2]), Vec<u8>),
    /// Early datagrams, each behind later stream packets and of a later tick.
    Early(u8),
    /// Any bytes, in the stream or as a datagram.
    Bytes(bool, Vec<u8>),
    /// The last true datagram, with a change.
    Changed { byte: usize, to: u8 },
}

fn packets() -> impl Strategy<Value = Vec<Packet>> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..60);
    let packet = prop_oneof![
        2 => Just(Packet::True),
        3 => (numbers(), bytes()).prop_map(|(numbers, rest)| Packet::Datagram(numbers, rest)),
        1 => any::<u8>().prop_map(Packet::Early),
        1 => (any::<bool>(), bytes()).prop_map(|(stream, bytes)| Packet::Bytes(stream, bytes)),
        3 => (0_usize..60, any::<u8>()).prop_map(|(byte, to)| Packet::Changed { byte, to }),
    ];
    prop::collection::vec(packet, 1..80)
}

/// Takes the server's packets for the liar's client of the other tests, which is the victim here.
fn next_packets(world: &mut World) -> Vec<(Channel, u8, Vec<u8>)> {
    world.now += TICK;
    world.write();
    world.server.update(world.now);
    let mut packets = Vec::new();
    while let Some(packet) = world.server.poll_transmit() {
        if packet.connection == world.liar.connection {
            packets.push((packet.delivery, packet.channel, packet.to_bytes().to_vec()));
        }
    }
    packets
}

fn receive(client: &mut NetworkClient, packet: &Packet, last: &[u8]) {
    let datagram = match packet {
        Packet::True => return,
        Packet::Datagram((flags, numbers, parts), rest) => {
            let header = header(*flags, *numbers, *parts, &rest[..rest.len().min(6)]);
            [&header[..], rest].concat()
        }
        Packet::Early(count) => {
            for number in 0..u16::from(*count) {
                let numbers = [number, number, 30_000];
                // SEQ and AFTER, and an update of object 1 that is cut off.
                let header = header(0x05, numbers, [0; 2], &[]);
                let early = [&header[..], &[4, 0, 22, 0, 1, 9, 9, 9], &[7; 1100]].concat();
                let _ = client.handle_datagram(1, &early);
            }
            return;
        }
        Packet::Bytes(true, bytes) => {
            let _ = client.handle_packet(0, bytes);
            return;
        }
        Packet::Bytes(false, bytes) => bytes.clone(),
        Packet::Changed { byte, to } => {
            let mut changed = last.to_vec();
            if let Some(byte) = changed.get_mut(*byte) {
                *byte = *to;
            }
            changed
        }
    };
    let _ = client.handle_datagram(1, &datagram);
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn client_of_a_lying_server_has_the_state_of_the_next_one(seed: u64, packets in packets()) {
        let mut world = World::new(seed);
        let mut last = Vec::new();
        for packet in &packets {
            for (delivery, channel, bytes) in next_packets(&mut world) {
                if delivery == Channel::Unreliable {
                    last.clone_from(&bytes);
                }
                let _ = arrive(&mut world.liar.client, (delivery, channel), &bytes);
            }
            let client = &mut world.liar.client;
            receive(client, packet, &last);
            client.update(world.now);
            while client.poll_transmit().is_some() {}
            let events = std::iter::from_fn(|| client.poll_event()).count();
            prop_assert!(events <= 10_000, "{} events", events);
            prop_assert!(client.object_count() <= MOST_OBJECTS);
        }
        // Another connection, with the truth alone.
        world.server.handle_disconnect(world.liar.connection);
        let client = &mut world.liar.client;
        Endpoint::handle_disconnect(client, ConnectionId::SERVER);
        Endpoint::handle_connect(client, DATAGRAMS);
        world.liar.connection = Endpoint::handle_connect(&mut world.server, DATAGRAMS);
        for _ in 0..60 {
            world.step();
            world.deliver_of_liar();
        }
        let (connection, client) = (world.liar.connection, &mut world.liar.client);
        prop_assert!(world.server.is_ready(connection) && client.is_connected());
        let differences = compare_replicas(&mut world.server, connection, client);
        prop_assert!(differences.is_empty(), "{:?}", differences);
    }
}
