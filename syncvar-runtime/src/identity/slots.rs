//! The behaviours of one object, of any types, each with what the update loop keeps about it.

use std::any::{Any, TypeId};
use std::fmt;
use std::time::Duration;

use crate::schema::BehaviourSchema;
use crate::{NetworkBehaviour, NetworkReader, NetworkWriter, ReadError};

/// One or several behaviours that make up an object: a behaviour, a tuple of up to eight, or a
/// [`BehaviourList`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a behaviour nor a tuple of up to eight behaviours",
    label = "cannot be put on a networked object",
    note = "write `#[derive(NetworkBehaviour)]` above the struct; in a tuple, above each of them"
)]
pub trait BehaviourSet: Send + Sync + 'static {
    /// Puts the behaviours into slots, in order.
    fn into_behaviours(self) -> Behaviours;
}

/// The behaviours of one object, in order, with their types erased.
pub struct Behaviours(Box<dyn Slots>);

/// Behaviours put together at run time, for objects whose parts are not known when the program is
/// compiled.
///
/// ```
/// # use syncvar_runtime::*;
/// # #[derive(Default)] struct A; #[derive(Default)] struct B;
/// # macro_rules! empty { ($t:ty, $n:literal) => { impl NetworkBehaviour for $t {
/// #     type Previous = ();
/// #     const SCHEMA: BehaviourSchema = BehaviourSchema { name: $n, base: None, fields: &[] };
/// #     fn sync_var_dirty_bits(&self) -> u64 { 0 }
/// #     fn set_dirty_bit(&mut self, _: u64) {}
/// #     fn clear_all_dirty_bits(&mut self) {}
/// #     fn on_serialize(&mut self, _: &mut NetworkWriter, _: bool) -> bool { false }
/// #     fn on_deserialize(&mut self, _: &mut NetworkReader<'_>, _: bool) -> Result<(), ReadError> { Ok(()) }
/// # } } }
/// # empty!(A, "A"); empty!(B, "B");
/// let parts = BehaviourList::new().with(A).with(B);
/// assert_eq!(parts.into_behaviours().len(), 2);
/// ```
#[derive(Default)]
pub struct BehaviourList(Vec<Box<dyn Slot>>);

/// What is known about a behaviour's type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BehaviourInfo {
    pub(crate) schema: BehaviourSchema,
    pub(crate) channel: u8,
    pub(crate) send_interval: Duration,
}

/// A behaviour whose type is erased, and what the update loop keeps about it.
pub(crate) trait Slot: Send + Sync {
    fn behaviour(&self) -> &dyn AnyBehaviour;
    fn behaviour_mut(&mut self) -> &mut dyn AnyBehaviour;
    fn info(&self) -> &'static BehaviourInfo;
    fn dirty_bits(&self) -> u64;
    fn set_dirty_bit(&mut self, dirty_bits: u64);
    fn clear_all_dirty_bits(&mut self);
    fn serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool;

    /// Reads, and keeps what the hooks will need.
    fn deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<(), ReadError>;

    /// Calls the hooks for what was read last.
    fn call_hooks(&mut self);

    /// Forgets what was kept for the hooks.
    fn skip_hooks(&mut self);

    /// When this behaviour was last sent.
    fn last_send(&self) -> Duration;
    fn set_last_send(&mut self, now: Duration);
}

/// A behaviour, or a tuple of them, for looking one up by its type.
pub(crate) trait AnyBehaviour: Any + Send + Sync {}

impl<B: NetworkBehaviour> AnyBehaviour for B {}

struct TypedSlot<B: NetworkBehaviour> {
    behaviour: B,
    last_send: Duration,
    previous: Option<B::Previous>,
}

impl<B: NetworkBehaviour> TypedSlot<B> {
    const INFO: &'static BehaviourInfo = &BehaviourInfo {
        schema: B::SCHEMA,
        channel: B::CHANNEL,
        send_interval: B::SEND_INTERVAL,
    };

    fn new(behaviour: B) -> Self {
        Self {
            behaviour,
            last_send: Duration::ZERO,
            previous: None,
        }
    }
}

impl<B: NetworkBehaviour> Slot for TypedSlot<B> {
    fn behaviour(&self) -> &dyn AnyBehaviour {
        &self.behaviour
    }

    fn behaviour_mut(&mut self) -> &mut dyn AnyBehaviour {
        &mut self.behaviour
    }

    fn info(&self) -> &'static BehaviourInfo {
        Self::INFO
    }

    fn dirty_bits(&self) -> u64 {
        self.behaviour.sync_var_dirty_bits()
    }

    fn set_dirty_bit(&mut self, dirty_bits: u64) {
        self.behaviour.set_dirty_bit(dirty_bits);
    }

    fn clear_all_dirty_bits(&mut self) {
        self.behaviour.clear_all_dirty_bits();
    }

    fn serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        self.behaviour.on_serialize(writer, initial_state)
    }

    fn deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<(), ReadError> {
        self.previous = Some(self.behaviour.on_deserialize(reader, initial_state)?);
        Ok(())
    }

    fn call_hooks(&mut self) {
        if let Some(previous) = self.previous.take() {
            self.behaviour.call_hooks(previous);
        }
    }

    fn skip_hooks(&mut self) {
        self.previous = None;
    }

    fn last_send(&self) -> Duration {
        self.last_send
    }

    fn set_last_send(&mut self, now: Duration) {
        self.last_send = now;
    }
}

