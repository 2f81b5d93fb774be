//! `LinkQuality`: delay and losses of the connection, and the losses of the client's own datagrams.

use std::time::Duration;

use super::NetworkClient;
use crate::link::losses::Losses;

/// Delay and losses of a client's connection: [`NetworkClient::link_quality`]. Of the client's own datagrams
/// [`NetworkClient::losses`] tells.
///
/// The datagrams are counted since the server has accepted the connection. On a transport without datagrams, and
/// in [`Framing::Unet`](crate::Framing::Unet), their numbers are 0.
///
/// ```
/// use std::time::Duration;
/// use syncvar::prelude::*;
///
/// let mut net = MemoryNetwork::pair(Prefabs::new);
/// net.settle();
/// let quality = net.client(0).link_quality();
/// assert_eq!((quality.missing, quality.owed), (0, false));
/// if quality.since_last > Duration::from_secs(1) {
///     println!("no packet of the server for a second");
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinkQuality {
    /// Round trip, smoothed over the last pings; `None` before the first answer.
    pub rtt: Option<Duration>,
    /// Smoothed deviation of single round trips from `rtt`.
    pub jitter: Option<Duration>,
    /// Applied datagrams.
    pub received: u64,
    /// Datagrams below the newest applied one that were not applied: lost, late or early.
    pub missing: u64,
    /// Datagrams that arrived again, or more than 64 datagrams too late.
    pub duplicates: u64,
    /// Datagrams that arrived before reliable packets that precede them.
    pub early: u64,
    /// Whether the server still had older changes to send after the newest datagram.
    pub owed: bool,
    /// Own time since the last packet of the server.
    pub since_last: Duration,
}

impl NetworkClient {
    /// Returns the delay of the connection, and the losses of the server's datagrams.
    pub fn link_quality(&self) -> LinkQuality {
        let arrivals = self.arrivals.as_ref();
        let datagrams = arrivals.and_then(|arrivals| arrivals.datagrams.as_ref());
        let stats = datagrams.map(|datagrams| datagrams.receiver().stats());
        let stats = stats.unwrap_or_default();
        LinkQuality {
            rtt: self.round_trip_time(),
            jitter: self.round_trip_deviation(),
            received: stats.received,
            missing: stats.missing,
            duplicates: stats.duplicates,
            early: stats.early,
            owed: datagrams.is_some_and(|datagrams| datagrams.is_owed()),
            since_last: self.now().saturating_sub(self.session.last_packet),
        }
    }

    /// Returns the delay and the losses of the datagrams with this client's writes and unreliable commands, as far
    /// as the server has acknowledged them; `None` before the connection, on a transport without datagrams, and in
    /// [`Framing::Unet`](crate::Framing::Unet).
    ///
    /// ```
    /// use syncvar::testing::Conditions;
    /// use syncvar::{ServerConfig, prelude::*};
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// #[network_behaviour(channel = unreliable, send_interval = 0)]
    /// struct Tank {
    ///     #[sync_var(write = owner)]
    ///     aim: SyncVar<u8>,
    /// }
    ///
    /// let prefabs = || Prefabs::new().register::<Tank>("tank");
    /// let link = Conditions { loss: 0.2, ..Conditions::default() };
    /// let mut net = MemoryNetwork::with_config(prefabs, ServerConfig::default(), link);
    /// net.connect();
    /// let tank = net.server.spawn(Tank::default());
    /// net.server.set_owner(tank, Some(net.connection(0)))?;
    /// net.settle();
    /// for step in 0..100_u8 {
    ///     net.client_mut(0).get_mut::<Tank>(tank)?.aim.set(step);
    ///     net.step();
    /// }
    /// net.settle();
    /// let losses = net.client(0).losses().unwrap();
    /// assert!(losses.loss > 0.05, "{losses:?}");
    /// assert_eq!((losses.flying, losses.backlog), (0, 0));
    /// assert_eq!(net.server.get::<Tank>(tank).unwrap().aim, 99);
    /// # Ok::<(), syncvar::error::ObjectError>(())
    /// ```
    pub fn losses(&self) -> Option<Losses> {
        let lossy = self.outbound.lossy.as_ref()?;
        Some(lossy.losses(self.now()))
    }
}
