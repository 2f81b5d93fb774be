//! `Shown`: the sample that a client begins to show.

use std::any::Any;

use super::{AnyTrack, Track};
use crate::SyncValue;
use crate::schema::FieldBit;

/// Type of the values of a field with `interpolate`, `on_view` or `history`: the fields of a view.
#[diagnostic::on_unimplemented(
    message = "a view has no value of this field: the field has no `interpolate`",
    label = "a field without `interpolate`",
    note = "write `#[sync_var(interpolate = linear)]` on the field, or `interpolate = nearest` for a state",
    note = "the newest value is that of the replica: `client.get::<B>(id)`"
)]
pub trait Viewed: Clone + 'static {}

#[diagnostic::do_not_recommend]
impl<T: SyncValue> Viewed for T {}

/// Sample that a client begins to show, for a hook at the view time.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    track: &'a dyn AnyTrack,
    field: u64,
    tick: u32,
}

impl<'a> Shown<'a> {
    /// Returns the sample of a field, by its dirty bit, in a tick of the wire.
    pub(crate) fn new(track: &'a dyn AnyTrack, field: u64, tick: u32) -> Self {
        Self { track, field, tick }
    }

    /// Returns the dirty bit of the field.
    pub fn field(&self) -> u64 {
        self.field
    }

    /// Returns the value, if the sample belongs to this field.
    pub fn value<B, T: Clone + 'static>(&self, field: FieldBit<B, T>) -> Option<T> {
        let track: &dyn Any = self.track;
        let track = track.downcast_ref::<Track<T>>();
        let track = track.filter(|_| field.bit() == self.field)?;
        track.sample(self.tick).cloned()
    }
}
