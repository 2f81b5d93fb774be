//! All behaviours of an object, in a row.

use std::any::{Any, TypeId};

use super::behaviours::{BehaviourList, BehaviourSet, Behaviours};
use super::pool::{Pool, TypedPool};
use super::slot::{Nanos, Remembered, Slot, TypedSlot};
use crate::behaviour::{AnyBehaviour, BehaviourRow};
use crate::stats::BehaviourStats;
use crate::{NetworkBehaviour, NetworkReader, NetworkWriter, ReadError};

/// Slots in a row. A tuple keeps its behaviours in one piece of memory.
#[expect(
    clippy::len_without_is_empty,
    reason = "an object without behaviours is no container"
)]
pub trait Slots: BehaviourRow + Any + Send + Sync {
    /// How many there are.
    fn len(&self) -> usize;
    /// The one at a position.
    fn slot(&self, index: usize) -> Option<&dyn Slot>;
    /// The one at a position, for writing.
    fn slot_mut(&mut self, index: usize) -> Option<&mut dyn Slot>;

    /// All slots, to be changed independently.
    fn all_mut(&mut self) -> Vec<&mut dyn Slot>;

    /// An empty pool for rows of this type.
    fn new_pool(&self) -> Box<dyn Pool>;

    /// Writes the full state of every behaviour, and adds what it has cost.
    fn write_full(&mut self, writer: &mut NetworkWriter, stats: &mut [BehaviourStats]);

    /// Reads the full state of every behaviour; no hook runs for it.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError>;

    /// Shows every slot to a visitor, in order. What the update loop does to an object is done this
    /// way, so that the compiler sees through to the fields.
    fn visit<V: Visit>(&mut self, visitor: &mut V)
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

/// Something that is done to every slot of an object.
pub trait Visit {
    /// Visits a slot; `index` is its position on the object.
    fn slot<S: Slot + ?Sized>(&mut self, index: u32, slot: &mut S);
}

impl dyn Slots {
    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Slot> {
        (0..self.len()).filter_map(|index| self.slot(index))
    }

    /// Does something to each of them.
    pub fn for_each_mut(&mut self, mut action: impl FnMut(&mut dyn Slot)) {
        for index in 0..self.len() {
            if let Some(slot) = self.slot_mut(index) {
                action(slot);
            }
        }
    }

    /// Whether there are hooks that are told of the state that an object is met with.
    pub fn has_initial_hooks(&self) -> bool {
        self.iter().any(|slot| slot.info().initial_hooks != 0)
    }

    /// Returns the arguments of the initial hooks of the behaviour at a position: the fields that differ
    /// from an object fresh from its prefab. `None` if all are equal.
    pub fn initial_changes(&mut self, index: usize, made: &mut dyn Slots) -> Option<Remembered> {
        let (slot, made) = (self.slot_mut(index)?, made.slot_mut(index)?);
        let fields = slot.info().initial_hooks;
        if fields == 0 {
            return None;
        }
        let mut before = made.remember_for_hooks(fields)?;
        let changed = slot.changed_since(&mut before);
        (changed != 0).then_some(before)
    }

    /// The position of the first behaviour of this type.
    pub fn position<B: NetworkBehaviour>(&self) -> Option<usize> {
        let is_one = |slot: &dyn Slot| (slot.behaviour() as &dyn Any).is::<B>();
        self.iter().position(is_one)
    }

    /// The types of the behaviours, in order: what [`Prefabs`](crate::Prefabs) finds a prefab by.
    pub fn type_ids(&self) -> Vec<TypeId> {
        let ids = self.iter().map(|slot| Any::type_id(slot.behaviour()));
        ids.collect()
    }
}

/// When the update loop looks at an object.
#[derive(Clone, Copy, Debug)]
pub struct When {
    /// The time of the update.
    pub now: Nanos,
    /// Send intervals do not count: somebody is about to be given the full state.
    pub force: bool,
}

/// What an object has to send.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pending {
    /// A bit for each channel with a behaviour that is due.
    pub channels: u64,
    /// A bit for each behaviour that is dirty.
    pub dirty: u64,
}

/// The most behaviours that an object can have: each has a bit of a word.
pub const MAX_BEHAVIOURS: usize = 64;

/// The most channels that a server can have: each has a bit of a word.
pub const MAX_CHANNELS: usize = 64;

/// Finds out what there is to send.
pub(super) struct Look {
    pub(super) when: When,
    pub(super) pending: Pending,
}

impl Visit for Look {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, index: u32, slot: &mut S) {
        if slot.dirty_bits() == 0 {
            return;
        }
        let (info, When { now, force }) = (slot.info(), self.when);
        self.pending.dirty |= 1 << index;
        let due = force || now.saturating_sub(slot.last_send()) > info.send_interval;
        if due && usize::from(info.channel) < MAX_CHANNELS {
            self.pending.channels |= 1 << info.channel;
        }
    }
}

