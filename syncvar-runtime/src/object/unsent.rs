//! Changes that a server has not sent, and why.

use std::fmt;
use std::time::Duration;

use crate::{ConnectionId, WriteError};

/// A field with a change that an observer lacks. A server returns it by `why_not_sent(object)`.
///
/// ```
/// use std::time::Duration;
/// use syncvar::prelude::*;
/// use syncvar::stats::UnsentReason;
///
/// #[derive(NetworkBehaviour, Default)]
/// #[network_behaviour(send_interval = 2.0)]
/// struct Clock {
///     #[sync_var]
///     hour: SyncVar<u8>,
/// }
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Clock>("clock"));
/// let id = net.server.spawn(Clock::default());
/// net.settle();
/// net.server.get_mut::<Clock>(id).unwrap().hour.set(3);
/// net.step();
/// let unsent = net.server.why_not_sent(id).unwrap();
/// assert_eq!((unsent[0].behaviour, unsent[0].field), ("Clock", "hour"));
/// assert!(matches!(unsent[0].reason, UnsentReason::SendInterval { .. }));
/// println!("{}", unsent[0]); // Clock.hour waits for the send interval, until 2s
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct UnsentField {
    /// Position of the behaviour on the object.
    pub index: usize,
    /// Name of the behaviour.
    pub behaviour: &'static str,
    /// Name of the field.
    pub field: &'static str,
    /// Reason of the delay.
    pub reason: UnsentReason,
}

/// Reason why a change has not been sent. Times are the server's own.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum UnsentReason {
    /// The next update sends it.
    NextUpdate,
    /// The send interval of the behaviour runs until this time.
    SendInterval {
        /// Time of the next send.
        due: Duration,
    },
    /// The interval or the threshold of the field holds it back.
    Throttled {
        /// Time of the next send of a held field; `None` until it exceeds its threshold.
        due: Option<Duration>,
    },
    /// No connection observes the object. The next observer receives a snapshot.
    NoObserver,
    /// The connections that see the object are not ready. They will receive a snapshot.
    NotReady(Vec<ConnectionId>),
    /// The owner alone reads the field, and no observer owns the object.
    NoReader,
    /// The field travels with snapshots only.
    InitialOnly,
    /// The value has no form on the wire, or exceeds a limit.
    CannotBeSent(WriteError),
    /// The channel of the behaviour does not exist.
    UnknownChannel(u8),
    /// The budget of a connection delays it. All other observers have it.
    Budget(ConnectionId),
}

impl UnsentField {
    /// Describes a field.
    pub fn new(
        (index, behaviour): (usize, &'static str),
        field: &'static str,
        reason: UnsentReason,
    ) -> Self {
        Self {
            index,
            behaviour,
            field,
            reason,
        }
    }
}

impl fmt::Display for UnsentField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{} {}", self.behaviour, self.field, self.reason)
    }
}

impl fmt::Display for UnsentReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NextUpdate => f.write_str("goes out with the next update"),
            Self::SendInterval { due } => {
                write!(f, "waits for the send interval, until {due:?}")
            }
            Self::Throttled { due: Some(due) } => {
                write!(f, "waits for the interval of the field, until {due:?}")
            }
            Self::Throttled { due: None } => f.write_str("is below its threshold"),
            Self::NoObserver => f.write_str("has no observer"),
            Self::NotReady(connections) => {
                f.write_str("waits until a connection is ready:")?;
                connections.iter().try_for_each(|it| write!(f, " {it}"))
            }
            Self::NoReader => f.write_str("has no reader: no observer owns the object"),
            Self::InitialOnly => f.write_str("travels with snapshots only"),
            Self::CannotBeSent(error) => write!(f, "cannot be sent: {error}"),
            Self::UnknownChannel(channel) => write!(f, "has no channel {channel}"),
            Self::Budget(connection) => write!(f, "waits for the budget of {connection}"),
        }
    }
}
