//! `View`: interpolated fields of a behaviour at one moment.

use std::marker::PhantomData;
use std::time::Duration;

use syncvar_runtime::motion::{Moment, Viewed};
use syncvar_runtime::unstable::object::Tracks;
use syncvar_runtime::{FieldBit, Inherits, NetworkBehaviour, NetworkTime};

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
    pub fn get<C, T: Viewed>(&self, field: FieldBit<C, T>) -> Option<T>
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

    /// Writes the values of all fields of the view into a behaviour of the program, without changes to send. Returns the
    /// bits of the written fields: those for which [`get`](Self::get) has a value.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// #[network_behaviour(send_interval = 0)]
    /// struct Player {
    ///     #[sync_var(interpolate = linear)]
    ///     x: SyncVar<f32>,
    ///     #[sync_var]
    ///     name: SyncVar<String>,
    /// }
    ///
    /// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Player>("player"));
    /// let id = net.server.spawn(Player::default());
    /// for _ in 0..40 {
    ///     net.server.get_mut::<Player>(id).unwrap().x += 1.0;
    ///     net.step();
    /// }
    /// let client = net.client(0);
    /// let mut shown = Player { name: "own".into(), ..Player::default() };
    /// let written = client.view_at::<Player>(id, net.now()).unwrap().write_into(&mut shown);
    /// assert_eq!(written, Player::X.bit());
    /// assert!(0.0 < *shown.x && *shown.x < *client.get::<Player>(id).unwrap().x);
    /// assert_eq!((shown.name.as_str(), shown.x.is_dirty()), ("own", false));
    /// ```
    pub fn write_into(&self, behaviour: &mut B) -> u64
    where
        B: NetworkBehaviour,
    {
        let tracks = self
            .tracks
            .map(|tracks| tracks.write_into(behaviour, !self.own, self.moment.as_ref()));
        tracks.unwrap_or_default()
    }
}

/// Returns the server's time of a view, for a tick of the wire. `first` is the tick of the network time in which
/// those of the wire begin. `None` beyond the range of times.
pub(crate) fn time_of(tick: f64, first: u64, tick_rate: u32) -> Option<NetworkTime> {
    #[expect(clippy::cast_precision_loss, reason = "far beyond any program's run")]
    let ticks = first as f64 + (tick - 1.0).max(0.0);
    let time = Duration::try_from_secs_f64(ticks / f64::from(tick_rate)).ok()?;
    Some(NetworkTime::new(time, tick_rate))
}
