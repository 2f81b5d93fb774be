//! The update loop: hides, deltas, snapshots, spawns and joins, in this order.

use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::object::{
    ChangeSink, Encoded, Job, MAX_CHANNELS, Nanos, Outcome, SinkLog, SinkRules, nanos,
};
use syncvar_runtime::{AudienceId, Channel, ConnectionId, NetId, WriteError};

use crate::server::objects::replicated::State;
use crate::server::replication::restricted::PartLists;
use crate::server::sessions::connection::Connection;
use crate::server::visibility::audience::Delivery;
use crate::server::{NetworkServer, ServerEvent};
use crate::{Framing, MessageType};

/// Objects of which the entries are loaded together.
const AHEAD: usize = 128;

/// Lists reused by every update.
#[derive(Debug, Default)]
pub(in crate::server) struct Scratch {
    pub(in crate::server) objects: Vec<NetId>,
    pub(in crate::server) entering: Vec<ConnectionId>,
    pub(in crate::server) leaving: Vec<ConnectionId>,
    pub(in crate::server) jobs: Vec<Job>,
    #[cfg(feature = "parallel")]
    shares: crate::server::replication::parallel::Shares,
    pub(in crate::server) outcome: Outcome,
    pub(in crate::server) parts: PartLists,
    /// Objects of a run in the states `WriteFailed` or `SnapshotPending`.
    flagged: Vec<NetId>,
}

/// Successive objects with the same behaviours and the same audience.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Run {
    pool: u32,
    audience: AudienceId,
}

impl NetworkServer {
    /// Encodes all changes and prepares the packets of every client, in the order documented at the
    /// type. `now` is the time since a fixed moment. If it goes back, as after a clock restart, the
    /// server's own time stands still for this update and continues from there. The same holds for a
    /// leap of more than 100 years ([`ServerEvent::ClockLeap`]).
    ///
    /// A behaviour is sent when it is dirty and its send interval has passed since it was last
    /// sent, or since time zero.
    ///
    /// A transport that updates the end by its own clock (`TcpServer`, `TcpClient`, `MirrorHost`,
    /// `MirrorPeer`) disables this call: it does nothing then, with one warning. A program that calls it
    /// at another rate than [`tick_rate`](crate::ServerConfig::tick_rate) is warned once.
    pub fn update(&mut self, now: Duration) {
        if self.context.clock.admits_program() {
            self.advance(now);
            self.context.clock.watch_pace(self.context.config.tick_rate);
        }
    }

    /// Runs an update by the owner of the clock.
    pub(in crate::server) fn advance(&mut self, now: Duration) {
        let now = self.context.clock.advance(now);
        let span = tracing::trace_span!("update", tick = self.network_time().tick);
        if span.is_disabled() {
            return self.run_update(now);
        }
        let former = self.context.stats.written();
        let _entered = span.enter();
        self.run_update(now);
        self.context.stats.written().trace_since(&former);
    }

    fn run_update(&mut self, now: Duration) {
        if let Some(step) = self.context.clock.take_leap() {
            self.context.events.push(ServerEvent::ClockLeap { step });
        }
        self.begin_tick();
        self.context.events.release();
        if let Some(host) = &mut self.host {
            host.events.release();
        }
        self.sessions.intake.next_update();
        self.expire_connections();
        self.decide_losses();
        let joining = !self.sessions.joining.is_empty();
        self.outbound.trim(&self.sessions.connections);
        self.rooms().ground.answer_pings();
        self.report_inputs();
        self.forget_departed();
        let rooms = self.rooms();
        let mut ground = rooms.ground;
        rooms.visibility.correct_owners(&mut ground);
        // Calls queued since the last update.
        self.run_local_calls();
        self.deliver();
        self.end_budgets();
        self.apply_interest();
        self.call_local_hooks();
        self.queue_resyncs();
        self.hide_objects();
        let has_frame = self.begin_frame();
        self.send_deltas(now, joining);
        self.replication.index_frame();
        self.repair_losses();
        self.send_backlogs();
        self.deliver_changes();
        self.echo_frame();
        self.replication.end_frame();
        self.show_objects();
        self.announce();
        self.send_parents();
        if std::mem::take(&mut self.visibility.scene_loaded) {
            self.send_scene_spawned();
        }
        if joining {
            self.join();
        }
        self.send_deferred_calls(has_frame);
        self.update_local();
        self.seal_datagrams();
        if self.is_recording() {
            // Messages of the local client's callbacks.
            self.deliver();
            self.rooms().ground.finish_record();
        }
    }

    /// Begins the frame of the tick, unless it has had one: state on unreliable channels waits for the next tick
    /// then. Returns whether it begins.
    fn begin_frame(&mut self) -> bool {
        let (tick, has_ticks) = (self.outbound.store.tick, self.context.config.has_ticks());
        let frames = &mut self.replication.frames;
        self.replication.frame_open = !has_ticks || frames.tick() < tick;
        if self.replication.frame_open {
            frames.begin(tick);
        }
        self.replication.frame_open
    }

