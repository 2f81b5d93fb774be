//! Objects of the server, and the measurement of a client.

use std::time::SystemTime;

use syncvar::prelude::*;

use crate::histogram::Histogram;

/// Number of objects.
pub(crate) const OBJECTS: u32 = 1000;

/// Groups of objects and clients.
pub(crate) const GROUPS: u32 = 20;

/// Objects that a client sees.
pub(crate) const SEEN: u32 = OBJECTS / GROUPS;

/// Objects that change in a tick.
pub(crate) const CHANGES: u32 = OBJECTS / 10;

/// Ticks per second.
pub(crate) const TICK_RATE: u32 = 20;

/// Times from `set` to the hook of a client, of all clients.
pub(crate) static DELAYS: Histogram = Histogram::new();

/// Object with the time of its last change.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
pub(crate) struct Unit {
    /// Microseconds since 1970: one clock for all processes.
    #[sync_var(hook = on_stamp_changed)]
    pub(crate) stamp: SyncVar<u64>,
    #[sync_var]
    pub(crate) health: SyncVar<u32>,
}

impl Unit {
    fn on_stamp_changed(&mut self, _: u64) {
        DELAYS.add(micros().saturating_sub(*self.stamp));
    }
}

/// Returns the registry of both ends.
pub(crate) fn prefabs() -> Prefabs {
    Prefabs::new().register::<Unit>("unit")
}

/// Returns the time since 1970 in microseconds.
pub(crate) fn micros() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_micros()).unwrap_or(0))
}
