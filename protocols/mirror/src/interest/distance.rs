//! Visibility by distance.

use std::collections::BTreeSet;

use syncvar_runtime::{ConnectionId, NetId};

use super::motion::{Motion, Pace, is_within, range_of};
use super::{objects, viewers};
use crate::{MirrorInterest, MirrorServer};

/// Shows an object to the connections whose player is nearer than a range. Mirror,
/// `DistanceInterestManagement`.
///
/// The range is that of the server, or of the object's
/// [`DistanceInterestManagementCustomRange`](super::DistanceInterestManagementCustomRange). Each interval
/// rebuilds the objects that have moved, and all objects if a player has moved.
///
/// ```
/// use syncvar::mirror::interest::{
///     DistanceInterestManagement, DistanceInterestManagementCustomRange as CustomRange,
/// };
/// use syncvar::mirror::{
///     Limits, MirrorPrefab, MirrorPrefabs, MirrorServer, MirrorServerConfig, MirrorSpawnOptions,
/// };
/// use syncvar::values::Vector3;
///
/// let tower = MirrorPrefab::new("Tower", 1001.into());
/// let prefabs = MirrorPrefabs::new().register::<CustomRange>(tower);
/// let (config, interest) = (MirrorServerConfig::default(), DistanceInterestManagement::default());
/// let mut server = MirrorServer::with_mirror_interest(prefabs, config, interest);
///
/// let connection = server.handle_connect(Limits::TELEPATHY);
/// server.add_player(connection, CustomRange::default()).unwrap();
/// let position = Vector3::new(900.0, 0.0, 0.0);
/// let [near, far] = [800, 1000].map(|range| {
///     let options = MirrorSpawnOptions { position, ..Default::default() };
///     server.try_spawn(CustomRange { range }, options).unwrap()
/// });
/// assert!(!server.is_observer(near, connection));
/// assert!(server.is_observer(far, connection));
/// ```
#[derive(Clone, Debug)]
pub struct DistanceInterestManagement {
    /// Distance from which on an object is not visible, in units; 500 by default. Mirror, `visRange`.
    pub range: i32,
    /// Distance that counts as a move, in units; 0.1 by default.
    pub min_move_distance: f32,
    /// Seconds between two rebuilds; 1 by default.
    pub rebuild_interval: f32,
    /// Rebuilds until static objects are compared, too; 10 by default.
    pub static_rebuild_interval: u8,
    motion: Motion,
    /// New objects since the last rebuild.
    new: BTreeSet<NetId>,
}

impl Default for DistanceInterestManagement {
    fn default() -> Self {
        Self::new(500)
    }
}

impl DistanceInterestManagement {
    /// Returns one with a range, in units.
    pub fn new(range: i32) -> Self {
        Self {
            range,
            min_move_distance: 0.1,
            rebuild_interval: 1.0,
            static_rebuild_interval: 10,
            motion: Motion::default(),
            new: BTreeSet::new(),
        }
    }

    /// Marks an object that moves rarely: it is compared at each tenth rebuild only. Unity's static
    /// batches.
    pub fn set_static(&mut self, object: NetId, is_static: bool) {
        self.motion.set_static(object, is_static);
    }

    fn pace(&self) -> Pace {
        Pace {
            rebuild_interval: self.rebuild_interval,
            static_intervals: self.static_rebuild_interval,
            min_move: self.min_move_distance,
        }
    }
}

impl MirrorInterest for DistanceInterestManagement {
    fn handle_spawn(&mut self, _: &MirrorServer, object: NetId) {
        self.new.insert(object);
    }

    fn handle_despawn(&mut self, object: NetId) {
        self.new.remove(&object);
        self.motion.remove(object);
    }

    fn check(&self, server: &MirrorServer, object: NetId, connection: ConnectionId) -> bool {
        let Some(player) = server.player_of(connection) else {
            return false;
        };
        let range = range_of(server, object, self.range);
        is_within(server.position(object), server.position(player), range)
    }

    fn observers(&self, server: &MirrorServer, object: NetId, observers: &mut Vec<ConnectionId>) {
        let range = range_of(server, object, self.range);
        let position = server.position(object);
        if self.motion.players.is_empty() {
            observers.extend(viewers(server).filter(|it| self.check(server, object, *it)));
            return;
        }
        let players = self.motion.players.iter();
        let near = players.filter(|(_, _, player)| is_within(*player, position, range));
        observers.extend(near.map(|(connection, _, _)| *connection));
    }

    fn frame(&mut self, server: &MirrorServer, rebuilds: &mut BTreeSet<NetId>) {
        let pace = self.pace();
        let Some(has_statics) = self.motion.begin(server, pace) else {
            return;
        };
        rebuilds.append(&mut self.new);
        if self.motion.moved_players(pace).next().is_some() {
            rebuilds.extend(objects(server));
        }
        self.motion
            .moved_objects(server, pace, has_statics, rebuilds);
    }
}
