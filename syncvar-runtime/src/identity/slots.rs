//! All behaviours of an object: what the update loop asks of them, in one call.

use std::any::TypeId;
use std::time::Duration;

use super::behaviours::BehaviourList;
use super::slot::{BehaviourInfo, Slot, TypedSlot};
use crate::{NetworkBehaviour, NetworkWriter};

/// Slots in a row. A tuple keeps its behaviours in one piece of memory, and the methods that the
/// update loop calls for every object that has changed look at all of them in one call.
pub(super) trait Slots: Send + Sync {
    fn len(&self) -> usize;
    fn slot(&self, index: usize) -> Option<&dyn Slot>;
    fn slot_mut(&mut self, index: usize) -> Option<&mut dyn Slot>;
    fn type_ids(&self) -> Vec<TypeId>;

    /// Adds what there is to send; the first slot counts as number `first`.
    fn look(&self, first: u32, when: When, pending: &mut Pending);

    /// Has every behaviour of a channel write its changes; tells which of them wants to be sent.
    fn write_changes(
        &mut self,
        first: u32,
        channel: u8,
        writer: &mut NetworkWriter,
        sizes: &mut dyn FnMut(u32, usize),
    ) -> u64;

    /// Makes the behaviours clean whose bits are set: they were sent.
    fn mark_sent(&mut self, first: u32, sent: u64, now: Duration);
}

/// When the update loop looks at an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct When {
    pub(crate) now: Duration,
    /// Send intervals do not count: somebody is about to be given the full state.
    pub(crate) force: bool,
}

/// What an object has to send.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pending {
    /// A bit for each channel with a behaviour that is due.
    pub(crate) channels: u64,
    /// A bit for each behaviour that is dirty.
    pub(crate) dirty: u64,
}

/// The most behaviours that an object can have: each has a bit of a word.
pub(super) const MAX_BEHAVIOURS: usize = 64;

/// The most channels that a server can have: each has a bit of a word.
pub(crate) const MAX_CHANNELS: usize = 64;

impl When {
    fn is_due(self, last_send: Duration, info: &BehaviourInfo) -> bool {
        self.force || self.now.saturating_sub(last_send) > info.send_interval
    }
}

impl Pending {
    fn add(&mut self, index: u32, info: &BehaviourInfo, due: bool, dirty: bool) {
        self.dirty |= u64::from(dirty) << index;
        if due && usize::from(info.channel) < MAX_CHANNELS {
            self.channels |= 1 << info.channel;
        }
    }
}

/// A slot each, which is asked as any row of slots is.
impl Slots for BehaviourList {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn slot(&self, index: usize) -> Option<&dyn Slot> {
        self.0.get(index)?.slot(0)
    }

    fn slot_mut(&mut self, index: usize) -> Option<&mut dyn Slot> {
        self.0.get_mut(index)?.slot_mut(0)
    }

    fn look(&self, first: u32, when: When, pending: &mut Pending) {
        for (index, slot) in (first..).zip(&self.0) {
            slot.look(index, when, pending);
        }
    }

    fn write_changes(
        &mut self,
        first: u32,
        channel: u8,
        writer: &mut NetworkWriter,
        sizes: &mut dyn FnMut(u32, usize),
    ) -> u64 {
        (first..).zip(&mut self.0).fold(0, |wanted, (index, slot)| {
            wanted | slot.write_changes(index, channel, writer, sizes)
        })
    }

    fn mark_sent(&mut self, first: u32, sent: u64, now: Duration) {
        for (index, slot) in (first..).zip(&mut self.0) {
            slot.mark_sent(index, sent, now);
        }
    }

    fn type_ids(&self) -> Vec<TypeId> {
        self.0.iter().flat_map(|slot| slot.type_ids()).collect()
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

    fn type_ids(&self) -> Vec<TypeId> {
        vec![TypeId::of::<B>()]
    }

    #[inline]
    fn look(&self, first: u32, when: When, pending: &mut Pending) {
        let dirty = self.behaviour.sync_var_dirty_bits() != 0;
        let due = dirty && when.is_due(self.last_send, Self::INFO);
        pending.add(first, Self::INFO, due, dirty);
    }

    #[inline]
    fn write_changes(
        &mut self,
        first: u32,
        channel: u8,
        writer: &mut NetworkWriter,
        sizes: &mut dyn FnMut(u32, usize),
    ) -> u64 {
        if B::CHANNEL != channel {
            return 0;
        }
        let before = writer.len();
        let wanted = self.serialize(writer, false);
        sizes(first, writer.len() - before);
        u64::from(wanted) << first
    }

    #[inline]
    fn mark_sent(&mut self, first: u32, sent: u64, now: Duration) {
        if sent >> first & 1 == 1 {
            self.behaviour.clear_all_dirty_bits();
            self.last_send = now;
        }
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

            fn type_ids(&self) -> Vec<TypeId> {
                vec![$(TypeId::of::<$name>()),+]
            }

            fn look(&self, first: u32, when: When, pending: &mut Pending) {
                $(self.$index.look(first + $index, when, pending);)+
            }

            fn write_changes(
                &mut self,
                first: u32,
                channel: u8,
                writer: &mut NetworkWriter,
                sizes: &mut dyn FnMut(u32, usize),
            ) -> u64 {
                0 $(| self.$index.write_changes(first + $index, channel, writer, sizes))+
            }

            fn mark_sent(&mut self, first: u32, sent: u64, now: Duration) {
                $(self.$index.mark_sent(first + $index, sent, now);)+
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
