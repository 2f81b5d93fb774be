//! The burst of spawns that a joining client receives.

use bytes::Bytes;
use syncvar_runtime::unstable::relations::Place;
use syncvar_runtime::{NetId, Vector3};

use crate::message::{SpawnFlags, SpawnMessage};

/// Approximate bytes of a pending spawn besides its payload.
const SPAWN_OVERHEAD: usize = 128;

/// The current burst.
#[derive(Debug, Default)]
pub(crate) struct Burst {
    /// Spawns are applied at once.
    is_complete: bool,
    /// One burst was complete.
    synchronized: bool,
    /// Spawns of the burst, in the order of their messages.
    pending: Vec<PendingSpawn>,
    bytes: usize,
}

/// A spawn message before its application.
#[derive(Debug)]
pub(crate) struct PendingSpawn {
    pub(crate) id: NetId,
    /// Serial number of its object.
    pub(crate) serial: u64,
    pub(crate) flags: SpawnFlags,
    pub(crate) place: Place,
    pub(crate) scale: Vector3,
    pub(crate) payload: Bytes,
}

impl PendingSpawn {
    pub(crate) fn new(message: &SpawnMessage<'_>, serial: u64) -> Self {
        Self {
            id: message.net_id,
            serial,
            flags: message.flags,
            place: Place {
                position: message.position,
                rotation: message.rotation,
            },
            scale: message.scale,
            payload: Bytes::copy_from_slice(message.payload.unwrap_or_default()),
        }
    }
}

impl Burst {
    /// Begins a burst.
    pub(crate) fn begin(&mut self) {
        self.is_complete = false;
    }

    /// Returns whether spawns are applied at once.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Adds a spawn. Returns the bytes of the burst.
    pub(crate) fn push(&mut self, spawn: PendingSpawn) -> usize {
        self.bytes = { self.bytes }
            .saturating_add(spawn.payload.len())
            .saturating_add(SPAWN_OVERHEAD);
        self.pending.push(spawn);
        self.bytes
    }

    /// Completes the burst. Returns its spawns, in the order of their messages.
    pub(crate) fn complete(&mut self) -> Vec<PendingSpawn> {
        self.is_complete = true;
        self.bytes = 0;
        std::mem::take(&mut self.pending)
    }

    /// Returns once whether the first burst of the connection is complete.
    pub(crate) fn is_first_complete(&mut self) -> bool {
        !std::mem::replace(&mut self.synchronized, true)
    }
}
