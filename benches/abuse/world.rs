//! Objects of the attacked server.

use std::time::SystemTime;

use syncvar::mirror::{AssetId, MirrorPrefab, MirrorPrefabs, MirrorServer};
use syncvar::prelude::*;

/// Number of units.
pub(crate) const UNITS: u32 = 1000;

/// Units that change in a tick.
pub(crate) const CHANGES: u32 = 100;

/// Time between two ticks of the server.
pub(crate) const TICK_RATE: u32 = 20;

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

/// Returns the registry of both ends of Mirror's protocol.
pub(crate) fn mirror_prefabs() -> MirrorPrefabs {
    MirrorPrefabs::new()
        .register::<Unit>(MirrorPrefab::new("unit", AssetId(1)))
        .register::<Echo>(MirrorPrefab::new("echo", AssetId(2)))
}

/// Server of one of the protocols.
pub(crate) trait World {
    /// Spawns a unit.
    fn spawn_unit(&mut self, unit: Unit);

    /// Spawns an echo.
    fn spawn_echo(&mut self);

    /// Changes a unit.
    fn change(&mut self, id: NetId);

    /// Spawns all objects.
    fn fill(&mut self) {
        for number in 0..UNITS {
            self.spawn_unit(Unit {
                name: format!("unit {number}").into(),
                ..Unit::default()
            });
        }
        (0..ECHOES).for_each(|_| self.spawn_echo());
    }

    /// Changes the units of a tick. Returns the last one besides the clock.
    fn tick(&mut self, mut last: u32) -> u32 {
        for _ in 1..CHANGES {
            last = (last + 1) % UNITS;
            self.change(NetId(1 + last));
        }
        self.change(CLOCK);
        last
    }
}

impl World for NetworkServer {
    fn spawn_unit(&mut self, unit: Unit) {
        self.spawn(unit);
    }

    fn spawn_echo(&mut self) {
        self.spawn(Echo::default());
    }

    fn change(&mut self, id: NetId) {
        if let Ok(mut unit) = self.get_mut::<Unit>(id) {
            unit.stamp.set(micros());
        }
    }
}

impl World for MirrorServer {
    fn spawn_unit(&mut self, unit: Unit) {
        self.spawn(unit);
    }

    fn spawn_echo(&mut self) {
        self.spawn(Echo::default());
    }

    fn change(&mut self, id: NetId) {
        if let Ok(mut unit) = self.get_mut::<Unit>(id) {
            unit.stamp.set(micros());
        }
    }
}

/// Returns the time since 1970 in microseconds: one clock for all processes.
pub(crate) fn micros() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_micros()).unwrap_or(0))
}
