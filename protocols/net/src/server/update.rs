//! The update loop: what changed goes out, then what is shown for the first time.

use std::time::Duration;

use bytes::Bytes;

use super::connection::{Connection, Parcel};
use super::{NetworkServer, ServerEvent};
use crate::AudienceId;
use crate::ConnectionId;
use crate::message::{LocalClientAuthority, Message};
use crate::object::{ChangeSink, Encoded, Outcome};
use crate::object::{Job, MAX_CHANNELS, nanos};
use crate::{Channel, MessageType, NetId, WriteError};

/// Lists that the update loop uses again and again.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) objects: Vec<NetId>,
    pub(super) entering: Vec<ConnectionId>,
    pub(super) leaving: Vec<ConnectionId>,
    jobs: Vec<Job>,
    #[cfg(feature = "parallel")]
    shares: super::parallel::Shares,
    pub(super) outcome: Outcome,
    /// Objects of a run about which there is something to settle, whatever comes of it.
    unsettled: Vec<NetId>,
}

/// Objects with the same behaviours and the same audience, one after another.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Run {
    pool: u32,
    audience: AudienceId,
}

impl NetworkServer {
    /// Looks at what has changed and prepares the packets for every client; see the type's
    /// documentation for the order. `now` is the time since any fixed moment. If it goes back, as a
    /// clock that is started again does, the server's own time stands still for this update and goes
    /// on from there.
    ///
    /// A behaviour is sent when it is dirty and more than its send interval has passed since it was
    /// last sent, or since time zero.
    pub fn update(&mut self, now: Duration) {
        self.now = self.now.saturating_add(now.saturating_sub(self.clock));
        self.clock = now;
        let now = self.now;
        let joining = !self.joining.is_empty();
        self.tidy_stock();
        self.answer_pings();
        self.correct_misled();
        // What happened since the last update.
        self.run_local_calls();
        self.deliver();
        self.end_budgets();
        self.follow_interest();
        self.call_local_hooks();
        self.schedule_resyncs();
        self.hide_objects();
        self.send_changes(now, joining);
        self.send_rations();
        self.deliver_changes();
        self.show_objects();
        self.announce();
        self.send_parents();
        if std::mem::take(&mut self.scene_loaded) {
            self.scene_objects_spawned();
        }
        if joining {
            self.join();
        }
        self.send_kept_calls();
        self.update_local();
    }

    /// Has objects sent again to those who asked, so many for each in one update.
    fn schedule_resyncs(&mut self) {
        let (connections, objects) = (&mut self.connections, &mut self.objects);
        let limit = self.config.resyncs_per_update.max(1);
        self.resyncing.retain(|id| {
            let Some(connection) = connections.get_mut(id.0) else {
                return false;
            };
            let wanted = std::iter::from_fn(|| connection.wanted.pop_first());
            for object in wanted.take(limit) {
                if let Some(spawned) = objects.get_mut(object.0) {
                    let owed = self.owed.entry(object).or_default();
                    if !owed.contains(id) {
                        owed.push(*id);
                    }
                    spawned.owing = true;
                    self.schedule.queue_moved(object, spawned);
                }
            }
            !connection.wanted.is_empty()
        });
    }

    /// Writes the changes of every object that is due, once each.
    fn send_changes(&mut self, now: Duration, all: bool) {
        let mut due = std::mem::take(&mut self.scratch.objects);
        self.schedule.take_due(now, all, &mut due);
        let mut run = None;
        for id in due.drain(..) {
            let Some((next, job)) = self.prepare(id, now, all, run) else {
                continue;
            };
            if run != Some(next) {
                self.send_run(run, now);
                run = Some(next);
                if self.is_ruled(next.pool) {
                    run = None;
                    self.send_ruled(next.audience, &job, now);
                    self.settle(now);
                    continue;
                }
            }
            self.scratch.jobs.push(job);
        }
        self.send_run(run, now);
        self.scratch.objects = due;
    }

