//! Comparison with the server's state, repeated steps, and the steps of new ticks.

use std::time::Duration;

use syncvar_runtime::behaviour::Panicked;
use syncvar_runtime::events::Events;
use syncvar_runtime::motion::Moment;
use syncvar_runtime::unstable::object::Slot;
use syncvar_runtime::{ChangedFields, HookFailure, NetworkWriter};

use super::behaviours::{PredictedBehaviours, PredictedEntry, Reason, Side};
use super::object::Comparison;
use super::{GroupStep, PredictionStats, Predictions, moment};
use crate::client::ClientEvent;
use crate::client::arrivals::{Arrivals, TickReport};
use crate::client::context::Context;
use crate::client::inputs::OwnInputs;
use crate::client::objects::{Fact, Objects};
use crate::client::outbound::Outbound;
use crate::client::session::Session;
use crate::step::Group;

/// Ticks after a gap until its losses are repaired, beside the round trip.
const REPAIR_TICKS: u64 = 6;

/// Parts below `prediction` that a step or a comparison touches.
pub(crate) struct Predicting<'a> {
    pub(crate) context: &'a mut Context,
    pub(crate) objects: &'a mut Objects,
    /// `None` without headers.
    pub(crate) arrivals: Option<&'a Arrivals>,
    pub(crate) session: &'a Session,
    pub(crate) inputs: &'a mut OwnInputs,
    pub(crate) outbound: &'a mut Outbound,
}

impl Predictions {
    /// Compares the server's state of a reported tick with the predictions.
    pub(crate) fn compare(&mut self, report: TickReport, lent: &Predicting<'_>) {
        if self.objects.is_empty() {
            return;
        }
        // The replicas may hold changes of later ticks.
        let newest = lent.arrivals.map(Arrivals::newest_tick);
        let is_newest = newest == Some(report.tick);
        let Some(tick) = lent.session.network_tick(report.tick) else {
            return;
        };
        if report.after_gap || !report.of_tick {
            let round_trip = lent.context.clock.server.round_trip();
            let round_trip = round_trip.map(|(mean, _)| mean).unwrap_or_default();
            let ticks = lent.inputs.ticks_of(2 * round_trip) + REPAIR_TICKS;
            self.uncertain_until = tick + ticks;
        }
        if !report.of_tick || !is_newest {
            return;
        }
        let datagrams = lent.arrivals.and_then(|it| it.datagrams.as_ref());
        let owes = datagrams.is_some_and(|datagrams| datagrams.is_owed());
        let is_uncertain = owes || tick < self.uncertain_until;
        self.compared = tick;
        let default = lent.context.config.default_interval();
        let world = &lent.objects.world;
        for entry in self.objects.iter_mut() {
            let Some(replica) = world.objects.get(entry.id.0) else {
                continue;
            };
            let slots = world.pools.slots(replica.at);
            let Some(slot) = slots.and_then(|slots| slots.slot(entry.index)) else {
                continue;
            };
            let info = slot.info();
            let nanos = Duration::from_nanos(info.interval(default));
            let rule = Comparison {
                tick,
                held_back: lent.inputs.ticks_of(nanos),
                is_uncertain,
                ignored: ignored(slot, replica.is(Fact::Owned)),
                throttled: info.policy.throttled,
            };
            let differs = entry.predicted.compare(slot, rule);
            entry.differs_at = differs.or(entry.differs_at);
        }
    }

    /// Gives the predictions the present values of the fields that this client writes as the owner.
    pub(crate) fn take_own_fields(&mut self, objects: &Objects) {
        let world = &objects.world;
        for entry in self.objects.iter_mut() {
            let replica = world.objects.get(entry.id.0);
            let slots = replica.and_then(|replica| world.pools.slots(replica.at));
            if let Some(slot) = slots.and_then(|slots| slots.slot(entry.index)) {
                entry.predicted.take_own(slot, entry.owned);
            }
        }
    }

