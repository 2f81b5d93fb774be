//! Mirror's interest managements: distance, spatial hashing, matches, teams and scenes.
//!
//! Each is set by [`MirrorServer::with_mirror_interest`](crate::MirrorServer::with_mirror_interest) and
//! shows objects at Mirror's moments: a rebuild each second, or in the frame of a change. An object
//! stays in view between two rebuilds.
//!
//! | Mirror | here | component |
//! |---|---|---|
//! | `DistanceInterestManagement` | [`DistanceInterestManagement`] | [`DistanceInterestManagementCustomRange`] |
//! | `SpatialHashingInterestManagement`, `SpatialHashing3DInterestManagement` | [`SpatialHashingInterestManagement`] | |
//! | `HexSpatialHash2DInterestManagement`, `HexSpatialHash3DInterestManagement` | [`HexSpatialHashInterestManagement`] | |
//! | `MatchInterestManagement` | [`MatchInterestManagement`] | [`NetworkMatch`] |
//! | `TeamInterestManagement` | [`TeamInterestManagement`] | [`NetworkTeam`] |
//! | `SceneInterestManagement` | [`SceneInterestManagement`] | |
//! | `SceneDistanceInterestManagement` | [`SceneDistanceInterestManagement`] | [`DistanceInterestManagementCustomRange`] |
//!
//! The components have a place in the prefab and no fields that travel.

mod components;
mod distance;
mod groups;
mod hashing;
mod hexagons;
mod matches;
mod motion;
mod scene;
mod scene_distance;
mod team;

pub use components::{DistanceInterestManagementCustomRange, MatchId, NetworkMatch, NetworkTeam};
pub use distance::DistanceInterestManagement;
pub use hashing::{GridCell, HashedAxes, SpatialHashingInterestManagement};
pub use hexagons::HexSpatialHashInterestManagement;
pub use matches::MatchInterestManagement;
pub use scene::SceneInterestManagement;
pub use scene_distance::SceneDistanceInterestManagement;
pub use team::TeamInterestManagement;

use syncvar_runtime::{ConnectionId, NetId, NetworkIdentity};

use crate::MirrorServer;

/// Returns all objects, ascending.
fn objects(server: &MirrorServer) -> impl Iterator<Item = NetId> {
    server.identities().map(NetworkIdentity::net_id)
}

/// Returns the accepted connections with a player, ascending.
fn viewers(server: &MirrorServer) -> impl Iterator<Item = ConnectionId> {
    let connections = server.connections();
    connections.filter(|it| server.is_authenticated(*it) && server.player_of(*it).is_some())
}
