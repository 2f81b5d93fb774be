//! Deltas of the due objects, in runs with the same pool and audience.

use std::time::Duration;

use syncvar_runtime::unstable::object::{
    ChangeSink, Encoded, Job, MAX_CHANNELS, Nanos, Outcome, SinkLog, SinkRules, nanos,
};
use syncvar_runtime::{AudienceId, Channel, NetId};

use crate::MessageType;
use crate::server::ServerEvent;
use crate::server::context::Context;
use crate::server::ground::Ground;
use crate::server::objects::Objects;
use crate::server::objects::replicated::State;
use crate::server::replication::Replication;
use crate::server::replication::restricted::PartLists;
use crate::server::visibility::Visibility;

/// Objects of which the entries are loaded together.
const AHEAD: usize = 128;

/// Lists reused by every update.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    objects: Vec<NetId>,
    pub(super) jobs: Vec<Job>,
    #[cfg(feature = "parallel")]
    shares: crate::server::replication::parallel::Shares,
    pub(super) outcome: Outcome,
    pub(super) parts: PartLists,
    /// Objects of a run in the states `WriteFailed` or `SnapshotPending`.
    flagged: Vec<NetId>,
}

/// Successive objects with the same behaviours and the same audience.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pool: u32,
    pub(super) audience: AudienceId,
}

impl Replication {
    /// Writes the deltas of the due objects, once each.
    pub(crate) fn send_deltas(
        &mut self,
        ground: &mut Ground<'_>,
        visibility: &mut Visibility,
        all: bool,
    ) {
        let now = ground.context.clock.now();
        let mut due = std::mem::take(&mut self.scratch.objects);
        ground.objects.schedule.take_due(now, all, &mut due);
        let (mut run, mut is_restricted) = (None, false);
        for (place, id) in due.iter().copied().enumerate() {
            if place.is_multiple_of(AHEAD) {
                let ahead = due[place..].iter().take(AHEAD);
                ground.objects.world.objects.load(ahead.map(|id| id.0));
            }
            let Some((next, job)) = self.prepare(ground, visibility, id, all, run) else {
                continue;
            };
            if run != Some(next) {
                self.send_run(ground, visibility, run);
                run = Some(next);
                is_restricted = ground.objects.is_restricted(next.pool);
            }
            if is_restricted && self.needs_parts(ground.objects, next.pool, job.row) {
                // Its parts stand behind the earlier objects of the run.
                self.send_run(ground, visibility, run);
                self.send_restricted(ground, visibility, next.audience, &job);
                self.finish_run(ground.context, ground.objects);
                continue;
            }
            self.scratch.jobs.push(job);
        }
        self.send_run(ground, visibility, run);
        due.clear();
        self.scratch.objects = due;
    }

    /// Returns the run and job of an object. None if it has no delta: it is not announced yet, or
    /// has no observers.
    #[inline]
    fn prepare(
        &mut self,
        ground: &mut Ground<'_>,
        visibility: &Visibility,
        id: NetId,
        all: bool,
        former: Option<Run>,
    ) -> Option<(Run, Job)> {
        let (objects, tick) = (&mut *ground.objects, ground.outbound.store.tick);
        let replicated = objects.world.objects.get_mut(id.0)?;
        replicated.framed = tick;
        let run = Run {
            pool: replicated.at.pool,
            audience: replicated.audience,
        };
        let mut job = Job {
            net_id: id,
            row: replicated.at.row,
            force: all,
        };
        // Successive objects often have the same audience.
        if replicated.is_plain() && former == Some(run) {
            return Some((run, job));
        }
        if all || replicated.wake < nanos(ground.context.clock.now()) {
            replicated.wake = Nanos::MAX;
        }
        // Valid for this update only, even if it writes no delta.
        let forced = replicated.take(State::SendNow);
        if !replicated.is(State::Announced) {
            objects.schedule.queue_new(id);
            return None;
        }
        job.force |=
            forced | replicated.is(State::VisibilityDirty) | replicated.is(State::SnapshotPending);
        let audience = visibility.audiences.get(replicated.audience);
        if !audience.has_observers() {
            replicated.set(State::WriteFailed, false);
            objects.world.drop_changes(id, Some(tick));
            return None;
        }
        if replicated.is(State::WriteFailed) || replicated.is(State::SnapshotPending) {
            self.scratch.flagged.push(id);
        }
        Some((run, job))
    }

    /// Writes the objects of a run.
    fn send_run(&mut self, ground: &mut Ground<'_>, visibility: &mut Visibility, run: Option<Run>) {
        let Some(run) = run.filter(|_| !self.scratch.jobs.is_empty()) else {
            return;
        };
        if ground.context.stats.profile.is_some() {
            self.profile_run(ground.context, ground.objects, visibility, run.audience);
        }
        let info = ground.objects.prefab_info(run.pool);
        let is_redundant = info.is_some_and(|info| info.redundant);
        if is_redundant {
            visibility.audiences.end_chunks(run.audience);
        }
        self.write_run(ground, visibility, run);
        if !self.scratch.outcome.errors.is_empty() {
            self.send_without_stopped(ground, visibility, run.audience);
        }
        if is_redundant {
            visibility.audiences.end_chunks(run.audience);
        }
        self.scratch.jobs.clear();
        self.finish_run(ground.context, ground.objects);
    }

