//! Access to one field by kind: plain, with a hook, with a codec, with a threshold.

mod formed;

pub use formed::{Formed, encoded, encoded_hook, hooked_variable, variable};

use crate::motion::{AnyTrack, Moment};
use crate::{
    HookField, NetworkReader, NetworkWriter, OperationLog, Place, ReadResult, SyncField, SyncValue,
    SyncVar,
};

/// Access to one field of a behaviour, as `NetworkBehaviour::visit`
/// passes it: `&mut field`, [`hooked`], [`encoded`], [`encoded_hook`], or [`throttled`](super::throttled()) around one.
pub trait FieldAccess {
    /// Set if the field has a hook.
    const HOOK: bool = false;
    /// Set if the field has a codec: a write may leave its bytes unchanged.
    const ENCODED: bool = false;
    /// Set if the field has values between its samples.
    const INTERPOLATED: bool = false;

    /// Type of the field.
    type Field: 'static;

    /// Returns the field.
    fn field_mut(&mut self) -> &mut Self::Field;
    /// Returns whether the field has a change to send.
    fn is_dirty(&self) -> bool;
    /// Makes the field dirty without a change.
    fn set_dirty(&mut self);
    /// Makes the field dirty after the read of an owner's deltas: see [`SyncField::relay`].
    fn relay(&mut self) {
        self.set_dirty();
    }
    /// Discards the change.
    fn clear_dirty(&mut self);
    /// Discards the change, which observers have received: see [`SyncField::clear_dirty_at`].
    fn clear_dirty_at(&mut self, place: Place);
    /// Makes the field dirty if it has replaced another one: see [`SyncField::notice_replacement`].
    fn notice_replacement(&mut self, place: Place);
    /// Returns whether the field was sent at this place: see [`SyncField::is_at`].
    fn is_at(&self, place: Place) -> bool {
        let _ = place;
        true
    }
    /// Changes the place: see [`SyncField::set_place`].
    fn set_place(&mut self, place: Place) {
        let _ = place;
    }
    /// Sets whether the object has observers: see [`SyncField::set_observed`].
    fn set_observed(&mut self, observed: bool);
    /// Sets the log of a collection: see [`SyncField::set_log`].
    fn set_log(&mut self, log: OperationLog);
    /// Writes the snapshot of the field.
    fn write_full(&self, writer: &mut NetworkWriter);
    /// Writes the delta.
    fn write_delta(&self, writer: &mut NetworkWriter);
    /// Reads a snapshot.
    ///
    /// # Errors
    ///
    /// When the bytes are malformed.
    fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> ReadResult<()>;
    /// Reads a delta. A field with a hook stores its previous value.
    ///
    /// # Errors
    ///
    /// When the bytes are malformed.
    fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> ReadResult<()>;
    /// Takes over a field of another behaviour: see [`SyncField::take_changes`]. A field with a hook
    /// stores its previous value.
    fn take_changes(&mut self, from: &mut Self::Field) -> bool;
    /// Stores a clean value, with a codec.
    fn begin_change(&mut self) {}
    /// Withdraws a write with unchanged bytes, with a codec.
    fn end_change(&mut self, place: Place) {
        let _ = place;
    }
    /// Stores a copy of the value, with a hook.
    fn remember(&mut self) {}
    /// Returns whether the value differs from the stored copy, and keeps the copy only
    /// then. For a field with a hook.
    fn has_changed(&mut self) -> bool {
        false
    }
    /// Drops the previous value, so that the hook does not run. For a field with a hook.
    fn skip_hook(&mut self) {}
    /// Returns whether the value exceeds its threshold, measured from the last sent one.
    fn is_beyond_threshold(&self, last_sent: &mut NetworkReader<'_>) -> bool {
        let _ = last_sent;
        true
    }
    /// Creates the track of its samples; `None` without [interpolation](Self::INTERPOLATED).
    fn new_track(&self) -> Option<Box<dyn AnyTrack>> {
        None
    }
    /// Adds the value as the sample of a tick to a track of [`new_track`](Self::new_track).
    fn record(&self, track: &mut dyn AnyTrack, tick: u32, recording: Recording<'_>) {
        let _ = (track, tick, recording);
    }
}

/// Track of a sample.
#[derive(Debug)]
pub enum Recording<'a> {
    /// Track of a client.
    Received,
    /// Track of a client whose view may have passed the newest sample.
    Seen(&'a Moment<'a>),
    /// History of a server, which has the values as they travel.
    History(&'a mut History),
}

/// Settings of the [history](crate::motion::Interpolation::history) of a server's fields, and memory for values with a codec.
#[derive(Debug)]
pub struct History {
    pub(crate) tick_rate: u32,
    pub(crate) writer: NetworkWriter,
}

/// Access to a [`SyncVar`] with a value that a [threshold](super::throttled()) compares.
pub trait VariableAccess: FieldAccess {
    /// Type of the value.
    type Value;

    /// Returns the value.
    fn value(&self) -> &Self::Value;

    /// Reads a value without storing it.
    ///
    /// # Errors
    ///
    /// When the bytes are malformed.
    fn decode(reader: &mut NetworkReader<'_>) -> ReadResult<Self::Value>;
}

/// Access to a field with a hook; see [`hooked`].
#[derive(Debug)]
pub struct Hooked<'a, F: HookField> {
    field: &'a mut F,
    previous: &'a mut Option<F::Previous>,
}

