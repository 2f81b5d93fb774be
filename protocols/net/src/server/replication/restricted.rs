//! Deltas of restricted fields: each connection receives the fields that it may read.
//!
//! An object with such a delta is written alone, in up to five parts, one for each set of readers. Each part
//! has its audience and is marked as sent before the next part is written.

mod parts;

use std::time::Duration;

use syncvar_runtime::object::{
    ChannelInfo, Job, Location, MAX_CHANNELS, Nanos, Outputs, Slots, When, WriteLog, WriteRecord,
    mask_count, nanos,
};
use syncvar_runtime::{AudienceId, BehaviourStats, ConnectionId, NetId, WriteError};

use crate::server::NetworkServer;
use crate::server::objects::replicated::State;
use crate::server::replication::stopped::{Division, divide};
use crate::server::visibility::Visibility;
use crate::server::visibility::audience::Audiences;
use crate::stats::Stats;
use crate::{Framing, MessageType};
pub(in crate::server) use parts::PartLists;
use parts::{PARTS, Readers, SentFields, select_all};

/// Delta of one object.
struct RestrictedDelta {
    net_id: NetId,
    at: Location,
    /// The owner, if it observes the object.
    owner: Option<ConnectionId>,
    /// All observers.
    audience: AudienceId,
    /// Index of the first behaviour in the statistics.
    first_behaviour: usize,
    now: Nanos,
}

/// One part of a delta on one channel.
struct Part {
    net_id: NetId,
    channel: ChannelInfo,
    first_behaviour: usize,
}

impl NetworkServer {
    /// Returns whether the delta of an object with restricted fields needs parts: such a field is dirty, or
    /// a connection has a budget and copies the record of its fields.
    #[inline]
    pub(in crate::server) fn needs_parts(&mut self, pool: u32, row: u32) -> bool {
        let is_limited = self.replication.bandwidth.is_active();
        let pool = self.objects.world.pools.pool_mut(pool);
        is_limited || pool.is_some_and(|pool| pool.has_restricted_changes(row))
    }

    /// Writes the delta of an object.
    pub(in crate::server) fn send_restricted(
        &mut self,
        audience: AudienceId,
        job: &Job,
        now: Duration,
    ) {
        let id = job.net_id;
        let Some(replicated) = self.objects.world.objects.get(id.0) else {
            return;
        };
        let (at, owner) = (replicated.at, replicated.owner);
        let observers = self.visibility.audiences.get(audience);
        let owner = owner.filter(|owner| observers.observes(*owner));
        let when = When {
            now: nanos(now),
            interval: self.context.config.default_interval(),
            force: job.force,
        };
        let info = self.objects.prefab_info(at.pool);
        let first_behaviour = info.map_or(0, |info| info.first_behaviour);
        let Some(slots) = self.objects.world.pools.slots_mut(at) else {
            return;
        };
        let delta = RestrictedDelta {
            net_id: id,
            at,
            owner,
            audience,
            first_behaviour,
            now: nanos(now),
        };
        let mut lists = std::mem::take(&mut self.replication.scratch.parts);
        lists.selected.clear();
        let tick = self.outbound.store.tick;
        select_all(slots, (when, tick), owner.is_some(), &mut lists.selected);
        let due = lists.selected.iter().filter(|selected| selected.is_due);
        let due = due.fold(0_u64, |due, selected| due | 1 << selected.channel);
        let mut failed = 0_u64;
        for channel in (0..).take(self.context.config.channels.len().min(MAX_CHANNELS)) {
            let is_open = self.replication.frame_open || !self.context.config.is_lossy(channel);
            if due >> channel & 1 == 0 || !is_open {
                continue;
            }
            let sent = self.send_restricted_channel(&delta, channel, &mut lists);
            // A stopped field waits for the next change, like a failed channel.
            failed |= u64::from(!matches!(sent, Ok(false))) << channel;
            if let Err(error) = sent {
                self.replication.scratch.outcome.errors.push((id, error));
            }
        }
        self.replication.scratch.parts = lists;
        if self.objects.world.is_dirty(id) {
            self.replication.scratch.outcome.left.push((id, failed));
        }
    }