    /// Writes the jobs of a run into the buffers of its audience.
    #[inline]
    fn write_run(&mut self, ground: &mut Ground<'_>, visibility: &mut Visibility, run: Run) {
        let (context, records) = (&mut *ground.context, &mut ground.outbound.records);
        let info = ground.objects.prefab_info(run.pool);
        let first_behaviour = info.map_or(0, |info| info.first_behaviour);
        let Some(pool) = ground.objects.world.pools.pool_mut(run.pool) else {
            return;
        };
        let logs_reliable = self.bandwidth.is_active();
        let is_logged = logs_reliable || records.has_datagrams;
        let (config, stats) = (&context.config, &mut context.stats);
        let channels = config.channels.len().min(MAX_CHANNELS);
        let costs = stats.behaviours.get_mut(first_behaviour..);
        let mut sink = ChangeSink {
            rules: SinkRules {
                now: nanos(context.clock.now()),
                tick: Some(ground.outbound.store.tick),
                framed: !records.is_open,
                interval: config.default_interval(),
                channels: &config.channels[..channels],
                reliable: config.room(Channel::Reliable),
                unreliable: config.lossy_state_room(),
            },
            audience: run.audience,
            outputs: visibility.audiences.outputs(run.audience),
            stats: costs.unwrap_or_default(),
            encoded: Encoded::default(),
            outcome: &mut self.scratch.outcome,
            log: is_logged.then_some(SinkLog {
                writes: &mut records.log,
                has_reliable: logs_reliable,
            }),
        };
        let jobs = &self.scratch.jobs[..];
        #[cfg(feature = "parallel")]
        let jobs = self
            .scratch
            .shares
            .write(jobs, config.parallel_from, pool, &mut sink);
        pool.write_changes(jobs, &mut sink);
        let Encoded { single, batched } = sink.encoded;
        stats.count_all_encoded(MessageType::UpdateVars, single);
        stats.count_all_encoded(MessageType::UpdateBatch, batched);
    }

    /// Writes the failed objects of a run again, without the fields that fit no message.
    #[cold]
    fn send_without_stopped(
        &mut self,
        ground: &mut Ground<'_>,
        visibility: &mut Visibility,
        audience: AudienceId,
    ) {
        for (id, _) in std::mem::take(&mut self.scratch.outcome.errors) {
            let mut jobs = self.scratch.jobs.iter();
            if let Some(job) = jobs.find(|job| job.net_id == id).copied() {
                self.send_restricted(ground, visibility, audience, &job);
            }
        }
    }

    /// Handles failures, pending snapshots and remaining changes of the objects of a run.
    pub(super) fn finish_run(&mut self, context: &mut Context, objects: &mut Objects) {
        let Scratch {
            outcome, flagged, ..
        } = &mut self.scratch;
        for id in flagged.drain(..) {
            let failed = outcome.errors.iter().any(|(object, _)| *object == id);
            let replicated = objects.world.objects.get_mut(id.0);
            if let Some(replicated) = replicated.filter(|_| !failed) {
                replicated.set(State::WriteFailed, false);
                if replicated.is(State::SnapshotPending) {
                    objects.schedule.queue_written_view_change(id, replicated);
                }
            }
        }
        for (id, error) in outcome.errors.drain(..) {
            if let Some(replicated) = objects.world.objects.get_mut(id.0) {
                replicated.set(State::WriteFailed, true);
            }
            let event = ServerEvent::serialize_failed(id, error);
            context.events.push(event);
        }
        for (id, failed) in outcome.left.drain(..) {
            reschedule(context, objects, id, failed);
        }
        self.stopped.report(context, objects);
    }
}

/// Schedules an object for the time when its next behaviour is due. Behaviours on failed
/// channels (a bit each) wait for the next change of the object.
fn reschedule(context: &Context, objects: &mut Objects, id: NetId, failed: u64) {
    let Some(replicated) = objects.world.objects.get_mut(id.0) else {
        return;
    };
    let Some(slots) = objects.world.pools.slots_mut(replicated.at) else {
        return;
    };
    let now = context.clock.now();
    let channels = context.config.channels.len().min(MAX_CHANNELS);
    let interval = context.config.default_interval();
    let mut first: Option<Nanos> = None;
    slots.for_each_mut(|slot| {
        let channel = slot.info().channel;
        let is_open = usize::from(channel) < channels && failed >> channel & 1 == 0;
        if slot.dirty_bits() == 0 || !is_open {
            return;
        }
        let next = slot.last_send();
        let next = next.saturating_add(slot.info().interval(interval));
        let (held, due) = slot.held_back(nanos(now));
        let next = if slot.dirty_bits() & !held == 0 {
            due.map(|due| due.max(next))
        } else {
            Some(next)
        };
        first = first.into_iter().chain(next).min();
    });
    match first.map(Duration::from_nanos) {
        // Due and still dirty: its `on_serialize` returned false. Every update asks it again.
        Some(next) if next <= now => objects.schedule.queue_dirty(id),
        Some(next) => objects.schedule.wake_at(id, replicated, next),
        None => {}
    }
}
