//! Objects of the attacked server.

use std::time::{Duration, SystemTime};

use syncvar::prelude::*;

/// Number of units.
pub(crate) const UNITS: u32 = 1000;

/// Units that change in a tick.
pub(crate) const CHANGES: u32 = 100;

/// Time between two ticks of the server.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// Unit that changes in each tick.
pub(crate) const CLOCK: NetId = NetId(1);

/// Objects that answer commands: one for each healthy client, a newcomer, and the attackers.
pub(crate) const ECHOES: u32 = 16;

/// Returns the echo of a healthy client.
pub(crate) fn echo(client: u32) -> NetId {
    NetId(UNITS + 1 + client)
}

/// Object whose changes each client receives.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Unit {
    /// Time of the change, in microseconds.
    #[sync_var]
    pub(crate) stamp: SyncVar<u64>,
    #[sync_var]
    pub(crate) name: SyncVar<String>,
}

/// Object that returns a time to its client.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Echo {
    #[sync_var]
    pub(crate) at: SyncVar<u64>,
}

#[network_calls]
impl Echo {
    #[command(requires_ownership = false)]
    pub(crate) fn echo(&mut self, at: u64) {
        self.at.set(at);
    }
}

/// Returns the registry of both ends.
pub(crate) fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Unit>("unit")
        .register::<Echo>("echo")
}

/// Returns the time since 1970 in microseconds: one clock for all processes.
pub(crate) fn micros() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_micros()).unwrap_or(0))
}
