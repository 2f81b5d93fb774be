//! `View`: interpolated fields of a behaviour at the view time.

use std::marker::PhantomData;

use syncvar_runtime::motion::Moment;
use syncvar_runtime::object::Tracks;
use syncvar_runtime::{FieldBit, Inherits};

/// Interpolated fields of a behaviour at the view time: [`NetworkClient::view`](crate::NetworkClient::view).
#[derive(Debug)]
pub struct View<'a, B> {
    tracks: Option<&'a Tracks>,
    /// `None` before the first tick.
    moment: Option<Moment<'a>>,
    /// Fields that this client writes.
    own: u64,
    behaviour: PhantomData<fn() -> B>,
}

impl<'a, B> View<'a, B> {
    pub(super) fn new(tracks: Option<&'a Tracks>, moment: Option<Moment<'a>>, own: u64) -> Self {
        Self {
            tracks,
            moment,
            own,
            behaviour: PhantomData,
        }
    }

    /// Returns the value of a field of `B` or of a base. Without ticks, as in
    /// [`Framing::Unet`](crate::Framing::Unet), it is the newest value.
    ///
    /// `None` for a field that this client writes: its value is that of the replica.
    #[inline]
    pub fn get<C, T: Clone + 'static>(&self, field: FieldBit<C, T>) -> Option<T>
    where
        B: Inherits<C>,
    {
        let (field, tracks) = (field.bit(), self.tracks?);
        if self.own & field != 0 {
            return None;
        }
        match &self.moment {
            Some(moment) => tracks.at(field, moment),
            None => tracks.newest(field),
        }
    }
}
