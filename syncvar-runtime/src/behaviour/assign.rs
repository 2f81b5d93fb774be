//! `Assign`: a behaviour takes over a behaviour of its type.

use std::any::Any;
use std::mem;

use super::{FieldVisitor, NetworkBehaviour};
use crate::SyncField;
use crate::field::Transfer;

/// Assignment of whole behaviours, for programs that own their data elsewhere. Every
/// [`NetworkBehaviour`] has it. A method of the same name on the struct takes precedence.
///
/// ```
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default, Clone)]
/// struct Player {
///     #[sync_var]
///     health: SyncVar<i32>,
///     #[sync_var]
///     name: SyncVar<String>,
///     last_input: u32,
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut server = NetworkServer::new(Prefabs::new().register::<Player>("player"));
/// let id = server.spawn(Player { name: "Ann".into(), ..Player::default() });
/// let mut copy = server.get::<Player>(id).unwrap().clone();
/// copy.health += 100;
/// server.get_mut::<Player>(id)?.assign(copy); // sends the health, not the name
/// assert_eq!(server.get::<Player>(id).unwrap().health, 100);
/// # Ok(())
/// # }
/// ```
pub trait Assign: NetworkBehaviour + sealed::Sealed {
    /// Takes over a value of the struct; only fields that differ become dirty.
    ///
    /// Values are compared as [`SyncVar::set`](crate::SyncVar::set) compares them, collections element
    /// by element. Fields without `#[sync_var]` are moved.
    fn assign(&mut self, mut other: Self) {
        self.align(&other, u64::MAX);
        mem::swap(self, &mut other);
        let swap = Pairwise::new(&mut other, SwapFields);
        swap.visit(self, &mut Self::Previous::default());
        self.take_changes(&mut other, u64::MAX);
    }

    /// Takes over the fields of a second behaviour with a set bit; only fields that differ become
    /// dirty. The second behaviour keeps its values, and its taken fields become clean.
    ///
    /// Fields without `#[sync_var]` stay as they are. The
    /// [previous values](NetworkBehaviour::Previous) of the result are the arguments of
    /// [`call_hooks`](NetworkBehaviour::call_hooks).
    fn take_changes(&mut self, from: &mut Self, fields: u64) -> Taken<Self::Previous> {
        let mut previous = Self::Previous::default();
        let changed = self.align(from, fields);
        let take = Pairwise::new(from, TakeFields { fields, changed });
        let TakeFields { changed, .. } = take.visit(self, &mut previous);
        Taken {
            changed,
            refused: 0,
            previous,
        }
    }
}

impl<B: NetworkBehaviour> Assign for B {}

mod sealed {
    /// Seals [`Assign`](super::Assign).
    #[expect(unnameable_types, reason = "it is the seal")]
    pub trait Sealed {}

    impl<B: super::NetworkBehaviour> Sealed for B {}
}

/// Result of [`Assign::take_changes`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Taken<P> {
    /// Bits of the fields that changed.
    pub changed: u64,
    /// Bits of the fields that only their owner may write. They kept their values. 0 without a server.
    pub refused: u64,
    /// Previous values of the changed fields with a hook.
    pub previous: P,
}

/// An operation on a field of two behaviours of the same type.
trait PairAction {
    fn pair(&mut self, bit: u64, field: impl SyncField, other: &mut dyn Any);
}

/// Visits the fields of a behaviour, each with the same field of a second behaviour.
struct Pairwise<'a, B: NetworkBehaviour, V> {
    other: &'a mut B,
    /// Space for the visits of `other`.
    previous: B::Previous,
    action: V,
}

impl<'a, B: NetworkBehaviour, V: PairAction> Pairwise<'a, B, V> {
    #[inline]
    fn new(other: &'a mut B, action: V) -> Self {
        let previous = B::Previous::default();
        Self {
            other,
            previous,
            action,
        }
    }

    #[inline]
    fn visit(mut self, behaviour: &mut B, previous: &mut B::Previous) -> V {
        behaviour.visit(previous, &mut self);
        self.action
    }
}

impl<B: NetworkBehaviour, V: PairAction> FieldVisitor for Pairwise<'_, B, V> {
    #[inline]
    fn field<A: SyncField>(&mut self, bit: u64, _: &'static str, field: A) {
        let action = |other: &mut dyn Any| self.action.pair(bit, field, other);
        let mut find = Find {
            bit,
            action: Some(action),
        };
        self.other.visit(&mut self.previous, &mut find);
    }
}

/// Finds a field by its bit.
struct Find<F> {
    bit: u64,
    action: Option<F>,
}

impl<F: FnOnce(&mut dyn Any)> FieldVisitor for Find<F> {
    #[inline]
    fn field<A: SyncField>(&mut self, bit: u64, _: &'static str, mut field: A) {
        if bit == self.bit
            && let Some(found) = field.as_any_mut()
            && let Some(action) = self.action.take()
        {
            action(found);
        }
    }
}

struct SwapFields;

impl PairAction for SwapFields {
    #[inline]
    fn pair(&mut self, _: u64, mut field: impl SyncField, other: &mut dyn Any) {
        field.transfer(other, Transfer::Swap);
    }
}

struct TakeFields {
    fields: u64,
    changed: u64,
}

impl PairAction for TakeFields {
    #[inline]
    fn pair(&mut self, bit: u64, mut field: impl SyncField, other: &mut dyn Any) {
        if self.fields & bit != 0 && field.transfer(other, Transfer::TakeChanges) {
            self.changed |= bit;
        }
    }
}
