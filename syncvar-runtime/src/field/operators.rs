//! Comparison, formatting and the assigning operators of `SyncVar`.

use std::cmp::Ordering;
use std::convert::Infallible;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomPinned;
use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign,
    Mul, MulAssign, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

use super::SyncVar;
use crate::{FixedString, SyncValue};

impl<T: PartialEq> PartialEq for SyncVar<T> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for SyncVar<T> {}

impl<T: PartialEq> PartialEq<T> for SyncVar<T> {
    fn eq(&self, other: &T) -> bool {
        self.get() == other
    }
}

impl PartialEq<str> for SyncVar<String> {
    fn eq(&self, other: &str) -> bool {
        self.get() == other
    }
}

impl PartialEq<&str> for SyncVar<String> {
    fn eq(&self, other: &&str) -> bool {
        self.get() == other
    }
}

impl<const N: usize> PartialEq<str> for SyncVar<FixedString<N>> {
    fn eq(&self, other: &str) -> bool {
        self.get() == other
    }
}

impl<const N: usize> PartialEq<&str> for SyncVar<FixedString<N>> {
    fn eq(&self, other: &&str) -> bool {
        self.get() == other
    }
}

impl<T: PartialOrd> PartialOrd for SyncVar<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.get().partial_cmp(other.get())
    }
}

impl<T: PartialOrd> PartialOrd<T> for SyncVar<T> {
    fn partial_cmp(&self, other: &T) -> Option<Ordering> {
        self.get().partial_cmp(other)
    }
}

impl<T: Hash> Hash for SyncVar<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.get().hash(state);
    }
}

impl<T: fmt::Display> fmt::Display for SyncVar<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

impl<T: fmt::Debug> fmt::Debug for SyncVar<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

macro_rules! assigning {
    ($($trait:ident, $method:ident;)*) => {$(
        /// Makes the variable dirty only if its value differs afterwards.
        impl<T: SyncValue + $trait<R>, R> $trait<R> for SyncVar<T> {
            #[inline]
            fn $method(&mut self, other: R) {
                self.update(|value| value.$method(other));
            }
        }
    )*};
}

assigning! {
    AddAssign, add_assign;
    SubAssign, sub_assign;
    MulAssign, mul_assign;
    DivAssign, div_assign;
    RemAssign, rem_assign;
    BitAndAssign, bitand_assign;
    BitOrAssign, bitor_assign;
    BitXorAssign, bitxor_assign;
    ShlAssign, shl_assign;
    ShrAssign, shr_assign;
}

/// Bound of the operators `+`, `-`, `*` and so on, for an error with advice: an operator moves its operands, and a
/// variable stays in its field.
#[diagnostic::on_unimplemented(
    message = "an operator takes the value of a `SyncVar`, and not the variable",
    label = "write `*` before the variable: `*player.health + 10`"
)]
pub trait Operand {}

// No operand has these types. With a single implementation the compiler would expect its type, and
// without one it would not come to the bound.
impl Operand for Infallible {}
impl Operand for PhantomPinned {}

macro_rules! refused {
    ($($trait:ident, $method:ident;)*) => {$(
        /// Does not compile: write `*` before the variable.
        impl<T, R: Operand> $trait<R> for SyncVar<T> {
            type Output = T;

            fn $method(self, _: R) -> T {
                self.into_inner()
            }
        }
    )*};
}

refused! {
    Add, add;
    Sub, sub;
    Mul, mul;
    Div, div;
    Rem, rem;
    BitAnd, bitand;
    BitOr, bitor;
    BitXor, bitxor;
    Shl, shl;
    Shr, shr;
}

#[cfg(test)]
mod tests {
    use crate::SyncVar;

    #[test]
    fn every_assigning_operator_marks_a_change_and_only_a_change() {
        fn dirty(start: i32, change: impl FnOnce(&mut SyncVar<i32>)) -> (i32, bool) {
            let mut var = SyncVar::new(start);
            change(&mut var);
            (*var, var.is_dirty())
        }
        assert_eq!(dirty(6, |v| *v += 2), (8, true));
        assert_eq!(dirty(6, |v| *v += 0), (6, false));
        assert_eq!(dirty(6, |v| *v -= 2), (4, true));
        assert_eq!(dirty(6, |v| *v -= 0), (6, false));
        assert_eq!(dirty(6, |v| *v *= 2), (12, true));
        assert_eq!(dirty(6, |v| *v *= 1), (6, false));
        assert_eq!(dirty(6, |v| *v /= 2), (3, true));
        assert_eq!(dirty(6, |v| *v /= 1), (6, false));
        assert_eq!(dirty(6, |v| *v %= 4), (2, true));
        assert_eq!(dirty(6, |v| *v %= 7), (6, false));
        assert_eq!(dirty(6, |v| *v &= 2), (2, true));
        assert_eq!(dirty(6, |v| *v &= 6), (6, false));
        assert_eq!(dirty(6, |v| *v |= 1), (7, true));
        assert_eq!(dirty(6, |v| *v |= 2), (6, false));
        assert_eq!(dirty(6, |v| *v ^= 1), (7, true));
        assert_eq!(dirty(6, |v| *v ^= 0), (6, false));
        assert_eq!(dirty(6, |v| *v <<= 1), (12, true));
        assert_eq!(dirty(6, |v| *v <<= 0), (6, false));
        assert_eq!(dirty(6, |v| *v >>= 1), (3, true));
        assert_eq!(dirty(6, |v| *v >>= 0), (6, false));
    }

    #[test]
    fn min_max_and_clamp_are_methods_of_the_value() {
        let health = SyncVar::new(120);
        assert_eq!(
            (health.max(150), health.min(90), health.clamp(0, 100)),
            (150, 90, 100)
        );
        let (best, place) = (SyncVar::new(Some(3)), SyncVar::new((1, 2)));
        assert_eq!((best.max(None), place.max((1, 3))), (Some(3), (1, 3)));
        assert_eq!(health.cmp(&SyncVar::new(100)), std::cmp::Ordering::Greater);
    }

    #[test]
    fn a_variable_compares_orders_and_prints_as_its_value() {
        let var = SyncVar::new(5);
        assert!(var == 5 && var < 6 && var > SyncVar::new(4));
        assert_eq!(format!("{var} {var:?} {var:03}"), "5 5 005");
        let text = SyncVar::from("ab");
        let owned = String::from("ab");
        assert!(text == "ab" && text == *"ab" && text == owned);
        assert_eq!(format!("{text} {text:?}"), "ab \"ab\"");
    }

    #[test]
    fn nan_over_nan_is_no_change_and_minus_zero_over_zero_is_one() {
        let mut nan = SyncVar::new(f32::NAN);
        nan += 1.0;
        assert!(!nan.is_dirty());
        let mut zero = SyncVar::new(0.0_f64);
        zero.set(-0.0);
        assert!(zero.is_dirty());
    }
}
