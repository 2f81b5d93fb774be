//! `Formed`: access to a variable whose value has its own form.

use std::marker::PhantomData;

use super::{FieldAccess, VariableAccess};
use crate::wire::ValueForm;
use crate::{NetworkReader, NetworkWriter, OperationLog, Place, ReadResult, SyncVar};

/// Access to a variable whose value has its own form ([`SyncValue::form`](crate::SyncValue::form)), with or without a hook; see
/// [`variable`], [`hooked_variable`], [`encoded`] and [`encoded_hook`].
#[derive(Debug)]
pub struct Formed<'a, F, T, const HOOK: bool, const ENCODED: bool> {
    field: &'a mut SyncVar<T>,
    previous: Option<&'a mut Option<T>>,
    form: PhantomData<F>,
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

impl<F, T, const HOOKED: bool, const CODEC: bool> FieldAccess for Formed<'_, F, T, HOOKED, CODEC>
where
    F: ValueForm<T>,
    T: 'static,
{
    const HOOK: bool = HOOKED;
    const ENCODED: bool = CODEC;

    type Field = SyncVar<T>;

    #[inline]
    fn field_mut(&mut self) -> &mut SyncVar<T> {
        self.field
    }

    #[inline]
    fn take_changes(&mut self, from: &mut SyncVar<T>) -> bool {
        let mut former = None;
        let previous = self.previous.as_deref_mut().unwrap_or(&mut former);
        let changed = self.field.take_value(from, F::same, F::copy, previous);
        if CODEC && previous.is_none() {
            // The value may differ although its bytes do not.
            *self.field.received() = F::copy(from);
        }
        changed
    }

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
    fn clear_dirty_at(&mut self, place: Place) {
        self.field.clear_dirty_at(place);
    }

    #[inline]
    fn notice_replacement(&mut self, place: Place) {
        self.field.notice_replacement(place);
    }

    #[inline]
    fn is_at(&self, place: Place) -> bool {
        self.field.is_at_place(place)
    }

    #[inline]
    fn set_place(&mut self, place: Place) {
        self.field.set_place(place);
    }

    #[inline]
    fn set_observed(&mut self, _: bool) {}

    #[inline]
    fn set_log(&mut self, _: OperationLog) {}

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
    fn begin_change(&mut self) {
        if let Some(previous) = &mut self.previous {
            **previous = self.field.is_sent().then(|| F::copy(self.field));
        }
    }

    #[inline]
    fn end_change(&mut self, place: Place) {
        if let Some(Some(before)) = &self.previous.as_deref()
            && F::same(self.field, before)
        {
            self.field.withdraw_change(place);
        }
    }

    #[inline]
    fn remember(&mut self) {
        if let Some(previous) = &mut self.previous {
            **previous = Some(F::copy(self.field));
        }
    }

    #[inline]
    fn has_changed(&mut self) -> bool {
        let Some(previous) = &mut self.previous else {
            return false;
        };
        if let Some(before) = &**previous
            && F::same(self.field, before)
        {
            **previous = None;
        }
        previous.is_some()
    }

    #[inline]
    fn skip_hook(&mut self) {
        if let Some(previous) = &mut self.previous {
            **previous = None;
        }
    }
}

impl<F, T, const HOOKED: bool, const CODEC: bool> VariableAccess for Formed<'_, F, T, HOOKED, CODEC>
where
    F: ValueForm<T>,
    T: 'static,
{
    type Value = T;

    fn value(&self) -> &T {
        self.field.get()
    }

    fn decode(reader: &mut NetworkReader<'_>) -> ReadResult<T> {
        F::read(reader)
    }
}
