//! `View`: interpolated fields of a behaviour at one moment.

use std::marker::PhantomData;

use syncvar_runtime::motion::Moment;
use syncvar_runtime::object::{Nanos, Tracks};
use syncvar_runtime::{FieldBit, Inherits};

/// Interpolated fields of a behaviour at the view time of a client: [`NetworkClient::view`](crate::NetworkClient::view), and
/// on a server [`Past::view`](crate::Past::view).
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
    pub(crate) fn new(tracks: Option<&'a Tracks>, moment: Option<Moment<'a>>, own: u64) -> Self {
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
    /// `None` for a field that this client writes: its value is that of the replica. On a server `None` for a field
    /// without a history.
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

/// Returns the number of ticks from one delta of a behaviour with this send interval to the next.
#[inline]
pub(crate) fn ticks_of(interval: Nanos, tick_rate: u32) -> u32 {
    let ticks = interval.saturating_mul(tick_rate.into()) / 1_000_000_000;
    u32::try_from(ticks).unwrap_or(u32::MAX).saturating_add(1)
}
