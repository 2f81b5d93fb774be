//! Owner writes: changed fields on their way to the server.

use super::encode::{Missing, Sent, WriteEncoder};
use super::lossy::{LossyWrites, Written};
use super::{discard_writes, report_refused};
use crate::MessageType;
use crate::client::NetworkClient;
use crate::client::objects::{Fact, LocalWrites};
use crate::message::begin;
use syncvar_runtime::object::{Nanos, Slot, nanos};
use syncvar_runtime::{ChangedFields, Channel, NetId, NetworkWriter};

impl NetworkClient {
    /// Sends the due writes to objects that this client owns.
    pub(crate) fn send_writes(&mut self) {
        self.ask_for_refused();
        let again = self.begin_lossy_writes();
        if self.writes.changed.is_empty() && again.is_empty() {
            return;
        }
        let mut ids = std::mem::take(&mut self.writes.changed);
        for id in again {
            ids.insert(id);
        }
        for id in ids.iter() {
            if self.send_write(id) {
                self.writes.changed.insert(id);
            }
        }
    }

    /// Returns the objects with lost fields, and those whose last values are repeated.
    fn begin_lossy_writes(&mut self) -> Vec<NetId> {
        let (now, update) = (self.context.now(), self.context.clock.updates);
        match &mut self.outbound.lossy {
            Some(lossy) if self.session.is_connected() => lossy.begin(now, update),
            _ => Vec::new(),
        }
    }

    /// Sends the due writes to an object. Returns whether some are left.
    fn send_write(&mut self, id: NetId) -> bool {
        if self.is_away() {
            return true;
        }
        let connected = self.is_connected();
        let Some(replica) = self.objects.world.objects.get(id.0) else {
            return false;
        };
        let lease = self.writes.leases.get(id).copied().unwrap_or_default();
        let Some(slots) = self.objects.world.pools.slots_mut(replica.at) else {
            if let Some(lossy) = &mut self.outbound.lossy {
                lossy.keep(id);
            }
            return true;
        };
        if !connected || !replica.is(Fact::Owned) {
            discard_writes(slots);
            return false;
        }
        if lease == 0 {
            return true;
        }
        let mut encoder = WriteEncoder::new(
            nanos(self.context.now()),
            self.context.config.default_interval(),
            self.session.framing.encoding(),
        );
        let (lossy, channels) = (
            self.outbound.lossy.as_deref(),
            &self.context.config.channels,
        );
        encoder.encode_all(slots, |index, slot| {
            missing_fields(lossy?, channels, (id, lease), (index, slot))
        });
        self.send_parts(id, lease, &mut encoder);
        encoder.left
    }

    /// Sends the encoded writes to an object: of reliable behaviours, and of those whose packets may be lost.
    fn send_parts(&mut self, id: NetId, lease: u32, encoder: &mut WriteEncoder) {
        let now = encoder.now;
        for (part, is_lossy) in [(&mut encoder.reliable, false), (&mut encoder.lossy, true)] {
            if part.sent.is_empty() {
                continue;
            }
            let mut message = NetworkWriter::with_encoding(part.writer.encoding());
            let start = begin(MessageType::OwnerWrite, &mut message);
            message.write_packed_u32(id.0);
            message.write_packed_u32(lease);
            message.write_bytes(part.writer.as_bytes());
            message.finish_message(start);
            let failed = part.writer.take_error().is_some() | message.take_error().is_some();
            if !failed && is_lossy {
                self.send_lossy(id, lease, &part.sent, message.as_bytes());
            } else if !failed {
                self.send_on_stream(message.as_bytes());
            }
            self.mark_sent(id, &part.sent, (now, failed));
        }
    }

    fn send_on_stream(&mut self, message: &[u8]) {
        let buffer = self.outbound.on_channel(0);
        buffer.begin().write_bytes(message);
        let length = buffer.commit();
        self.context
            .stats
            .count_encoded(MessageType::OwnerWrite, length);
    }

    /// Sends a message whose packet may be lost: on the stream if it is long, or if an earlier one is on it.
    fn send_lossy(&mut self, id: NetId, lease: u32, sent: &[Sent], message: &[u8]) {
        let update = self.context.clock.updates;
        let Some(lossy) = &mut self.outbound.lossy else {
            return;
        };
        let fits = lossy.fits(id, lease, message.len());
        let written = |sent: &Sent, fields| Written {
            object: id,
            behaviour: sent.behaviour,
            lease,
            fields,
        };
        for sent in sent {
            lossy.note(&written(sent, sent.fields), (update, sent.count), !fits);
            if fits && sent.repeated != 0 {
                lossy.repeat(written(sent, sent.repeated));
            }
        }
        if fits {
            let channel = sent.first().map_or(0, |sent| sent.channel);
            lossy.repaired += sent.iter().filter(|sent| sent.lost != 0).count() as u64;
            let written: Vec<_> = sent.iter().map(|sent| written(sent, sent.fields)).collect();
            lossy.push((channel, update), message, &written);
            self.context
                .stats
                .count_encoded(MessageType::OwnerWrite, message.len());
        } else {
            self.send_on_stream(message);
        }
    }

    /// Makes sent fields clean. Those without a form on the wire are refused.
    fn mark_sent(&mut self, id: NetId, sent: &[Sent], (now, failed): (Nanos, bool)) {
        let Some(replica) = self.objects.world.objects.get_mut(id.0) else {
            return;
        };
        let Some(slots) = self.objects.world.pools.slots_mut(replica.at) else {
            return;
        };
        for sent in sent {
            let index = usize::from(sent.behaviour);
            let Some(slot) = slots.slot_mut(index) else {
                continue;
            };
            slot.mark_fields_sent(sent.fields, now, None);
            if failed {
                let fields = ChangedFields::new(slot.info().class, sent.fields);
                report_refused(&mut self.context.events, id, index, fields);
            }
        }
        if failed {
            replica.local_writes = LocalWrites::Discarded;
            self.writes.refused.insert(id);
            if let Some(lossy) = &mut self.outbound.lossy {
                lossy.forget(id);
            }
        }
    }
}

/// Returns the missing fields of a behaviour whose packets may be lost; `None` if it takes the stream.
fn missing_fields(
    lossy: &LossyWrites,
    channels: &[Channel],
    (id, lease): (NetId, u32),
    (index, slot): (u8, &dyn Slot),
) -> Option<Missing> {
    let info = slot.info();
    let kind = channels.get(usize::from(info.channel));
    let is_lossy = kind == Some(&Channel::Unreliable) && info.resendable;
    is_lossy.then(|| lossy.missing(id, lease, index))
}
