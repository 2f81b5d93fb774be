//! Visibility by team.

use std::collections::BTreeSet;

use syncvar_runtime::{ConnectionId, NetId};

use super::NetworkTeam;
use super::groups::InterestGroups;
use super::viewers;
use crate::{MirrorInterest, MirrorServer};

/// Shows an object to the connections in its team. Mirror, `TeamInterestManagement`.
///
/// A connection is in the teams of the objects that it owns; as it becomes ready, in that of its
/// player only, and one without a team sees all teams then. All connections observe objects without
/// [`NetworkTeam`], and those that are [shown to all](NetworkTeam::force_shown).
///
/// ```
/// use syncvar::mirror::interest::{NetworkTeam, TeamInterestManagement};
/// use syncvar::mirror::{Limits, MirrorPrefab, MirrorPrefabs, MirrorServer, MirrorServerConfig};
/// # use std::time::Duration;
///
/// let flag = MirrorPrefab::new("Flag", 1001.into());
/// let prefabs = MirrorPrefabs::new().register::<NetworkTeam>(flag);
/// let config = MirrorServerConfig::default();
/// let interest = TeamInterestManagement::default();
/// let mut server = MirrorServer::with_mirror_interest(prefabs, config, interest);
///
/// let connection = server.handle_connect(Limits::TELEPATHY);
/// let team = |id: &str| NetworkTeam { team_id: id.into(), force_shown: false };
/// server.add_player(connection, team("red")).unwrap();
/// let [own, other] = ["red", "blue"].map(|id| server.spawn(team(id)));
/// server.update(Duration::from_millis(16));
/// assert!(server.is_observer(own, connection));
/// assert!(!server.is_observer(other, connection));
/// ```
#[derive(Clone, Debug, Default)]
pub struct TeamInterestManagement {
    groups: InterestGroups<String>,
}

fn team_of(component: &NetworkTeam) -> Option<&str> {
    Some(&*component.team_id).filter(|id| !id.trim().is_empty())
}

impl TeamInterestManagement {
    fn put(&mut self, server: &MirrorServer, object: NetId) {
        let team = server.get::<NetworkTeam>(object).and_then(team_of);
        self.groups.put(object, team.map(String::from));
    }
}

impl MirrorInterest for TeamInterestManagement {
    fn handle_spawn(&mut self, server: &MirrorServer, object: NetId) {
        self.put(server, object);
    }

    fn handle_write(&mut self, server: &MirrorServer, object: NetId) {
        self.put(server, object);
    }

    fn handle_despawn(&mut self, object: NetId) {
        self.groups.remove(object);
    }

    fn check(&self, server: &MirrorServer, object: NetId, connection: ConnectionId) -> bool {
        let Some(component) = server.get::<NetworkTeam>(object) else {
            return true;
        };
        if component.force_shown {
            return true;
        }
        let Some(team) = team_of(component) else {
            return false;
        };
        let player = server.player_of(connection);
        let viewer = player.and_then(|player| server.get::<NetworkTeam>(player));
        viewer.is_none_or(|viewer| team_of(viewer) == Some(team))
    }

    fn observers(&self, server: &MirrorServer, object: NetId, observers: &mut Vec<ConnectionId>) {
        let component = server.get::<NetworkTeam>(object);
        match component.filter(|component| !component.force_shown) {
            None => observers.extend(viewers(server)),
            Some(component) => {
                if let Some(team) = team_of(component) {
                    self.groups.owners(server, &team.into(), observers);
                }
            }
        }
    }

    fn frame(&mut self, _: &MirrorServer, rebuilds: &mut BTreeSet<NetId>) {
        self.groups.take_dirty(rebuilds);
    }
}
