//! `LinkConditions`: simulated conditions of a host or a peer, changeable while it runs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use syncvar_runtime::conditions::Conditions;

/// Handle of the simulated conditions around the sockets of a [`Host`](crate::Host) or a
/// [`Peer`](crate::Peer). Clones set the same conditions. The first conditions are ideal and free.
///
/// Conditions apply to packets, above the sockets of any transport: see [`Conditions`]. Packets before the end of a
/// connection arrive at once. Packets on the way count for the limits of their queues.
///
/// ```
/// use std::time::Duration;
/// use syncvar::prelude::*;
/// use syncvar::tcp::TransportOptions;
/// use syncvar::testing::Conditions;
/// use syncvar::transport::Host;
///
/// let host = Host::<NetworkServer>::new(TransportOptions::default());
/// let conditions = host.conditions();
/// let bad = Conditions {
///     delay: Duration::from_millis(60),
///     jitter: Duration::from_millis(20),
///     loss: 0.1,
///     ..Conditions::default()
/// };
/// conditions.set(Conditions::default(), bad); // all clients receive late, and send in time
/// conditions.set_both(Conditions::default()); // and none again
/// ```
#[derive(Clone, Debug, Default)]
pub struct LinkConditions(Arc<SharedConditions>);

#[derive(Debug, Default)]
struct SharedConditions {
    /// Number of changes.
    version: AtomicU64,
    both: Mutex<Both>,
}

/// Conditions by direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Both {
    /// From the peers to this end.
    pub(crate) incoming: Conditions,
    pub(crate) outgoing: Conditions,
}

impl LinkConditions {
    /// Sets the conditions of the packets to come, from the peers and to the peers. The seed counts for
    /// new connections.
    pub fn set(&self, incoming: Conditions, outgoing: Conditions) {
        let both = Both { incoming, outgoing };
        *self.0.both.lock().unwrap_or_else(PoisonError::into_inner) = both;
        self.0.version.fetch_add(1, Ordering::Release);
    }

    /// Sets the same conditions in both directions.
    pub fn set_both(&self, conditions: Conditions) {
        self.set(conditions.clone(), conditions);
    }

    /// Returns the conditions if they have changed since this version.
    pub(crate) fn changed(&self, version: &mut u64) -> Option<Both> {
        let now = self.0.version.load(Ordering::Acquire);
        if *version == now {
            return None;
        }
        *version = now;
        let both = self.0.both.lock().unwrap_or_else(PoisonError::into_inner);
        Some(both.clone())
    }
}