/// Creates the access to a field with a hook. `previous` holds the value for the hook.
#[inline]
pub const fn hooked<'a, F: HookField>(
    field: &'a mut F,
    previous: &'a mut Option<F::Previous>,
) -> Hooked<'a, F> {
    Hooked { field, previous }
}

/// Forwards the operations that every kind of field shares. `$of` is the trait of the inner value.
macro_rules! forward {
    ($of:path, |$this:ident| $field:expr) => {
        #[inline]
        fn is_dirty(&self) -> bool {
            let $this = self;
            <_ as $of>::is_dirty(&$field)
        }

        #[inline]
        fn set_dirty(&mut self) {
            let $this = self;
            <_ as $of>::set_dirty(&mut $field);
        }

        #[inline]
        fn relay(&mut self) {
            let $this = self;
            <_ as $of>::relay(&mut $field);
        }

        #[inline]
        fn clear_dirty(&mut self) {
            let $this = self;
            <_ as $of>::clear_dirty(&mut $field);
        }

        #[inline]
        fn clear_dirty_at(&mut self, place: Place) {
            let $this = self;
            <_ as $of>::clear_dirty_at(&mut $field, place);
        }

        #[inline]
        fn notice_replacement(&mut self, place: Place) {
            let $this = self;
            <_ as $of>::notice_replacement(&mut $field, place);
        }

        #[inline]
        fn is_at(&self, place: Place) -> bool {
            let $this = self;
            <_ as $of>::is_at(&$field, place)
        }

        #[inline]
        fn set_place(&mut self, place: Place) {
            let $this = self;
            <_ as $of>::set_place(&mut $field, place);
        }

        #[inline]
        fn set_observed(&mut self, observed: bool) {
            let $this = self;
            <_ as $of>::set_observed(&mut $field, observed);
        }

        #[inline]
        fn set_log(&mut self, log: OperationLog) {
            let $this = self;
            <_ as $of>::set_log(&mut $field, log);
        }

        // A call for each field costs a snapshot of Mirror a tenth.
        #[inline(always)]
        fn write_full(&self, writer: &mut NetworkWriter) {
            let $this = self;
            <_ as $of>::write_full(&$field, writer);
        }

        #[inline]
        fn write_delta(&self, writer: &mut NetworkWriter) {
            let $this = self;
            <_ as $of>::write_delta(&$field, writer);
        }

        #[inline]
        fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
            let $this = self;
            <_ as $of>::read_full(&mut $field, reader)
        }
    };
}

pub(super) use forward;

/// Forwards all operations of an access around another one, which `$field` names.
macro_rules! forward_access {
    ($field:ident) => {
        forward!(FieldAccess, |this| this.$field);

        #[inline]
        fn field_mut(&mut self) -> &mut Self::Field {
            self.$field.field_mut()
        }

        #[inline]
        fn take_changes(&mut self, from: &mut Self::Field) -> bool {
            self.$field.take_changes(from)
        }

        #[inline]
        fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
            self.$field.read_delta(reader)
        }

        #[inline]
        fn begin_change(&mut self) {
            self.$field.begin_change();
        }

        #[inline]
        fn end_change(&mut self, place: Place) {
            self.$field.end_change(place);
        }

        #[inline]
        fn remember(&mut self) {
            self.$field.remember();
        }

        #[inline]
        fn has_changed(&mut self) -> bool {
            self.$field.has_changed()
        }

        #[inline]
        fn skip_hook(&mut self) {
            self.$field.skip_hook();
        }
    };
}

pub(super) use forward_access;

impl<F: SyncField> FieldAccess for &mut F {
    type Field = F;

    forward!(SyncField, |this| **this);

    #[inline]
    fn field_mut(&mut self) -> &mut F {
        self
    }

    #[inline]
    fn take_changes(&mut self, from: &mut F) -> bool {
        SyncField::take_changes(*self, from)
    }

    #[inline]
    fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
        SyncField::read_delta(*self, reader)
    }
}

impl<F: HookField> FieldAccess for Hooked<'_, F> {
    const HOOK: bool = true;

    type Field = F;

    forward!(SyncField, |this| *this.field);

    #[inline]
    fn field_mut(&mut self) -> &mut F {
        self.field
    }

    #[inline]
    fn take_changes(&mut self, from: &mut F) -> bool {
        self.field.take_changes_with_previous(from, self.previous)
    }

    #[inline]
    fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
        *self.previous = self.field.read_delta_with_previous(reader)?;
        Ok(())
    }

    #[inline]
    fn remember(&mut self) {
        *self.previous = self.field.remembered();
    }

    #[inline]
    fn has_changed(&mut self) -> bool {
        self.field.has_changed_since(self.previous)
    }

    #[inline]
    fn skip_hook(&mut self) {
        *self.previous = None;
    }
}

impl<T: SyncValue> VariableAccess for &mut SyncVar<T> {
    type Value = T;

    fn value(&self) -> &T {
        self.get()
    }

    fn decode(reader: &mut NetworkReader<'_>) -> ReadResult<T> {
        T::read(reader)
    }
}

impl<T: SyncValue> VariableAccess for Hooked<'_, SyncVar<T>> {
    type Value = T;

    fn value(&self) -> &T {
        self.field.get()
    }

    fn decode(reader: &mut NetworkReader<'_>) -> ReadResult<T> {
        T::read(reader)
    }
}
