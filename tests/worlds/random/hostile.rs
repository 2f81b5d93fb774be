//! What the client that lies sends, and what a server that lies sends.

use std::time::Duration;
use syncvar_testing::ServerMessages as _;

use proptest::prelude::*;
use syncvar::prelude::*;
use syncvar::{ClientConfig, Endpoint, Framing, wire::NetworkWriter};

use super::action::action;
use super::objects::{GATE, Hero, prefabs};
use super::world::{Kind, World};

const NUMBERS: [i16; 7] = [26, 25, 5, 27, 26, 26, 25];

impl World {
    /// Something that looks like a message: a write, a call, a question for the time.
    pub(crate) fn lie(&mut self, kind: u8, object: usize, bytes: &[u8]) {
        let Some(liar) = self.liar else {
            return;
        };
        let number = NUMBERS[usize::from(kind) % NUMBERS.len()];
        let id = self.object(object).map_or(u32::from(kind), |id| id.0);
        let mut writer = NetworkWriter::new();
        let start = writer.start_message(number);
        if number == 5 {
            writer.write_packed_u32(u32::from(kind) << 12);
        }
        writer.write_packed_u32(id);
        if number == 26 {
            // The number of a permit, which can be guessed; a behaviour; and then fields.
            writer.write_packed_u32(u32::from(kind) % 9);
            writer.write_u8(kind % 4);
        }
        writer.write_bytes(bytes);
        writer.finish_message(start);
        let _ = self.server.handle_messages(liar, 0, writer.as_bytes());
        self.look_at_owners();
    }

    /// What was sent once comes again, a little different.
    pub(crate) fn twist(&mut self, place: usize, change: u8) {
        let (Some(liar), false) = (self.liar, self.past.is_empty()) else {
            return;
        };
        let mut packet = self.past[place % self.past.len()].clone();
        if !packet.is_empty() {
            let at = place / 7 % packet.len();
            packet[at] ^= change;
        }
        let _ = self.server.handle_packet(liar, 0, &packet);
        self.look_at_liar();
        self.look_at_owners();
        for end in self.ends.values_mut() {
            end.steady = false;
        }
    }
}

/// A change of one byte of a packet, or its end.
pub(crate) fn spoil(packet: &mut Vec<u8>, (at, change): (usize, u16)) {
    if packet.is_empty() {
        return;
    }
    let at = at % packet.len();
    match change {
        0..256 => packet[at] ^= change.to_le_bytes()[0],
        256..300 => packet.truncate(at),
        300..340 => packet[at] = 255,
        // The numbers of messages that are rarely sent.
        _ => packet[at] = [2, 7, 9, 10, 25, 28, 29, 30][usize::from(change) % 8],
    }
}

proptest! {
    #![proptest_config(syncvar_testing::cases(64))]

    #[test]
    fn no_server_bytes_make_a_client_panic(
        kind in (any::<bool>(), any::<bool>(), any::<bool>()),
        actions in proptest::collection::vec(action(), 1..40),
        changes in proptest::collection::vec((any::<usize>(), (any::<usize>(), 0_u16..400)), 1..30),
        dialect in any::<bool>(),
    ) {
        let (grid, host, literal) = kind;
        let mut world = World::new(Kind { loss: 0, grid, host, liar: false, literal, unet: true });
        for action in actions {
            world.act(action);
        }
        (0..10).for_each(|_| world.step());
        for packets in world.history.values() {
            let mut packets = packets.clone();
            let count = packets.len();
            for (place, change) in changes.iter().filter(|_| count > 0) {
                spoil(&mut packets[place % count].bytes, *change);
            }
            let config = ClientConfig {
                max_objects: 20,
                compare_schemas: !literal,
                framing: if dialect { Framing::Unet } else { Framing::Compact },
                ..ClientConfig::default()
            };
            let mut client = NetworkClient::with_config(prefabs(), config);
            client.add_scene_object(GATE, Hero::default()).unwrap();
            Endpoint::handle_connect(&mut client, syncvar_testing::DATAGRAMS);
            for (tick, packet) in (0_u64..).zip(&packets) {
                let place = (packet.delivery, packet.channel);
                let _ = syncvar_testing::arrive(&mut client, place, &packet.bytes);
                client.update(Duration::from_millis(tick * 30));
                let ids: Vec<_> = client.identities().map(syncvar::NetworkIdentity::net_id).collect();
                prop_assert!(ids.len() <= 20);
                for id in ids {
                    if let Ok(mut hero) = client.get_mut::<Hero>(id) {
                        hero.path.push(1);
                        *hero.aim += 1;
                    }
                    let _ = client.calls::<Hero>(id).open(1);
                    prop_assert!(client.ancestors(id).count() <= 20);
                }
                let mut sent = 0;
                while let Some(packet) = client.poll_transmit() {
                    sent += packet.bytes.len();
                }
                prop_assert!(sent < 200_000, "{sent} bytes for {}", packet.bytes.len());
                while client.poll_event().is_some() {}
            }
        }
    }
}
