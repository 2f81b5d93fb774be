//! `Predictions`: objects ahead of the server, by the inputs of this client.
//!
//! The player sees the effect of an input at once, although the server needs a round trip for it. A predicted behaviour is a copy
//! that steps in each tick of the input clock, with the function that the server runs for the same tick:
//!
//! ```text
//! ticks          s        s+1      s+2      ...      n        newest tick of the input clock
//! inputs                  i        i        i        i
//! prediction     p ──────▶p ──────▶p ──────▶  ──────▶p        shown between n-1 and n
//!                │compare
//! server         s        its state of a complete tick
//!                │differs
//! replay         s ──────▶p'──────▶p'──────▶  ──────▶p'       the error p - p' decays
//! ```
//!
//! Each predicted behaviour keeps its states by tick, as values travel: after a codec. A complete tick of the server is compared with
//! the state of the same tick. Equal values change nothing. A difference restores the server's state and repeats the steps up to the
//! newest tick, with the recorded inputs; the visible error decays within the correction time. Objects that act on each other step and
//! replay as a group.
//!
//! After a gap in the ticks, values may be older than their tick: fields that may be missing are not compared until a repair is due.
//! The newest fields of unreliable channels are compared early, without waiting for the other packets of the tick. A
//! predicted spawn has an id of this client until the server's object with a near tick arrives; a spawn without an object
//! ends. Hooks run once per change and update, for the newest values.

mod advance;
mod behaviours;
mod object;
mod recorded;
mod replay;
mod spawns;

use std::fmt;
use std::time::Duration;

use syncvar_runtime::motion::{Moment, SettledTicks, tick_length};
use syncvar_runtime::unstable::object::Tracks;
use syncvar_runtime::{NetId, NetworkBehaviour, NetworkWriter, ObjectError, SyncValue};

use super::context::Context;
use super::inputs::OwnInputs;
use super::objects::{Fact, Objects, Replica};
use crate::step::Group;
use behaviours::PredictedBehaviours;
pub(super) use behaviours::Reason;
use object::{Predicted, sample};
pub use recorded::PredictedTicks;
pub(super) use replay::Predicting;
use spawns::Spawns;

/// Predicted objects of a client.
#[derive(Debug, Default)]
pub(super) struct Predictions {
    objects: PredictedBehaviours,
    steps: Vec<GroupStep>,
    /// Last tick that the program has received for its own steps.
    given: Option<u64>,
    spawns: Spawns,
    /// Last tick of the server whose state was compared.
    compared: u64,
    /// Tick up to which changes may be missing after a gap.
    uncertain_until: u64,
    stats: PredictionStats,
    /// Memory for values with a codec.
    writer: NetworkWriter,
}

impl Predictions {
    /// Begins the prediction of a behaviour with the server's state in a tick.
    pub(super) fn add<B: NetworkBehaviour + Clone>(
        &mut self,
        id: NetId,
        reason: Reason,
        tick: u64,
        objects: &mut Objects,
    ) -> Result<(), ObjectError> {
        let index = objects.world.position::<B>(id)?;
        let state = objects.world.get::<B>(id);
        let state = state.ok_or_else(|| ObjectError::no_behaviour::<B>(id))?;
        if self.objects.get::<B>(id).is_none() {
            let predicted = Predicted::new(state, tick);
            self.objects.insert(id, index, predicted, tick);
        }
        if let Some(replica) = objects.world.objects.get_mut(id.0) {
            replica.set(Fact::Predicted, true);
            for entry in self.objects.of_mut(id) {
                entry.owned = replica.is(Fact::Owned);
                if entry.index == index {
                    entry.reason = entry.reason.max(reason);
                }
            }
        }
        Ok(())
    }

    /// Changes the newest state of a predicted behaviour, until the server's state counts.
    pub(super) fn edit<B: NetworkBehaviour + Clone>(
        &mut self,
        id: NetId,
        edit: impl Fn(&mut B) + Send + Sync + 'static,
    ) {
        if let Some(predicted) = self.objects.get_mut::<B>(id) {
            predicted.edit(edit);
        }
    }

    /// Returns the newest state of a predicted behaviour.
    pub(super) fn newest<B: NetworkBehaviour + Clone>(&self, id: NetId) -> Option<&B> {
        self.objects.get::<B>(id).map(|predicted| &predicted.now)
    }

