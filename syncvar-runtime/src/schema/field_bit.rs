//! `FieldBit`: a field of a known behaviour.

use std::fmt;
use std::marker::PhantomData;
use std::ops::BitAnd;

/// Returns each dirty bit of a mask, ascending.
///
/// ```
/// use syncvar_runtime::schema::each_bit;
///
/// assert!(each_bit(0b1010).eq([0b10, 0b1000]));
/// ```
#[inline]
pub fn each_bit(mut mask: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let bit = mask & mask.wrapping_neg();
        mask ^= bit;
        (bit != 0).then_some(bit)
    })
}

/// Returns the position of each bit of a mask, ascending.
pub(crate) fn each_position(mask: u64) -> impl Iterator<Item = usize> {
    each_bit(mask).map(|bit| bit.trailing_zeros() as usize)
}

/// A field of the behaviour `B`, as its dirty bit. The constant of an interpolated field names the type `T` of its
/// values.
///
/// `#[derive(NetworkBehaviour)]` declares one constant for each field, with the visibility of the field and its
/// name in capitals: `Player::HEALTH` for `health`, `Player::FIELD_0` for the first field of a tuple struct.
/// `#[sync_var(constant = HEALTH_FIELD)]` renames the constant.
///
/// ```
/// use syncvar::{NetworkBehaviour, prelude::*};
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Player {
///     #[sync_var]
///     health: SyncVar<i32>,
///     #[sync_var(constant = NAME_FIELD)]
///     name: SyncVar<String>,
/// }
///
/// impl Player {
///     const NAME: &str = "nameless";
/// }
///
/// let mut player = Player::default();
/// player.name.set(Player::NAME.into());
/// let dirty_bits = player.sync_var_dirty_bits();
/// assert!(dirty_bits & Player::NAME_FIELD != 0 && dirty_bits & Player::HEALTH == 0);
/// ```
pub struct FieldBit<B, T = ()> {
    bit: u64,
    behaviour: PhantomData<fn() -> (B, T)>,
}

impl<B> FieldBit<B> {
    /// Creates the constant of a behaviour written by hand, from its dirty bit.
    pub const fn new(bit: u64) -> Self {
        Self {
            bit,
            behaviour: PhantomData,
        }
    }
}

impl<B, T> FieldBit<B, T> {
    /// Creates the constant of an interpolated field, with the type of its values.
    pub const fn interpolated(bit: u64) -> Self {
        Self {
            bit,
            behaviour: PhantomData,
        }
    }

    /// Returns the dirty bit.
    #[inline]
    pub const fn bit(self) -> u64 {
        self.bit
    }
}

impl<B, T> Clone for FieldBit<B, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B, T> Copy for FieldBit<B, T> {}

impl<B, T> PartialEq for FieldBit<B, T> {
    fn eq(&self, other: &Self) -> bool {
        self.bit == other.bit
    }
}

impl<B, T> Eq for FieldBit<B, T> {}

impl<B, T> fmt::Debug for FieldBit<B, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FieldBit({:#x})", self.bit)
    }
}

/// Selects the bit of a field from a dirty mask.
impl<B, T> BitAnd<FieldBit<B, T>> for u64 {
    type Output = u64;

    #[inline]
    fn bitand(self, field: FieldBit<B, T>) -> u64 {
        self & field.bit
    }
}

/// A behaviour with the fields of `B`: `B` itself, and each class with `B` as its base.
///
/// The derive implements it for `#[network_behaviour(base)]`.
#[diagnostic::on_unimplemented(
    message = "a field of `{B}` is no field of `{Self}`",
    label = "constant of another behaviour",
    note = "write a constant of `{Self}` here, or ask `changed::<{B}>()`"
)]
pub trait Inherits<B> {}

impl<B> Inherits<B> for B {}