    /// Compares the newest fields of behaviours on unreliable channels, which may be fields of a tick whose remaining packets are
    /// missing.
    pub(crate) fn compare_newest(&mut self, objects: &Objects, session: &Session) {
        let Some(start) = session.server.start else {
            return;
        };
        for entry in self.objects.iter_mut() {
            let Some(replica) = objects.world.objects.get(entry.id.0) else {
                continue;
            };
            let slots = objects.world.pools.slots(replica.at);
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
                ignored: ignored(slot, replica.is(Fact::Owned)) | !ticks.changed_since(newest),
                throttled: info.policy.throttled,
            };
            let differs = entry.predicted.compare(slot, rule);
            entry.differs_at = differs.or(entry.differs_at);
        }
    }

    /// Ends the predictions of objects that are gone, and those without a step whose edits the server has answered.
    pub(crate) fn review(&mut self, lent: &mut Predicting<'_>) {
        self.match_spawns(lent);
        if self.objects.is_empty() {
            self.steps.clear();
            return;
        }
        let shown = lent.arrivals;
        let shown = shown.and_then(|it| it.motion.clock.tick_at(lent.context.now()));
        let shown = shown.zip(lent.session.server.start);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "ticks of a run"
        )]
        let shown = shown.map_or(u64::MAX, |(tick, start)| start.first_tick + tick as u64);
        let settled = self.compared.min(shown);
        let world = &lent.objects.world;
        for entry in self.objects.iter_mut() {
            if let Some(replica) = world.objects.get(entry.id.0) {
                entry.owned = replica.is(Fact::Owned);
            }
        }
        let (objects, spawns) = (&mut self.objects, &self.spawns);
        objects.retain(|entry| {
            let replica = world.objects.get(entry.id.0);
            let Some(replica) = replica.filter(|replica| replica.is_visible()) else {
                return spawns.is_waiting(entry.id);
            };
            let slots = world.pools.slots(replica.at);
            let slot = slots.and_then(|slots| slots.slot(entry.index));
            if slot.is_some_and(|slot| slot.behaviour().of_type(entry.behaviour).is_none()) {
                // An optional behaviour was removed.
                return false;
            }
            entry.reason > Reason::Edited || !entry.predicted.is_settled(settled)
        });
        self.steps
            .retain(|step| step.ids.iter().any(|id| !objects.of(*id).is_empty()));
    }

    /// Repeats the steps behind the differences with the server, and measures their duration.
    pub(crate) fn replay(&mut self, inputs: &OwnInputs, context: &Context) {
        let differs = |entry: &PredictedEntry| entry.differs_at.is_some();
        let Some(newest) = inputs.tick else {
            return;
        };
        if !self.objects.iter().any(differs) {
            return;
        }
        let stopwatch = context.config.stopwatch.unwrap_or(|| Duration::ZERO);
        let started = stopwatch();
        self.repeat_steps(newest, inputs, context);
        let elapsed = stopwatch().saturating_sub(started);
        let stats = &mut self.stats;
        stats.replay_time = stats.replay_time.saturating_add(elapsed);
        stats.longest_replay = stats.longest_replay.max(elapsed);
    }

    fn repeat_steps(&mut self, newest: u64, inputs: &OwnInputs, context: &Context) {
        let view = moment(inputs, context.now());
        let decay = decay(view.as_ref(), context);
        let Predictions {
            objects,
            steps,
            stats,
            writer,
            ..
        } = self;
        for step in steps {
            let differing = step.ids.iter().flat_map(|id| objects.of(*id));
            let differing = differing.filter(|entry| entry.is_stepped_here());
            let Some(start) = differing.filter_map(|entry| entry.differs_at).min() else {
                continue;
            };
            for id in &step.ids {
                begin(objects.of_mut(*id), start, view.as_ref());
            }
            for tick in start + 1..=newest {
                stats.replayed += 1;
                step.run(objects, inputs, tick, writer);
            }
            for id in &step.ids {
                end(objects.of_mut(*id), stats, view.as_ref(), decay);
            }
        }
        for entry in objects.without_step() {
            if let Some(start) = entry.differs_at {
                let entry = std::slice::from_mut(entry);
                begin(entry, start, view.as_ref());
                for tick in start + 1..=newest {
                    rest(entry, tick, writer);
                }
                end(entry, stats, view.as_ref(), decay);
            }
        }
    }

    /// Runs the steps of a new tick.
    pub(crate) fn predict_tick(&mut self, tick: u64, inputs: &OwnInputs) {
        self.spawns.begin_tick(tick);
        let Predictions {
            objects,
            steps,
            stats,
            writer,
            ..
        } = self;
        for step in steps {
            let members = step.ids.iter().flat_map(|id| objects.of(*id));
            let mut members = members.filter(|entry| entry.is_stepped_here());
            if members.all(|entry| entry.predicted.newest() < tick) {
                stats.steps += 1;
                step.run(objects, inputs, tick, writer);
            }
        }
        let alone = objects.without_step();
        for entry in alone.filter(|entry| entry.predicted.newest() < tick) {
            rest(std::slice::from_mut(entry), tick, writer);
        }
    }

    /// Runs the hooks of changed predicted values.
    pub(crate) fn run_hooks(&mut self, events: &mut Events<ClientEvent>) {
        for entry in self.objects.iter_mut() {
            if let Err(Panicked(message)) = entry.predicted.run_hooks() {
                let fields = ChangedFields::new(entry.predicted.class(), u64::MAX);
                let failure = HookFailure::new(entry.id, fields, message);
                events.push(ClientEvent::HookFailed(Box::new(failure)));
            }
        }
    }
}