    /// Returns the state of a predicted behaviour after a tick.
    pub(super) fn at<B: NetworkBehaviour + Clone>(&self, id: NetId, tick: u64) -> Option<&B> {
        self.objects.get::<B>(id)?.after(tick)
    }

    /// Adds the step of some objects, in the place of an earlier one, and repeats it from the server's state on.
    pub(super) fn begin_steps(
        &mut self,
        ids: Vec<NetId>,
        step: StepFunction,
        inputs: &OwnInputs,
        context: &Context,
    ) {
        let objects = &mut self.objects;
        if ids.iter().all(|id| objects.of(*id).is_empty()) {
            return;
        }
        for id in &ids {
            for entry in objects.of_mut(*id) {
                (entry.reason, entry.begun) = (Reason::Stepped, false);
                entry.differs_at = Some(entry.predicted.oldest());
            }
        }
        self.steps.retain(|step| step.ids != ids);
        self.steps.push(GroupStep { ids, step });
        self.replay(inputs, context);
    }

    /// Returns the counters.
    pub(super) fn stats(&self) -> PredictionStats {
        self.stats
    }

    /// Returns whether no object is predicted.
    pub(super) fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Ends the predictions of an object.
    pub(super) fn end_object(&mut self, id: NetId, objects: &mut Objects) {
        self.objects.retain(|entry| entry.id != id);
        for step in &mut self.steps {
            step.ids.retain(|member| *member != id);
        }
        self.steps.retain(|step| !step.ids.is_empty());
        if let Some(replica) = objects.world.objects.get_mut(id.0) {
            replica.set(Fact::Predicted, false);
        }
    }

    /// Ends all predictions.
    pub(super) fn end(&mut self) {
        *self = Self {
            stats: self.stats,
            ..Self::default()
        };
    }

    /// Returns the samples of a predicted behaviour.
    pub(super) fn tracks<B: NetworkBehaviour>(&self, id: NetId) -> Option<&Tracks> {
        Some(self.objects.entry::<B>(id)?.predicted.tracks())
    }

    /// Returns the bits of the predicted behaviours of an object, by position.
    #[inline]
    pub(super) fn behaviours(&self, id: NetId, replica: &Replica) -> u64 {
        if replica.is(Fact::Predicted) {
            self.objects.behaviours(id)
        } else {
            0
        }
    }
}

/// Returns the moment that the view of predicted fields shows: between the last two ticks of the input clock.
pub(super) fn moment(inputs: &OwnInputs, now: Duration) -> Option<Moment<'static>> {
    let (tick, rate) = inputs.tick_at(now)?;
    let newest = inputs.tick.map_or(0.0, |tick| f64::from(sample(tick)));
    Some(Moment {
        tick: (tick - 1.0).min(newest),
        settled: &SettledTicks::ALL,
        interval: 1,
        tick_length: tick_length(rate),
    })
}

/// Objects that step together, and their step.
struct GroupStep {
    ids: Vec<NetId>,
    step: StepFunction,
}

/// Step of objects in a tick.
pub(super) type StepFunction = Box<dyn FnMut(&[NetId], &mut Group<'_>, u64) + Send + Sync>;

impl fmt::Debug for GroupStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupStep")
            .field("ids", &self.ids)
            .finish_non_exhaustive()
    }
}

/// Returns the step of an object, with the input of its owner.
pub(super) fn single_step<B: NetworkBehaviour, M: SyncValue + Default>(
    mut step: impl FnMut(&mut B, &M, u64) + Send + Sync + 'static,
) -> StepFunction {
    Box::new(move |ids, group, tick| {
        for id in ids {
            let input = group.input::<M>(*id).unwrap_or_default();
            if let Some(behaviour) = group.get_mut::<B>(*id) {
                step(behaviour, &input, tick);
            }
        }
    })
}

/// Counters of the predictions of a client.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PredictionStats {
    /// States of the server that differed from the prediction and changed the newest state of an object.
    pub corrections: u64,
    /// Largest change of an interpolated field by the last correction: a distance in its units.
    pub last_size: f32,
    /// Largest change of an interpolated field by any correction.
    pub largest_size: f32,
    /// Steps of groups that were repeated.
    pub replayed: u64,
    /// Steps of groups in new ticks, without the repeated ones.
    pub steps: u64,
    /// Duration of all replays: the restored states and the repeated steps. Zero without
    /// [`ClientConfig::stopwatch`](crate::ClientConfig::stopwatch).
    pub replay_time: Duration,
    /// Duration of the longest replay, likewise.
    pub longest_replay: Duration,
}
