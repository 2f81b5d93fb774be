//! `Losses`: delay and losses of the datagrams that an end sends.

use std::time::Duration;

use super::sender::Sender;

/// Delay and losses of the datagrams that an end sends on one connection:
/// [`NetworkServer::losses`](crate::NetworkServer::losses),
/// [`NetworkClient::losses`](crate::NetworkClient::losses).
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
    /// Round trip, smoothed over the acknowledgements; 0 before the first one.
    pub rtt: Duration,
    /// Smoothed deviation of single round trips from `rtt`.
    pub jitter: Duration,
    /// Lost part of the last datagrams with a decided fate, 0 to 1.
    pub loss: f32,
    /// Datagrams that were declared lost and acknowledged later.
    pub spurious: u64,
    /// Undecided datagrams.
    pub flying: usize,
    /// Objects with lost or withheld changes, or with lost writes of a client.
    pub backlog: usize,
    /// Objects whose snapshot or long field the stream carries while older datagrams are undecided. On a client,
    /// objects whose writes it carries.
    pub shown: usize,
    /// Behaviours that were sent again after a loss, each with its lost fields.
    pub repaired: u64,
    /// Behaviours that were owed when the connection was attached again. A client is never detached: 0, like the
    /// next count.
    pub caught_up: u64,
    /// Times that the connection was detached after it became ready.
    pub detached: u64,
    /// Time in the detached state, in which no state is sent; `None` for an attached connection.
    pub detached_for: Option<Duration>,
    /// Acknowledgements of packets that were never sent.
    pub bad_acks: u64,
}

impl Losses {
    /// Returns the counts of a sender. Those beyond it are 0.
    pub(crate) fn of<O: Copy>(sender: &Sender<O>, now: Duration) -> Self {
        let (round_trip, loss) = (sender.round_trip(), sender.loss());
        Self {
            rtt: round_trip.smoothed(),
            jitter: round_trip.variation(),
            loss: loss.rate(),
            spurious: loss.spurious,
            flying: loss.flying,
            detached_for: sender.detached_for(now),
            bad_acks: sender.bad_acks(),
            ..Self::default()
        }
    }
}
