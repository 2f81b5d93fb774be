//! Bound of the methods of `std` that would write elements without a notice.

/// Bound of `iter_mut` and its kind. No collection has it: an element written through `&mut` would not be sent.
#[diagnostic::on_unimplemented(
    message = "an element that is written through `&mut` would not be sent",
    label = "write `for_each_mut(|element| ...)`",
    note = "`set(index, value)` of a list and `insert(key, value)` of a dictionary write one element, and `get_mut` \
            returns a guard for a part of it"
)]
pub trait NoticesWrites {}