    /// Writes the parts of one channel, without the fields that fit no message. The first other failure
    /// ends the channel. Returns whether a field was stopped.
    fn send_restricted_channel(
        &mut self,
        delta: &RestrictedDelta,
        channel: u8,
        lists: &mut PartLists,
    ) -> Result<bool, WriteError> {
        let channel_info = self.context.config.state_info(channel);
        let has_links = !self.replication.links.is_empty();
        lists.sent.clear();
        let (mut result, mut has_stopped) = (Ok(()), false);
        for (number, readers) in PARTS.into_iter().enumerate() {
            if !lists.list_masks(number, channel) {
                continue;
            }
            let PartLists { masks, sent, .. } = &mut *lists;
            let masks = &masks[..];
            let audience = self.audience_of(delta, readers);
            if self.context.stats.profile.is_some() {
                self.profile_part((delta.net_id, delta.at), masks);
            }
            let Some(slots) = self.objects.world.pools.slots_mut(delta.at) else {
                return Ok(false);
            };
            let part = Part {
                net_id: delta.net_id,
                channel: channel_info,
                first_behaviour: delta.first_behaviour,
            };
            let mut outputs = self.visibility.audiences.outputs(audience);
            let mark = Moment {
                now: delta.now,
                tick: Some(self.outbound.store.tick),
            };
            let log = &mut self.replication.bandwidth.log;
            let mut log = (channel_info.lossy && has_links).then_some(log);
            let written = part.write(masks, slots, &mut outputs, &mut self.context.stats);
            if let Ok(behaviours) = written {
                if let Some(log) = &mut log {
                    part.record((audience, masks, behaviours), &mut outputs, log);
                }
                mark_sent(slots, masks, behaviours, mark);
                sent.add(readers, masks, behaviours);
                continue;
            }
            let output = (&mut outputs, channel_info);
            let division = divide((delta.net_id, masks), slots, output);
            let messages = division.map(|Division { messages, stopped }| {
                has_stopped |= !stopped.is_empty();
                self.replication.stopped.add(stopped);
                messages
            });
            let messages = messages.and_then(|messages| {
                messages.into_iter().try_for_each(|masks| {
                    let written =
                        part.write(&masks, slots, &mut outputs, &mut self.context.stats)?;
                    if let Some(log) = &mut log {
                        part.record((audience, &masks, written), &mut outputs, log);
                    }
                    mark_sent(slots, &masks, written, mark);
                    sent.add(readers, &masks, written);
                    Ok(())
                })
            });
            if let Err(error) = messages {
                result = Err(error);
                break;
            }
        }
        if self.replication.bandwidth.is_active() {
            self.record_restricted(delta, channel, &lists.sent);
        }
        result.map(|()| has_stopped)
    }

    /// Returns the audience of a part.
    fn audience_of(&mut self, delta: &RestrictedDelta, readers: Readers) -> AudienceId {
        let Visibility {
            audiences, groups, ..
        } = &mut self.visibility;
        let of_group = |audiences: &mut Audiences| match groups.of(delta.net_id) {
            Some(tag) => audiences.of_group(delta.audience, tag, groups.members(tag)),
            None => Audiences::NOBODY,
        };
        match (readers, delta.owner) {
            (Readers::All, _) | (Readers::AllButOwner, None) => delta.audience,
            (Readers::AllButOwner, Some(owner)) => audiences.without(delta.audience, owner),
            (Readers::Owner, None) => Audiences::NOBODY,
            (Readers::Owner, Some(owner)) => audiences.only(owner),
            (Readers::Group | Readers::GroupButOwner, None) => of_group(audiences),
            (Readers::Group, Some(owner)) => {
                let members = of_group(audiences);
                audiences.including(members, owner)
            }
            (Readers::GroupButOwner, Some(owner)) => {
                let members = of_group(audiences);
                audiences.without(members, owner)
            }
        }
    }

    /// Records the delta for connections with a budget. Each of them gets it written apart, with the
    /// fields that it may read.
    fn record_restricted(&mut self, delta: &RestrictedDelta, channel: u8, sent: &SentFields) {
        let log = &mut self.replication.bandwidth.log;
        let mut add = |masks: &[u64]| {
            let start = mask_count(&log.masks);
            log.masks.extend_from_slice(masks);
            start..mask_count(&log.masks)
        };
        let (to_others, to_owner) = (add(&sent.others), add(&sent.owner));
        let differ = sent.members != sent.others;
        let members = differ.then(|| add(&sent.members));
        log.records.push(WriteRecord {
            net_id: delta.net_id,
            channel,
            audience: delta.audience,
            masks: to_others,
            owner: delta.owner.map(|owner| (owner, to_owner)),
            members,
            changes: None,
            part: false,
        });
    }

    /// Writes the pending changes of an object at once, before another message about it.
    pub(in crate::server) fn flush_restricted(&mut self, id: NetId) {
        let Some(replicated) = self.objects.world.objects.get(id.0) else {
            return;
        };
        let (at, audience) = (replicated.at, replicated.audience);
        let has_observers = self.visibility.audiences.get(audience).has_observers();
        let is_observed = replicated.is(State::Announced) && has_observers;
        if !is_observed || !self.objects.world.is_dirty(id) {
            return;
        }
        self.deliver();
        let job = Job {
            net_id: id,
            row: at.row,
            force: true,
        };
        let now = self.context.clock.now();
        self.send_restricted(audience, &job, now);
        self.finish_run(now);
        self.deliver_changes();
        // State on unreliable channels waits for the next frame. It is handed over with its present values, so
        // the frame must not be later.
        let is_dirty = self.objects.world.is_dirty(id);
        if let Some(replicated) = self
            .objects
            .world
            .objects
            .get_mut(id.0)
            .filter(|_| is_dirty)
        {
            replicated.set(State::SendNow, true);
            self.objects.schedule.queue_dirty(id);
        }
    }
}

impl Part {
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
            let sent = self.write_behaviours((masks, slots), writer, costs.unwrap_or_default());
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
        (audience, masks, behaviours): (AudienceId, &[u64], u64),
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
            audience,
            masks: start..mask_count(&log.masks),
            changes: Some(changes),
            owner: None,
            members: None,
            part: true,
        });
    }

    fn write_behaviours(
        &self,
        (masks, slots): (&[u64], &mut dyn Slots),
        writer: &mut syncvar_runtime::NetworkWriter,
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
struct Moment {
    now: Nanos,
    tick: Option<u32>,
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