    /// What is to be done for an object: nothing if it is not yet, or no longer, on the clients.
    #[inline]
    fn prepare(
        &mut self,
        id: NetId,
        now: Duration,
        all: bool,
        former: Option<Run>,
    ) -> Option<(Run, Job)> {
        let spawned = self.objects.get_mut(id.0)?;
        let run = Run {
            pool: spawned.at.pool,
            audience: spawned.audience,
        };
        let mut job = Job {
            net_id: id,
            row: spawned.at.row,
            force: all,
        };
        // Objects one after another are often seen by the same connections.
        if spawned.is_plain() && former == Some(run) {
            return Some((run, job));
        }
        if spawned.wake.is_some_and(|wake| all || wake < now) {
            spawned.wake = None;
        }
        // For this update only, whatever comes of it.
        let forced = std::mem::take(&mut spawned.forced);
        if !spawned.announced {
            self.schedule.queue_new(id);
            return None;
        }
        job.force |= forced | spawned.moved | spawned.owing;
        if !self.audiences.get(spawned.audience).has_listeners() {
            spawned.unsent = false;
            self.forget_changes(id);
            return None;
        }
        if spawned.unsent || spawned.owing {
            self.scratch.unsettled.push(id);
        }
        Some((run, job))
    }

    /// Makes every change part of the state: nobody sees the object.
    pub(super) fn forget_changes(&mut self, id: NetId) {
        let at = self.objects.get(id.0).map(|spawned| spawned.at);
        if let Some(slots) = at.and_then(|at| self.pools.slots_mut(at)) {
            slots.for_each_mut(|slot| slot.forget_changes());
        }
    }

    /// Writes the objects of a run, and sees to what is left of them.
    fn send_run(&mut self, run: Option<Run>, now: Duration) {
        let Some(run) = run else {
            return;
        };
        let kind = self.kinds.get(self.pools.prefab(run.pool) as usize);
        let Some(pool) = self.pools.pool_mut(run.pool) else {
            return;
        };
        let channels = self.config.channels.len().min(MAX_CHANNELS);
        let first_behaviour = kind.map_or(0, |kind| kind.first_behaviour);
        let stats = self.stats.behaviours.get_mut(first_behaviour..);
        let mut sink = ChangeSink {
            now: nanos(now),
            channels: &self.config.channels[..channels],
            reliable: self.config.room(Channel::Reliable),
            unreliable: self.config.room(Channel::Unreliable),
            audience: run.audience,
            outputs: self.audiences.outputs(run.audience),
            stats: stats.unwrap_or_default(),
            encoded: Encoded::default(),
            outcome: &mut self.scratch.outcome,
            notes: self
                .rationing
                .is_needed()
                .then_some(&mut self.rationing.notes),
        };
        let jobs = &self.scratch.jobs[..];
        #[cfg(feature = "parallel")]
        let jobs = self
            .scratch
            .shares
            .write(jobs, self.config.parallel_from, pool, &mut sink);
        pool.write_changes(jobs, &mut sink);
        let Encoded { single, batched } = sink.encoded;
        self.stats
            .count_all_encoded(MessageType::UpdateVars, single);
        self.stats
            .count_all_encoded(MessageType::UpdateBatch, batched);
        self.scratch.jobs.clear();
        self.settle(now);
    }

    /// Sees to what is left of the objects of a run.
    pub(super) fn settle(&mut self, now: Duration) {
        let Scratch {
            outcome, unsettled, ..
        } = &mut self.scratch;
        for id in unsettled.drain(..) {
            let failed = outcome.errors.iter().any(|(object, _)| *object == id);
            if let Some(spawned) = self.objects.get_mut(id.0).filter(|_| !failed) {
                spawned.unsent = false;
                if spawned.owing {
                    self.schedule.queue_sent(id, spawned);
                }
            }
        }
        for (id, error) in outcome.errors.drain(..) {
            if let Some(spawned) = self.objects.get_mut(id.0) {
                spawned.unsent = true;
            }
            self.events.push(describe_failure(id, error));
        }
        let mut left = std::mem::take(&mut outcome.left);
        for (id, failed) in left.drain(..) {
            self.reschedule(id, now, failed);
        }
        self.scratch.outcome.left = left;
    }

