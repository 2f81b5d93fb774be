//! The world: walkers, and a post in each zone.

use std::time::{Duration, UNIX_EPOCH};

use syncvar::prelude::*;

pub(crate) const RATE: u32 = 10;

/// The continent reaches from `-WIDTH` to `WIDTH`, and from `-HEIGHT` to `HEIGHT`; the border is at 0.
pub(crate) const WIDTH: f32 = 100.0;
pub(crate) const HEIGHT: f32 = 60.0;

/// Metres in a second.
const SPEED: f32 = 9.0;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Walker {
    #[sync_var]
    pub(crate) name: SyncVar<String>,
    #[sync_var]
    pub(crate) position: SyncVar<Vector2>,
    /// Number of the zone.
    #[sync_var]
    pub(crate) zone: SyncVar<u32>,
    #[sync_var]
    pub(crate) handovers: SyncVar<u32>,
    #[sync_var(read = server)]
    pub(crate) target: SyncVar<Vector2>,
}

#[network_calls]
impl Walker {
    #[command]
    pub(crate) fn walk_to(&mut self, target: Vector2) {
        let x = target.x.clamp(-WIDTH, WIDTH);
        let y = target.y.clamp(-HEIGHT, HEIGHT);
        // A comparison with NaN has no result: it stays where it is.
        if x.is_finite() && y.is_finite() {
            self.target.set(Vector2::new(x, y));
        }
    }
}

impl Walker {
    /// Walks towards its target for a tick, in a zone.
    pub(crate) fn walk(&mut self, zone: u32) {
        if *self.zone != zone {
            self.zone.set(zone);
            self.handovers += 1;
        }
        let (at, target) = (*self.position, *self.target);
        let (x, y) = (target.x - at.x, target.y - at.y);
        let way = x.hypot(y);
        if way > 0.01 {
            let share = (SPEED / f32::from(u16::try_from(RATE).unwrap_or(1)) / way).min(1.0);
            self.position
                .set(Vector2::new(at.x + x * share, at.y + y * share));
        }
    }
}

/// Sign of life of a zone.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Post {
    #[sync_var]
    pub(crate) zone: SyncVar<u32>,
    /// Processes of the zone so far.
    #[sync_var]
    pub(crate) processes: SyncVar<u32>,
    #[sync_var]
    pub(crate) ticks: SyncVar<u32>,
}

/// Wish of a page that the process of a zone ends.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(crate) struct Kill {
    pub(crate) zone: u32,
}

pub(crate) fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Walker>("walker")
        .register::<Post>("post")
        .message::<Kill>("kill")
}

/// Returns a number that no earlier process had.
pub(crate) fn start_number() -> u64 {
    let time = UNIX_EPOCH.elapsed().unwrap_or(Duration::from_secs(1));
    u64::try_from(time.as_nanos()).unwrap_or(1) | 1
}
