//! Owner writes: changed fields on their way to the server.

use super::encode::{SentFields, WriteEncoder};
use super::{PendingWrites, discard_writes};
use crate::MessageType;
use crate::client::context::Context;
use crate::client::objects::{Fact, Objects};
use crate::client::outbound::{Outbound, OwnWrite};
use crate::client::session::Session;
use crate::message::begin;
use syncvar_runtime::unstable::object::{Nanos, nanos};
use syncvar_runtime::{ChangedFields, Channel, NetId, NetworkWriter};

/// Parts below `writes` that an update touches.
pub(crate) struct Sending<'a> {
    pub(crate) context: &'a mut Context,
    pub(crate) objects: &'a mut Objects,
    pub(crate) outbound: &'a mut Outbound,
    pub(crate) session: &'a Session,
}

impl PendingWrites {
    /// Sends the due writes to objects that this client owns.
    pub(crate) fn send(&mut self, lent: &mut Sending<'_>) {
        let (outbound, stats) = (&mut *lent.outbound, &mut lent.context.stats);
        self.ask_for_refused(lent.objects, lent.session, outbound, stats);
        let (now, update) = (lent.context.now(), lent.context.clock.updates);
        // Objects with lost fields, and those whose last values are repeated.
        let again = match &mut lent.outbound.lossy {
            Some(lossy) if lent.session.is_connected() => lossy.begin(now, update),
            _ => Vec::new(),
        };
        if self.changed.is_empty() && again.is_empty() {
            return;
        }
        let mut ids = std::mem::take(&mut self.changed);
        for id in again {
            ids.insert(id);
        }
        for id in ids.iter() {
            if self.send_object(id, lent) {
                self.changed.insert(id);
            }
        }
    }

    /// Sends the due writes to an object. Returns whether some are left.
    fn send_object(&mut self, id: NetId, lent: &mut Sending<'_>) -> bool {
        if lent.session.is_away() {
            return true;
        }
        let connected = lent.session.is_connected();
        let Some(replica) = lent.objects.world.objects.get(id.0) else {
            return false;
        };
        let permit = self.permits.get(id).copied().unwrap_or_default();
        let prefab = lent.objects.world.pools.prefab(replica.at.pool);
        let Some(slots) = lent.objects.world.pools.slots_mut(replica.at) else {
            if let Some(lossy) = &mut lent.outbound.lossy {
                lossy.keep(id);
            }
            return true;
        };
        if !connected || !replica.is(Fact::Owned) {
            discard_writes(slots);
            return false;
        }
        if permit == 0 {
            return true;
        }
        let config = &lent.context.config;
        let mut encoder = WriteEncoder::new(
            nanos(lent.context.now()),
            config.default_interval(),
            lent.session.server.framing.encoding(),
            lent.session.plan(prefab),
        );
        let (lossy, channels) = (lent.outbound.lossy.as_deref(), &config.channels);
        encoder.encode_all(slots, |index, slot| {
            let (lossy, info) = (lossy?, slot.info());
            let kind = channels.get(usize::from(slot.channel()));
            // `None`: the behaviour takes the stream.
            let is_lossy = kind == Some(&Channel::Unreliable) && info.resendable;
            is_lossy.then(|| lossy.missing(id, permit, index))
        });
        self.send_parts(id, permit, &mut encoder, lent);
        let is_left = encoder.left;
        self.refuse_written(id, encoder.unfit, encoder.now, lent);
        is_left
    }

