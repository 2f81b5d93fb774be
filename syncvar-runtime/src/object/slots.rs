//! `Slots`: all behaviours of an object, in a row.

use std::any::{Any, TypeId};

use super::behaviours::{BehaviourList, BehaviourTuple};
use super::hooks::DeferredHooks;
use super::newest::{KeptFields, NewestWins};
use super::pool::{Pool, TypedPool};
use super::slot::{HookContext, Nanos, Remembered, Slot, TypedSlot};
use crate::behaviour::{AnyBehaviour, BehaviourRow};
use crate::stats::BehaviourStats;
use crate::{NetId, NetworkBehaviour, NetworkReader, NetworkWriter, ReadError};

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

    /// Creates an empty pool for rows of this type.
    fn new_pool(&self) -> Box<dyn Pool>;

    /// Writes the snapshot of every behaviour, and counts its bytes.
    fn write_full(&mut self, writer: &mut NetworkWriter, stats: &mut [BehaviourStats]);

    /// Reads the snapshot of every behaviour. Runs no hooks.
    ///
    /// # Errors
    ///
    /// When the bytes do not fit.
    fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError>;

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

    /// Returns the memory of all slots in bytes, without the contents of the fields.
    pub fn memory(&self) -> usize {
        self.iter().map(size_of_val).sum()
    }

    /// Calls a function with each slot.
    #[inline]
    pub fn for_each_mut(&mut self, mut action: impl FnMut(&mut dyn Slot)) {
        for index in 0..self.len() {
            if let Some(slot) = self.slot_mut(index) {
                action(slot);
            }
        }
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

    /// Returns the values of all fields with a hook, for each behaviour.
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

    /// Returns whether one of these hooks belongs to a behaviour whose hooks take a context.
    pub fn needs_context(&self, hooks: &[DeferredHooks]) -> bool {
        let infos = hooks.iter().filter_map(|hooks| self.slot(hooks.behaviour));
        infos
            .map(Slot::info)
            .any(|info| info.hook_context == HookContext::Object)
    }

    /// Returns the position of the first behaviour of a type.
    #[inline]
    pub fn position<B: NetworkBehaviour>(&self) -> Option<usize> {
        let is_one = |slot: &dyn Slot| (slot.behaviour() as &dyn Any).is::<B>();
        self.iter().position(is_one)
    }

    /// Returns the types of the behaviours, in order: a key of [`Prefabs`](crate::Prefabs).
    #[inline]
    pub fn type_ids(&self) -> Vec<TypeId> {
        let ids = self.iter().map(|slot| Any::type_id(slot.behaviour()));
        ids.collect()
    }
}

/// Conditions of an object's turn in the update loop.
#[derive(Clone, Copy, Debug)]
pub struct When {
    /// Time of the update.
    pub now: Nanos,
    /// Send interval of behaviours without one.
    pub interval: Nanos,
    /// Set if send intervals do not count, because a snapshot follows.
    pub force: bool,
}

/// Pending changes of an object.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pending {
    /// Bit for each channel with a due behaviour.
    pub(super) channels: u64,
    /// Bit for each dirty behaviour.
    pub(super) dirty: u64,
}

/// Limit of behaviours on an object: each one has a bit in a word.
pub const MAX_BEHAVIOURS: usize = 64;

/// Fields of an object, a mask for each behaviour.
pub type FieldMasks = [u64; MAX_BEHAVIOURS];

/// Limit of channels on a server: each one has a bit in a word.
pub const MAX_CHANNELS: usize = 64;

/// Determines the pending changes of an object.
pub(super) struct Look {
    when: When,
    pending: Pending,
}

impl Look {
    /// Returns the pending changes of an object.
    #[inline]
    pub(super) fn at<S: Slots>(slots: &mut S, when: When) -> Pending {
        let mut look = Self {
            when,
            pending: Pending::default(),
        };
        slots.visit(0, &mut look);
        look.pending
    }
}

impl Visit for Look {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, index: u32, slot: &mut S) {
        if slot.dirty_bits() == 0 {
            return;
        }
        let (info, when) = (slot.info(), self.when);
        self.pending.dirty |= 1 << index;
        let passed = when.now.saturating_sub(slot.last_send());
        let due = when.force || passed > info.interval(when.interval);
        if due && usize::from(info.channel) < MAX_CHANNELS {
            self.pending.channels |= 1 << info.channel;
        }
    }
}

/// Searches for changes of restricted fields.
#[derive(Default)]
pub(super) struct FindRestricted {
    /// Set if a restricted field is dirty.
    pub(super) found: bool,
}

