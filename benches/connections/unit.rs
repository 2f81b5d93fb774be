//! Object of the bench.

use syncvar::prelude::*;

use crate::world::{DELAYS, micros};

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
