//! Deltas of restricted fields: each connection receives the fields that it may read.
//!
//! An object with such a delta is written alone, in up to three parts: fields for all observers, fields for all
//! but the owner, and fields for the owner alone. Each part has its audience and is marked as sent
//! before the next part is written.

use std::time::Duration;

use syncvar_runtime::object::{
    ChannelInfo, Job, Location, MAX_CHANNELS, Nanos, Outputs, Slots, When, WriteRecord, mask_count,
    nanos,
};
use syncvar_runtime::{AudienceId, BehaviourStats, ConnectionId, NetId, WriteError};

use crate::server::NetworkServer;
use crate::server::objects::replicated::State;
use crate::server::replication::stopped::remove_stopped;
use crate::stats::Stats;
use crate::{Framing, MessageType};

/// Dirty fields of one behaviour that are due.
#[derive(Clone, Copy, Debug, Default)]
struct Selected {
    /// Fields for all observers, for all but the owner, and for the owner alone.
    parts: [u64; 3],
    channel: u8,
    is_due: bool,
}

/// Delta of one object.
struct RestrictedDelta {
    net_id: NetId,
    at: Location,
    /// The owner, if it observes the object.
    owner: Option<ConnectionId>,
    /// Audience of each part.
    audiences: [AudienceId; 3],
    selected: Vec<Selected>,
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

/// Fields of each behaviour that were sent.
#[derive(Default)]
struct SentFields {
    to_others: Vec<u64>,
    to_owner: Vec<u64>,
}

impl NetworkServer {
    /// Returns whether the delta of an object with restricted fields needs parts: such a field is dirty, or
    /// a connection has a budget and copies the record of its fields.
    #[inline]
    pub(in crate::server) fn needs_parts(&mut self, pool: u32, row: u32) -> bool {
        let is_limited = self.replication.bandwidth.is_active();
        let pool = self.world.pools.pool_mut(pool);
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
        let Some(replicated) = self.world.objects.get(id.0) else {
            return;
        };
        let (at, owner) = (replicated.at, replicated.owner);
        let audiences = &mut self.visibility.audiences;
        let owner = owner.filter(|owner| audiences.get(audience).observes(*owner));
        let audiences = match owner {
            Some(owner) => [
                audience,
                audiences.without(audience, owner),
                audiences.only(owner),
            ],
            None => [audience; 3],
        };
        let when = When {
            now: nanos(now),
            interval: self.config.default_interval(),
            force: job.force,
        };
        let info = self.prefab_info(at.pool);
        let first_behaviour = info.map_or(0, |info| info.first_behaviour);
        let Some(slots) = self.world.pools.slots_mut(at) else {
            return;
        };
        let delta = RestrictedDelta {
            net_id: id,
            at,
            owner,
            audiences,
            selected: select_all(slots, when, owner.is_some()),
            first_behaviour,
            now: nanos(now),
        };
        let due = delta.selected.iter().filter(|selected| selected.is_due);
        let due = due.fold(0_u64, |due, selected| due | 1 << selected.channel);
        let mut failed = 0_u64;
        for channel in (0..).take(self.config.channels.len().min(MAX_CHANNELS)) {
            if due >> channel & 1 == 0 {
                continue;
            }
            let sent = self.send_restricted_channel(&delta, channel);
            // A stopped field waits for the next change, like a failed channel.
            failed |= u64::from(!matches!(sent, Ok(false))) << channel;
            if let Err(error) = sent {
                self.replication.scratch.outcome.errors.push((id, error));
            }
        }
        if self.world.is_dirty(id) {
            self.replication.scratch.outcome.left.push((id, failed));
        }
    }

