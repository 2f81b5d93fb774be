//! `Prefetch`: loads the states of an object into the cache.

use std::slice;

use prefetch_index::prefetch_index;

use super::slot::Slot;
use super::slots::Visit;

/// Loads the state apart from the slots into the cache.
pub(super) struct Prefetch;

impl Visit for Prefetch {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, _: u32, slot: &mut S) {
        if let Some(state) = slot.state() {
            prefetch_index(slice::from_ref(state), 0);
        }
    }
}
