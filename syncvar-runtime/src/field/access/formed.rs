//! `Formed`: access to a variable whose value has its own form.

use std::any::Any;
use std::marker::PhantomData;

use super::{PreviousStep, Transfer, VariableAccess};
use crate::schema::TypeSchema;
use crate::wire::ValueForm;
use crate::{FieldPlace, NetworkReader, NetworkWriter, ReadResult, SyncField, SyncVar};

/// Access to a variable whose value has its own form ([`SyncValue::form`](crate::SyncValue::form)), with or without a hook; see
/// [`variable`], [`hooked_variable`], [`encoded`] and [`encoded_hook`].
#[derive(Debug)]
pub struct Formed<'a, F, T, const HOOK: bool, const ENCODED: bool> {
    field: &'a mut SyncVar<T>,
    previous: Option<&'a mut Option<T>>,
    form: PhantomData<fn() -> F>,
}

/// Creates the access to a variable whose value has this form.
#[inline]
pub fn variable<F: ValueForm<T>, T>(
    field: &mut SyncVar<T>,
    _form: F,
) -> Formed<'_, F, T, false, false> {
    let (previous, form) = (None, PhantomData);
    Formed {
        field,
        previous,
        form,
    }
}

/// Creates the access to a variable with a hook, whose value has this form.
#[inline]
pub fn hooked_variable<'a, F: ValueForm<T>, T>(
    field: &'a mut SyncVar<T>,
    previous: &'a mut Option<T>,
    _form: F,
) -> Formed<'a, F, T, true, false> {
    let (previous, form) = (Some(previous), PhantomData);
    Formed {
        field,
        previous,
        form,
    }
}

/// Creates the access to a variable with a codec, such as `<Half as SyncCodec<f32>>::form()`. `previous` holds its
/// value before a change.
#[inline]
pub fn encoded<'a, F: ValueForm<T>, T>(
    field: &'a mut SyncVar<T>,
    previous: &'a mut Option<T>,
    _form: F,
) -> Formed<'a, F, T, false, true> {
    let (previous, form) = (Some(previous), PhantomData);
    Formed {
        field,
        previous,
        form,
    }
}

/// Creates the access to a variable with a codec and a hook.
#[inline]
pub fn encoded_hook<'a, F: ValueForm<T>, T>(
    field: &'a mut SyncVar<T>,
    previous: &'a mut Option<T>,
    _form: F,
) -> Formed<'a, F, T, true, true> {
    let (previous, form) = (Some(previous), PhantomData);
    Formed {
        field,
        previous,
        form,
    }
}

// Not a field of a user: an error lists the containers only.
#[diagnostic::do_not_recommend]
impl<F, T, const HOOKED: bool, const CODEC: bool> SyncField for Formed<'_, F, T, HOOKED, CODEC>
where
    F: ValueForm<T>,
    T: Send + Sync + 'static,
{
    const SCHEMA: TypeSchema = F::SCHEMA;
    const HOOK: bool = HOOKED;
    const ENCODED: bool = CODEC;

    #[inline]
    fn is_dirty(&self) -> bool {
        self.field.is_dirty()
    }

    #[inline]
    fn set_dirty(&mut self) {
        self.field.set_dirty();
    }

    #[inline]
    fn clear_dirty(&mut self) {
        self.field.clear_dirty();
    }

    #[inline]
    fn place_mut(&mut self) -> Option<&mut FieldPlace> {
        Some(self.field.place())
    }

    #[inline]
    fn mark_replaced(&mut self) {
        self.field.mark_changed();
    }

    #[inline]
    fn write_full(&self, writer: &mut NetworkWriter) {
        F::write(self.field, writer);
    }

    #[inline]
    fn write_delta(&self, writer: &mut NetworkWriter) {
        F::write(self.field, writer);
    }

    #[inline]
    fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
        F::read_in_place(self.field.received(), reader)
    }

    #[inline]
    fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
        match &mut self.previous {
            Some(previous) if HOOKED => {
                **previous = F::read_with_previous(self.field.received(), reader)?;
                Ok(())
            }
            _ => F::read_in_place(self.field.received(), reader),
        }
    }

    #[inline]
    fn previous(&mut self, step: PreviousStep) -> bool {
        let Some(previous) = self.previous.as_deref_mut() else {
            return false;
        };
        match step {
            PreviousStep::BeginChange => {
                *previous = self.field.is_sent().then(|| F::copy(self.field));
            }
            PreviousStep::EndChange => {
                if { previous.as_ref() }.is_some_and(|before| F::same(self.field, before)) {
                    self.field.withdraw_change();
                }
            }
            PreviousStep::Remember => *previous = Some(F::copy(self.field)),
            PreviousStep::Compare => {
                previous.take_if(|before| F::same(self.field, before));
                return previous.is_some();
            }
            PreviousStep::Skip => *previous = None,
        }
        false
    }

    #[inline]
    fn as_any_mut(&mut self) -> Option<&mut dyn Any> {
        Some(self.field)
    }

    #[inline]
    fn transfer(&mut self, other: &mut dyn Any, transfer: Transfer) -> bool {
        let Some(other) = other.downcast_mut::<SyncVar<T>>() else {
            return false;
        };
        if transfer == Transfer::Swap {
            std::mem::swap(self.field, other);
            return false;
        }
        let mut former = None;
        let previous = self.previous.as_deref_mut().unwrap_or(&mut former);
        let changed = self.field.take_value(other, F::same, F::copy, previous);
        if CODEC && previous.is_none() {
            // The value may differ although its bytes do not.
            *self.field.received() = F::copy(other);
        }
        changed
    }
}

impl<F, T, const HOOKED: bool, const CODEC: bool> VariableAccess for Formed<'_, F, T, HOOKED, CODEC>
where
    F: ValueForm<T>,
    T: Send + Sync + 'static,
{
    type Value = T;

    fn value(&self) -> &T {
        self.field.get()
    }

    fn value_mut(&mut self) -> &mut T {
        self.field.received()
    }

    fn decode(reader: &mut NetworkReader<'_>) -> ReadResult<T> {
        F::read(reader)
    }
}