    /// Writes the parts of one channel, without the fields that fit no message. The first other failure
    /// ends the channel. Returns whether a field was stopped.
    fn send_restricted_channel(
        &mut self,
        delta: &RestrictedDelta,
        channel: u8,
    ) -> Result<bool, WriteError> {
        let channel_info = self.config.channel_info(channel);
        let mut sent = SentFields::default();
        let (mut result, mut has_stopped) = (Ok(false), false);
        for (number, audience) in delta.audiences.into_iter().enumerate() {
            let mut masks = delta.part_masks(number, channel);
            if masks.iter().all(|mask| *mask == 0) {
                continue;
            }
            if self.stats.profile.is_some() {
                self.profile_part((delta.net_id, delta.at), &masks);
            }
            let Some(slots) = self.world.pools.slots_mut(delta.at) else {
                return Ok(false);
            };
            let part = Part {
                net_id: delta.net_id,
                channel: channel_info,
                first_behaviour: delta.first_behaviour,
            };
            let mut outputs = self.visibility.audiences.outputs(audience);
            let mut written = part.write(&masks, slots, &mut outputs, &mut self.stats);
            if written.is_err() {
                let output = (&mut outputs, channel);
                let stopped = remove_stopped((delta.net_id, &mut masks), slots, output);
                if !stopped.is_empty() {
                    has_stopped = true;
                    written = part.write(&masks, slots, &mut outputs, &mut self.stats);
                    let all = &mut self.replication.stopped;
                    for field in stopped {
                        all.add(field);
                    }
                }
            }
            match written {
                Ok(behaviours) => {
                    mark_sent(slots, &masks, behaviours, delta.now);
                    sent.add(number, &masks, behaviours);
                }
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        if self.replication.bandwidth.is_active() {
            self.record_restricted(delta, channel, &sent);
        }
        result.map(|_| has_stopped)
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
        let (to_others, to_owner) = (add(&sent.to_others), add(&sent.to_owner));
        log.records.push(WriteRecord {
            net_id: delta.net_id,
            channel,
            audience: delta.audiences[0],
            masks: to_others,
            owner: delta.owner.map(|owner| (owner, to_owner)),
            changes: None,
        });
    }

    /// Writes the pending changes of an object at once, before another message about it.
    pub(in crate::server) fn flush_restricted(&mut self, id: NetId) {
        let Some(replicated) = self.world.objects.get(id.0) else {
            return;
        };
        let (at, audience) = (replicated.at, replicated.audience);
        let has_observers = self.visibility.audiences.get(audience).has_observers();
        let is_observed = replicated.is(State::Announced) && has_observers;
        if !is_observed || !self.world.is_dirty(id) {
            return;
        }
        self.deliver();
        let job = Job {
            net_id: id,
            row: at.row,
            force: true,
        };
        let now = self.clock.now();
        self.send_restricted(audience, &job, now);
        self.finish_run(now);
        self.deliver_changes();
    }
}

impl RestrictedDelta {
    /// Returns the fields of one part on one channel, for each behaviour.
    fn part_masks(&self, part: usize, channel: u8) -> Vec<u64> {
        let mask = |selected: &Selected| {
            if selected.channel == channel {
                selected.parts[part]
            } else {
                0
            }
        };
        self.selected.iter().map(mask).collect()
    }
}

impl SentFields {
    /// Adds the fields of a part, for the behaviours that were sent.
    fn add(&mut self, part: usize, masks: &[u64], behaviours: u64) {
        if part != 2 {
            add(&mut self.to_others, masks, behaviours);
        }
        if part != 1 {
            add(&mut self.to_owner, masks, behaviours);
        }
    }
}

fn add(list: &mut Vec<u64>, masks: &[u64], behaviours: u64) {
    list.resize(masks.len(), 0);
    for (index, (all, mask)) in list.iter_mut().zip(masks).enumerate() {
        if behaviours >> index & 1 == 1 {
            *all |= mask;
        }
    }
}

/// Selects the due fields of each behaviour. Fields without a receiver become clean.
fn select_all(slots: &mut dyn Slots, when: When, has_owner: bool) -> Vec<Selected> {
    let When { now, force, .. } = when;
    let mut all = Vec::with_capacity(slots.len());
    slots.for_each_mut(|slot| {
        let (info, last_send) = (slot.info(), slot.last_send());
        let rules = &info.policy;
        let mut send = slot.dirty_bits();
        // The owner has the values that it wrote, unless the server corrected them since.
        let own = slot
            .policy_state()
            .map_or(0, |state| state.relayed & !state.echoed);
        let unread = if has_owner { own } else { u64::MAX };
        let dropped = send & (rules.initial_only | rules.owner_only & unread);
        if dropped != 0 {
            slot.drop_fields(dropped, None);
        }
        send &= !dropped;
        if !force && rules.throttled != 0 {
            send &= !slot.held_back(now).0;
        }
        let (private, others) = if has_owner {
            (send & rules.owner_only, send & (rules.others_only | own))
        } else {
            (0, 0)
        };
        let passed = now.saturating_sub(last_send);
        let interval_is_over = force || passed > info.interval(when.interval);
        all.push(Selected {
            parts: [send & !(private | others), others & !private, private],
            channel: info.channel,
            is_due: send != 0 && interval_is_over && usize::from(info.channel) < MAX_CHANNELS,
        });
    });
    all
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

fn mark_sent(slots: &mut dyn Slots, masks: &[u64], behaviours: u64, now: Nanos) {
    let mut index = 0;
    slots.for_each_mut(|slot| {
        let fields = masks.get(index).copied().unwrap_or_default();
        if behaviours >> index & 1 == 1 && fields != 0 {
            slot.mark_fields_sent(fields, now, None);
        }
        index += 1;
    });
}
