//! Comparison with the server's state, repeated steps, and the steps of new ticks.

use std::time::Duration;

use syncvar_runtime::behaviour::Panicked;
use syncvar_runtime::motion::Moment;
use syncvar_runtime::object::SlotInfo;
use syncvar_runtime::{Callbacks, ChangedFields, HookFailure, NetworkWriter};

use super::object::Comparison;
use super::objects::{Entry, Objects, Reason, Side};
use super::{GroupStep, PredictionStats, Predictions};
use crate::client::arrivals::Arrivals;
use crate::client::inputs::OwnInputs;
use crate::client::objects::{Fact, Replica};
use crate::client::{ClientEvent, NetworkClient};
use crate::step::Group;

/// Ticks after a gap until its losses are repaired, beside the round trip.
const REPAIR_TICKS: u64 = 6;

impl NetworkClient {
    /// Compares the server's state of a reported tick with the predictions.
    pub(crate) fn compare_predictions(&mut self, tick: u32, (complete, after_gap): (bool, bool)) {
        if self.predictions.objects.is_empty() {
            return;
        }
        // The replicas may hold changes of later ticks.
        let newest = self.arrivals.as_ref().map(Arrivals::newest_tick);
        let is_newest = newest == Some(tick);
        let Some(tick) = self.network_tick(tick) else {
            return;
        };
        if after_gap || !complete {
            let round_trip = self.round_trip_time().unwrap_or_default();
            let ticks = self.inputs.ticks_of(2 * round_trip) + REPAIR_TICKS;
            self.predictions.uncertain_until = tick + ticks;
        }
        if !complete || !is_newest {
            return;
        }
        let datagrams = self.arrivals.as_ref().and_then(|it| it.datagrams.as_ref());
        let owes = datagrams.is_some_and(|datagrams| datagrams.is_owed());
        let is_uncertain = owes || tick < self.predictions.uncertain_until;
        self.predictions.compared = tick;
        let default = self.context.config.default_interval();
        for entry in self.predictions.objects.iter_mut() {
            let Some(replica) = self.objects.world.objects.get(entry.id.0) else {
                continue;
            };
            let slots = self.objects.world.pools.slots(replica.at);
            let Some(slot) = slots.and_then(|slots| slots.slot(entry.index)) else {
                continue;
            };
            let info = slot.info();
            let nanos = Duration::from_nanos(info.interval(default));
            let rule = Comparison {
                tick,
                held_back: self.inputs.ticks_of(nanos),
                is_uncertain,
                ignored: ignored(info, replica.is(Fact::Owned)),
                throttled: info.policy.throttled,
            };
            let differs = entry.predicted.compare(slot, rule);
            entry.differs_at = differs.or(entry.differs_at);
        }
    }

    /// Gives the predictions the present values of the fields that this client writes as the owner.
    pub(crate) fn take_own_fields(&mut self) {
        for entry in self.predictions.objects.iter_mut() {
            let replica = self.objects.world.objects.get(entry.id.0);
            let slots = replica.and_then(|replica| self.objects.world.pools.slots(replica.at));
            if let Some(slot) = slots.and_then(|slots| slots.slot(entry.index)) {
                entry.predicted.take_own(slot, entry.owned);
            }
        }
    }

    /// Compares the newest fields of behaviours on unreliable channels, which may be those of a tick whose other packets are
    /// missing.
    pub(crate) fn compare_newest(&mut self) {
        let Some(start) = self.session.start else {
            return;
        };
        for entry in self.predictions.objects.iter_mut() {
            let Some(replica) = self.objects.world.objects.get(entry.id.0) else {
                continue;
            };
            let slots = self.objects.world.pools.slots(replica.at);
            let slot = slots.and_then(|slots| slots.slot(entry.index));
            let Some((slot, ticks)) = slot.and_then(|slot| Some((slot, slot.ticks()?))) else {
                continue;
            };
            let newest = ticks.newest();
            if newest <= entry.newest {
                continue;
            }
            entry.newest = newest;
            let info = slot.info();
            let rule = Comparison {
                tick: start.first_tick + u64::from(newest) - 1,
                held_back: 0,
                is_uncertain: true,
                ignored: ignored(info, replica.is(Fact::Owned)) | !ticks.changed_since(newest),
                throttled: info.policy.throttled,
            };
            let differs = entry.predicted.compare(slot, rule);
            entry.differs_at = differs.or(entry.differs_at);
        }
    }

