//! Observers of objects, and the snapshots on their way to them.

pub(super) mod audience;
mod group_snapshots;
pub(super) mod groups;
pub(super) mod hide;
pub(super) mod interest;
pub(super) mod join;
pub(super) mod owner_state;
mod parents;
mod reason;
pub(super) mod resync;
mod scene;
pub(super) mod show;
pub(super) mod snapshot;
pub(super) mod snapshot_batch;
mod substitute;
mod targets;
pub(super) mod viewer_changes;

use syncvar_runtime::ordered::{IdMap, Ids};
use syncvar_runtime::{ConnectionId, NetId};

use crate::server::ServerConfig;
use crate::server::visibility::audience::Audiences;
use crate::server::visibility::groups::Groups;
use crate::server::visibility::interest::Interest;
use crate::server::visibility::join::SpareBuffers;
use crate::server::visibility::snapshot_batch::SnapshotBatch;
use crate::server::visibility::viewer_changes::ViewerChanges;

/// Observers of objects, and their pending changes.
#[derive(Debug)]
pub(crate) struct Visibility {
    pub(super) audiences: Audiences,
    pub(super) interest: Interest,
    pub(super) groups: Groups,
    /// View changes of the update under way.
    pub(super) viewer_changes: ViewerChanges,
    /// Observers that need a snapshot with the next update.
    pub(super) pending_snapshots: IdMap<NetId, Vec<ConnectionId>>,
    /// Snapshots being written.
    pub(super) snapshot_batch: Box<SnapshotBatch>,
    /// Buffers for the snapshots of a join.
    pub(super) spare_buffers: SpareBuffers,
    /// Objects with another parent since the last update.
    pub(super) reparented: Ids<NetId>,
    /// Whether the scene became complete since the last update.
    pub(super) scene_loaded: bool,
}

impl Visibility {
    /// Returns the state of a server without objects and connections.
    pub(super) fn new(config: &ServerConfig) -> Self {
        let packet_size = config.gathered_size();
        Self {
            audiences: Audiences::new(&config.channels, packet_size),
            interest: Interest::default(),
            groups: Groups::default(),
            viewer_changes: ViewerChanges::default(),
            pending_snapshots: IdMap::default(),
            snapshot_batch: Box::new(SnapshotBatch::new(packet_size)),
            spare_buffers: SpareBuffers::default(),
            reparented: Ids::default(),
            scene_loaded: false,
        }
    }

    /// Returns whether no change waits for the next update.
    pub(super) fn is_idle(&self) -> bool {
        self.reparented.is_empty() && !self.scene_loaded && !self.audiences.is_written()
    }
}

/// Returns the numbers of connections, for the log.
fn numbers(connections: &[ConnectionId]) -> Vec<u32> {
    connections.iter().map(|connection| connection.0).collect()
}
