//! `SyncField`: the owner of one bit of a behaviour's dirty mask.

mod collection;
pub mod dictionary;
pub mod hash_set;
mod iterators;
mod keys;
mod list;
mod mirror;
mod operators;
mod record;
mod set;
mod var;

pub use dictionary::{DictionaryChange, SyncDictionary, ValueMut};
pub use list::{ElementMut, ListChange, SyncList};
pub use set::{SetChange, SyncHashSet, SyncSortedSet};
pub use var::SyncVar;

use std::hash::Hash;

use crate::schema::TypeSchema;
use crate::{NetworkReader, NetworkWriter, ReadError, SyncValue};

/// One field of a behaviour: it knows whether it has changed, and writes itself as a snapshot or as a
/// delta. [`SyncVar`] is the usual one; implement the trait for a container of your own design.
///
/// A client that begins to observe the object is sent the snapshot of the field, the present observers its
/// delta. Dirty state is cleared in between, so a change reaches each
/// client exactly once.
///
/// ```
/// use syncvar_runtime::{NetworkReader, NetworkWriter, ReadError, SyncField, TypeSchema};
///
/// /// A score that only ever grows: the change is the difference. Nobody may put a new one into the
/// /// place of one that clients know, for no difference says that: see `notice_replacement`.
/// #[derive(Default)]
/// pub struct Score {
///     value: u32,
///     sent: u32,
///     touched: bool,
/// }
///
/// impl Score {
///     pub fn add(&mut self, points: u32) {
///         self.value += points;
///     }
///     pub fn value(&self) -> u32 {
///         self.value
///     }
/// }
///
/// impl SyncField for Score {
///     const SCHEMA: TypeSchema = TypeSchema::Named("Score");
///
///     fn is_dirty(&self) -> bool {
///         self.touched || self.value != self.sent
///     }
///     fn set_dirty(&mut self) {
///         self.touched = true;
///     }
///     fn clear_dirty(&mut self) {
///         self.touched = false;
///         self.sent = self.value;
///     }
///     fn write_full(&self, writer: &mut NetworkWriter) {
///         writer.write(&self.value);
///     }
///     fn write_delta(&self, writer: &mut NetworkWriter) {
///         writer.write(&(self.value - self.sent));
///     }
///     fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
///         self.value = reader.read()?;
///         Ok(())
///     }
///     fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
///         self.value = self.value.wrapping_add(reader.read()?);
///         Ok(())
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a synchronised field",
    label = "write `SyncVar<{Self}>`",
    note = "a field marked `#[sync_var]` intercepts the write to know that it has changed",
    note = "a container of your own implements `SyncField`"
)]
pub trait SyncField: Send + Sync + 'static {
    /// Type in the schema, compared by both ends at connect.
    const SCHEMA: TypeSchema;

    /// Set if the bytes of [`write_delta`](Self::write_delta) after [`set_dirty`](Self::set_dirty) suffice
    /// for a client that has missed earlier changes; see
    /// [`NetworkBehaviour::RESENDABLE`](crate::NetworkBehaviour::RESENDABLE).
    const RESENDABLE: bool = false;

    /// Returns whether the field has a change to send.
    fn is_dirty(&self) -> bool;

    /// Makes the field dirty without a change of value: it will be sent again.
    fn set_dirty(&mut self);

    /// Forgets the change: it has been sent, or a full state was sent instead.
    fn clear_dirty(&mut self);

    /// Makes the field dirty if it was created since the last [`clear_dirty`](Self::clear_dirty): it has replaced
    /// a field that clients know. The server calls this after each write access to the
    /// behaviour. The default does nothing.
    fn notice_replacement(&mut self) {}

    /// Announces whether the object has observers. The server passes `false` when it finds a change without
    /// observers, and `true` before it writes a snapshot. A field whose changes are operations need not keep
    /// them without observers.
    /// The default does nothing.
    fn set_observed(&mut self, observed: bool) {
        let _ = observed;
    }

    /// Chooses between a log of coalesced changes and a log of all operations, one after another; see
    /// [`NetworkBehaviour::set_verbatim`](crate::NetworkBehaviour::set_verbatim). The default does
    /// nothing.
    ///
    /// With a full log a collection is dirty only for operations made while it is
    /// [observed](Self::set_observed), from the first `set_observed(true)` on.
    /// `set_observed(false)` discards the log. A collection that is dirty at the switch has replaced another one:
    /// it counts as observed, and will be emptied and filled again. If it was only filled before its first
    /// observer, call `set_observed(false)`. Snapshots say how many operations are still to come, and change
    /// no state. The log is never shortened: it grows with the operations between two updates.
    ///
    /// Snapshots of the replaced collection may have announced operations that are still to come,
    /// `promised` at most: the new one will be emptied that many times first, and their receivers skip
    /// these operations.
    fn set_verbatim(&mut self, verbatim: bool, promised: usize) {
        let _ = (verbatim, promised);
    }

    /// Appends the snapshot.
    fn write_full(&self, writer: &mut NetworkWriter);

    /// Appends the change.
    fn write_delta(&self, writer: &mut NetworkWriter);

    /// Reads the bytes of [`write_full`](Self::write_full).
    ///
    /// # Errors
    ///
    /// When the bytes do not hold such a field. It may be partly new then, and the client requests the object
    /// again.
    fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError>;

    /// Reads the bytes of [`write_delta`](Self::write_delta). Does not make the field dirty.
    ///
    /// # Errors
    ///
    /// Like [`read_full`](Self::read_full).
    fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError>;
}

