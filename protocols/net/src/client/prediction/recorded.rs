//! Predictions whose steps are those of the program: ticks to run, and their recorded states.

use std::ops::RangeInclusive;

use syncvar_runtime::{NetId, NetworkBehaviour};

use super::behaviours::{PredictedEntry, Reason};
use super::object::Predicted;
use super::{Predictions, moment, replay};
use crate::client::context::Context;
use crate::client::inputs::OwnInputs;

/// Ticks that a program with its own steps runs now: [`NetworkClient::take_ticks`](crate::NetworkClient::take_ticks).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PredictedTicks {
    /// Tick whose states the program restores before its first step, by
    /// [`NetworkClient::predicted_at`](crate::NetworkClient::predicted_at): the server's state of this tick differed from the
    /// prediction. `None`: the program goes on.
    pub restored: Option<u64>,
    /// Ticks to run, in this order: those behind the restored tick once more, and the new ones.
    pub ticks: RangeInclusive<u64>,
}

impl PredictedEntry {
    /// Returns whether the client steps the behaviour, and not the program.
    pub(super) fn is_stepped_here(&self) -> bool {
        self.reason != Reason::Recorded
    }
}

impl Predictions {
    /// Returns the ticks that the program runs now. `None` without one.
    pub(crate) fn take_ticks(
        &mut self,
        inputs: &OwnInputs,
        context: &Context,
    ) -> Option<PredictedTicks> {
        let newest = inputs.tick?;
        if self.objects.recorded().next().is_none() {
            self.given = None;
            return None;
        }
        let differing = self.objects.recorded().filter_map(|entry| entry.differs_at);
        let restored = differing.min();
        let given = self.given.filter(|given| *given <= newest);
        let first = restored.or(given).map_or(newest, |tick| tick + 1);
        if first > newest && restored.is_none() {
            return None;
        }
        if let Some(tick) = restored {
            let repeated = given.map_or(0, |given| given.saturating_sub(tick));
            self.stats.replayed = self.stats.replayed.saturating_add(repeated);
            self.begin_replay_of_program(tick, newest, inputs, context);
        }
        self.stats.steps += newest.saturating_sub(given.unwrap_or(newest));
        self.given = Some(newest);
        Some(PredictedTicks {
            restored,
            ticks: first..=newest,
        })
    }

    /// Restores the states of a tick. The record of the newest tick ends the replay.
    fn begin_replay_of_program(
        &mut self,
        tick: u64,
        newest: u64,
        inputs: &OwnInputs,
        context: &Context,
    ) {
        let view = moment(inputs, context.now());
        let decay = replay::decay(view.as_ref(), context);
        for entry in self.objects.recorded() {
            entry.differs_at = None;
            entry.predicted.begin_replay(tick, view.as_ref());
            if tick < newest {
                entry.replayed_until = Some(newest);
            } else {
                replay::end_of(entry, &mut self.stats, view.as_ref(), decay);
            }
        }
    }

    /// Records the state of a behaviour after a step of the program. Returns it as it travels.
    pub(crate) fn record<B: NetworkBehaviour + Clone>(
        &mut self,
        id: NetId,
        tick: u64,
        state: &B,
        inputs: &OwnInputs,
        context: &Context,
    ) -> Option<&B> {
        let newest = inputs.tick?;
        let predicted = self.objects.get_mut::<B>(id)?;
        if tick > newest {
            return None;
        }
        predicted.take_state(state);
        let writer = &mut self.writer;
        let entry = self.objects.entry_mut::<B>(id)?;
        entry.predicted.end_tick(tick, writer);
        if entry.replayed_until.take_if(|last| tick >= *last).is_some() {
            let view = moment(inputs, context.now());
            let decay = replay::decay(view.as_ref(), context);
            replay::end_of(entry, &mut self.stats, view.as_ref(), decay);
        }
        self.newest(id)
    }
}

impl<B: NetworkBehaviour + Clone> Predicted<B> {
    /// Replaces the newest state.
    fn take_state(&mut self, state: &B) {
        self.now = state.clone();
    }
}
