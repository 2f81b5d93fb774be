//! `VarState`: the place and the dirty bits of a variable.

use crate::field::FieldPlace;

/// State of a variable: its [place](FieldPlace) and two bits. A write keeps the place, so that a
/// variable that was written elsewhere differs from a variable that was written in its place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct VarState(pub(super) FieldPlace);

impl VarState {
    /// Created, and not sent since.
    pub(super) const NEW: Self = Self(FieldPlace::NEW);
    /// Bit of a variable that is due, with or without a change of value.
    pub(super) const FORCED: u32 = 1 << 30;
    /// Bit of a variable with a change since the last send.
    pub(super) const DIRTY: u32 = 1 << 31;

    #[inline]
    pub(super) const fn with(self, bit: u32) -> Self {
        Self(self.0.with_bits(self.0.bits() | bit))
    }

    /// Returns the state without a change.
    #[inline]
    pub(super) const fn unchanged(self) -> Self {
        Self(self.0.with_bits(0))
    }

    #[inline]
    pub(super) const fn is_dirty(self) -> bool {
        self.0.bits() != 0
    }

    #[inline]
    pub(super) const fn is_forced(self) -> bool {
        self.0.bits() & Self::FORCED != 0
    }

    /// Returns whether each observer has the value.
    #[inline]
    pub(super) const fn is_sent(self) -> bool {
        !self.is_dirty() && !self.0.is_new()
    }
}