/// A key of a [`SyncDictionary`] or an element of a [`SyncHashSet`]: any value with `Hash`
/// and `Eq`. Implemented for all of them.
///
/// Two equal keys must travel as the same bytes, because clients know only the bytes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a key of a dictionary or an element of a hash set",
    label = "keys travel, and are found by `Hash` and `Eq`",
    note = "for a struct or enum of your own write `#[derive(SyncValue, Clone, PartialEq, Eq, Hash)]` above it"
)]
pub trait HashKey: SyncValue + Hash + Eq {}

#[diagnostic::do_not_recommend]
impl<T: SyncValue + Hash + Eq> HashKey for T {}

/// An element of a [`SyncSortedSet`]: any value with `Ord`. Implemented for all of
/// them.
///
/// Two equal elements must travel as the same bytes, because clients know only the
/// bytes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of a sorted set",
    label = "elements travel, and are put in order by `Ord`",
    note = "for a struct or enum of your own write `#[derive(SyncValue, Clone, PartialEq, Eq, PartialOrd, Ord)]` \
            above it"
)]
pub trait SortKey: SyncValue + Ord {}

#[diagnostic::do_not_recommend]
impl<T: SyncValue + Ord> SortKey for T {}

/// A field that can have a hook.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot have a hook",
    label = "this field does not remember what it was",
    note = "remove `hook = ...`, or implement `HookField` for the container"
)]
pub trait HookField: SyncField {
    /// Argument of the hook.
    type Previous: Send + Sync + 'static;

    /// Like [`SyncField::read_delta`]; returns the previous value, or `None` if the field has not
    /// changed.
    ///
    /// # Errors
    ///
    /// Like [`SyncField::read_delta`].
    fn read_delta_with_previous(
        &mut self,
        reader: &mut NetworkReader<'_>,
    ) -> Result<Option<Self::Previous>, ReadError>;

    /// Returns the present value for a later comparison: for the hooks of a host, which reads no
    /// bytes ([`NetworkServer::connect_local`](crate::NetworkServer::connect_local)). The default, `None`,
    /// runs no hook there for this field.
    fn remembered(&self) -> Option<Self::Previous> {
        None
    }

    /// Returns whether the field differs from the result of [`remembered`](Self::remembered). Leaves the
    /// argument of the hook in `previous`, or `None` if the field is the same.
    fn has_changed_since(&self, previous: &mut Option<Self::Previous>) -> bool {
        *previous = None;
        false
    }
}
