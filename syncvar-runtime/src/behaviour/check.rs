//! `CheckWrites`: checks of the values that an owner writes.

use super::NetworkBehaviour;
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
