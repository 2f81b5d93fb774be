//! `Slots`: all behaviours of an object, in a row.

use std::any::{Any, TypeId};

use super::hooks::{DeferredHooks, Remembered};
use super::slot::{HookContext, Slot};
use super::slot_state::SlotState;
use crate::behaviour::{AnyBehaviour, BehaviourRow};
use crate::schema::MAX_BEHAVIOURS;
use crate::stats::BehaviourStats;
use crate::{NetId, NetworkBehaviour, NetworkReader, NetworkWriter, ReadError};

/// Fields of an object, a mask for each behaviour.
pub type FieldMasks = [u64; MAX_BEHAVIOURS];

/// Limit of channels on a server: each has a bit in a word.
pub const MAX_CHANNELS: usize = 64;

/// Slots of an object, in order. A tuple keeps its behaviours in one piece of memory.
#[expect(
    clippy::len_without_is_empty,
    reason = "an object without behaviours is no container"
)]
pub trait Slots: BehaviourRow + Any + Send + Sync {
    /// Returns the number of slots.
    fn len(&self) -> usize;
    /// Returns the slot at a position.
    fn slot(&self, index: usize) -> Option<&dyn Slot>;
    /// Returns the slot at a position, for writing.
    fn slot_mut(&mut self, index: usize) -> Option<&mut dyn Slot>;

    /// Returns all slots, for independent changes.
    fn all_mut(&mut self) -> Vec<&mut dyn Slot>;

    /// Calls a function with each slot, in order.
    fn each_mut(&mut self, action: &mut dyn FnMut(&mut dyn Slot)) {
        for index in 0..self.len() {
            if let Some(slot) = self.slot_mut(index) {
                action(slot);
            }
        }
    }

    /// Writes the snapshot of every behaviour, and counts its bytes.
    fn write_full(&mut self, writer: &mut NetworkWriter, stats: &mut [BehaviourStats]);

    /// Reads the snapshot of every behaviour. Runs no hooks.
    ///
    /// # Errors
    ///
    /// When the bytes do not fit.
    fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError>;

    /// Returns the number of loads until the slots are in the cache, behind that of the row: 0 for slots in the row.
    fn loads() -> usize
    where
        Self: Sized,
    {
        0
    }

    /// Begins a load of the parts apart from the row: those of a step below [`loads`](Self::loads), whose addresses the
    /// load before has brought.
    fn load(&self, step: usize) {
        let _ = step;
    }

    /// Visits every slot, in order. The first one has the position `index` on the object. Returns the
    /// position behind the last one. The update loop is built from such visits, so that the compiler can
    /// inline the fields.
    fn visit<V: Visit>(&mut self, index: u32, visitor: &mut V) -> u32
    where
        Self: Sized;
}

impl<S: Slots> BehaviourRow for S {
    fn behaviour_count(&self) -> usize {
        self.len()
    }

    fn behaviour_at(&self, index: usize) -> Option<&dyn AnyBehaviour> {
        Some(self.slot(index)?.behaviour())
    }

    fn behaviour_name(&self, index: usize) -> Option<&'static str> {
        Some(self.slot(index)?.info().schema.name)
    }
}

/// An operation on every slot of an object.
pub trait Visit {
    /// Visits a slot; `index` is its position on the object.
    fn slot<S: Slot + ?Sized>(&mut self, index: u32, slot: &mut S);
}