/// Has every behaviour of a channel write its changes.
pub struct WriteChanges<'a> {
    /// The channel.
    pub channel: u8,
    /// The target of the bytes.
    pub writer: &'a mut NetworkWriter,
    /// The counters of the behaviours.
    pub stats: &'a mut [BehaviourStats],
    /// Whether changes may be lost on the way, so that each has to be right without those before it.
    pub lossy: bool,
    /// A bit for each behaviour that wants to be sent.
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

/// Makes the behaviours clean whose bits are set.
pub struct MarkSent {
    /// A bit for each behaviour that was sent.
    pub sent: u64,
    /// The time of the update.
    pub now: Nanos,
}

impl Visit for MarkSent {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, index: u32, slot: &mut S) {
        if self.sent >> index & 1 == 1 {
            slot.mark_sent(self.now);
        }
    }
}

/// Has every behaviour of a channel read its changes; ends with the first error.
pub struct ReadChanges<'a, 'b> {
    /// The channel.
    pub channel: u8,
    /// The source of the bytes.
    pub reader: &'a mut NetworkReader<'b>,
    /// The dirty bits that each behaviour has read.
    pub masks: &'a mut Vec<u64>,
    /// The first error.
    ///
    /// # Errors
    ///
    /// When the bytes do not fit.
    pub result: Result<(), ReadError>,
}

impl Visit for ReadChanges<'_, '_> {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, _: u32, slot: &mut S) {
        if self.result.is_ok() && slot.info().channel == self.channel {
            self.result = slot.deserialize(self.reader, false);
        }
        self.masks.push(self.reader.take_report().seen);
    }
}

/// Writes the full state of every slot.
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

/// Reads the full state of every slot; ends with the first error.
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

/// What every row does by having its slots visited.
macro_rules! through_visits {
    () => {
        fn write_full(&mut self, writer: &mut NetworkWriter, stats: &mut [BehaviourStats]) {
            self.visit(&mut WriteFull { writer, stats });
        }

        fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
            let result = Ok(());
            let mut read = ReadFull { reader, result };
            self.visit(&mut read);
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

    fn visit<V: Visit>(&mut self, visitor: &mut V) {
        for (index, slot) in (0..).zip(&mut self.0) {
            visitor.slot(index, &mut **slot);
        }
    }
}

impl<B: NetworkBehaviour> Slots for TypedSlot<B> {
    fn len(&self) -> usize {
        1
    }

    fn slot(&self, index: usize) -> Option<&dyn Slot> {
        (index == 0).then_some(self)
    }

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
    fn visit<V: Visit>(&mut self, visitor: &mut V) {
        visitor.slot(0, self);
    }
}

impl<B: NetworkBehaviour> BehaviourSet for B {
    fn into_behaviours(self) -> Behaviours {
        Behaviours(Box::new(TypedSlot::new(self)))
    }
}

macro_rules! tuples {
    ($($count:literal: $($name:ident $index:tt),+;)*) => {$(
        impl<$($name: NetworkBehaviour),+> Slots for ($(TypedSlot<$name>,)+) {
            fn len(&self) -> usize {
                $count
            }

            fn slot(&self, index: usize) -> Option<&dyn Slot> {
                match index {
                    $($index => Some(&self.$index),)+
                    _ => None,
                }
            }

            fn slot_mut(&mut self, index: usize) -> Option<&mut dyn Slot> {
                match index {
                    $($index => Some(&mut self.$index),)+
                    _ => None,
                }
            }

            fn all_mut(&mut self) -> Vec<&mut dyn Slot> {
                vec![$(&mut self.$index),+]
            }

            fn new_pool(&self) -> Box<dyn Pool> {
                Box::new(TypedPool::<Self>::default())
            }

            through_visits!();

            #[inline]
            fn visit<V: Visit>(&mut self, visitor: &mut V) {
                $(visitor.slot($index, &mut self.$index);)+
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$($name: NetworkBehaviour),+> BehaviourSet for ($($name,)+) {
            fn into_behaviours(self) -> Behaviours {
                Behaviours(Box::new(($(TypedSlot::new(self.$index),)+)))
            }
        }
    )*};
}

tuples! {
    1: A 0;
    2: A 0, B 1;
    3: A 0, B 1, C 2;
    4: A 0, B 1, C 2, D 3;
    5: A 0, B 1, C 2, D 3, E 4;
    6: A 0, B 1, C 2, D 3, E 4, F 5;
    7: A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    8: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
}
