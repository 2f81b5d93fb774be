//! Visibility by match.

use std::collections::BTreeSet;

use syncvar_runtime::{ConnectionId, NetId};

use super::groups::InterestGroups;
use super::{MatchId, NetworkMatch};
use crate::{MirrorInterest, MirrorServer};

/// Shows an object to the connections in its match. Mirror, `MatchInterestManagement`.
///
/// A connection is in the matches of the objects that it owns; as it becomes ready, in that of its
/// player only. An object without [`NetworkMatch`] or without a match is observed by its owner. An object that
/// leaves its match for none keeps its observers, as in Mirror: despawn it, or
/// [rebuild](MirrorServer::rebuild_observers) it.
///
/// ```
/// use syncvar::mirror::interest::{MatchId, MatchInterestManagement, NetworkMatch};
/// use syncvar::mirror::{Limits, MirrorPrefab, MirrorPrefabs, MirrorServer, MirrorServerConfig};
/// # use std::time::Duration;
///
/// let ball = MirrorPrefab::new("Ball", 1001.into());
/// let prefabs = MirrorPrefabs::new().register::<NetworkMatch>(ball);
/// let config = MirrorServerConfig::default();
/// let interest = MatchInterestManagement::default();
/// let mut server = MirrorServer::with_mirror_interest(prefabs, config, interest);
///
/// let connection = server.handle_connect(Limits::TELEPATHY);
/// let (first, second) = (MatchId(1), MatchId(2));
/// server.add_player(connection, NetworkMatch { match_id: first }).unwrap();
/// let ball = server.spawn(NetworkMatch { match_id: second });
/// server.update(Duration::from_millis(16));
/// assert!(!server.is_observer(ball, connection));
///
/// server.get_mut::<NetworkMatch>(ball).unwrap().match_id = first;
/// server.update(Duration::from_millis(33));
/// assert!(server.is_observer(ball, connection));
/// ```
#[derive(Clone, Debug, Default)]
pub struct MatchInterestManagement {
    groups: InterestGroups<MatchId>,
}

fn match_of(server: &MirrorServer, object: NetId) -> Option<MatchId> {
    let component: &NetworkMatch = server.get(object)?;
    Some(component.match_id).filter(|id| !id.is_none())
}

impl MirrorInterest for MatchInterestManagement {
    fn handle_spawn(&mut self, server: &MirrorServer, object: NetId) {
        self.groups.put(object, match_of(server, object));
    }

    fn handle_write(&mut self, server: &MirrorServer, object: NetId) {
        self.groups.put(object, match_of(server, object));
    }

    fn handle_despawn(&mut self, object: NetId) {
        self.groups.remove(object);
    }

    fn check(&self, server: &MirrorServer, object: NetId, connection: ConnectionId) -> bool {
        let Some(player) = server.player_of(connection) else {
            return false;
        };
        let id = match_of(server, object);
        id.is_some() && id == match_of(server, player)
    }

    fn observers(&self, server: &MirrorServer, object: NetId, observers: &mut Vec<ConnectionId>) {
        if let Some(id) = match_of(server, object) {
            self.groups.owners(server, &id, observers);
        }
    }

    fn frame(&mut self, _: &MirrorServer, rebuilds: &mut BTreeSet<NetId>) {
        self.groups.take_dirty(rebuilds);
    }
}
