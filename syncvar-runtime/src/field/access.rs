//! Access to one field by kind: plain, with a hook, with a codec, with a threshold.
//!
//! `NetworkBehaviour::visit` shows each field through an access, which is a [`SyncField`] too: it adds the place of
//! the previous value, a codec or a threshold to the field.

mod formed;

pub use formed::{Formed, encoded, encoded_hook, hooked_variable, variable};

use std::any::Any;

use crate::motion::Moment;
use crate::schema::TypeSchema;
use crate::{
    FieldPlace, HookField, NetworkReader, NetworkWriter, OperationLog, ReadResult, SyncField,
    SyncValue, SyncVar,
};

/// Step with the previous value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreviousStep {
    /// With a codec: stores a clean value before a write.
    BeginChange,
    /// With a codec: withdraws a write with unchanged bytes.
    EndChange,
    /// With a hook: stores a copy of the value.
    Remember,
    /// With a hook: compares the value with the stored copy, and keeps the copy of a value that differs.
    Compare,
    /// With a hook: drops the previous value, so that the hook does not run.
    Skip,
}

/// Exchange of content between two fields of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// Swaps the fields.
    Swap,
    /// Takes over the content: see [`SyncField::take_changes`]. A field with a hook stores its previous value.
    TakeChanges,
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
pub trait VariableAccess: SyncField {
    /// Type of the value.
    type Value;

    /// Returns the value.
    fn value(&self) -> &Self::Value;

    /// Returns the value, to be overwritten without a change to send.
    fn value_mut(&mut self) -> &mut Self::Value;

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

/// Forwards the operations of every kind of access to the [`SyncField`] `$field`.
macro_rules! forward {
    (|$this:ident| $field:expr) => {
        const RESENDABLE: bool = false;

        #[inline]
        fn is_dirty(&self) -> bool {
            let $this = self;
            SyncField::is_dirty(&$field)
        }

        #[inline]
        fn set_dirty(&mut self) {
            let $this = self;
            SyncField::set_dirty(&mut $field);
        }

        #[inline]
        fn relay(&mut self) {
            let $this = self;
            SyncField::relay(&mut $field);
        }

        #[inline]
        fn clear_dirty(&mut self) {
            let $this = self;
            SyncField::clear_dirty(&mut $field);
        }

        #[inline]
        fn place_mut(&mut self) -> Option<&mut FieldPlace> {
            let $this = self;
            SyncField::place_mut(&mut $field)
        }

        #[inline]
        fn mark_replaced(&mut self) {
            let $this = self;
            SyncField::mark_replaced(&mut $field);
        }

        #[inline]
        fn set_observed(&mut self, observed: bool) {
            let $this = self;
            SyncField::set_observed(&mut $field, observed);
        }

        #[inline]
        fn set_log(&mut self, log: OperationLog) {
            let $this = self;
            SyncField::set_log(&mut $field, log);
        }

        // A call for each field costs a snapshot of Mirror a tenth.
        #[inline(always)]
        fn write_full(&self, writer: &mut NetworkWriter) {
            let $this = self;
            SyncField::write_full(&$field, writer);
        }

        #[inline]
        fn write_delta(&self, writer: &mut NetworkWriter) {
            let $this = self;
            SyncField::write_delta(&$field, writer);
        }

        #[inline]
        fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
            let $this = self;
            SyncField::read_full(&mut $field, reader)
        }
    };
}

/// Forwards all operations of an access around an inner access, the member `$field`.
macro_rules! forward_access {
    ($field:ident) => {
        const SCHEMA: TypeSchema = A::SCHEMA;
        const HOOK: bool = A::HOOK;
        const ENCODED: bool = A::ENCODED;

        forward!(|this| this.$field);

        #[inline]
        fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
            self.$field.read_delta(reader)
        }

        #[inline]
        fn previous(&mut self, step: PreviousStep) -> bool {
            self.$field.previous(step)
        }

        #[inline]
        fn as_any_mut(&mut self) -> Option<&mut dyn Any> {
            self.$field.as_any_mut()
        }

        #[inline]
        fn transfer(&mut self, other: &mut dyn Any, transfer: Transfer) -> bool {
            self.$field.transfer(other, transfer)
        }
    };
}

pub(super) use {forward, forward_access};

// Not a field of a user: an error lists the containers only.
#[diagnostic::do_not_recommend]
impl<F: SyncField + 'static> SyncField for &mut F {
    const SCHEMA: TypeSchema = F::SCHEMA;

    forward!(|this| **this);

    #[inline]
    fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
        SyncField::read_delta(*self, reader)
    }

    #[inline]
    fn as_any_mut(&mut self) -> Option<&mut dyn Any> {
        Some(*self)
    }

    #[inline]
    fn transfer(&mut self, other: &mut dyn Any, transfer: Transfer) -> bool {
        let Some(other) = other.downcast_mut::<F>() else {
            return false;
        };
        match transfer {
            Transfer::Swap => {
                std::mem::swap(*self, other);
                false
            }
            Transfer::TakeChanges => F::take_changes(self, other),
        }
    }
}

// Not a field of a user: an error lists the containers only.
#[diagnostic::do_not_recommend]
impl<F: HookField> SyncField for Hooked<'_, F> {
    const SCHEMA: TypeSchema = F::SCHEMA;
    const HOOK: bool = true;

    forward!(|this| *this.field);

    #[inline]
    fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
        *self.previous = self.field.read_delta_with_previous(reader)?;
        Ok(())
    }

    #[inline]
    fn previous(&mut self, step: PreviousStep) -> bool {
        match step {
            PreviousStep::BeginChange | PreviousStep::EndChange => {}
            PreviousStep::Remember => *self.previous = self.field.remembered(),
            PreviousStep::Compare => return self.field.has_changed_since(self.previous),
            PreviousStep::Skip => *self.previous = None,
        }
        false
    }

    #[inline]
    fn as_any_mut(&mut self) -> Option<&mut dyn Any> {
        Some(self.field)
    }

    #[inline]
    fn transfer(&mut self, other: &mut dyn Any, transfer: Transfer) -> bool {
        let Some(other) = other.downcast_mut::<F>() else {
            return false;
        };
        match transfer {
            Transfer::Swap => {
                std::mem::swap(self.field, other);
                false
            }
            Transfer::TakeChanges => self.field.take_changes_with_previous(other, self.previous),
        }
    }
}

impl<T: SyncValue> VariableAccess for &mut SyncVar<T> {
    type Value = T;

    fn value(&self) -> &T {
        self.get()
    }

    fn value_mut(&mut self) -> &mut T {
        self.received()
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

    fn value_mut(&mut self) -> &mut T {
        self.field.received()
    }

    fn decode(reader: &mut NetworkReader<'_>) -> ReadResult<T> {
        T::read(reader)
    }
}
