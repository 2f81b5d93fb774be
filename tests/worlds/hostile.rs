//! What the client that lies sends.

use syncvar::NetworkWriter;

use super::world::World;

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
        let _ = self.server.handle_packet(liar, writer.as_bytes());
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
        let _ = self.server.handle_packet(liar, &packet);
        self.look_at_owners();
        for end in self.ends.values_mut() {
            end.steady = false;
        }
    }
}
