//! `Lineage` and `Place`: the identity of a behaviour and of its fields.

use std::sync::atomic::{AtomicU32, Ordering};

/// Numbers of a lineage: one for each field.
const FIELDS: u32 = 64;

/// Identity of a behaviour on an object, up to the next replacement of a field: the behaviour then receives
/// another one. A field of another lineage was moved here, or returns after it was moved out.
///
/// The numbers repeat after 2^24 lineages of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lineage(u32);

/// Identity of a field: its lineage and its bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(u32);

impl Lineage {
    /// Returns a lineage that no other behaviour has.
    #[inline]
    pub fn unique() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(FIELDS);
        let number = NEXT.fetch_add(FIELDS, Ordering::Relaxed) & Place::NUMBER;
        // The first numbers are no place of an object.
        if number == 0 {
            return Self::unique();
        }
        Self(number)
    }

    /// Returns the place of a field by its bit.
    #[inline]
    pub const fn place(self, bit: u64) -> Place {
        Place(self.0 + bit.trailing_zeros() % FIELDS)
    }
}

impl Place {
    /// Bits of the number of a place.
    pub(super) const NUMBER: u32 = (1 << 30) - 1;
    /// Bit of a place whose content was taken over.
    const SOURCE: u32 = 1 << 31;
    /// No known place: the field counts as clean at every place.
    pub const ANY: Self = Self(1);

    /// Returns the number of the place: at least 1, and within [`NUMBER`](Self::NUMBER) for a field.
    #[inline]
    pub(super) const fn number(self) -> u32 {
        self.0
    }

    /// Returns the place of a source: a field elsewhere, whose content the field at this place has taken
    /// over.
    #[inline]
    pub(super) const fn source(self) -> Self {
        Self(self.0 | Self::SOURCE)
    }

    /// Returns whether the place is a field of an object.
    #[inline]
    pub(super) const fn is_field(self) -> bool {
        self.0 >= FIELDS && self.0 < Self::SOURCE
    }
}
