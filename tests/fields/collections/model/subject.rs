//! What the four collections have in common for these tests, and `Watched`, which looks at each change
//! that reaches a client.

use std::fmt::Debug;
use std::ops::{Deref, DerefMut};

use proptest::prelude::*;
use syncvar::{
    SyncField,
    fields::{FieldPlace, HookField},
    schema::TypeSchema,
    wire::{NetworkReader, NetworkWriter, ReadError},
};

/// A collection, beside the type of `std` that it stands for.
pub(crate) trait Subject: HookField + Default {
    /// The type of `std`.
    type Model: Clone + PartialEq + Debug + Default + Send + Sync + 'static;
    /// Something that is done to both.
    type Op: Clone + Debug + 'static;

    fn op() -> BoxedStrategy<Self::Op>;
    fn content() -> BoxedStrategy<Self::Model>;
    fn from_model(model: &Self::Model) -> Self;
    fn model(&self) -> Self::Model;
    /// Does something to both, and compares what they say to it.
    fn act(&mut self, model: &mut Self::Model, op: &Self::Op);
    /// Does to the model what a hook was told, if that is possible.
    fn replay(model: &mut Self::Model, changes: &Self::Previous);
}

/// A collection that remembers what it was before a change came.
#[derive(Default)]
pub(crate) struct Watched<C: Subject> {
    inner: C,
    before: Option<C::Model>,
}

impl<C: Subject> Watched<C> {
    /// Called by a hook: what it is told, done to what was there before, makes what is there now. For a
    /// full state there is nothing that was there before, and no hook.
    pub(crate) fn check(&mut self, changes: &C::Previous) {
        let mut content = self.before.take().expect("a hook without a change");
        C::replay(&mut content, changes);
        assert_eq!(content, self.inner.model());
    }
}

impl<C: Subject> Deref for Watched<C> {
    type Target = C;

    fn deref(&self) -> &C {
        &self.inner
    }
}

impl<C: Subject> DerefMut for Watched<C> {
    fn deref_mut(&mut self) -> &mut C {
        &mut self.inner
    }
}

impl<C: Subject> SyncField for Watched<C> {
    const SCHEMA: TypeSchema = C::SCHEMA;
    const RESENDABLE: bool = C::RESENDABLE;

    fn is_dirty(&self) -> bool {
        self.inner.is_dirty()
    }
    fn set_dirty(&mut self) {
        self.inner.set_dirty();
    }
    fn clear_dirty(&mut self) {
        self.inner.clear_dirty();
    }
    fn place_mut(&mut self) -> Option<&mut FieldPlace> {
        self.inner.place_mut()
    }
    fn mark_replaced(&mut self) {
        self.inner.mark_replaced();
    }
    fn set_observed(&mut self, observed: bool) {
        self.inner.set_observed(observed);
    }
    fn write_full(&self, writer: &mut NetworkWriter) {
        self.inner.write_full(writer);
    }
    fn write_delta(&self, writer: &mut NetworkWriter) {
        self.inner.write_delta(writer);
    }
    fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.before = None;
        self.inner.read_full(reader)
    }
    fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.inner.read_delta(reader)
    }
}

impl<C: Subject> HookField for Watched<C> {
    type Previous = C::Previous;

    fn read_delta_with_previous(
        &mut self,
        reader: &mut NetworkReader<'_>,
    ) -> Result<Option<Self::Previous>, ReadError> {
        let before = self.inner.model();
        let told = self.inner.read_delta_with_previous(reader)?;
        if told.is_none() {
            assert_eq!(before, self.inner.model(), "nobody is told of this change");
        }
        self.before = told.is_some().then_some(before);
        Ok(told)
    }
}