/// Slots in a row. A tuple keeps its behaviours in one piece of memory, and the methods that the
/// update loop calls for every object that has changed look at all of them in one call.
trait Slots: Send + Sync {
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
const MAX_BEHAVIOURS: usize = 64;

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

impl Behaviours {
    /// How many there are.
    #[expect(
        clippy::len_without_is_empty,
        reason = "an object without behaviours is no container"
    )]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn slot(&self, index: usize) -> Option<&dyn Slot> {
        self.0.slot(index)
    }

    pub(crate) fn slot_mut(&mut self, index: usize) -> Option<&mut dyn Slot> {
        self.0.slot_mut(index)
    }

    /// The types of the behaviours, in order: what [`Prefabs`](crate::Prefabs) finds a prefab by.
    pub(crate) fn type_ids(&self) -> Vec<TypeId> {
        self.0.type_ids()
    }

    /// What there is to send.
    pub(crate) fn look(&self, when: When) -> Pending {
        let mut pending = Pending::default();
        self.0.look(0, when, &mut pending);
        pending
    }

    /// Has every behaviour of a channel write its changes, and reports how many bytes each took.
    /// Returns a bit for each that wants to be sent.
    pub(crate) fn write_changes(
        &mut self,
        channel: u8,
        writer: &mut NetworkWriter,
        mut sizes: impl FnMut(u32, usize),
    ) -> u64 {
        self.0.write_changes(0, channel, writer, &mut sizes)
    }

    /// Makes the behaviours clean whose bits are set: they were sent.
    pub(crate) fn mark_sent(&mut self, sent: u64, now: Duration) {
        self.0.mark_sent(0, sent, now);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &dyn Slot> {
        (0..self.len()).filter_map(|index| self.slot(index))
    }

    pub(crate) fn for_each_mut(&mut self, mut action: impl FnMut(&mut dyn Slot)) {
        for index in 0..self.len() {
            if let Some(slot) = self.slot_mut(index) {
                action(slot);
            }
        }
    }
}

impl fmt::Debug for Behaviours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.iter().map(|slot| slot.info().schema.name))
            .finish()
    }
}

impl BehaviourList {
    /// A list without behaviours.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same list with one more behaviour at its end.
    ///
    /// # Panics
    ///
    /// When there are 64 already.
    #[must_use]
    pub fn with<B: NetworkBehaviour>(mut self, behaviour: B) -> Self {
        assert!(
            self.0.len() < MAX_BEHAVIOURS,
            "an object has at most 64 behaviours"
        );
        self.0.push(Box::new(TypedSlot::new(behaviour)));
        self
    }
}

impl fmt::Debug for BehaviourList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|slot| slot.info().schema.name))
            .finish()
    }
}

#[diagnostic::do_not_recommend]
impl BehaviourSet for BehaviourList {
    fn into_behaviours(self) -> Behaviours {
        Behaviours(Box::new(self))
    }
}

impl Slots for BehaviourList {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn slot(&self, index: usize) -> Option<&dyn Slot> {
        self.0.get(index).map(Box::as_ref)
    }

    fn slot_mut(&mut self, index: usize) -> Option<&mut dyn Slot> {
        match self.0.get_mut(index) {
            Some(slot) => Some(slot.as_mut()),
            None => None,
        }
    }

    fn look(&self, first: u32, when: When, pending: &mut Pending) {
        for (index, slot) in (first..).zip(&self.0) {
            let (info, dirty) = (slot.info(), slot.dirty_bits() != 0);
            pending.add(
                index,
                info,
                dirty && when.is_due(slot.last_send(), info),
                dirty,
            );
        }
    }

    fn write_changes(
        &mut self,
        first: u32,
        channel: u8,
        writer: &mut NetworkWriter,
        sizes: &mut dyn FnMut(u32, usize),
    ) -> u64 {
        let mut wanted = 0;
        for (index, slot) in (first..).zip(&mut self.0) {
            if slot.info().channel == channel {
                let before = writer.len();
                wanted |= u64::from(slot.serialize(writer, false)) << index;
                sizes(index, writer.len() - before);
            }
        }
        wanted
    }

    fn mark_sent(&mut self, first: u32, sent: u64, now: Duration) {
        for (index, slot) in (first..).zip(&mut self.0) {
            if sent >> index & 1 == 1 {
                slot.clear_all_dirty_bits();
                slot.set_last_send(now);
            }
        }
    }

    fn type_ids(&self) -> Vec<TypeId> {
        self.0
            .iter()
            .map(|slot| slot.behaviour().type_id())
            .collect()
    }
}

#[diagnostic::do_not_recommend]
impl BehaviourSet for Behaviours {
    fn into_behaviours(self) -> Behaviours {
        self
    }
}

impl<B: NetworkBehaviour> BehaviourSet for B {
    fn into_behaviours(self) -> Behaviours {
        Behaviours(Box::new(TypedSlot::new(self)))
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
        let wanted = self.behaviour.on_serialize(writer, false);
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
        #[diagnostic::do_not_recommend]
        impl<$($name: NetworkBehaviour),+> BehaviourSet for ($($name,)+) {
            fn into_behaviours(self) -> Behaviours {
                Behaviours(Box::new(($(TypedSlot::new(self.$index),)+)))
            }
        }

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