impl Visit for FindRestricted {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, _: u32, slot: &mut S) {
        self.found |= slot.dirty_bits() & slot.info().policy.restricted() != 0;
    }
}

/// Writes the deltas of the behaviours on a channel.
pub struct WriteChanges<'a> {
    /// Channel of the deltas.
    pub channel: u8,
    /// Target of the bytes.
    pub writer: &'a mut NetworkWriter,
    /// Counters of the behaviours.
    pub stats: &'a mut [BehaviourStats],
    /// Set if messages may be lost, so that each delta has to repair earlier losses.
    pub lossy: bool,
    /// Result: a bit for each behaviour with a change to send.
    pub sent: u64,
}

impl Visit for WriteChanges<'_> {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, index: u32, slot: &mut S) {
        if slot.info().channel != self.channel {
            return;
        }
        if self.lossy {
            slot.make_changes_whole();
        }
        let before = self.writer.len();
        self.sent |= u64::from(slot.serialize(self.writer, false)) << index;
        if let Some(stats) = self.stats.get_mut(index as usize) {
            stats.delta.add(self.writer.len() - before);
        }
    }
}

/// Makes the sent behaviours clean.
pub struct MarkSent<'a> {
    /// Bit for each sent behaviour.
    pub sent: u64,
    /// Time of the update.
    pub now: Nanos,
    /// Tick of the frame, on an unreliable channel.
    pub tick: Option<u32>,
    /// Receives the fields of each behaviour that were sent, for a write record.
    pub masks: Option<&'a mut Vec<u64>>,
}

/// Loads the state apart from the slots into the cache.
pub(super) struct Prefetch;

impl Visit for Prefetch {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, _: u32, slot: &mut S) {
        slot.prefetch();
    }
}

impl Visit for MarkSent<'_> {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, index: u32, slot: &mut S) {
        let is_sent = self.sent >> index & 1 == 1;
        match &mut self.masks {
            Some(masks) if is_sent => masks.push(slot.take_sent(self.now, self.tick)),
            Some(masks) => masks.push(0),
            None if is_sent => slot.mark_sent(self.now, self.tick),
            None => {}
        }
    }
}

/// Reads the deltas of the behaviours on a channel; ends with the first error.
pub(super) struct ReadChanges<'a, 'b> {
    /// Channel of the deltas.
    pub(super) channel: u8,
    /// Source of the bytes.
    pub(super) reader: &'a mut NetworkReader<'b>,
    /// Fields read by each behaviour.
    pub(super) masks: &'a mut FieldMasks,
    /// Result: the first error, when the bytes do not fit.
    pub(super) result: Result<(), ReadError>,
}

impl Visit for ReadChanges<'_, '_> {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, index: u32, slot: &mut S) {
        let mut fields = 0;
        if self.result.is_ok() && slot.info().channel == self.channel {
            self.result = slot.deserialize(self.reader, false);
            fields = self.reader.take_report().seen;
        }
        if let Some(mask) = self.masks.get_mut(index as usize) {
            *mask = fields;
        }
    }
}

/// Like [`ReadChanges`], for fields with ticks.
pub(super) struct ReadNewest<'a, 'b> {
    /// Channel of the deltas.
    pub(super) channel: u8,
    /// Condition for fields with ticks.
    pub(super) rule: NewestWins,
    /// Memory for the values of fields that stay.
    pub(super) kept: &'a mut KeptFields,
    /// Source of the bytes.
    pub(super) reader: &'a mut NetworkReader<'b>,
    /// Fields read by each behaviour.
    pub(super) masks: &'a mut FieldMasks,
    /// Result: the first error, when the bytes do not fit.
    pub(super) result: Result<(), ReadError>,
}

impl Visit for ReadNewest<'_, '_> {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, index: u32, slot: &mut S) {
        let mut fields = 0;
        if self.result.is_ok() && slot.info().channel == self.channel {
            (self.result, fields) = self.kept.read(slot, self.rule, self.reader, false);
        }
        if let Some(mask) = self.masks.get_mut(index as usize) {
            *mask = fields;
        }
    }
}

/// Writes the snapshot of every slot.
struct WriteFull<'a> {
    writer: &'a mut NetworkWriter,
    stats: &'a mut [BehaviourStats],
}

impl Visit for WriteFull<'_> {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, index: u32, slot: &mut S) {
        let before = self.writer.len();
        slot.serialize(self.writer, true);
        if let Some(stats) = self.stats.get_mut(index as usize) {
            stats.full.add(self.writer.len() - before);
        }
    }
}

