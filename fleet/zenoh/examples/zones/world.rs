//! The world of the zones, and its partitions.

use std::collections::BTreeSet;
use std::time::UNIX_EPOCH;

use syncvar::prelude::*;
use syncvar_fleet::zone::{Home, Partition, ZoneId};

use crate::process::Fallible;

/// Ticks per second.
pub(crate) const RATE: u32 = 30;

pub(crate) const OBJECTS: u32 = 2_000;

/// Width of a zone in the walk, and the way behind a border before an object moves.
const WIDTH: f32 = 5.0;
const HYSTERESIS: f32 = 0.7;

/// Length of the walk: 100 borders.
pub(crate) const LENGTH: f32 = 100.0 * WIDTH + 1.0;

/// Step of a walker in a tick.
pub(crate) const STEP: f32 = 0.5;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Hiker {
    #[sync_var]
    pub(crate) x: SyncVar<f32>,
    /// Zone that the object wants to be in, if it does not walk.
    #[sync_var]
    pub(crate) zone: SyncVar<u32>,
    #[sync_var(read = server)]
    pub(crate) plan: SyncVar<[u64; 26]>,
}

pub(crate) fn prefabs() -> Prefabs {
    Prefabs::new().register::<Hiker>("walker")
}

/// Returns microseconds of the clock of the machine.
pub(crate) fn clock() -> Fallible<u64> {
    Ok(u64::try_from(UNIX_EPOCH.elapsed()?.as_micros())?)
}

/// Rule of a game.
pub(crate) enum GameRule {
    /// Each object names its zone.
    Named,
    /// All objects belong to zone 1.
    Plain,
    /// Stripes that belong to zones 1 and 2 in turn.
    Striped,
}

impl GameRule {
    pub(crate) fn of(game: &str) -> Fallible<Self> {
        Ok(match game {
            "exchange" => Self::Named,
            "plain" => Self::Plain,
            "striped" => Self::Striped,
            other => return Err(format!("no game {other}").into()),
        })
    }
}

impl Partition for GameRule {
    fn home(&self, server: &NetworkServer, object: NetId, here: ZoneId) -> Option<Home> {
        let walker = server.get::<Hiker>(object)?;
        let zone = match self {
            Self::Named => ZoneId(*walker.zone),
            Self::Plain => ZoneId(1),
            Self::Striped => {
                let stripe = (*walker.x / WIDTH).floor();
                let beyond = *walker.x - stripe * WIDTH;
                let is_odd = stripe.rem_euclid(2.0) > 0.5;
                let there = ZoneId(if is_odd { 2 } else { 1 });
                if beyond < HYSTERESIS { here } else { there }
            }
        };
        let ghosts = match self {
            Self::Striped => BTreeSet::from([ZoneId(3 - here.0.min(2))]),
            Self::Named | Self::Plain => BTreeSet::new(),
        };
        Some(Home { zone, ghosts })
    }
}