    /// Writes the deltas of all due objects, once each.
    fn send_deltas(&mut self, now: Duration, all: bool) {
        let mut due = std::mem::take(&mut self.replication.scratch.objects);
        self.objects.schedule.take_due(now, all, &mut due);
        let (mut run, mut is_restricted) = (None, false);
        for (place, id) in due.iter().copied().enumerate() {
            if place.is_multiple_of(AHEAD) {
                let ahead = due[place..].iter().take(AHEAD);
                self.objects.world.objects.load(ahead.map(|id| id.0));
            }
            let Some((next, job)) = self.prepare(id, now, all, run) else {
                continue;
            };
            if run != Some(next) {
                self.send_run(run, now);
                run = Some(next);
                is_restricted = self.objects.is_restricted(next.pool);
            }
            if is_restricted && self.needs_parts(next.pool, job.row) {
                // Its parts stand behind the earlier objects of the run.
                self.send_run(run, now);
                self.send_restricted(next.audience, &job, now);
                self.finish_run(now);
                continue;
            }
            self.replication.scratch.jobs.push(job);
        }
        self.send_run(run, now);
        due.clear();
        self.replication.scratch.objects = due;
    }

    /// Returns the run and job of an object. None if it has no delta: it is not announced yet, or
    /// has no observers.
    #[inline]
    fn prepare(
        &mut self,
        id: NetId,
        now: Duration,
        all: bool,
        former: Option<Run>,
    ) -> Option<(Run, Job)> {
        let replicated = self.objects.world.objects.get_mut(id.0)?;
        replicated.framed = self.outbound.store.tick;
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
        if all || replicated.wake < nanos(now) {
            replicated.wake = Nanos::MAX;
        }
        // Valid for this update only, even if it writes no delta.
        let forced = replicated.take(State::SendNow);
        if !replicated.is(State::Announced) {
            self.objects.schedule.queue_new(id);
            return None;
        }
        job.force |=
            forced | replicated.is(State::VisibilityDirty) | replicated.is(State::SnapshotPending);
        if !self
            .visibility
            .audiences
            .get(replicated.audience)
            .has_observers()
        {
            replicated.set(State::WriteFailed, false);
            let tick = self.outbound.store.tick;
            self.objects.world.drop_changes(id, Some(tick));
            return None;
        }
        if replicated.is(State::WriteFailed) || replicated.is(State::SnapshotPending) {
            self.replication.scratch.flagged.push(id);
        }
        Some((run, job))
    }

    /// Writes the objects of a run.
    fn send_run(&mut self, run: Option<Run>, now: Duration) {
        let Some(run) = run.filter(|_| !self.replication.scratch.jobs.is_empty()) else {
            return;
        };
        if self.context.stats.profile.is_some() {
            self.profile_run(run.audience, now);
        }
        let info = self
            .objects
            .prefab_infos
            .get(self.objects.world.pools.prefab(run.pool) as usize);
        let is_redundant = self.replication.has_echo && info.is_some_and(|info| info.redundant);
        if is_redundant {
            self.visibility.audiences.end_chunks(run.audience);
        }
        let Some(pool) = self.objects.world.pools.pool_mut(run.pool) else {
            return;
        };
        let logs_reliable = self.replication.bandwidth.is_active();
        let is_logged = logs_reliable || !self.replication.links.is_empty();
        let channels = self.context.config.channels.len().min(MAX_CHANNELS);
        let first_behaviour = info.map_or(0, |info| info.first_behaviour);
        let stats = self.context.stats.behaviours.get_mut(first_behaviour..);
        let mut sink = ChangeSink {
            rules: SinkRules {
                now: nanos(now),
                tick: Some(self.outbound.store.tick),
                framed: !self.replication.frame_open,
                interval: self.context.config.default_interval(),
                channels: &self.context.config.channels[..channels],
                reliable: self.context.config.room(Channel::Reliable),
                unreliable: self.context.config.lossy_state_room(),
            },
            audience: run.audience,
            outputs: self.visibility.audiences.outputs(run.audience),
            stats: stats.unwrap_or_default(),
            encoded: Encoded::default(),
            outcome: &mut self.replication.scratch.outcome,
            log: is_logged.then_some(SinkLog {
                writes: &mut self.replication.bandwidth.log,
                has_reliable: logs_reliable,
            }),
        };
        let jobs = &self.replication.scratch.jobs[..];
        #[cfg(feature = "parallel")]
        let jobs = self.replication.scratch.shares.write(
            jobs,
            self.context.config.parallel_from,
            pool,
            &mut sink,
        );
        pool.write_changes(jobs, &mut sink);
        let Encoded { single, batched } = sink.encoded;
        let stats = &mut self.context.stats;
        stats.count_all_encoded(MessageType::UpdateVars, single);
        stats.count_all_encoded(MessageType::UpdateBatch, batched);
        if !self.replication.scratch.outcome.errors.is_empty() {
            self.send_without_stopped(run.audience, now);
        }
        if is_redundant {
            self.visibility.audiences.end_chunks(run.audience);
        }
        self.replication.scratch.jobs.clear();
        self.finish_run(now);
    }

