//! Owner writes: changed fields on their way to the server.

use super::{discard_writes, report_refused};
use crate::MessageType;
use crate::client::NetworkClient;
use crate::client::replica::LocalWrites;
use crate::message::begin;
use syncvar_runtime::object::{Nanos, Slot, Slots, nanos};
use syncvar_runtime::{ChangedFields, NetId, NetworkWriter};

impl NetworkClient {
    /// Sends the due writes to objects that this client owns.
    pub(in crate::client) fn send_writes(&mut self) {
        self.ask_for_refused();
        if self.writes.changed.is_empty() {
            return;
        }
        for id in std::mem::take(&mut self.writes.changed).iter() {
            if self.send_write(id) {
                self.writes.changed.insert(id);
            }
        }
    }

    /// Sends the due writes to an object. Returns whether some are left.
    fn send_write(&mut self, id: NetId) -> bool {
        if self.is_away() {
            return true;
        }
        let connected = self.is_connected();
        let Some(replica) = self.world.objects.get(id.0) else {
            return false;
        };
        let Some(slots) = self.world.pools.slots_mut(replica.at) else {
            return true;
        };
        if !connected || !replica.owned {
            discard_writes(slots);
            return false;
        }
        if replica.lease == 0 {
            return true;
        }
        let mut encoder = WriteEncoder {
            now: nanos(self.clock.own.now()),
            interval: self.config.default_interval(),
            writer: NetworkWriter::with_encoding(self.session.framing.encoding()),
            sent: Vec::new(),
            left: false,
        };
        encoder.encode_all(slots);
        if encoder.sent.is_empty() {
            return encoder.left;
        }
        let failed = encoder.writer.take_error().is_some();
        let buffer = self.outbound.on_channel(0);
        let writer = buffer.begin();
        let start = begin(MessageType::OwnerWrite, writer);
        writer.write_packed_u32(id.0);
        writer.write_packed_u32(replica.lease);
        writer.write_bytes(encoder.writer.as_bytes());
        writer.finish_message(start);
        let failed = failed | writer.take_error().is_some();
        if failed {
            buffer.give_up();
        } else {
            let length = buffer.commit();
            self.stats.count_encoded(MessageType::OwnerWrite, length);
        }
        for (index, fields) in encoder.sent {
            let Some(slot) = slots.slot_mut(index) else {
                continue;
            };
            slot.mark_fields_sent(fields, encoder.now, None);
            if failed {
                let fields = ChangedFields::new(slot.info().class, fields);
                report_refused(&mut self.events, id, index, fields);
            }
        }
        if failed && let Some(replica) = self.world.objects.get_mut(id.0) {
            replica.local_writes = LocalWrites::Discarded;
            self.writes.refused.insert(id);
        }
        encoder.left
    }
}

/// Encodes the due writes to the behaviours of an object.
struct WriteEncoder {
    now: Nanos,
    /// Send interval of behaviours without one.
    interval: Nanos,
    writer: NetworkWriter,
    /// Behaviours and their fields in the writer.
    sent: Vec<(usize, u64)>,
    /// Whether writes are left that are not due.
    left: bool,
}

impl WriteEncoder {
    fn encode_all(&mut self, slots: &mut dyn Slots) {
        let mut index = 0_u8;
        slots.for_each_mut(|slot| {
            self.encode(index, slot);
            index = index.saturating_add(1);
        });
    }

    fn encode(&mut self, index: u8, slot: &mut dyn Slot) {
        let info = slot.info();
        let dirty = slot.dirty_bits() & info.policy.owner_write;
        let fields = dirty & !slot.held_back(self.now).0;
        let passed = self.now.saturating_sub(slot.last_send());
        let is_due = passed > info.interval(self.interval);
        if !is_due || fields == 0 {
            self.left |= dirty != 0;
            return;
        }
        let start = self.writer.len();
        self.writer.write_u8(index);
        let context = self.writer.context().with_fields(fields);
        let written = self
            .writer
            .with_context(context, |writer| slot.serialize(writer, false));
        if written {
            self.sent.push((index.into(), fields));
            self.left |= dirty != fields;
        } else {
            self.writer.truncate(start);
            self.left = true;
        }
    }
}
