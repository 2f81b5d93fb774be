//! Calls of the derived code on a [`SyncVar`].

use super::SyncVar;
use super::state::VarState;
use crate::field::{FieldPlace, HookField, SyncField};
use crate::schema::TypeSchema;
use crate::{NetworkReader, NetworkWriter, ReadError, SyncValue};

/// Calls of the derived code, also available as [`SyncField`] and [`HookField`].
impl<T> SyncVar<T> {
    /// Returns the value for overwriting by a received value; does not make the variable dirty.
    #[inline]
    pub const fn received(&mut self) -> &mut T {
        &mut self.value.0
    }

    /// Returns whether every observer has the value.
    #[inline]
    pub const fn is_sent(&self) -> bool {
        self.state.is_sent()
    }

    /// Returns the value for a later comparison.
    #[inline]
    pub fn remembered(&self) -> T
    where
        T: Clone,
    {
        self.value.0.clone()
    }

    /// Returns whether the value differs from an earlier one. Drops an equal one.
    #[inline]
    pub fn has_changed_since(&self, previous: &mut Option<T>) -> bool
    where
        T: SyncValue,
    {
        let former = previous.take();
        *previous = former.filter(|former| !self.value.0.same(former));
        previous.is_some()
    }

    /// Makes the variable clean: its value travels as the same bytes as its last clean value.
    /// Keeps a forced variable dirty.
    #[inline]
    pub const fn withdraw_change(&mut self) {
        if self.state.is_dirty() && !self.state.is_forced() {
            self.state = self.state.unchanged();
        }
    }

    /// Forgets the change, which a second variable takes over. A new variable stays new: clients have it
    /// at no place. Returns whether it was forced.
    #[inline]
    const fn leave_changes(&mut self) -> bool {
        let forced = self.state.is_forced();
        self.state = self.state.unchanged();
        forced
    }

    /// Takes over the value of a variable, and leaves that one clean. Returns whether it is due; `previous`
    /// receives a previous value that differs.
    #[inline]
    pub(crate) fn take_value(
        &mut self,
        from: &mut Self,
        same: impl FnOnce(&T, &T) -> bool,
        copy: impl FnOnce(&T) -> T,
        previous: &mut Option<T>,
    ) -> bool {
        let forced = from.leave_changes();
        *previous = None;
        if !same(&self.value.0, &from.value.0) {
            let value = copy(&from.value.0);
            *previous = Some(std::mem::replace(&mut **self, value));
        }
        if forced {
            self.set_dirty();
        }
        forced || previous.is_some()
    }

    /// Appends the snapshot.
    #[inline]
    pub fn write_full(&self, writer: &mut NetworkWriter)
    where
        T: SyncValue,
    {
        self.value.0.write(writer);
    }

    /// Appends the delta.
    #[inline]
    pub fn write_delta(&self, writer: &mut NetworkWriter)
    where
        T: SyncValue,
    {
        self.value.0.write(writer);
    }

    /// Reads the bytes of [`write_full`](Self::write_full).
    ///
    /// # Errors
    ///
    /// When the bytes do not hold such a field.
    #[inline]
    pub fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError>
    where
        T: SyncValue,
    {
        self.value.0.read_in_place(reader)
    }

    /// Reads the bytes of [`write_delta`](Self::write_delta); does not make the field dirty.
    ///
    /// # Errors
    ///
    /// When the bytes do not hold such a change.
    #[inline]
    pub fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError>
    where
        T: SyncValue,
    {
        self.value.0.read_in_place(reader)
    }

    /// Like [`read_delta`](Self::read_delta); returns the previous value if the field has changed.
    ///
    /// # Errors
    ///
    /// Like [`read_delta`](Self::read_delta).
    #[inline]
    pub fn read_delta_with_previous(
        &mut self,
        reader: &mut NetworkReader<'_>,
    ) -> Result<Option<T>, ReadError>
    where
        T: SyncValue,
    {
        self.value.0.read_with_previous(reader)
    }
}

impl<T: SyncValue> SyncField for SyncVar<T> {
    const SCHEMA: TypeSchema = T::SCHEMA;
    const RESENDABLE: bool = true;

    #[inline]
    fn is_dirty(&self) -> bool {
        self.state.is_dirty()
    }

    #[inline]
    fn set_dirty(&mut self) {
        self.state = self.state.with(VarState::FORCED);
    }

    #[inline]
    fn clear_dirty(&mut self) {
        self.state = self.state.unchanged();
        self.state.0.note_sent();
    }

    #[inline]
    fn place_mut(&mut self) -> Option<&mut FieldPlace> {
        Some(&mut self.state.0)
    }

    #[inline]
    fn mark_replaced(&mut self) {
        self.state = self.state.with(VarState::DIRTY);
    }

    #[expect(
        clippy::inline_always,
        reason = "a call for each field costs a snapshot of Mirror a tenth"
    )]
    #[inline(always)]
    fn write_full(&self, writer: &mut NetworkWriter) {
        self.value.0.write(writer);
    }

    #[inline]
    fn write_delta(&self, writer: &mut NetworkWriter) {
        self.value.0.write(writer);
    }

    #[inline]
    fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.value.0.read_in_place(reader)
    }

    #[inline]
    fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.value.0.read_in_place(reader)
    }

    #[inline]
    fn take_changes(&mut self, from: &mut Self) -> bool {
        let forced = from.leave_changes();
        let differs = !self.value.0.same(&from.value.0);
        if differs {
            // Keeps the memory of the previous value.
            T::clone_from(self, &from.value.0);
        }
        if forced {
            self.set_dirty();
        }
        forced || differs
    }
}

impl<T: SyncValue> HookField for SyncVar<T> {
    type Previous = T;

    #[inline]
    fn take_changes_with_previous(&mut self, from: &mut Self, previous: &mut Option<T>) -> bool {
        self.take_value(from, T::same, T::clone, previous)
    }

    #[inline]
    fn read_delta_with_previous(
        &mut self,
        reader: &mut NetworkReader<'_>,
    ) -> Result<Option<T>, ReadError> {
        self.read_delta_with_previous(reader)
    }

    #[inline]
    fn remembered(&self) -> Option<T> {
        Some(self.remembered())
    }

    #[inline]
    fn has_changed_since(&self, previous: &mut Option<T>) -> bool {
        self.has_changed_since(previous)
    }
}
