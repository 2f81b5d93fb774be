//! Masks of the behaviours of an object, as ranges of a list.

use std::ops::Range;

/// Returns the masks in a range.
pub(crate) fn mask_slice<'a>(masks: &'a [u64], range: &Range<u32>) -> &'a [u64] {
    let range = range.start as usize..range.end as usize;
    masks.get(range).unwrap_or_default()
}

/// Returns the masks in a range, for changes.
pub(crate) fn mask_slice_mut<'a>(masks: &'a mut [u64], range: &Range<u32>) -> &'a mut [u64] {
    let range = range.start as usize..range.end as usize;
    masks.get_mut(range).unwrap_or_default()
}
