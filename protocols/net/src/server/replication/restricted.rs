//! Deltas of restricted fields: each connection receives the fields that it may read.
//!
//! An object with such a delta is written alone, in up to five parts, one for each set of readers. Each part
//! has its audience and is marked as sent before the next part is written.

mod part;
mod parts;

use syncvar_runtime::unstable::object::{
    Job, Location, MAX_CHANNELS, When, WriteRecord, mask_count, nanos,
};
use syncvar_runtime::{AudienceId, ConnectionId, NetId, WriteError};

use crate::server::ground::Ground;
use crate::server::objects::Objects;
use crate::server::objects::replicated::State;
use crate::server::outbound::write_records::WriteRecords;
use crate::server::replication::Replication;
use crate::server::replication::profile::profile_part;
use crate::server::visibility::Visibility;
use crate::server::visibility::audience::{Audiences, Receivers};
use part::{Moment, Part, PartOutput};
pub(crate) use parts::PartLists;
use parts::{PARTS, PartReaders, Selected, SentFields, select_all};

/// Delta of an object with restricted fields.
struct RestrictedDelta {
    net_id: NetId,
    at: Location,
    /// The owner, if it observes the object.
    owner: Option<ConnectionId>,
    /// All observers.
    audience: AudienceId,
    /// Index of the first behaviour in the statistics.
    first_behaviour: usize,
    sent_at: Moment,
}

impl Replication {
    /// Returns whether the delta of an object with restricted fields needs parts: such a field is dirty, or
    /// a connection has a budget and copies the record of its fields.
    #[inline]
    pub(super) fn needs_parts(&self, objects: &mut Objects, pool: u32, row: u32) -> bool {
        let is_limited = self.bandwidth.is_active();
        let pool = objects.world.pools.pool_mut(pool);
        is_limited || pool.is_some_and(|pool| pool.has_restricted_changes(row))
    }

    /// Writes the delta of an object.
    pub(super) fn send_restricted(
        &mut self,
        ground: &mut Ground<'_>,
        visibility: &mut Visibility,
        audience: AudienceId,
        job: &Job,
    ) {
        let id = job.net_id;
        let mut lists = std::mem::take(&mut self.scratch.parts);
        let selected = &mut lists.selected;
        let Some(delta) = RestrictedDelta::new(ground, visibility, audience, job, selected) else {
            self.scratch.parts = lists;
            return;
        };
        let due = lists.selected.iter().filter(|selected| selected.is_due);
        let due = due.fold(0_u64, |due, selected| due | 1 << selected.channel);
        let mut failed = 0_u64;
        for channel in (0..).take(ground.context.config.channels.len().min(MAX_CHANNELS)) {
            let is_open =
                ground.outbound.records.is_open || !ground.context.config.is_lossy(channel);
            if due >> channel & 1 == 0 || !is_open {
                continue;
            }
            let sent =
                self.send_restricted_channel(ground, visibility, &delta, channel, &mut lists);
            // A stopped field waits for the next change, like a failed channel.
            failed |= u64::from(!matches!(sent, Ok(false))) << channel;
            if let Err(error) = sent {
                self.scratch.outcome.errors.push((id, error));
            }
        }
        self.scratch.parts = lists;
        if ground.objects.world.is_dirty(id) {
            self.scratch.outcome.left.push((id, failed));
        }
    }

