//! `SyncField`: the owner of one bit of a behaviour's dirty mask.

mod access;
mod collection;
pub mod dictionary;
pub mod hash_set;
mod interpolated;
mod iterators;
mod keys;
mod lineage;
mod list;
mod mirror;
mod operation;
mod operators;
mod record;
mod set;
mod throttled;
mod unnoticed;
mod var;

pub use access::{
    FieldAccess, Formed, History, Hooked, Recording, VariableAccess, encoded, encoded_hook, hooked,
    hooked_variable, variable,
};
pub use dictionary::{DictionaryChange, SyncDictionary, ValueMut};
pub use interpolated::{Interpolated, interpolated};
pub use lineage::{Lineage, Place};
pub use list::{ElementMut, ListChange, ListEdit, SyncList};
pub use operators::Operand;
pub use set::{SetChange, SyncHashSet, SyncSortedSet};
pub use throttled::{Throttled, throttled};
pub use unnoticed::NoticesWrites;
pub use var::SyncVar;

use std::hash::Hash;

use crate::schema::{FieldSchema, TypeSchema};
use crate::{NetworkReader, NetworkWriter, ReadError, SyncValue};

/// One field of a behaviour: it tracks its changes and writes itself as a snapshot or as a
/// delta. [`SyncVar`] is the usual one; implement the trait for a custom container.
///
/// A new observer of the object receives the snapshot of the field, the present observers its
/// delta. Dirty state is cleared in between, so a change reaches each
/// client exactly once.
///
/// ```
/// use syncvar::{SyncField, schema::TypeSchema, wire::{NetworkReader, NetworkWriter, ReadError}};
///
/// /// A score that only ever grows: the change is the difference. Nobody may put a new one into the
/// /// A score that only grows: the delta is the difference. Do not assign a new score to a field that
/// /// clients know: a difference cannot express that, see `notice_replacement`.
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
    /// Description of the type. Both ends compare it at connect.
    const SCHEMA: TypeSchema;

    /// A delta written after [`set_dirty`](Self::set_dirty) repairs every loss of earlier deltas. True
    /// where deltas are values, false where they are differences. A client with a
    /// `Budget` receives the snapshot of an object instead where it is false.
    const RESENDABLE: bool = false;

    /// Returns whether the field has a change to send.
    fn is_dirty(&self) -> bool;

    /// Makes the field dirty without a change of value: it will be sent again.
    fn set_dirty(&mut self);

    /// Makes the field dirty after the read of an owner's deltas, which go on to the other connections.
    /// The default sends the value as a whole; a field that has recorded the deltas as changes of its own
    /// ([`NetworkReader::is_relaying`]) is dirty already.
    fn relay(&mut self) {
        self.set_dirty();
    }

    /// Discards the change: it has been sent as a delta or as part of a snapshot.
    fn clear_dirty(&mut self);

    /// Like [`clear_dirty`](Self::clear_dirty), on an object: observers have the content as that of this
    /// place. The default forgets the place.
    fn clear_dirty_at(&mut self, place: Place) {
        let _ = place;
        self.clear_dirty();
    }

    /// Makes the field dirty if it has replaced a field that clients know: it was created since the last
    /// [`clear_dirty`](Self::clear_dirty), or [sent](Self::clear_dirty_at) at another place. The server calls
    /// this after each write access to the behaviour. The default does nothing: it does not notice a
    /// field that was moved here.
    fn notice_replacement(&mut self, place: Place) {
        let _ = place;
    }

    /// Returns whether the field was sent at this place and not moved since. After `false` the behaviour receives
    /// another lineage, so that a field that was moved out is noticed when it returns. The default returns
    /// `true`; a field that stores its place compares it.
    fn is_at(&self, place: Place) -> bool {
        let _ = place;
        true
    }

    /// Changes the stored place, not the dirty state: the behaviour has another lineage. The default does
    /// nothing; a field that stores its place replaces it.
    fn set_place(&mut self, place: Place) {
        let _ = place;
    }

    /// Announces whether the object has observers. The server passes `false` when it finds a change without
    /// observers, and `true` before it writes a snapshot. A field with operations need not keep
    /// them without observers.
    /// The default does nothing.
    fn set_observed(&mut self, observed: bool) {
        let _ = observed;
    }

    /// Sets the operation log of a collection. Does nothing unless implemented.
    ///
    /// A collection with a [full](OperationLog::Full) log records operations while it is
    /// [observed](Self::set_observed), and is dirty for these only. `set_observed(false)` discards
    /// them. A collection that is dirty at this call counts as observed, since it has replaced another
    /// one: its next delta empties and refills it. For one that was merely filled before the object had
    /// observers, call `set_observed(false)`. Snapshots state the number of pending operations and
    /// change no state. A full log has no limit: it grows with the operations between two updates.
    fn set_log(&mut self, log: OperationLog) {
        let _ = log;
    }

    /// Adds the dirty bit of the field to a mask if it is dirty.
    #[inline]
    fn collect_dirty(&self, bit: u64, dirty_bits: &mut u64) {
        if self.is_dirty() {
            *dirty_bits |= bit;
        }
    }

    /// Passes the field to a visitor. The derive calls it where it does not know the type: each missing
    /// trait is then one error, at the type.
    #[inline]
    fn access(field: &mut Self) -> impl FieldAccess
    where
        Self: Sized,
    {
        field
    }

    /// Writes the snapshot.
    fn write_full(&self, writer: &mut NetworkWriter);

    /// Writes the delta.
    fn write_delta(&self, writer: &mut NetworkWriter);

    /// Reads the bytes of [`write_full`](Self::write_full).
    ///
    /// # Errors
    ///
    /// When the bytes are no valid snapshot. The field may be partly updated then, and the client requests the
    /// object again.
    fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError>;

    /// Reads the bytes of [`write_delta`](Self::write_delta). Does not make the field dirty.
    ///
    /// # Errors
    ///
    /// When the bytes are no valid delta, see [`read_full`](Self::read_full).
    fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError>;

    /// Takes over the content of another field of the type, marks the difference as a change, and
    /// leaves the other field clean. Returns whether the field has a change.
    ///
    /// The default compares the bytes of [`write_full`](Self::write_full) and reads different ones. It
    /// takes over no field whose bytes cannot be written.
    fn take_changes(&mut self, from: &mut Self) -> bool
    where
        Self: Sized,
    {
        from.clear_dirty();
        let (mut own, mut other) = (NetworkWriter::new(), NetworkWriter::new());
        self.write_full(&mut own);
        from.write_full(&mut other);
        let differs = own.as_bytes() != other.as_bytes();
        let error = other.take_error().map(|error| error.to_string());
        let error = error.or_else(|| {
            let mut reader = NetworkReader::new(other.as_bytes());
            let read = differs.then(|| self.read_full(&mut reader));
            read?.err().map(|error| error.to_string())
        });
        if let Some(error) = error {
            tracing::error!(error, "a field could not be taken over");
            return false;
        }
        if differs {
            self.set_dirty();
        }
        differs
    }
}

