//! `PredictedBehaviours`: the predicted behaviours, by object and position.

use std::any::{Any, TypeId};

use syncvar_runtime::{NetId, NetworkBehaviour};

use super::object::{AnyPredicted, Predicted};
use crate::client::inputs::OwnInputs;
use crate::step::GroupSide;

/// Predicted behaviour of an object.
#[derive(Debug)]
pub(crate) struct PredictedEntry {
    pub(crate) id: NetId,
    /// Position of the behaviour.
    pub(crate) index: usize,
    pub(crate) behaviour: TypeId,
    /// Whether this client owns the object.
    pub(crate) owned: bool,
    pub(crate) reason: Reason,
    /// Newest tick of its received fields, of the wire.
    pub(crate) newest: u32,
    /// Tick behind which it must be replayed.
    pub(crate) differs_at: Option<u64>,
    /// Whether its prediction has begun: a replay is then a correction.
    pub(crate) begun: bool,
    /// Tick whose recorded state ends a replay of the program.
    pub(crate) replayed_until: Option<u64>,
    pub(crate) predicted: Box<dyn AnyPredicted>,
}

/// Reason of a prediction, the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    /// An anticipated change: it ends with the answer of the server.
    Edited,
    /// The program has added it.
    Added,
    /// It has a step.
    Stepped,
    /// The program steps it, and records the states.
    Recorded,
}

/// Predicted behaviours, ascending by object and position.
#[derive(Debug, Default)]
pub(crate) struct PredictedBehaviours(Vec<PredictedEntry>);

impl PredictedBehaviours {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &PredictedEntry> {
        self.0.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut PredictedEntry> {
        self.0.iter_mut()
    }

    /// Returns the predicted behaviours that no step moves.
    pub(crate) fn without_step(&mut self) -> impl Iterator<Item = &mut PredictedEntry> {
        self.iter_mut()
            .filter(|entry| entry.reason < Reason::Stepped)
    }

    /// Returns the predicted behaviours whose states the program records.
    pub(crate) fn recorded(&mut self) -> impl Iterator<Item = &mut PredictedEntry> {
        self.iter_mut()
            .filter(|entry| entry.reason == Reason::Recorded)
    }

    pub(crate) fn retain(&mut self, keep: impl FnMut(&PredictedEntry) -> bool) {
        self.0.retain(keep);
    }

    /// Gives the prediction of an object to a new object.
    pub(crate) fn rename(&mut self, from: NetId, id: NetId, index: usize) {
        for entry in self.of_mut(from) {
            (entry.id, entry.index) = (id, index);
        }
        self.0.sort_by_key(|entry| (entry.id, entry.index));
    }

    /// Returns the predicted behaviours of an object.
    pub(crate) fn of(&self, id: NetId) -> &[PredictedEntry] {
        let first = self.0.partition_point(|entry| entry.id < id);
        let rest = self.0.get(first..).unwrap_or_default();
        let count = rest.iter().take_while(|entry| entry.id == id).count();
        rest.get(..count).unwrap_or_default()
    }

    /// Returns the bits of the predicted behaviours of an object, by position.
    #[inline(never)]
    pub(crate) fn behaviours(&self, id: NetId) -> u64 {
        let entries = self.of(id).iter();
        entries.fold(0, |bits, entry| bits | 1 << entry.index)
    }

    pub(crate) fn of_mut(&mut self, id: NetId) -> &mut [PredictedEntry] {
        let first = self.0.partition_point(|entry| entry.id < id);
        let rest = self.0.get_mut(first..).unwrap_or_default();
        let count = rest.iter().take_while(|entry| entry.id == id).count();
        rest.get_mut(..count).unwrap_or_default()
    }

    /// Returns the entry of the first predicted behaviour of a type on an object.
    pub(crate) fn entry<B: NetworkBehaviour>(&self, id: NetId) -> Option<&PredictedEntry> {
        let mut entries = self.of(id).iter();
        entries.find(|entry| entry.behaviour == TypeId::of::<B>())
    }

    /// Returns the first predicted behaviour of a type on an object.
    pub(crate) fn get<B: NetworkBehaviour>(&self, id: NetId) -> Option<&Predicted<B>> {
        let predicted: &dyn Any = &*self.entry::<B>(id)?.predicted;
        predicted.downcast_ref()
    }

    /// Returns the entry of the first predicted behaviour of a type on an object, for changes.
    pub(crate) fn entry_mut<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
    ) -> Option<&mut PredictedEntry> {
        let mut entries = self.of_mut(id).iter_mut();
        entries.find(|entry| entry.behaviour == TypeId::of::<B>())
    }

    /// Returns the first predicted behaviour of a type on an object, for changes.
    pub(crate) fn get_mut<B: NetworkBehaviour>(&mut self, id: NetId) -> Option<&mut Predicted<B>> {
        let predicted: &mut dyn Any = &mut *self.entry_mut::<B>(id)?.predicted;
        predicted.downcast_mut()
    }

    /// Adds a behaviour that is replayed behind a tick.
    pub(crate) fn insert<B: NetworkBehaviour + Clone>(
        &mut self,
        id: NetId,
        index: usize,
        predicted: Predicted<B>,
        tick: u64,
    ) {
        let place = self
            .0
            .partition_point(|entry| (entry.id, entry.index) < (id, index));
        self.0.insert(
            place,
            PredictedEntry {
                id,
                index,
                behaviour: TypeId::of::<B>(),
                owned: false,
                reason: Reason::Edited,
                newest: 0,
                differs_at: Some(tick),
                begun: false,
                replayed_until: None,
                predicted: Box::new(predicted),
            },
        );
    }
}

/// Predicted behaviours during a step.
pub(crate) struct Side<'a> {
    pub(crate) objects: &'a mut PredictedBehaviours,
    pub(crate) inputs: &'a OwnInputs,
}

impl GroupSide for Side<'_> {
    fn behaviour(&mut self, id: NetId, behaviour: TypeId) -> Option<&mut dyn Any> {
        let mut entries = self.objects.of_mut(id).iter_mut();
        let entry = entries.find(|entry| entry.behaviour == behaviour)?;
        Some(entry.predicted.now_mut())
    }

    fn inputs(&mut self, id: NetId, _: u64) -> Option<(&dyn Any, bool)> {
        let is_own = self.objects.of(id).iter().any(|entry| entry.owned);
        let list = self.inputs.list().filter(|_| is_own)?;
        Some((list, false))
    }
}
