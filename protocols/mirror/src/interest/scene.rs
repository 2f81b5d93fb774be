//! Visibility by scene.

use std::collections::BTreeSet;

use syncvar_runtime::{ConnectionId, NetId};

use super::groups::InterestGroups;
use crate::{LoadedScene, MirrorInterest, MirrorServer};

/// Shows an object to the connections in its scene. Mirror, `SceneInterestManagement`.
///
/// A connection is in the scenes of the objects that it owns; as it becomes ready, in that of its
/// player only.
///
/// ```
/// use syncvar::mirror::interest::{NetworkTeam, SceneInterestManagement};
/// use syncvar::mirror::{
///     Limits, LoadedScene, MirrorPrefab, MirrorPrefabs, MirrorServer, MirrorServerConfig,
///     MirrorSpawnOptions,
/// };
/// # use std::time::Duration;
/// # type Hero = NetworkTeam;
///
/// let hero = MirrorPrefab::new("Hero", 1001.into());
/// let prefabs = MirrorPrefabs::new().register::<Hero>(hero);
/// let config = MirrorServerConfig::default();
/// let interest = SceneInterestManagement::default();
/// let mut server = MirrorServer::with_mirror_interest(prefabs, config, interest);
///
/// let connection = server.handle_connect(Limits::TELEPATHY);
/// let player = server.add_player(connection, Hero::default()).unwrap();
/// let options = MirrorSpawnOptions { scene: LoadedScene(1), ..Default::default() };
/// let guest = server.try_spawn(Hero::default(), options).unwrap();
/// server.update(Duration::from_millis(16));
/// assert!(!server.is_observer(guest, connection));
///
/// server.move_to_scene(player, LoadedScene(1)).unwrap();
/// server.update(Duration::from_millis(33));
/// assert!(server.is_observer(guest, connection));
/// ```
#[derive(Clone, Debug, Default)]
pub struct SceneInterestManagement {
    groups: InterestGroups<LoadedScene>,
    /// Objects that may have changed their scene since the last frame.
    written: BTreeSet<NetId>,
}

impl MirrorInterest for SceneInterestManagement {
    fn handle_spawn(&mut self, server: &MirrorServer, object: NetId) {
        self.groups.join(object, server.loaded_scene(object));
    }

    fn handle_write(&mut self, _: &MirrorServer, object: NetId) {
        self.written.insert(object);
    }

    fn handle_despawn(&mut self, object: NetId) {
        self.groups.remove(object);
    }

    fn check(&self, server: &MirrorServer, object: NetId, connection: ConnectionId) -> bool {
        let player = server.player_of(connection);
        player.is_some_and(|player| server.loaded_scene(player) == server.loaded_scene(object))
    }

    fn observers(&self, server: &MirrorServer, object: NetId, observers: &mut Vec<ConnectionId>) {
        if let Some(scene) = server.loaded_scene(object) {
            self.groups.owners(server, &scene, observers);
        }
    }

    fn frame(&mut self, server: &MirrorServer, rebuilds: &mut BTreeSet<NetId>) {
        for object in std::mem::take(&mut self.written) {
            self.groups.put(object, server.loaded_scene(object));
        }
        self.groups.take_dirty(rebuilds);
    }
}
