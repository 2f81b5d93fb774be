//! Rebuilds by distance: their interval, and the objects and players that have moved.

use std::collections::{BTreeMap, BTreeSet};

use syncvar_runtime::{ConnectionId, NetId, Vector3};

use super::DistanceInterestManagementCustomRange;
use super::{objects, viewers};
use crate::MirrorServer;

/// Positions at the last rebuild.
#[derive(Clone, Debug, Default)]
pub(super) struct Motion {
    /// Time of the last rebuild, in seconds.
    last_rebuild: f64,
    /// Intervals since the last one with static objects.
    static_intervals: u8,
    /// Players at the last rebuild.
    pub(super) players: Vec<(ConnectionId, NetId, Vector3)>,
    /// Positions that the next positions are compared with.
    known: BTreeMap<NetId, Vector3>,
    statics: BTreeSet<NetId>,
}

/// Rules of the intervals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub(super) rebuild_interval: f32,
    pub(super) static_intervals: u8,
    pub(super) min_move: f32,
}

impl Motion {
    /// Begins a due rebuild: takes the positions of the players. Returns whether static objects are due,
    /// too.
    pub(super) fn begin(&mut self, server: &MirrorServer, pace: Pace) -> Option<bool> {
        let now = server.now().as_secs_f64();
        if now < self.last_rebuild + f64::from(pace.rebuild_interval) {
            return None;
        }
        self.last_rebuild = now;
        self.take_players(server);
        self.static_intervals = self.static_intervals.saturating_add(1);
        let has_statics = self.static_intervals >= pace.static_intervals;
        if has_statics {
            self.static_intervals = 0;
        }
        Some(has_statics)
    }

    /// Takes the positions of the players.
    pub(super) fn take_players(&mut self, server: &MirrorServer) {
        self.players.clear();
        self.players
            .extend(viewers(server).filter_map(|connection| {
                let player = server.player_of(connection)?;
                Some((connection, player, server.position(player)))
            }));
    }

    /// Returns the players that have moved. Their known positions stay.
    pub(super) fn moved_players(&self, pace: Pace) -> impl Iterator<Item = (NetId, Vector3)> {
        let moved = self
            .players
            .iter()
            .filter(move |(_, player, position)| self.has_moved(*player, *position, pace));
        moved.map(|(_, player, position)| (*player, *position))
    }

    /// Adds the objects that have moved.
    pub(super) fn moved_objects(
        &mut self,
        server: &MirrorServer,
        pace: Pace,
        has_statics: bool,
        moved: &mut BTreeSet<NetId>,
    ) {
        for object in objects(server) {
            let position = server.position(object);
            if (has_statics || !self.statics.contains(&object))
                && self.has_moved(object, position, pace)
            {
                self.known.insert(object, position);
                moved.insert(object);
            }
        }
    }

    fn has_moved(&self, object: NetId, position: Vector3, pace: Pace) -> bool {
        let limit = pace.min_move * pace.min_move;
        let known = self.known.get(&object);
        known.is_none_or(|known| distance_squared(position, *known) >= limit)
    }

    pub(super) fn know(&mut self, object: NetId, position: Vector3) {
        self.known.insert(object, position);
    }

    pub(super) fn set_static(&mut self, object: NetId, is_static: bool) {
        if is_static {
            self.statics.insert(object);
        } else {
            self.statics.remove(&object);
        }
    }

    pub(super) fn remove(&mut self, object: NetId) {
        self.known.remove(&object);
        self.statics.remove(&object);
    }
}

fn distance_squared(from: Vector3, to: Vector3) -> f32 {
    let (x, y, z) = (from.x - to.x, from.y - to.y, from.z - to.z);
    x * x + y * y + z * z
}

/// Returns whether two positions are nearer than a range.
#[expect(
    clippy::cast_precision_loss,
    reason = "Mirror compares the square with a float"
)]
pub(super) fn is_within(a: Vector3, b: Vector3, range: i32) -> bool {
    let range = i64::from(range);
    distance_squared(a, b) < (range * range) as f32
}

/// Returns the range of an object.
pub(super) fn range_of(server: &MirrorServer, object: NetId, default: i32) -> i32 {
    let custom = server.get::<DistanceInterestManagementCustomRange>(object);
    custom.map_or(default, |custom| custom.range)
}
