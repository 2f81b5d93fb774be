//! Deltas and baselines of objects.

use syncvar_runtime::NetId;

use super::part::messages;

/// Reliable delta of an object: from the server, or from the owner for components that it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntityStateMessage<'a> {
    /// The object.
    pub net_id: NetId,
    /// Deltas of its components.
    pub payload: Option<&'a [u8]>,
}

/// Snapshot of hybrid components: the base of [`EntityStateMessageUnreliableDelta`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntityStateMessageUnreliableBaseline<'a> {
    /// Number of this baseline.
    pub baseline_tick: u8,
    /// The object.
    pub net_id: NetId,
    /// Snapshots of components.
    pub payload: Option<&'a [u8]>,
}

/// Changes of hybrid components since a baseline, on the unreliable channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntityStateMessageUnreliableDelta<'a> {
    /// Number of that baseline.
    pub baseline_tick: u8,
    /// The object.
    pub net_id: NetId,
    /// Deltas of components.
    pub payload: Option<&'a [u8]>,
}

messages! {
    'a;
    EntityStateMessage<'a> = "Mirror.EntityStateMessage" { net_id, payload }
    EntityStateMessageUnreliableBaseline<'a> = "Mirror.EntityStateMessageUnreliableBaseline" {
        baseline_tick, net_id, payload
    }
    EntityStateMessageUnreliableDelta<'a> = "Mirror.EntityStateMessageUnreliableDelta" {
        baseline_tick, net_id, payload
    }
}
