//! `ObjectMut` and `ManyMut`: several behaviours for writing at once.

use std::any::Any;
use std::fmt;

use super::Protocol;
use crate::object::{Location, Slot, Slots};
use crate::{NetId, NetworkBehaviour, ObjectError};

/// Behaviours out of their pool until the drop of a guard.
struct Loan {
    net_id: NetId,
    at: Location,
    slots: Box<dyn Slots>,
}

impl Loan {
    fn take<P: Protocol>(end: &mut P, net_id: NetId) -> Result<Self, ObjectError> {
        end.world().check(net_id)?;
        end.prepare_check_out(net_id);
        let world = end.world_mut();
        let at = { world.objects.get(net_id.0) }.map(super::WorldObject::location);
        let at = at.ok_or(ObjectError::NoSuchObject(net_id))?;
        let slots = world.pools.take(at);
        let mut slots = slots.ok_or(ObjectError::CheckedOut(net_id))?;
        end.begin_writes(net_id, &mut *slots);
        Ok(Self { net_id, at, slots })
    }

    fn give_back<P: Protocol>(mut self, end: &mut P) {
        end.end_writes(self.net_id, &mut *self.slots);
        end.world_mut().pools.give_back(self.at, self.slots);
    }
}

/// An object for writing, with all its behaviours. Its drop reports the changes, as the drop of a
/// guard of `get_mut` does.
///
/// The behaviours leave their pool meanwhile, which costs an allocation. A leaked guard
/// (`std::mem::forget`) leaves the object checked out for ever.
///
/// ```
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Health {
///     #[sync_var]
///     points: SyncVar<i32>,
/// }
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Armour {
///     #[sync_var]
///     plates: SyncVar<i32>,
/// }
///
/// let prefabs = Prefabs::new().register::<(Health, Armour)>("knight");
/// let mut server = NetworkServer::new(prefabs);
/// let knight = server.spawn((Health { points: 10.into() }, Armour { plates: 2.into() }));
///
/// let mut object = server.object_mut(knight).unwrap();
/// let (armour, health) = object.split::<(Armour, Health)>().unwrap();
/// health.points -= 5 - *armour.plates;
/// armour.plates -= 1;
/// drop(object);
/// assert_eq!(server.get::<Health>(knight).unwrap().points, 7);
/// ```
pub struct ObjectMut<'a, P: Protocol> {
    end: &'a mut P,
    /// `Some` until the drop.
    loan: Option<Loan>,
    net_id: NetId,
}

impl<'a, P: Protocol> ObjectMut<'a, P> {
    /// Borrows an object.
    ///
    /// # Errors
    ///
    /// When the object does not exist or is checked out.
    pub fn new(end: &'a mut P, net_id: NetId) -> Result<Self, ObjectError> {
        let loan = Some(Loan::take(end, net_id)?);
        Ok(Self { end, loan, net_id })
    }

    /// Returns the id of the object.
    pub fn net_id(&self) -> NetId {
        self.net_id
    }

    /// Returns the first behaviour of a type.
    ///
    /// # Errors
    ///
    /// When the object lacks the behaviour.
    pub fn behaviour_mut<B: NetworkBehaviour>(&mut self) -> Result<&mut B, ObjectError> {
        self.split::<B>()
    }

    /// Returns one behaviour for each type of a tuple, in any order. A type that comes twice means the
    /// first and the second behaviour of this type. A tuple has up to eight elements; nested tuples have
    /// more types.
    ///
    /// # Errors
    ///
    /// When the object lacks the behaviour.
    pub fn split<T: SplitMut>(&mut self) -> Result<T::Refs<'_>, ObjectError> {
        let slots = self.loan.as_mut().map(|loan| loan.slots.all_mut());
        T::split(self.net_id, &mut slots.unwrap_or_default())
    }
}

impl<P: Protocol> Drop for ObjectMut<'_, P> {
    fn drop(&mut self) {
        if let Some(loan) = self.loan.take() {
            loan.give_back(self.end);
            self.end.checked_in(self.net_id, None);
        }
    }
}

impl<P: Protocol> fmt::Debug for ObjectMut<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectMut")
            .field("net_id", &self.net_id)
            .finish_non_exhaustive()
    }
}

/// Behaviours of a type on several objects, for writing. Its drop reports the changes.
///
/// ```
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Purse {
///     #[sync_var]
///     gold: SyncVar<u32>,
/// }
///
/// let mut server = NetworkServer::new(Prefabs::new().register::<Purse>("purse"));
/// let ids = [30, 5].map(|gold| server.spawn(Purse { gold: gold.into() }));
///
/// let mut purses = server.get_many_mut::<Purse, 2>(ids).unwrap();
/// let [from, to] = purses.each_mut();
/// from.gold -= 10;
/// to.gold += 10;
/// drop(purses);
/// assert_eq!(ids.map(|id| *server.get::<Purse>(id).unwrap().gold), [20, 15]);
/// ```
pub struct ManyMut<'a, P: Protocol, B, const N: usize> {
    end: &'a mut P,
    /// Empty after the drop.
    loans: Vec<Loan>,
    behaviours: std::marker::PhantomData<[B; N]>,
}

