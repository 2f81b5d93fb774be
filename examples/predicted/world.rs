//! The world of both ends, and the disturbances.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use syncvar::ServerConfig;
use syncvar::prelude::*;
use syncvar::testing::Random;

pub(crate) const RATE: u32 = 60;

/// Time of the first disturbance, and between two of them.
const FIRST: Duration = Duration::from_secs(8);
const EACH: Duration = Duration::from_secs(5);

/// Time behind a disturbance in which corrections are usual, and after which the lead is back.
pub(crate) const NEAR: Duration = Duration::from_millis(1500);
pub(crate) const BACK: Duration = Duration::from_secs(1);

#[derive(SyncValue, Clone, Default, PartialEq, Debug)]
pub(crate) struct Order {
    pub(crate) x: f32,
}

#[derive(NetworkBehaviour, Default, Clone)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
pub(crate) struct Runner {
    #[sync_var(interpolate = linear)]
    x: SyncVar<f32>,
    #[sync_var]
    speed: SyncVar<f32>,
}

pub(crate) fn run(runner: &mut Runner, order: &Order, _tick: u64) {
    runner.speed += (order.x - *runner.speed) * 0.25;
    let speed = *runner.speed;
    runner.x += speed / 60.0;
}

pub(crate) fn prefabs() -> Prefabs {
    Prefabs::new().register::<Runner>("runner").input::<Order>()
}

pub(crate) fn config() -> ServerConfig {
    ServerConfig {
        tick_rate: RATE,
        reconnect_grace: Duration::from_secs(10),
        session_tokens: Some(token),
        ..ServerConfig::default()
    }
}

/// Bytes for tokens of sessions, each call others. Tokens of a game are unpredictable.
fn token() -> [u8; 16] {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    u128::from(next)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c)
        .to_le_bytes()
}

/// What happens to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    ServerStalls,
    ClientStalls,
    LinkEnds,
}

/// Disturbance at a time since the start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disturbance {
    pub(crate) kind: Kind,
    pub(crate) end: Duration,
}

impl Disturbance {
    /// Returns a disturbance by its number.
    pub(crate) fn new(number: u32) -> Self {
        let mut random = Random::of_step(7, number as usize);
        let begin = FIRST + EACH * number;
        let duration = Duration::from_millis((100 + random.below(2900)).into());
        let kind = match random.below(5) {
            0 | 1 => Kind::ServerStalls,
            2 | 3 => Kind::ClientStalls,
            _ => Kind::LinkEnds,
        };
        let duration = if kind == Kind::LinkEnds {
            duration / 3
        } else {
            duration
        };
        Self {
            kind,
            end: begin + duration,
        }
    }

    /// Returns the last disturbance that has begun.
    pub(crate) fn last(now: Duration) -> Option<Self> {
        let passed = now.checked_sub(FIRST)?.as_secs() / EACH.as_secs();
        Some(Self::new(u32::try_from(passed).ok()?))
    }
}

/// Returns whether a disturbance is at least so long ago.
pub(crate) fn is_calm(now: Duration, since: Duration) -> bool {
    let last = Disturbance::last(now).map_or(Duration::from_secs(5), |last| last.end);
    now > last + since
}

/// Counts of both ends.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Tick of the server.
    pub(crate) tick: AtomicU64,
    /// Inputs in time and others, while all is calm.
    pub(crate) known: AtomicU32,
    pub(crate) late: AtomicU32,
    /// Misbehaviours and ends of the session.
    pub(crate) kicks: AtomicU32,
    pub(crate) refused: AtomicU64,
}
