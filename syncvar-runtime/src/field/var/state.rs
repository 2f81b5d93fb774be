//! `State`: the place and the dirty bits of a variable.

use crate::field::Place;

/// State of a variable: the number of its [place](Place) and two bits. A write keeps the place, so that a
/// variable that was written elsewhere differs from one that was written in its place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct State(u32);

impl State {
    /// Created, and not sent since.
    pub(super) const NEW: Self = Self(0);
    /// Bit of a variable that is due, with or without a change of value.
    pub(super) const FORCED: u32 = 1 << 30;
    /// Bit of a variable with a change since the last send.
    pub(super) const DIRTY: u32 = 1 << 31;

    #[inline]
    pub(super) const fn clean(place: Place) -> Self {
        Self(place.number())
    }

    #[inline]
    pub(super) const fn with(self, bit: u32) -> Self {
        Self(self.0 | bit)
    }

    #[inline]
    pub(super) const fn at(self, place: Place) -> Self {
        Self(self.0 & !Place::NUMBER | place.number())
    }

    /// Returns the state without a change.
    #[inline]
    pub(super) const fn unchanged(self) -> Self {
        Self(self.0 & Place::NUMBER)
    }

    #[inline]
    pub(super) const fn is_at(self, place: Place) -> bool {
        self.unchanged().0 == place.number()
    }

    #[inline]
    pub(super) const fn is_dirty(self) -> bool {
        self.0 >= Self::FORCED
    }

    #[inline]
    pub(super) const fn is_forced(self) -> bool {
        self.0 & Self::FORCED != 0
    }

    #[inline]
    pub(super) const fn is_new(self) -> bool {
        self.0 == Self::NEW.0
    }

    #[inline]
    pub(super) const fn is_clean(self) -> bool {
        !self.is_dirty() && !self.is_new()
    }
}