    /// Writes the failed objects of a run again, without the fields that fit no message.
    #[cold]
    fn send_without_stopped(&mut self, audience: AudienceId, now: Duration) {
        for (id, _) in std::mem::take(&mut self.replication.scratch.outcome.errors) {
            let mut jobs = self.replication.scratch.jobs.iter();
            if let Some(job) = jobs.find(|job| job.net_id == id).copied() {
                self.send_restricted(audience, &job, now);
            }
        }
    }

    /// Handles failures, pending snapshots and remaining changes of the objects of a run.
    pub(in crate::server) fn finish_run(&mut self, now: Duration) {
        let Scratch {
            outcome, flagged, ..
        } = &mut self.replication.scratch;
        for id in flagged.drain(..) {
            let failed = outcome.errors.iter().any(|(object, _)| *object == id);
            if let Some(replicated) = self.objects.world.objects.get_mut(id.0).filter(|_| !failed) {
                replicated.set(State::WriteFailed, false);
                if replicated.is(State::SnapshotPending) {
                    self.objects
                        .schedule
                        .queue_written_view_change(id, replicated);
                }
            }
        }
        for (id, error) in outcome.errors.drain(..) {
            if let Some(replicated) = self.objects.world.objects.get_mut(id.0) {
                replicated.set(State::WriteFailed, true);
            }
            self.context.events.push(encode_failure(id, error));
        }
        let mut left = std::mem::take(&mut outcome.left);
        for (id, failed) in left.drain(..) {
            self.reschedule(id, now, failed);
        }
        self.replication.scratch.outcome.left = left;
        self.report_stopped();
    }

    /// Schedules an object for the time when its next behaviour is due. Behaviours on failed
    /// channels (a bit each) wait for the next change of the object.
    fn reschedule(&mut self, id: NetId, now: Duration, failed: u64) {
        let Some(replicated) = self.objects.world.objects.get_mut(id.0) else {
            return;
        };
        let Some(slots) = self.objects.world.pools.slots_mut(replicated.at) else {
            return;
        };
        let channels = self.context.config.channels.len().min(MAX_CHANNELS);
        let interval = self.context.config.default_interval();
        let mut first: Option<Nanos> = None;
        slots.for_each_mut(|slot| {
            let channel = slot.info().channel;
            let is_open = usize::from(channel) < channels && failed >> channel & 1 == 0;
            if slot.dirty_bits() == 0 || !is_open {
                return;
            }
            let next = slot
                .last_send()
                .saturating_add(slot.info().interval(interval));
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
            Some(next) if next <= now => self.objects.schedule.queue_dirty(id),
            Some(next) => self.objects.schedule.wake_at(id, replicated, next),
            None => {}
        }
    }

    /// Queues the unsent bytes of all audiences for their members.
    pub(in crate::server) fn deliver(&mut self) {
        self.deliver_to(|_| true);
    }

    /// Queues unsent deltas. Connections with a budget have their share already.
    pub(in crate::server) fn deliver_changes(&mut self) {
        self.deliver_to(|connection| !connection.is_limited());
    }

    fn deliver_to(&mut self, receives: impl Fn(&Connection) -> bool) {
        let (connections, outbound) = (&mut self.sessions.connections, &mut self.outbound);
        let (frames, log) = (
            &mut self.replication.frames,
            &self.replication.bandwidth.log,
        );
        let config = &self.context.config;
        self.visibility.audiences.drain(|delivery| {
            let Delivery {
                channel, chunks, ..
            } = *delivery;
            let length = chunks.iter().map(Bytes::len).sum();
            let queued = outbound.add(channel, chunks.iter().cloned());
            let lossy = config.is_lossy(channel);
            let of_form = delivery.framing == Framing::Compact;
            let is_frame = lossy && of_form && frames.add(log, delivery, queued.chunks.start);
            for member in delivery.members {
                let connection = connections.get_mut(member.0);
                let Some(connection) = connection.filter(|connection| receives(connection)) else {
                    continue;
                };
                if lossy && connection.detached_since.is_some() {
                    continue;
                }
                connection.charge(length);
                if !lossy || connection.datagrams.is_none() {
                    outbound.queue(connection, queued.clone());
                } else if is_frame {
                    let frame = (&**frames, chunks, &queued);
                    outbound.queue_frame(connection, frame);
                } else if let Some(datagrams) = &mut connection.datagrams {
                    datagrams.queue.push_calls(channel, chunks);
                }
            }
        });
    }
}

/// Returns the event for a value that cannot be encoded.
pub(in crate::server) fn encode_failure(object: NetId, error: WriteError) -> ServerEvent {
    let (behaviour, place) = (error.behaviour(), error.field());
    let field = place.map(|place| place.rsplit_once('.').map_or(place, |(_, field)| field));
    tracing::warn!(%object, %error, "a value cannot be sent");
    ServerEvent::SerializeFailed {
        object,
        behaviour,
        field,
        error,
    }
}
