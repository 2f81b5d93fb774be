//! `SyncField`: the owner of a bit of a behaviour's dirty mask.

mod access;
mod collection;
pub mod dictionary;
pub mod hash_set;
mod interpolated;
mod iterators;
mod keys;
mod list;
mod mirror;
pub(crate) mod numbers;
mod operation;
mod operators;
mod place;
mod record;
mod set;
mod throttled;
mod unnoticed;
mod var;

pub use access::{
    Formed, History, Hooked, PreviousStep, Recording, Transfer, VariableAccess, encoded,
    encoded_hook, hooked, hooked_variable, variable,
};
pub(crate) use collection::charge_entries;
pub use dictionary::{DictionaryChange, SyncDictionary, ValueMut};
pub use interpolated::{Interpolated, interpolated};
pub(crate) use list::{Edited, out_of_range};
pub use list::{ElementMut, ListChange, ListEdit, SyncList};
pub use operation::OperationLog;
pub use operators::Operand;
pub use place::{FieldPlace, Lineage};
pub use set::{SetChange, SyncHashSet, SyncSortedSet};
pub use throttled::{Throttled, throttled};
pub use unnoticed::NoticesWrites;
pub use var::SyncVar;

use std::any::Any;
use std::hash::Hash;

use crate::motion::{AnyTrack, Moment};
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
/// /// A score that only grows: the delta is the difference. Do not assign a new score to a field that
/// /// clients know: a difference cannot express that, see `place_mut`.
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
///     // A snapshot and a delta are a `u32` each, so that clients of other builds know their lengths.
///     const SCHEMA: TypeSchema = TypeSchema::measured::<u32>(&TypeSchema::Named("Score"));
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
pub trait SyncField: Send + Sync {
    /// Description of the type. Both ends compare it at connect.
    const SCHEMA: TypeSchema;

    /// A delta written after [`set_dirty`](Self::set_dirty) repairs every loss of earlier deltas. True
    /// where deltas are values, false where they are differences. A client with a
    /// `Budget` receives the snapshot of an object instead where it is false.
    const RESENDABLE: bool = false;

    /// Set for a field with a hook. Containers leave it: accesses such as [`Hooked`] set it.
    const HOOK: bool = false;

    /// Set for a field with a codec, whose bytes a write may leave unchanged. Containers leave it.
    const ENCODED: bool = false;

    /// Set for a field with values between its samples. Containers leave it.
    const INTERPOLATED: bool = false;

    /// Returns whether the field has a change to send.
    fn is_dirty(&self) -> bool;

    /// Makes the field dirty without a change of value: it will be sent again.
    fn set_dirty(&mut self);

    /// Makes the field dirty after the read of an owner's deltas, which are relayed.
    /// The default sends the value as a whole; a field that has recorded the deltas as changes of its own
    /// ([`NetworkReader::is_relaying`]) is dirty already.
    fn relay(&mut self) {
        self.set_dirty();
    }

    /// Discards the change: it has been sent as a delta or as part of a snapshot.
    fn clear_dirty(&mut self);

    /// Returns the stored place. The server asks for it after each write access to the behaviour: a field that was
    /// created or moved here since its last send is [replaced](Self::mark_replaced). The default, `None`, does not
    /// notice that; a container notices it by a [`FieldPlace`] among its members.
    fn place_mut(&mut self) -> Option<&mut FieldPlace> {
        None
    }

    /// Makes the field dirty: observers have the content of the replaced field. The default is
    /// [`set_dirty`](Self::set_dirty).
    fn mark_replaced(&mut self) {
        self.set_dirty();
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
    /// them. A collection that is dirty at this call counts as observed, since it has replaced a
    /// collection: its next delta empties and refills it. For a collection that was merely filled before the object had
    /// observers, call `set_observed(false)`. Snapshots state the number of pending operations and
    /// change no state. A full log is unlimited: it grows with the operations between two updates.
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
    fn access(field: &mut Self) -> impl SyncField
    where
        Self: Sized + 'static,
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
    /// When the bytes are not a valid snapshot. The field may be partly updated then, and the client requests the
    /// object again.
    fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError>;

    /// Reads the bytes of [`write_delta`](Self::write_delta). Does not make the field dirty.
    ///
    /// # Errors
    ///
    /// When the bytes are not a valid delta, see [`read_full`](Self::read_full).
    fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError>;

    /// Takes over the content of a second field of the type, marks the difference as a change, and
    /// leaves the second field clean. Returns whether the field has a change.
    ///
    /// The default compares the bytes of [`write_full`](Self::write_full) and reads different bytes. It
    /// takes over no field whose bytes cannot be written.
    fn take_changes(&mut self, from: &mut Self) -> bool
    where
        Self: Sized,
    {
        from.clear_dirty();
        let (mut own, mut other) = (NetworkWriter::new(), NetworkWriter::new());
        Self::write_full(self, &mut own);
        Self::write_full(from, &mut other);
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

    /// Takes a step with the previous value, which accesses store. Returns the result of
    /// [`PreviousStep::Compare`]. Containers leave it.
    fn previous(&mut self, step: PreviousStep) -> bool {
        let _ = step;
        false
    }

    /// Returns whether the value exceeds its threshold, measured from the last sent value. Containers leave it.
    fn is_beyond_threshold(&self, last_sent: &mut NetworkReader<'_>) -> bool {
        let _ = last_sent;
        true
    }

    /// Adds the value as the sample of a tick, and creates the track with the first sample. Containers leave it.
    fn record_sample(
        &self,
        track: &mut Option<Box<dyn AnyTrack>>,
        tick: u32,
        recording: Recording<'_>,
    ) {
        let _ = (track, tick, recording);
    }

    /// Takes the value of a track at a moment, or the newest one, without a change to send. Returns whether there is
    /// one. Containers leave it.
    fn show_sample(&mut self, track: &dyn AnyTrack, moment: Option<&Moment<'_>>) -> bool {
        let _ = (track, moment);
        false
    }

    /// Returns the container behind an access, for [`transfer`](Self::transfer). Containers leave it.
    fn as_any_mut(&mut self) -> Option<&mut dyn Any> {
        None
    }

    /// Exchanges content with the same field of a second behaviour, which
    /// [`as_any_mut`](Self::as_any_mut) has returned. Returns whether the field has a change. Containers leave it.
    fn transfer(&mut self, other: &mut dyn Any, transfer: Transfer) -> bool {
        let _ = (other, transfer);
        false
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
pub trait HookField: SyncField + 'static {
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
    fn hooked<'a>(field: &'a mut Self, previous: &'a mut Option<Self::Previous>) -> impl SyncField
    where
        Self: Sized,
    {
        hooked(field, previous)
    }
}