    /// Sees to it that an object is looked at again when its next behaviour is due. Those on channels
    /// that could not be written (a bit each) wait until the object is changed.
    fn reschedule(&mut self, id: NetId, now: Duration, failed: u64) {
        let Some(spawned) = self.objects.get_mut(id.0) else {
            return;
        };
        let Some(slots) = self.pools.slots(spawned.at) else {
            return;
        };
        let channels = self.config.channels.len().min(MAX_CHANNELS);
        let dirty = slots.iter().filter(|slot| {
            let channel = slot.info().channel;
            slot.dirty_bits() != 0 && usize::from(channel) < channels && failed >> channel & 1 == 0
        });
        let next = dirty.filter_map(|slot| {
            let next = slot.last_send().saturating_add(slot.info().send_interval);
            let (held, due) = slot.held_back(nanos(now));
            if slot.dirty_bits() & !held == 0 {
                return due.map(|due| due.max(next));
            }
            Some(next)
        });
        match next.min().map(Duration::from_nanos) {
            // Due and still dirty: its `on_serialize` says not yet. It is asked at every update.
            Some(next) if next <= now => self.schedule.queue_dirty(id),
            Some(next) => self.schedule.wait(id, spawned, next),
            None => {}
        }
    }

    /// Gives every member of an audience what was written for it.
    pub(super) fn deliver(&mut self) {
        self.deliver_to(|_| true);
    }

    /// The same for changes: those with a budget have been given theirs.
    pub(super) fn deliver_changes(&mut self) {
        self.deliver_to(|connection| connection.limit.is_none());
    }

    fn deliver_to(&mut self, concerned: impl Fn(&Connection) -> bool) {
        let (connections, outgoing) = (&mut self.connections, &mut self.outgoing);
        let stock = &mut self.stock;
        self.audiences.drain(|channel, pieces, members| {
            let length = pieces.iter().map(Bytes::len).sum();
            let pieces = stock.add(pieces.iter().cloned());
            for member in members {
                let connection = connections.get_mut(member.0);
                if let Some(connection) = connection.filter(|connection| concerned(connection)) {
                    connection.charge(length);
                    let pieces = pieces.clone();
                    connection.push(Parcel { channel, pieces }, stock);
                    connection.list(outgoing);
                }
            }
        });
    }

    /// Appends a message for one connection alone.
    pub(super) fn send_own<M: Message>(&mut self, connection: ConnectionId, message: &M) {
        // The local client is told nothing in bytes.
        if self.is_local(connection) {
            return;
        }
        let Some(receiver) = self.connections.get_mut(connection.0) else {
            return;
        };
        let writer = receiver.own.begin();
        message.encode(writer);
        if writer.take_error().is_some() {
            receiver.own.give_up();
            return;
        }
        let length = receiver.own.commit();
        receiver.charge(length);
        self.stats.count_encoded(M::TYPE, length);
        receiver.list(&mut self.outgoing);
    }

    /// Tells a connection whether it owns an object.
    pub(super) fn tell_owner(&mut self, connection: ConnectionId, net_id: NetId, authority: bool) {
        let message = LocalClientAuthority { net_id, authority };
        self.send_own(connection, &message);
    }
}

/// Tells which field has no form on the wire. The object is left as it is: fields whose changes are
/// operations would not survive being written once more.
pub(super) fn describe_failure(object: NetId, error: WriteError) -> ServerEvent {
    let (behaviour, place) = (error.behaviour(), error.field());
    let field = place.map(|place| place.rsplit_once('.').map_or(place, |(_, field)| field));
    tracing::error!(%object, %error, "an object cannot be sent");
    ServerEvent::SerializeFailed {
        object,
        behaviour,
        field,
        error,
    }
}
