//! The behaviours of one object, of any types.

use std::any::TypeId;
use std::fmt;
use std::time::Duration;

use super::slot::{Slot, TypedSlot};
use super::slots::{MAX_BEHAVIOURS, Pending, Slots, When};
use crate::{NetworkBehaviour, NetworkWriter};

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
pub struct BehaviourList(pub(super) Vec<Box<dyn Slots>>);

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
            .entries((0..self.len()).filter_map(|index| Some(self.slot(index)?.info().schema.name)))
            .finish()
    }
}

#[diagnostic::do_not_recommend]
impl BehaviourSet for BehaviourList {
    fn into_behaviours(self) -> Behaviours {
        Behaviours(Box::new(self))
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

macro_rules! tuples {
    ($($count:literal: $($name:ident $index:tt),+;)*) => {$(
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