impl FieldSchema {
    /// Describes a field by its type.
    ///
    /// ```
    /// use syncvar::{SyncVar, schema::{FieldPolicy, FieldSchema, Readers}};
    ///
    /// let gold = FieldSchema::of::<SyncVar<u32>>("gold").policy(FieldPolicy {
    ///     readers: Readers::Owner,
    ///     ..FieldPolicy::DEFAULT
    /// });
    /// assert!(gold.resendable && !gold.initial_hook);
    /// assert_eq!(gold.to_string(), "u32, read by the owner");
    /// ```
    pub const fn of<F: SyncField>(name: &'static str) -> Self {
        Self::new(name, F::SCHEMA).resendable(F::RESENDABLE)
    }
}

/// Operations that a collection keeps for its next delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationLog {
    /// Operations merged into their common effect.
    Coalesced,
    /// Every operation in order, as Mirror's protocol sends them.
    Full {
        /// Limit of the operations that snapshots of a replaced collection have left to later deltas.
        /// The new collection is emptied as many times first; clients that expect them pass over these.
        pending: usize,
    },
}

/// Key of a [`SyncDictionary`] or element of a [`SyncHashSet`]: any value with `Hash`
/// and `Eq`, by a blanket implementation.
///
/// Equal keys must have equal bytes, because clients know only the bytes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a key of a dictionary or an element of a hash set",
    label = "keys travel, and are found by `Hash` and `Eq`",
    note = "for a struct or enum of your own write `#[derive(SyncValue, Clone, PartialEq, Eq, Hash)]` above it"
)]
pub trait HashKey: SyncValue + Hash + Eq {}

#[diagnostic::do_not_recommend]
impl<T: SyncValue + Hash + Eq> HashKey for T {}

/// Element of a [`SyncSortedSet`]: any value with `Ord`, by a blanket
/// implementation.
///
/// Equal elements must have equal bytes, because clients know only the
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
    label = "this field keeps no previous value",
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
    /// When [`SyncField::read_delta`] fails.
    fn read_delta_with_previous(
        &mut self,
        reader: &mut NetworkReader<'_>,
    ) -> Result<Option<Self::Previous>, ReadError>;

    /// Returns the present value for a later comparison: for the hooks of a host, which reads no
    /// bytes (`NetworkServer::connect_local`). The default, `None`,
    /// runs no hook there for this field.
    fn remembered(&self) -> Option<Self::Previous> {
        None
    }

    /// Returns whether the field differs from the result of [`remembered`](Self::remembered). Leaves the
    /// argument of the hook in `previous`, or `None` without a difference.
    fn has_changed_since(&self, previous: &mut Option<Self::Previous>) -> bool {
        *previous = None;
        false
    }

    /// Like [`SyncField::take_changes`]; stores the argument of the hook for a field that differs.
    fn take_changes_with_previous(
        &mut self,
        from: &mut Self,
        previous: &mut Option<Self::Previous>,
    ) -> bool
    where
        Self: Sized,
    {
        *previous = self.remembered();
        let changed = self.take_changes(from);
        self.has_changed_since(previous);
        changed
    }

    /// Passes the field to a visitor, like [`SyncField::access`].
    #[inline]
    fn hooked<'a>(field: &'a mut Self, previous: &'a mut Option<Self::Previous>) -> impl FieldAccess
    where
        Self: Sized,
    {
        hooked(field, previous)
    }
}