    /// Writes the parts on a channel, without the fields that fit no message. A failure for a different reason
    /// ends the channel. Returns whether a field was stopped.
    fn send_restricted_channel(
        &mut self,
        ground: &mut Ground<'_>,
        visibility: &mut Visibility,
        delta: &RestrictedDelta,
        channel: u8,
        lists: &mut PartLists,
    ) -> Result<bool, WriteError> {
        let info = ground.context.config.state_info(channel);
        lists.sent.clear();
        let mut result = Ok(false);
        for (number, readers) in PARTS.into_iter().enumerate() {
            if !lists.list_masks(number, channel) {
                continue;
            }
            let PartLists { masks, sent, .. } = &mut *lists;
            let masks = &masks[..];
            if ground.context.stats.profile.is_some() {
                let (context, objects) = (&mut *ground.context, &mut *ground.objects);
                profile_part(context, objects, delta.net_id, delta.at, masks);
            }
            let part = Part {
                net_id: delta.net_id,
                channel: info,
                first_behaviour: delta.first_behaviour,
                readers,
                audience: delta.audience_of(visibility, readers),
                sent_at: delta.sent_at,
            };
            let Some(slots) = ground.objects.world.pools.slots_mut(delta.at) else {
                return Ok(false);
            };
            let records = &mut ground.outbound.records;
            let mut output = PartOutput {
                outputs: visibility.audiences.outputs(part.audience),
                stats: &mut ground.context.stats,
                log: (info.lossy && records.has_datagrams).then_some(&mut records.log),
                sent,
                stopped: &mut self.stopped,
            };
            match part.send(masks, slots, &mut output) {
                Ok(has_stopped) => result = result.map(|before| before || has_stopped),
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        if self.bandwidth.is_active() {
            delta.record(&mut ground.outbound.records, channel, &lists.sent);
        }
        result
    }

    /// Writes the pending changes of an object at once, before a further message about the object.
    pub(crate) fn flush_restricted(
        &mut self,
        ground: &mut Ground<'_>,
        visibility: &mut Visibility,
        id: NetId,
    ) {
        let Some(replicated) = ground.objects.announced(id) else {
            return;
        };
        let (at, audience) = (replicated.at, replicated.audience);
        let has_observers = visibility.audiences.get(audience).has_observers();
        if !has_observers || !ground.objects.world.is_dirty(id) {
            return;
        }
        visibility.deliver(ground);
        ground.objects.note_flushed(id);
        let job = Job {
            net_id: id,
            row: at.row,
            force: true,
        };
        self.send_restricted(ground, visibility, audience, &job);
        self.finish_run(ground.context, ground.objects);
        visibility.deliver_changes(ground);
        // State on unreliable channels waits for the next frame. It is handed over with its present values, so
        // the frame must not be later.
        let objects = &mut *ground.objects;
        let is_dirty = objects.world.is_dirty(id);
        let replicated = objects.world.objects.get_mut(id.0);
        if let Some(replicated) = replicated.filter(|_| is_dirty) {
            replicated.set(State::SendNow, true);
            objects.schedule.queue_dirty(id);
        }
    }
}

impl RestrictedDelta {
    /// Returns the delta of an object, and lists the selected fields. None if the object is gone or checked out.
    fn new(
        ground: &mut Ground<'_>,
        visibility: &Visibility,
        audience: AudienceId,
        job: &Job,
        selected: &mut Vec<Selected>,
    ) -> Option<Self> {
        let (objects, tick) = (&mut *ground.objects, ground.outbound.store.tick);
        let now = nanos(ground.context.clock.now());
        let replicated = objects.world.objects.get(job.net_id.0)?;
        let (at, owner) = (replicated.at, replicated.owner);
        let observers = visibility.audiences.get(audience);
        let owner = owner.filter(|owner| observers.observes(*owner));
        let when = When {
            now,
            interval: ground.context.config.default_interval(),
            force: job.force,
        };
        let info = objects.prefab_info(at.pool);
        let first_behaviour = info.map_or(0, |info| info.first_behaviour);
        let slots = objects.world.pools.slots_mut(at)?;
        selected.clear();
        select_all(slots, when, tick, owner.is_some(), selected);
        Some(Self {
            net_id: job.net_id,
            at,
            owner,
            audience,
            first_behaviour,
            sent_at: Moment {
                now,
                tick: Some(tick),
            },
        })
    }

    /// Returns the audience of a part.
    fn audience_of(&self, visibility: &mut Visibility, readers: PartReaders) -> AudienceId {
        let Visibility {
            audiences, groups, ..
        } = visibility;
        let of_group = |audiences: &mut Audiences| match groups.of(self.net_id) {
            Some(tag) => audiences.of_group(self.audience, tag, groups.members(tag)),
            None => Audiences::NOBODY,
        };
        match (readers, self.owner) {
            (PartReaders::All, _) | (PartReaders::AllButOwner, None) => self.audience,
            (PartReaders::AllButOwner, Some(owner)) => {
                audiences.part(self.audience, Receivers::Without(owner))
            }
            (PartReaders::Owner, None) => Audiences::NOBODY,
            (PartReaders::Owner, Some(owner)) => {
                audiences.part(Audiences::NOBODY, Receivers::Only(owner))
            }
            (PartReaders::Group | PartReaders::GroupButOwner, None) => of_group(audiences),
            (PartReaders::Group, Some(owner)) => {
                let members = of_group(audiences);
                audiences.part(members, Receivers::With(owner))
            }
            (PartReaders::GroupButOwner, Some(owner)) => {
                let members = of_group(audiences);
                audiences.part(members, Receivers::Without(owner))
            }
        }
    }

    /// Records the delta for connections with a budget. Each of them gets it written apart, with the
    /// fields that it may read.
    fn record(&self, records: &mut WriteRecords, channel: u8, sent: &SentFields) {
        let log = &mut records.log;
        let mut add = |masks: &[u64]| {
            let start = mask_count(&log.masks);
            log.masks.extend_from_slice(masks);
            start..mask_count(&log.masks)
        };
        let (to_others, to_owner) = (add(&sent.others), add(&sent.owner));
        let differ = sent.members != sent.others;
        let members = differ.then(|| add(&sent.members));
        log.records.push(WriteRecord {
            net_id: self.net_id,
            channel,
            audience: self.audience,
            masks: to_others,
            owner: self.owner.map(|owner| (owner, to_owner)),
            members,
            changes: None,
            part: false,
        });
    }
}