impl<'a, P: Protocol, B: NetworkBehaviour, const N: usize> ManyMut<'a, P, B, N> {
    /// Borrows the first behaviour of a type on each of some different objects.
    ///
    /// # Errors
    ///
    /// When an object does not exist, lacks the behaviour, is checked out or comes twice. The first
    /// error counts, and no object is borrowed.
    pub fn new(end: &'a mut P, ids: [NetId; N]) -> Result<Self, ObjectError> {
        let mut many = Self {
            end,
            loans: Vec::with_capacity(N),
            behaviours: std::marker::PhantomData,
        };
        for id in ids {
            let loan = Loan::take(many.end, id)?;
            let has_one = loan.slots.position::<B>().is_some();
            many.loans.push(loan);
            if !has_one {
                return Err(ObjectError::no_behaviour::<B>(id));
            }
        }
        Ok(many)
    }

    /// Returns the behaviours, in the order of the ids.
    ///
    /// # Panics
    ///
    /// Never: each object has its behaviour since [`new`](Self::new).
    pub fn each_mut(&mut self) -> [&mut B; N] {
        let mut loans = self.loans.iter_mut();
        std::array::from_fn(|_| {
            let slots = loans.next().map(|loan| loan.slots.all_mut());
            let mut slots = slots.unwrap_or_default();
            take_first(&mut slots).expect("the guard has borrowed it")
        })
    }
}

impl<P: Protocol, B, const N: usize> Drop for ManyMut<'_, P, B, N> {
    fn drop(&mut self) {
        let loans = std::mem::take(&mut self.loans);
        let ids: Vec<NetId> = loans.iter().map(|loan| loan.net_id).collect();
        for loan in loans {
            loan.give_back(self.end);
        }
        for id in ids {
            self.end.checked_in(id, None);
        }
    }
}

impl<P: Protocol, B, const N: usize> fmt::Debug for ManyMut<'_, P, B, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<NetId> = self.loans.iter().map(|loan| loan.net_id).collect();
        f.debug_tuple("ManyMut").field(&ids).finish()
    }
}

/// A behaviour type, or a tuple of such, that [`ObjectMut::split`] finds on an object.
pub trait SplitMut {
    /// Mutable references to the behaviours.
    type Refs<'a>;

    /// Takes a slot for each type out of a list.
    ///
    /// # Errors
    ///
    /// When the slots of a type are used up.
    fn split<'a>(
        object: NetId,
        slots: &mut Vec<&'a mut dyn Slot>,
    ) -> Result<Self::Refs<'a>, ObjectError>;
}

impl<B: NetworkBehaviour> SplitMut for B {
    type Refs<'a> = &'a mut B;

    fn split<'a>(
        object: NetId,
        slots: &mut Vec<&'a mut dyn Slot>,
    ) -> Result<&'a mut B, ObjectError> {
        let found = take_first(slots);
        found.ok_or_else(|| ObjectError::no_behaviour::<B>(object))
    }
}

macro_rules! split {
    ($($($name:ident),+;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($name: SplitMut),+> SplitMut for ($($name,)+) {
            type Refs<'a> = ($($name::Refs<'a>,)+);

            fn split<'a>(
                object: NetId,
                slots: &mut Vec<&'a mut dyn Slot>,
            ) -> Result<Self::Refs<'a>, ObjectError> {
                Ok(($($name::split(object, slots)?,)+))
            }
        }
    )*};
}

split! {
    A;
    A, B;
    A, B, C;
    A, B, C, D;
    A, B, C, D, E;
    A, B, C, D, E, F;
    A, B, C, D, E, F, G;
    A, B, C, D, E, F, G, H;
}

/// Takes the first slot of a type out of a list.
fn take_first<'a, B: NetworkBehaviour>(slots: &mut Vec<&'a mut dyn Slot>) -> Option<&'a mut B> {
    let is_one = |slot: &&mut dyn Slot| (slot.behaviour() as &dyn Any).is::<B>();
    let is_optional = |slot: &&mut dyn Slot| slot.behaviour().get::<B>().is_some();
    let own = slots.iter().position(is_one);
    let index = own.or_else(|| slots.iter().position(is_optional))?;
    slots.remove(index).behaviour_mut().get_mut()
}
