//! `CheckWrites`: checks of the values that an owner writes.

use std::marker::PhantomData;

use super::NetworkBehaviour;
use super::hook::Plain;
use crate::{NetworkReader, ReadResult};

/// Checks of the values that the owner of an object writes to fields of this class. The derive implements it
/// for `#[sync_var(write = owner, check = ...)]`; a behaviour written by hand adds it by
/// [`BehaviourInfo::checks`](super::BehaviourInfo::checks()) and sets
/// [`FieldPolicy::checked`](crate::FieldPolicy::checked).
pub trait CheckWrites: NetworkBehaviour {
    /// Returns whether the server accepts the present value of a field, by its dirty bit. `former` holds the
    /// value before the write, as in a snapshot.
    ///
    /// # Errors
    ///
    /// When the bytes do not fit.
    fn accepts(
        &self,
        field: u64,
        former: &mut NetworkReader<'_>,
        elapsed_ticks: u32,
    ) -> ReadResult<bool>;
}

/// A function that checks a value of an owner, for a behaviour `B` and a value `T`.
///
/// `Form` keeps the two implementations apart.
#[diagnostic::on_unimplemented(
    message = "this check has other arguments than the previous and the new value",
    label = "write `(&self, former: &{T}, new: &{T}) -> bool`",
    note = "with the time since the last write: `(&self, former: &{T}, new: &{T}, elapsed_ticks: u32) -> bool`",
    note = "both values are borrowed, and `true` accepts the write"
)]
pub trait CheckFunction<B, T, Form>: Sized {
    /// Returns whether the new value is accepted.
    fn accepts(self, behaviour: &B, former: &T, new: &T, elapsed_ticks: u32) -> bool;
}

impl<B, T, F: FnOnce(&B, &T, &T) -> bool> CheckFunction<B, T, Plain> for F {
    #[inline]
    fn accepts(self, behaviour: &B, former: &T, new: &T, _: u32) -> bool {
        self(behaviour, former, new)
    }
}

impl<B, T, F: FnOnce(&B, &T, &T, u32) -> bool> CheckFunction<B, T, WithTime> for F {
    #[inline]
    fn accepts(self, behaviour: &B, former: &T, new: &T, elapsed_ticks: u32) -> bool {
        self(behaviour, former, new, elapsed_ticks)
    }
}

/// Form of a check with the elapsed ticks.
#[derive(Debug)]
pub struct WithTime;

/// A check of either form. The derive emits `Check::of(Self::moves_legally)`.
#[derive(Debug)]
pub struct Check<B, T>(PhantomData<fn(B, T)>);

impl<B, T> Check<B, T> {
    /// Accepts a check.
    pub const fn of<F, Form>(function: F) -> AnyCheck<B, T, F>
    where
        F: CheckFunction<B, T, Form>,
    {
        AnyCheck {
            function,
            accepts: F::accepts,
        }
    }
}

/// An accepted check. Without a bound, so that a wrong check is one error.
#[derive(Debug)]
pub struct AnyCheck<B, T, F> {
    function: F,
    accepts: fn(F, &B, &T, &T, u32) -> bool,
}

impl<B, T, F> AnyCheck<B, T, F> {
    /// Calls the check with the previous and the new value.
    #[inline]
    pub fn call(self, behaviour: &B, former: &T, new: &T, elapsed_ticks: u32) -> bool {
        (self.accepts)(self.function, behaviour, former, new, elapsed_ticks)
    }
}