impl GroupStep {
    fn run(
        &mut self,
        objects: &mut PredictedBehaviours,
        inputs: &OwnInputs,
        tick: u64,
        writer: &mut NetworkWriter,
    ) {
        for id in &self.ids {
            let entries = objects.of_mut(*id).iter_mut();
            let stepped = entries.filter(|entry| entry.is_stepped_here());
            stepped.for_each(|entry| entry.predicted.begin_tick(tick));
        }
        let mut side = Side { objects, inputs };
        (self.step)(&self.ids, &mut Group::new(&mut side, tick), tick);
        for id in &self.ids {
            let entries = objects.of_mut(*id).iter_mut();
            let stepped = entries.filter(|entry| entry.is_stepped_here());
            stepped.for_each(|entry| entry.predicted.end_tick(tick, writer));
        }
    }
}

/// Returns the number of ticks in which an error of the view decays.
pub(super) fn decay(view: Option<&Moment<'_>>, context: &Context) -> f64 {
    let seconds = context.config.correction_time.as_secs_f64();
    view.map_or(0.0, |view| seconds / f64::from(view.tick_length))
}

/// Passes a tick without a step.
fn rest(entries: &mut [PredictedEntry], tick: u64, writer: &mut NetworkWriter) {
    for entry in entries {
        entry.predicted.begin_tick(tick);
        entry.predicted.end_tick(tick, writer);
    }
}

fn begin(entries: &mut [PredictedEntry], start: u64, view: Option<&Moment<'_>>) {
    for entry in entries.iter_mut().filter(|entry| entry.is_stepped_here()) {
        entry.predicted.begin_replay(start, view);
    }
}

fn end(
    entries: &mut [PredictedEntry],
    stats: &mut PredictionStats,
    view: Option<&Moment<'_>>,
    decay: f64,
) {
    for entry in entries.iter_mut().filter(|entry| entry.is_stepped_here()) {
        end_of(entry, stats, view, decay);
    }
}

/// Ends the replay of a behaviour, and counts its correction.
pub(super) fn end_of(
    entry: &mut PredictedEntry,
    stats: &mut PredictionStats,
    view: Option<&Moment<'_>>,
    decay: f64,
) {
    entry.differs_at = None;
    let changed = entry.predicted.end_replay(view, decay);
    let has_begun = std::mem::replace(&mut entry.begun, true);
    if let Some(size) = changed.filter(|_| has_begun) {
        stats.corrections += 1;
        stats.last_size = size;
        stats.largest_size = stats.largest_size.max(size);
    }
}

/// Returns the fields that are not compared.
fn ignored(slot: &dyn Slot, owned: bool) -> u64 {
    let policy = slot.policy();
    let unread = if owned {
        policy.others_only | policy.owner_write
    } else {
        policy.owner_only
    };
    unread | policy.initial_only | slot.missing()
}
