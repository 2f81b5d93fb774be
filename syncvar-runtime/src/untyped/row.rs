//! `UntypedRow`: the untyped behaviours of an object, in a row of a pool.

use super::class::UntypedClass;
use super::slot::UntypedSlot;
use crate::object::{
    BehaviourSet, Behaviours, Location, Pools, ReadFull, Slot, Slots, Visit, WriteFull,
    through_visits,
};
use crate::stats::BehaviourStats;
use crate::{NetId, NetworkReader, NetworkWriter, ReadError};

/// Untyped behaviours of an object.
pub(crate) struct UntypedRow(Box<[UntypedSlot]>);

impl UntypedRow {
    /// Creates the behaviours of a new object.
    pub(crate) fn new(classes: &[&'static UntypedClass]) -> Self {
        Self(
            classes
                .iter()
                .map(|class| UntypedSlot::new(class))
                .collect(),
        )
    }
}

impl Slots for UntypedRow {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn slot(&self, index: usize) -> Option<&dyn Slot> {
        Some(self.0.get(index)?)
    }

    fn slot_mut(&mut self, index: usize) -> Option<&mut dyn Slot> {
        Some(self.0.get_mut(index)?)
    }

    fn all_mut(&mut self) -> Vec<&mut dyn Slot> {
        let slots = self.0.iter_mut();
        slots.map(|slot| slot as &mut dyn Slot).collect()
    }

    through_visits!();

    #[inline]
    fn visit<V: Visit>(&mut self, mut index: u32, visitor: &mut V) -> u32 {
        for slot in &mut self.0 {
            visitor.slot(index, slot);
            index += 1;
        }
        index
    }
}

impl BehaviourSet for UntypedRow {
    fn into_behaviours(self) -> Behaviours {
        Behaviours::of_row(self)
    }

    fn insert_into(self, pools: &mut Pools, id: NetId, prefab: u32) -> Location {
        pools.insert_row(id, prefab, self)
    }
}
