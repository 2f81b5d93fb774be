//! The behaviours of one object, of any types.

use std::any::Any;
use std::fmt;

use super::slot::{Slot, TypedSlot};
use super::slots::{MAX_BEHAVIOURS, Slots};
use crate::NetworkBehaviour;

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
pub struct Behaviours(pub(super) Box<dyn Slots>);

/// Behaviours put together at run time, for objects whose parts are not known when the program is
/// compiled.
///
/// ```
/// # use syncvar::*;
/// # use syncvar::behaviour::{BehaviourList, BehaviourSet, FieldVisitor};
/// # use syncvar::schema::BehaviourSchema;
/// # #[derive(Default)] struct A; #[derive(Default)] struct B;
/// # macro_rules! empty { ($t:ty, $n:literal) => { impl NetworkBehaviour for $t {
/// #     type Previous = ();
/// #     const SCHEMA: BehaviourSchema = BehaviourSchema { name: $n, base: None, fields: &[] };
/// #     fn sync_var_dirty_bits(&self) -> u64 { 0 }
/// #     fn visit(&mut self, _: &mut (), _: &mut impl FieldVisitor) {}
/// # } } }
/// # empty!(A, "A"); empty!(B, "B");
/// let parts = BehaviourList::new().with(A).with(B);
/// assert_eq!(parts.into_behaviours().len(), 2);
/// ```
#[derive(Default)]
pub struct BehaviourList(pub(super) Vec<Box<dyn Slot>>);

impl Behaviours {
    /// How many there are.
    #[expect(
        clippy::len_without_is_empty,
        reason = "an object without behaviours is no container"
    )]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The first of this type.
    pub fn behaviour<B: NetworkBehaviour>(&self) -> Option<&B> {
        let mut slots = self.slots().iter();
        slots.find_map(|slot| (slot.behaviour() as &dyn Any).downcast_ref())
    }

    /// The first of this type, for writing.
    pub fn behaviour_mut<B: NetworkBehaviour>(&mut self) -> Option<&mut B> {
        let is_one = |slot: &dyn Slot| (slot.behaviour() as &dyn Any).is::<B>();
        let index = self.slots().iter().position(is_one)?;
        let behaviour: &mut dyn Any = self.0.slot_mut(index)?.behaviour_mut();
        behaviour.downcast_mut()
    }

    /// Returns the slots of the behaviours.
    pub fn slots(&self) -> &dyn Slots {
        &*self.0
    }

    /// Returns the slots of the behaviours, for writing.
    pub fn slots_mut(&mut self) -> &mut dyn Slots {
        &mut *self.0
    }
}

impl fmt::Debug for Behaviours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.slots().iter().map(|slot| slot.info().schema.name))
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

#[diagnostic::do_not_recommend]
impl BehaviourSet for Behaviours {
    fn into_behaviours(self) -> Behaviours {
        self
    }
}
