//! Visibility by scene and distance.

use std::collections::BTreeSet;

use syncvar_runtime::{ConnectionId, NetId};

use super::groups::InterestGroups;
use super::motion::{Motion, Pace, is_within, range_of};
use super::viewers;
use crate::{LoadedScene, MirrorInterest, MirrorServer};

/// Shows an object to the connections whose player is in the same scene and nearer than a range.
/// Mirror, `SceneDistanceInterestManagement`.
///
/// ```
/// use syncvar::mirror::interest::SceneDistanceInterestManagement;
/// use syncvar::mirror::{MirrorPrefabs, MirrorServer, MirrorServerConfig};
///
/// let interest = SceneDistanceInterestManagement::new(80);
/// let config = MirrorServerConfig::default();
/// let server = MirrorServer::with_mirror_interest(MirrorPrefabs::new(), config, interest);
/// ```
#[derive(Clone, Debug)]
pub struct SceneDistanceInterestManagement {
    /// Distance from which on an object is not visible, in units; 500 by default. Mirror, `visRange`.
    pub range: i32,
    /// Distance that counts as a move, in units; 0.1 by default.
    pub min_move_distance: f32,
    /// Seconds between two rebuilds by distance; 1 by default.
    pub rebuild_interval: f32,
    /// Rebuilds until static objects are compared, too; 10 by default.
    pub static_rebuild_interval: u8,
    motion: Motion,
    groups: InterestGroups<LoadedScene>,
    /// Objects to rebuild in this frame, besides those of marked scenes.
    dirty: BTreeSet<NetId>,
    /// Objects that may have changed their scene since the last frame.
    written: BTreeSet<NetId>,
}

impl Default for SceneDistanceInterestManagement {
    fn default() -> Self {
        Self::new(500)
    }
}

impl SceneDistanceInterestManagement {
    /// Returns one with a range, in units.
    pub fn new(range: i32) -> Self {
        Self {
            range,
            min_move_distance: 0.1,
            rebuild_interval: 1.0,
            static_rebuild_interval: 10,
            motion: Motion::default(),
            groups: InterestGroups::default(),
            dirty: BTreeSet::new(),
            written: BTreeSet::new(),
        }
    }

    /// Marks an object that moves rarely: it is compared at each tenth rebuild only. Unity's static
    /// batches.
    pub fn set_static(&mut self, object: NetId, is_static: bool) {
        self.motion.set_static(object, is_static);
    }

    fn mark_moved(&mut self, server: &MirrorServer) {
        let pace = Pace {
            rebuild_interval: self.rebuild_interval,
            static_intervals: self.static_rebuild_interval,
            min_move: self.min_move_distance,
        };
        let Some(has_statics) = self.motion.begin(server, pace) else {
            return;
        };
        let moved: Vec<_> = self.motion.moved_players(pace).collect();
        for (player, position) in moved {
            self.motion.know(player, position);
            if let Some(scene) = server.loaded_scene(player) {
                self.groups.mark(scene);
            }
        }
        self.motion
            .moved_objects(server, pace, has_statics, &mut self.dirty);
    }
}

impl MirrorInterest for SceneDistanceInterestManagement {
    fn handle_spawn(&mut self, server: &MirrorServer, object: NetId) {
        self.groups.join(object, server.loaded_scene(object));
        self.motion.know(object, server.position(object));
        self.dirty.insert(object);
    }

    fn handle_write(&mut self, _: &MirrorServer, object: NetId) {
        self.written.insert(object);
    }

    fn handle_despawn(&mut self, object: NetId) {
        self.groups.remove(object);
        self.motion.remove(object);
        self.dirty.remove(&object);
    }

    fn check(&self, server: &MirrorServer, object: NetId, connection: ConnectionId) -> bool {
        let Some(player) = server.player_of(connection) else {
            return false;
        };
        let range = range_of(server, object, self.range);
        server.loaded_scene(player) == server.loaded_scene(object)
            && is_within(server.position(object), server.position(player), range)
    }

    fn observers(&self, server: &MirrorServer, object: NetId, observers: &mut Vec<ConnectionId>) {
        let range = range_of(server, object, self.range);
        let (position, scene) = (server.position(object), server.loaded_scene(object));
        if self.motion.players.is_empty() {
            observers.extend(viewers(server).filter(|it| self.check(server, object, *it)));
            return;
        }
        let players = self.motion.players.iter();
        let near = players.filter(|(connection, _, player)| {
            let player_scene = server.player_of(*connection);
            is_within(*player, position, range)
                && player_scene.and_then(|player| server.loaded_scene(player)) == scene
        });
        observers.extend(near.map(|(connection, _, _)| *connection));
    }

    fn frame(&mut self, server: &MirrorServer, rebuilds: &mut BTreeSet<NetId>) {
        for object in std::mem::take(&mut self.written) {
            self.groups.put(object, server.loaded_scene(object));
        }
        self.mark_moved(server);
        if self.motion.players.is_empty() {
            self.motion.take_players(server);
        }
        rebuilds.append(&mut self.dirty);
        self.groups.take_dirty(rebuilds);
    }
}
