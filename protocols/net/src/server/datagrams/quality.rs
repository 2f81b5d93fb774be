//! `Losses`: delay and losses of the datagrams to one connection.

use std::time::Duration;

use syncvar_runtime::{ConnectionId, ObjectError};

use crate::server::NetworkServer;

/// Delay and losses of the datagrams to one connection: [`NetworkServer::losses`].
///
/// ```
/// use std::time::Duration;
/// use syncvar::testing::Conditions;
/// use syncvar::{ServerConfig, prelude::*};
///
/// #[derive(NetworkBehaviour, Default)]
/// #[network_behaviour(channel = unreliable, send_interval = 0)]
/// struct Ship {
///     #[sync_var]
///     x: SyncVar<f32>,
/// }
///
/// let prefabs = || Prefabs::new().register::<Ship>("ship");
/// let link = Conditions { loss: 0.2, ..Conditions::default() };
/// let mut net = MemoryNetwork::with_config(prefabs, ServerConfig::default(), link);
/// net.connect();
/// let ship = net.server.spawn(Ship::default());
/// for step in 0..100_u8 {
///     net.server.get_mut::<Ship>(ship).unwrap().x.set(step.into());
///     net.step();
/// }
/// net.settle();
/// let losses = net.server.losses(net.connection(0))?.unwrap();
/// assert!(losses.loss > 0.05, "{losses:?}");
/// assert_eq!(net.client(0).get::<Ship>(ship).unwrap().x, 99.0);
/// # Ok::<(), syncvar::error::ObjectError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Losses {
    /// Round trip, smoothed over the acknowledgements.
    pub rtt: Duration,
    /// Smoothed deviation of single round trips from `rtt`.
    pub jitter: Duration,
    /// Lost part of the last datagrams with a decided fate, 0 to 1.
    pub loss: f32,
    /// Datagrams that were declared lost and acknowledged later.
    pub spurious: u64,
    /// Undecided datagrams.
    pub flying: usize,
    /// Objects with lost or withheld changes.
    pub backlog: usize,
    /// Objects whose snapshot or long field the stream carries while older datagrams are undecided.
    pub shown: usize,
    /// Behaviours that were sent again after a loss, each with its lost fields.
    pub repaired: u64,
    /// Behaviours that were owed when the connection was attached again.
    pub caught_up: u64,
    /// Times that the connection was detached after it became ready.
    pub detached: u64,
    /// Time in the detached state, in which no state is sent; `None` for an attached connection.
    pub detached_for: Option<Duration>,
    /// Acknowledgements of packets that were never sent.
    pub bad_acks: u64,
}

impl NetworkServer {
    /// Returns the delay and the losses of the datagrams to a connection; `None` on a transport without
    /// datagrams.
    ///
    /// # Errors
    ///
    /// [`ObjectError::NotConnected`] for an unknown connection.
    pub fn losses(&self, connection: ConnectionId) -> Result<Option<Losses>, ObjectError> {
        let known = self.sessions.connections.get(connection.0);
        let known = known.ok_or(ObjectError::NotConnected(connection))?;
        let Some(datagrams) = &known.datagrams else {
            return Ok(None);
        };
        let (sender, loss) = (&datagrams.sender, datagrams.sender.loss());
        let round_trip = sender.round_trip();
        let backlog = known.backlog.as_ref();
        Ok(Some(Losses {
            rtt: round_trip.smoothed(),
            jitter: round_trip.variation(),
            loss: loss.rate(),
            spurious: loss.spurious,
            flying: loss.flying,
            backlog: backlog.map_or(0, |backlog| backlog.entries.len()),
            shown: datagrams.shown.len(),
            repaired: datagrams.counts.repaired,
            caught_up: datagrams.counts.caught_up,
            detached: datagrams.counts.detached,
            detached_for: sender.detached_for(self.clock.now()),
            bad_acks: sender.bad_acks(),
        }))
    }
}
