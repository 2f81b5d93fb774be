//! One part of a restricted delta: the message, its record, and the marks of its fields.

use syncvar_runtime::unstable::object::{
    ChannelInfo, Nanos, Outputs, Slots, WriteLog, WriteRecord, mask_count,
};
use syncvar_runtime::{AudienceId, BehaviourStats, NetId, NetworkWriter, WriteError};

use crate::server::replication::restricted::parts::{PartReaders, SentFields};
use crate::server::replication::stopped::{Division, StoppedFields, divide};
use crate::stats::Stats;
use crate::{Framing, MessageType};

/// One part of a delta on one channel.
pub(super) struct Part {
    pub(super) net_id: NetId,
    pub(super) channel: ChannelInfo,
    pub(super) first_behaviour: usize,
    pub(super) readers: PartReaders,
    pub(super) audience: AudienceId,
    pub(super) sent_at: Moment,
}

/// Receivers of a written part: buffers, records, statistics.
pub(super) struct PartOutput<'a> {
    pub(super) outputs: Outputs<'a>,
    pub(super) stats: &'a mut Stats,
    /// Log for connections with datagrams, if the channel may lose the part.
    pub(super) log: Option<&'a mut WriteLog>,
    pub(super) sent: &'a mut SentFields,
    pub(super) stopped: &'a mut StoppedFields,
}

impl Part {
    /// Sends the part: as one message, or divided, without the fields that fit no message. Returns whether a field was
    /// stopped.
    pub(super) fn send(
        &self,
        masks: &[u64],
        slots: &mut dyn Slots,
        output: &mut PartOutput<'_>,
    ) -> Result<bool, WriteError> {
        let whole = self.write(masks, slots, &mut output.outputs, output.stats);
        if let Ok(behaviours) = whole {
            self.note_sent(masks, behaviours, slots, output);
            return Ok(false);
        }
        let outputs = &mut output.outputs;
        let Division { messages, stopped } =
            divide(self.net_id, masks, slots, outputs, self.channel)?;
        let has_stopped = !stopped.is_empty();
        output.stopped.add(stopped);
        for masks in messages {
            let behaviours = self.write(&masks, slots, &mut output.outputs, output.stats)?;
            self.note_sent(&masks, behaviours, slots, output);
        }
        Ok(has_stopped)
    }

    /// Records a written message and marks its fields as sent.
    fn note_sent(
        &self,
        masks: &[u64],
        behaviours: u64,
        slots: &mut dyn Slots,
        output: &mut PartOutput<'_>,
    ) {
        if let Some(log) = &mut output.log {
            self.record(masks, behaviours, &mut output.outputs, log);
        }
        mark_sent(slots, masks, behaviours, self.sent_at);
        output.sent.add(self.readers, masks, behaviours);
    }

    /// Writes the part in every framing of its audience, or in none. Returns a bit for each behaviour
    /// that was sent. The masks contain the fields of each behaviour.
    fn write(
        &self,
        masks: &[u64],
        slots: &mut dyn Slots,
        outputs: &mut Outputs<'_>,
        stats: &mut Stats,
    ) -> Result<u64, WriteError> {
        let (mut result, mut begun) = (Ok(0), 0);
        let index = usize::from(self.channel.channel);
        for segments in outputs.channel(index) {
            begun += 1;
            let costs = stats.behaviours.get_mut(self.first_behaviour..);
            let writer = segments.begin_update(self.net_id);
            let sent = self.write_behaviours(masks, slots, writer, costs.unwrap_or_default());
            result = match segments.check_update(self.channel.room) {
                Some(error) => Err(error),
                None => Ok(sent),
            };
            if !matches!(result, Ok(1..)) {
                break;
            }
        }
        for segments in outputs.channel(index).take(begun) {
            if matches!(result, Ok(1..)) {
                let message_type = match Framing::of(segments) {
                    Framing::Unet => MessageType::UpdateVars,
                    Framing::Compact => MessageType::UpdateBatch,
                };
                stats.count_encoded(message_type, segments.commit_object());
            } else {
                segments.give_up_object();
            }
        }
        // An audience without observers counts as sent.
        if begun == 0 { Ok(u64::MAX) } else { result }
    }

    /// Records the written part for connections that may lose it.
    fn record(
        &self,
        masks: &[u64],
        behaviours: u64,
        outputs: &mut Outputs<'_>,
        log: &mut WriteLog,
    ) {
        let mut changes = [0..0, 0..0];
        for segments in outputs.channel(self.channel.channel.into()) {
            changes[WriteLog::index(segments.form())] = segments.last_update();
        }
        let start = mask_count(&log.masks);
        let sent = (0..)
            .zip(masks)
            .map(|(index, mask)| match behaviours >> index & 1 {
                1 => *mask,
                _ => 0,
            });
        log.masks.extend(sent);
        log.records.push(WriteRecord {
            net_id: self.net_id,
            channel: self.channel.channel,
            audience: self.audience,
            masks: start..mask_count(&log.masks),
            changes: Some(changes),
            owner: None,
            members: None,
            part: true,
        });
    }

    fn write_behaviours(
        &self,
        masks: &[u64],
        slots: &mut dyn Slots,
        writer: &mut NetworkWriter,
        costs: &mut [BehaviourStats],
    ) -> u64 {
        let (mut sent, mut index) = (0, 0);
        slots.for_each_mut(|slot| {
            if slot.info().channel == self.channel.channel {
                if self.channel.lossy {
                    slot.make_changes_whole();
                }
                let before = writer.len();
                let fields = masks.get(index).copied().unwrap_or_default();
                let context = writer.context().with_fields(fields);
                let written = writer.with_context(context, |writer| slot.serialize(writer, false));
                sent |= u64::from(written) << index;
                if let Some(costs) = costs.get_mut(index) {
                    costs.delta.add(writer.len() - before);
                }
            }
            index += 1;
        });
        sent
    }
}

/// Time and tick of a send.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    pub(super) now: Nanos,
    pub(super) tick: Option<u32>,
}

fn mark_sent(slots: &mut dyn Slots, masks: &[u64], behaviours: u64, at: Moment) {
    let mut index = 0;
    slots.for_each_mut(|slot| {
        let fields = masks.get(index).copied().unwrap_or_default();
        if behaviours >> index & 1 == 1 && fields != 0 {
            slot.mark_fields_sent(fields, at.now, at.tick);
        }
        index += 1;
    });
}