    /// Ends the predictions of objects that are gone, and those without a step whose edits the server has answered.
    pub(crate) fn review_predictions(&mut self) {
        self.match_spawns();
        let Predictions {
            objects,
            steps,
            spawns,
            compared,
            ..
        } = &mut self.predictions;
        if objects.is_empty() {
            steps.clear();
            return;
        }
        let shown = self.arrivals.as_ref();
        let shown = shown.and_then(|it| it.motion.clock.tick_at(self.context.now()));
        let shown = shown.zip(self.session.start);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "ticks of a run"
        )]
        let shown = shown.map_or(u64::MAX, |(tick, start)| start.first_tick + tick as u64);
        let settled = (*compared).min(shown);
        for entry in objects.iter_mut() {
            if let Some(replica) = self.objects.world.objects.get(entry.id.0) {
                entry.owned = replica.is(Fact::Owned);
            }
        }
        let world = &self.objects.world.objects;
        objects.retain(|entry| {
            if !world.get(entry.id.0).is_some_and(Replica::is_visible) {
                return spawns.is_waiting(entry.id);
            }
            entry.reason > Reason::Edited || !entry.predicted.is_settled(settled)
        });
        steps.retain(|step| step.ids.iter().any(|id| !objects.of(*id).is_empty()));
    }

    /// Repeats the steps behind the differences with the server, and measures their duration.
    pub(crate) fn replay(&mut self) {
        let differs = |entry: &Entry| entry.differs_at.is_some();
        let Some(newest) = self.inputs.tick else {
            return;
        };
        if !self.predictions.objects.iter().any(differs) {
            return;
        }
        let stopwatch = self.context.config.stopwatch.unwrap_or(|| Duration::ZERO);
        let started = stopwatch();
        self.repeat_steps(newest);
        let elapsed = stopwatch().saturating_sub(started);
        let stats = &mut self.predictions.stats;
        stats.replay_time = stats.replay_time.saturating_add(elapsed);
        stats.longest_replay = stats.longest_replay.max(elapsed);
    }

    fn repeat_steps(&mut self, newest: u64) {
        let view = self.predicted_moment(self.now());
        let seconds = self.context.config.correction_time.as_secs_f64();
        let decay = view.map_or(0.0, |view| seconds / f64::from(view.tick_length));
        let Predictions {
            objects,
            steps,
            stats,
            writer,
            ..
        } = &mut self.predictions;
        for step in steps {
            let differing = step.ids.iter().flat_map(|id| objects.of(*id));
            let Some(start) = differing.filter_map(|entry| entry.differs_at).min() else {
                continue;
            };
            for id in &step.ids {
                begin(objects.of_mut(*id), start, view.as_ref());
            }
            for tick in start + 1..=newest {
                stats.replayed += 1;
                step.run((objects, &self.inputs), tick, writer);
            }
            for id in &step.ids {
                end(objects.of_mut(*id), stats, (view.as_ref(), decay));
            }
        }
        for entry in objects.without_step() {
            if let Some(start) = entry.differs_at {
                let entry = std::slice::from_mut(entry);
                begin(entry, start, view.as_ref());
                for tick in start + 1..=newest {
                    rest(entry, tick, writer);
                }
                end(entry, stats, (view.as_ref(), decay));
            }
        }
    }

    /// Runs the steps of a new tick.
    pub(crate) fn predict_tick(&mut self, tick: u64) {
        self.predictions.spawns.begin_tick(tick);
        let Predictions {
            objects,
            steps,
            stats,
            writer,
            ..
        } = &mut self.predictions;
        for step in steps {
            let mut members = step.ids.iter().flat_map(|id| objects.of(*id));
            if members.all(|entry| entry.predicted.newest() < tick) {
                stats.steps += 1;
                step.run((objects, &self.inputs), tick, writer);
            }
        }
        let alone = objects.without_step();
        for entry in alone.filter(|entry| entry.predicted.newest() < tick) {
            rest(std::slice::from_mut(entry), tick, writer);
        }
    }

    /// Runs the hooks of changed predicted values.
    pub(crate) fn run_predicted_hooks(&mut self) {
        if self.objects.world.callbacks != Callbacks::Run {
            return;
        }
        for entry in self.predictions.objects.iter_mut() {
            if let Err(Panicked(message)) = entry.predicted.run_hooks() {
                let fields = ChangedFields::new(entry.predicted.class(), u64::MAX);
                let failure = HookFailure::new(entry.id, fields, message);
                self.context
                    .events
                    .push(ClientEvent::HookFailed(Box::new(failure)));
            }
        }
    }
}

impl GroupStep {
    fn run(
        &mut self,
        (objects, inputs): (&mut Objects, &OwnInputs),
        tick: u64,
        writer: &mut NetworkWriter,
    ) {
        for id in &self.ids {
            let entries = objects.of_mut(*id).iter_mut();
            entries.for_each(|entry| entry.predicted.begin_tick(tick));
        }
        let mut side = Side { objects, inputs };
        (self.step)(&self.ids, &mut Group::new(&mut side, tick), tick);
        for id in &self.ids {
            let entries = objects.of_mut(*id).iter_mut();
            entries.for_each(|entry| entry.predicted.end_tick(tick, writer));
        }
    }
}

/// Passes a tick without a step.
fn rest(entries: &mut [Entry], tick: u64, writer: &mut NetworkWriter) {
    for entry in entries {
        entry.predicted.begin_tick(tick);
        entry.predicted.end_tick(tick, writer);
    }
}

fn begin(entries: &mut [Entry], start: u64, view: Option<&Moment<'_>>) {
    for entry in entries {
        entry.predicted.begin_replay(start, view);
    }
}

fn end(
    entries: &mut [Entry],
    stats: &mut PredictionStats,
    (view, decay): (Option<&Moment<'_>>, f64),
) {
    for entry in entries {
        entry.differs_at = None;
        let changed = entry.predicted.end_replay(view, decay);
        let has_begun = std::mem::replace(&mut entry.begun, true);
        if let Some(size) = changed.filter(|_| has_begun) {
            stats.corrections += 1;
            stats.last_size = size;
            stats.largest_size = stats.largest_size.max(size);
        }
    }
}

/// Returns the fields that are not compared.
fn ignored(info: &SlotInfo, owned: bool) -> u64 {
    let policy = &info.policy;
    let unread = if owned {
        policy.others_only | policy.owner_write
    } else {
        policy.owner_only
    };
    unread | policy.initial_only
}