impl dyn Slots {
    /// Returns all slots, in order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = &dyn Slot> {
        (0..self.len()).filter_map(|index| self.slot(index))
    }

    /// Makes the behaviours those of a new object, with the present values.
    pub fn begin_anew(&mut self) {
        self.for_each_mut(|slot| {
            if slot.state().is_some() {
                let has_policy = slot.info().policy.has_state();
                *slot.state_mut() = has_policy.then(|| Box::new(SlotState::with_policy()));
            }
            slot.skip_hooks();
            slot.set_last_send(0);
            slot.forget_changes(None);
        });
    }

    /// Returns the memory of every slot in bytes, without the contents of the fields.
    pub fn memory(&self) -> usize {
        self.iter().map(Slot::memory).sum()
    }

    /// Calls a function with each slot.
    #[inline]
    pub fn for_each_mut(&mut self, mut action: impl FnMut(&mut dyn Slot)) {
        self.each_mut(&mut action);
    }

    /// Returns whether hooks run for the first state of the object.
    #[inline]
    pub fn has_initial_hooks(&self) -> bool {
        self.iter().any(|slot| slot.info().initial_hooks != 0)
    }

    /// Returns the initial hooks of the object, with the values of `made`, a new object of the prefab, in
    /// the fields that differ.
    pub fn initial_hooks(&mut self, object: NetId, made: &mut dyn Slots) -> Vec<DeferredHooks> {
        let hooks = (0..self.len()).filter_map(|behaviour| {
            if self.slot(behaviour)?.info().initial_hooks == 0 {
                return None;
            }
            let (slot, made) = (self.slot_mut(behaviour)?, made.slot_mut(behaviour)?);
            let info = slot.info();
            let mut before = made.remember_for_hooks(info.initial_hooks)?;
            let changed = slot.changed_since(&mut before);
            (changed != 0).then(|| DeferredHooks {
                object,
                behaviour,
                fields: info.schema.dirty_bits(),
                tick: None,
                reported: false,
                hooks: before.into(),
            })
        });
        hooks.collect()
    }

    /// Returns the values of every field with a hook, for each behaviour.
    pub fn remember_for_hooks(&mut self) -> Vec<Option<Remembered>> {
        let mut before = Vec::new();
        self.for_each_mut(|slot| before.push(slot.remember_for_hooks(u64::MAX)));
        before
    }

    /// Returns the hooks of the fields that differ from the remembered values of
    /// `remember_for_hooks`.
    pub fn hooks_since(
        &mut self,
        object: NetId,
        before: Vec<Option<Remembered>>,
    ) -> Vec<DeferredHooks> {
        let hooks = before.into_iter().enumerate();
        let hooks = hooks.filter_map(|(behaviour, before)| {
            let mut before = before?;
            let fields = self.slot_mut(behaviour)?.changed_since(&mut before);
            (fields != 0).then(|| DeferredHooks {
                object,
                behaviour,
                fields,
                tick: None,
                reported: false,
                hooks: before.into(),
            })
        });
        hooks.collect()
    }

    /// Returns whether a hook belongs to a behaviour whose hooks take a context.
    pub fn needs_context(&self, hooks: &[DeferredHooks]) -> bool {
        let infos = hooks.iter().filter_map(|hooks| self.slot(hooks.behaviour));
        infos
            .map(Slot::info)
            .any(|info| info.hook_context == HookContext::Object)
    }

    /// Returns the position of the first behaviour of a type, or else of the first present
    /// [`Optional`](crate::Optional) one.
    #[inline]
    pub fn position<B: NetworkBehaviour>(&self) -> Option<usize> {
        let own = self.own_position::<B>();
        own.or_else(|| self.position_within(TypeId::of::<B>()))
    }

    /// Returns the position of the first behaviour of a type, without the [`Optional`](crate::Optional) ones.
    #[inline]
    pub(super) fn own_position<B: NetworkBehaviour>(&self) -> Option<usize> {
        let is_one = |slot: &dyn Slot| (slot.behaviour() as &dyn Any).is::<B>();
        self.iter().position(is_one)
    }

    /// Returns the position of the first present [`Optional`](crate::Optional) behaviour of a type.
    #[cold]
    pub(super) fn position_within(&self, id: TypeId) -> Option<usize> {
        self.iter()
            .position(|slot| slot.behaviour().of_type(id).is_some())
    }

    /// Returns the types of the behaviours, in order: a key of [`Prefabs`](crate::Prefabs).
    #[inline]
    pub fn type_ids(&self) -> Vec<TypeId> {
        let ids = self.iter().map(|slot| Any::type_id(slot.behaviour()));
        ids.collect()
    }
}
