//! `FieldPlace`: the identity of a field on its object, which the field stores.
//!
//! `player.health = 5.into()` puts a new field where clients know a previous field, and `mem::swap` moves a field that
//! clients know elsewhere. Both must be sent, though no method of the field was called. Each field therefore
//! stores the place at which observers have its content:
//!
//! ```text
//!             created                  sent at P                moved to Q, noticed
//!   FieldPlace  NEW  ── clear_dirty ──▶ UNPLACED ── mark sent ──▶ P ── write access ends ──▶ Q, dirty
//! ```
//!
//! A place is the lineage of the behaviour and the bit of the field. A behaviour receives a new lineage when a
//! field was replaced: the field that was moved out still has the previous lineage, and is noticed when it returns.

use std::sync::atomic::{AtomicU32, Ordering};

use super::SyncField;

/// Numbers of a lineage: one for each field.
const FIELDS: u32 = 64;

/// Identity of a behaviour on an object, up to the next replacement of a field: the behaviour then receives
/// a new lineage.
///
/// The numbers repeat after 2^24 lineages of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lineage(u32);

/// Number of a place: a lineage and a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(u32);

/// Place of a field at its last send. A field stores it, and returns it by
/// [`SyncField::place_mut`], so that the server notices a field that was created or moved here.
///
/// ```
/// use syncvar::fields::FieldPlace;
///
/// /// A container of your own: the place beside its content.
/// #[derive(Default)]
/// struct Tiles {
///     kinds: Vec<u8>,
///     place: FieldPlace,
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldPlace(u32);

impl Lineage {
    /// Lineage of absent behaviours, which are on no object.
    pub(crate) const ABSENT: Self = Self(FIELDS);

    /// Returns a lineage that no second behaviour has.
    #[inline]
    pub fn unique() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(2 * FIELDS);
        let number = NEXT.fetch_add(FIELDS, Ordering::Relaxed) & FieldPlace::NUMBER;
        // The first numbers are reserved for fields outside of objects, and for absent behaviours.
        if number <= FIELDS {
            return Self::unique();
        }
        Self(number)
    }

    /// Returns the place of a field by its bit.
    #[inline]
    pub(crate) const fn place(self, bit: u64) -> Place {
        Place(self.0 + bit.trailing_zeros() % FIELDS)
    }
}

impl Place {
    /// Place of a field outside of an object.
    pub(crate) const UNPLACED: Self = Self(FieldPlace::UNPLACED.0);

    /// Ends a write access to the field at this place: a field that was created or sent elsewhere becomes
    /// dirty. Returns whether the stored place differed.
    #[inline]
    pub(crate) fn notice(self, field: &mut impl SyncField) -> bool {
        match field.place_mut() {
            Some(stored) if !stored.is_at(self) => {
                self.replace(field);
                true
            }
            _ => false,
        }
    }

    #[cold]
    fn replace(self, field: &mut impl SyncField) {
        if { field.place_mut() }.is_some_and(|stored| !stored.is_at(Self::UNPLACED)) {
            field.mark_replaced();
        }
        if let Some(stored) = field.place_mut() {
            stored.set(self);
        }
    }
}

impl FieldPlace {
    /// Bits of the number. The two bits above are free for the field.
    pub(super) const NUMBER: u32 = (1 << 30) - 1;
    /// Created, and not sent since.
    pub(super) const NEW: Self = Self(0);
    /// Observers have the content at no place of an object: the field counts as clean at each place.
    pub(super) const UNPLACED: Self = Self(1);
    /// Taken from the place of its sharer: the field counts as clean at no place.
    pub(super) const ELSEWHERE: Self = Self(2);

    /// Ends a write access to a field outside of an object, as the server does after each write access to a
    /// behaviour: a field that was created or moved since its last [`clear_dirty`](SyncField::clear_dirty)
    /// becomes dirty.
    ///
    /// ```
    /// use syncvar::{SyncVar, fields::FieldPlace};
    ///
    /// let mut health = SyncVar::new(100);
    /// health.clear_dirty();
    /// health = SyncVar::new(100); // clients cannot know that the value is the same
    /// assert!(!health.is_dirty());
    /// FieldPlace::end_write(&mut health);
    /// assert!(health.is_dirty());
    /// ```
    pub fn end_write(field: &mut impl SyncField) {
        Place::UNPLACED.notice(field);
    }

    /// Returns whether the field was sent at a place and not moved since.
    #[inline]
    pub(crate) const fn is_at(self, place: Place) -> bool {
        self.0 & Self::NUMBER == place.0
    }

    /// Stores a place. The two bits of the field stay.
    #[inline]
    pub(crate) const fn set(&mut self, place: Place) {
        self.0 = self.0 & !Self::NUMBER | place.0;
    }

    /// Notes a send outside of an object.
    #[inline]
    pub(crate) const fn note_sent(&mut self) {
        if self.0 & Self::NUMBER == Self::NEW.0 {
            self.0 |= Self::UNPLACED.0;
        }
    }

    /// Returns the two bits of the field.
    #[inline]
    pub(super) const fn bits(self) -> u32 {
        self.0 & !Self::NUMBER
    }

    /// Returns the place with these bits of the field.
    #[inline]
    pub(super) const fn with_bits(self, bits: u32) -> Self {
        Self(self.0 & Self::NUMBER | bits)
    }

    /// Returns whether the field was created and not sent since.
    #[inline]
    pub(super) const fn is_new(self) -> bool {
        self.0 & Self::NUMBER == Self::NEW.0
    }

    /// Returns whether the place is one on an object.
    #[inline]
    pub(super) const fn is_on_object(self) -> bool {
        self.0 & Self::NUMBER >= FIELDS
    }
}
