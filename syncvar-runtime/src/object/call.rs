//! Calls of behaviours whose object is checked out of its pool.

use super::{Slot, Slots};
use crate::NetId;
use crate::behaviour::AnyBehaviour;
use crate::behaviour::context::{NetworkContext, NetworkSide, Panicked, Siblings, contain};

impl Siblings for Vec<Option<&mut dyn Slot>> {
    fn len(&self) -> usize {
        Self::len(self)
    }

    fn behaviour(&self, index: usize) -> Option<&dyn AnyBehaviour> {
        Some(self.get(index)?.as_deref()?.behaviour())
    }

    fn behaviour_mut(&mut self, index: usize) -> Option<&mut dyn AnyBehaviour> {
        Some(self.get_mut(index)?.as_deref_mut()?.behaviour_mut())
    }
}

/// Calls a behaviour of an object that is checked out, with its context. Returns `None` without a
/// behaviour at the position.
pub fn call<R>(
    slots: &mut dyn Slots,
    index: usize,
    net_id: NetId,
    side: &mut dyn NetworkSide,
    action: impl FnOnce(&mut dyn Slot, NetworkContext<'_>) -> R,
) -> Option<Result<R, Panicked>> {
    let mut all: Vec<Option<&mut dyn Slot>> = slots.all_mut().into_iter().map(Some).collect();
    let slot = all.get_mut(index)?.take()?;
    let context = NetworkContext::new(side, &mut all, net_id, index);
    Some(contain(|| action(slot, context)))
}