    /// Sends the encoded writes to an object: of reliable behaviours, and of those whose packets may be lost.
    fn send_parts(
        &mut self,
        id: NetId,
        permit: u32,
        encoder: &mut WriteEncoder<'_>,
        lent: &mut Sending<'_>,
    ) {
        let (now, is_translated) = (encoder.now, encoder.translates());
        for (part, is_lossy) in [(&mut encoder.reliable, false), (&mut encoder.lossy, true)] {
            if part.sent.is_empty() {
                continue;
            }
            self.mark_sent(id, &part.sent, now, is_translated, lent);
            if part.writer.is_empty() {
                // A server of a different build takes none of the fields.
                continue;
            }
            let mut message = NetworkWriter::with_encoding(part.writer.encoding());
            let start = begin(MessageType::OwnerWrite, &mut message);
            message.write_packed_u32(id.0);
            message.write_packed_u32(permit);
            message.write_bytes(part.writer.as_bytes());
            message.finish_message(start);
            let failed = part.writer.take_error().is_some() | message.take_error().is_some();
            if failed {
                let fields = part.sent.iter();
                let fields = fields.map(|sent| (usize::from(sent.behaviour), sent.fields));
                self.refuse_written(id, fields, now, lent);
                if let Some(lossy) = lent.outbound.lossy.as_mut().filter(|_| is_lossy) {
                    lossy.forget(id);
                }
            } else if is_lossy {
                lent.send_lossy(id, permit, &part.sent, message.as_bytes());
            } else {
                lent.send_on_stream(message.as_bytes());
            }
        }
    }

    /// Makes fields clean whose values leave. They are no longer refused.
    fn mark_sent(
        &mut self,
        id: NetId,
        sent: &[SentFields],
        now: Nanos,
        is_translated: bool,
        lent: &mut Sending<'_>,
    ) {
        let Some(slots) = lent.objects.world.slots_mut(id) else {
            return;
        };
        for sent in sent {
            let index = usize::from(sent.behaviour);
            let Some(slot) = slots.slot_mut(index) else {
                continue;
            };
            slot.mark_fields_sent(sent.fields, now, None);
            if let Some(apart) = self.apart.get_mut(id) {
                apart.refused.remove(index, sent.fields);
            }
            if is_translated {
                let apart = self.apart.get_or_insert_with(id, Default::default);
                apart
                    .sent
                    .insert(index, sent.fields & !slot.policy().server_override);
            }
        }
    }

    /// Makes written fields clean whose values have no form for the server, and refuses them.
    fn refuse_written(
        &mut self,
        id: NetId,
        fields: impl IntoIterator<Item = (usize, u64)>,
        now: Nanos,
        lent: &mut Sending<'_>,
    ) {
        let Some(slots) = lent.objects.world.slots_mut(id) else {
            return;
        };
        for (index, fields) in fields {
            if let Some(slot) = slots.slot_mut(index) {
                slot.mark_fields_sent(fields, now, None);
                let fields = ChangedFields::new(slot.info().class, fields);
                self.refuse(id, index, fields, &mut lent.context.events);
            }
        }
    }
}

impl Sending<'_> {
    fn send_on_stream(&mut self, message: &[u8]) {
        let buffer = self.outbound.on_channel(0);
        buffer.begin().write_bytes(message);
        let (length, stats) = (buffer.commit(), &mut self.context.stats);
        stats.count_encoded(MessageType::OwnerWrite, length);
    }

    /// Sends a message whose packet may be lost: on the stream if it is long, or if an earlier one is on it.
    fn send_lossy(&mut self, id: NetId, permit: u32, sent: &[SentFields], message: &[u8]) {
        let update = self.context.clock.updates;
        let Some(lossy) = &mut self.outbound.lossy else {
            return;
        };
        let fits = lossy.fits(id, permit, message.len());
        let written = |sent: &SentFields, fields| OwnWrite {
            object: id,
            behaviour: sent.behaviour,
            permit,
            fields,
        };
        for sent in sent {
            lossy.note(&written(sent, sent.fields), update, sent.count, !fits);
            if fits && sent.repeated != 0 {
                lossy.repeat(written(sent, sent.repeated));
            }
        }
        if fits {
            let channel = sent.first().map_or(0, |sent| sent.channel);
            lossy.repaired += sent.iter().filter(|sent| sent.lost != 0).count() as u64;
            let written: Vec<_> = sent.iter().map(|sent| written(sent, sent.fields)).collect();
            lossy.push(channel, update, message, &written);
            let stats = &mut self.context.stats;
            stats.count_encoded(MessageType::OwnerWrite, message.len());
        } else {
            self.send_on_stream(message);
        }
    }
}