/// Reads the snapshot of every slot; ends with the first error.
struct ReadFull<'a, 'b> {
    reader: &'a mut NetworkReader<'b>,
    result: Result<(), ReadError>,
}

impl Visit for ReadFull<'_, '_> {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, _: u32, slot: &mut S) {
        if self.result.is_ok() {
            self.result = slot.deserialize(self.reader, true);
            slot.skip_hooks();
        }
    }
}

/// Methods of every row, built from visits of its slots.
macro_rules! through_visits {
    () => {
        fn write_full(&mut self, writer: &mut NetworkWriter, stats: &mut [BehaviourStats]) {
            self.visit(0, &mut WriteFull { writer, stats });
        }

        fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
            let result = Ok(());
            let mut read = ReadFull { reader, result };
            self.visit(0, &mut read);
            read.result
        }
    };
}

impl Slots for BehaviourList {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn slot(&self, index: usize) -> Option<&dyn Slot> {
        Some(&**self.0.get(index)?)
    }

    fn slot_mut(&mut self, index: usize) -> Option<&mut dyn Slot> {
        Some(&mut **self.0.get_mut(index)?)
    }

    fn all_mut(&mut self) -> Vec<&mut dyn Slot> {
        self.0
            .iter_mut()
            .map(|slot| &mut **slot as &mut dyn Slot)
            .collect()
    }

    fn new_pool(&self) -> Box<dyn Pool> {
        Box::new(TypedPool::<Self>::default())
    }

    through_visits!();

    fn visit<V: Visit>(&mut self, mut index: u32, visitor: &mut V) -> u32 {
        for slot in &mut self.0 {
            visitor.slot(index, &mut **slot);
            index += 1;
        }
        index
    }
}

impl<B: NetworkBehaviour> Slots for TypedSlot<B> {
    #[inline]
    fn len(&self) -> usize {
        1
    }

    #[inline]
    fn slot(&self, index: usize) -> Option<&dyn Slot> {
        (index == 0).then_some(self)
    }

    #[inline]
    fn slot_mut(&mut self, index: usize) -> Option<&mut dyn Slot> {
        (index == 0).then_some(self)
    }

    fn all_mut(&mut self) -> Vec<&mut dyn Slot> {
        vec![self]
    }

    fn new_pool(&self) -> Box<dyn Pool> {
        Box::new(TypedPool::<Self>::default())
    }

    through_visits!();

    #[inline]
    fn visit<V: Visit>(&mut self, index: u32, visitor: &mut V) -> u32 {
        visitor.slot(index, self);
        index + 1
    }
}

impl<B: NetworkBehaviour> BehaviourTuple for B {
    const COUNT: usize = 1;
    type Row = TypedSlot<B>;

    fn into_row(self) -> Self::Row {
        TypedSlot::new(self)
    }
}

/// Rows of tuples. A nested tuple is a row inside a row.
macro_rules! tuples {
    ($($($name:ident $index:tt),+;)*) => {$(
        impl<$($name: Slots),+> Slots for ($($name,)+) {
            #[inline]
            fn len(&self) -> usize {
                0 $(+ self.$index.len())+
            }

            fn slot(&self, index: usize) -> Option<&dyn Slot> {
                let row = Some(index);
                $(
                    let index = row?;
                    if index < self.$index.len() {
                        return self.$index.slot(index);
                    }
                    let row = index.checked_sub(self.$index.len());
                )+
                row.and(None)
            }

            fn slot_mut(&mut self, index: usize) -> Option<&mut dyn Slot> {
                let row = Some(index);
                $(
                    let index = row?;
                    if index < self.$index.len() {
                        return self.$index.slot_mut(index);
                    }
                    let row = index.checked_sub(self.$index.len());
                )+
                row.and(None)
            }

            fn all_mut(&mut self) -> Vec<&mut dyn Slot> {
                let mut all = Vec::with_capacity(self.len());
                $(all.extend(self.$index.all_mut());)+
                all
            }

            fn new_pool(&self) -> Box<dyn Pool> {
                Box::new(TypedPool::<Self>::default())
            }

            through_visits!();

            #[inline]
            fn visit<V: Visit>(&mut self, index: u32, visitor: &mut V) -> u32 {
                $(let index = self.$index.visit(index, visitor);)+
                index
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$($name: BehaviourTuple),+> BehaviourTuple for ($($name,)+) {
            const COUNT: usize = 0 $(+ $name::COUNT)+;
            type Row = ($($name::Row,)+);

            fn into_row(self) -> Self::Row {
                ($(self.$index.into_row(),)+)
            }
        }
    )*};
}

tuples! {
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
    A 0, B 1, C 2, D 3, E 4, F 5;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
}
