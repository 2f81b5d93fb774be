//! Observers of objects, and the snapshots on their way to them.
//!
//! An object has two audiences: its observers, and its observers after the next update (the target audience). A command of
//! the program (`show`, `set_owner`, a group) or a report of the interest management changes the target audience and
//! queues the object. The update applies the difference in two steps, around the deltas:
//!
//! ```text
//! target audience ──> hide_objects: leaving observers   (before the deltas: no later change reaches them)
//!                       deltas to the remaining observers
//!                 ──> show_objects: entering observers  (after the deltas: the snapshot has the same values)
//! area of a viewer ─> the same steps, for all objects of the area at once
//! new object ───────> announce: one snapshot in the buffer of its audience
//! new connection ───> join: snapshots of all visible objects
//! ```
//!
//! A snapshot is pending for its receivers while the object is checked out or a delta has failed, and after a request of the
//! client. Each update tries the pending snapshots again.

pub(crate) mod audience;
mod delivery;
mod group_snapshots;
pub(crate) mod groups;
pub(crate) mod hide;
pub(crate) mod interest;
pub(crate) mod join;
pub(crate) mod observer_view;
pub(crate) mod owner_state;
mod parents;
mod reason;
pub(crate) mod resync;
mod scene;
pub(crate) mod show;
pub(crate) mod snapshot;
pub(crate) mod snapshot_batch;
mod substitute;
mod targets;
pub(crate) mod viewer_changes;

use syncvar_runtime::unstable::ordered::{IdMap, Ids};
use syncvar_runtime::{AudienceId, ConnectionId, NetId};

use crate::server::ServerConfig;
use crate::server::sessions::Sessions;
use crate::server::visibility::audience::Audiences;
use crate::server::visibility::groups::Groups;
use crate::server::visibility::interest::Interest;
use crate::server::visibility::join::SpareBuffers;
use crate::server::visibility::snapshot_batch::SnapshotBatch;
use crate::server::visibility::viewer_changes::ViewerChanges;

/// Observers of objects, and their pending changes.
#[derive(Debug)]
pub(crate) struct Visibility {
    pub(crate) audiences: Audiences,
    pub(crate) interest: Interest,
    pub(crate) groups: Groups,
    /// Lists reused by every update.
    scratch: Scratch,
    /// View changes of the update under way.
    pub(crate) viewer_changes: ViewerChanges,
    /// Observers that need a snapshot with the next update.
    pub(crate) pending_snapshots: IdMap<NetId, Vec<ConnectionId>>,
    /// Snapshots being written.
    pub(crate) snapshot_batch: Box<SnapshotBatch>,
    /// Buffers for the snapshots of a join.
    pub(crate) spare_buffers: SpareBuffers,
    /// Objects with a new parent since the last update.
    pub(crate) reparented: Ids<NetId>,
    /// Whether the scene became complete since the last update.
    pub(crate) scene_loaded: bool,
}

/// Lists of objects and connections with view changes.
#[derive(Debug, Default)]
struct Scratch {
    objects: Vec<NetId>,
    entering: Vec<ConnectionId>,
    leaving: Vec<ConnectionId>,
}

impl Visibility {
    /// Returns the state of a server without objects and connections.
    pub(crate) fn new(config: &ServerConfig) -> Self {
        let packet_size = config.gathered_size();
        Self {
            audiences: Audiences::new(&config.channels, packet_size),
            interest: Interest::default(),
            groups: Groups::default(),
            scratch: Scratch::default(),
            viewer_changes: ViewerChanges::default(),
            pending_snapshots: IdMap::default(),
            snapshot_batch: Box::new(SnapshotBatch::new(packet_size)),
            spare_buffers: SpareBuffers::default(),
            reparented: Ids::default(),
            scene_loaded: false,
        }
    }

    /// Notes that the stream carries a new object to its audience.
    pub(crate) fn note_new(
        &self,
        sessions: &mut Sessions,
        id: NetId,
        audience: AudienceId,
        tick: u32,
    ) {
        for observer in self.audiences.get(audience).ready() {
            let Some(connection) = sessions.connections.get_mut(observer.0) else {
                continue;
            };
            let link = connection.datagrams.as_ref();
            // An attached connection has nothing of a new object under way.
            if link.is_some_and(|link| link.sender.is_detached()) {
                connection.ledger.streamed.add_snapshot(id, tick);
            }
        }
    }

    /// Returns whether no change waits for the next update.
    pub(crate) fn is_idle(&self) -> bool {
        self.reparented.is_empty() && !self.scene_loaded && !self.audiences.is_written()
    }
}

/// Returns the numbers of connections, for the log.
fn numbers(connections: &[ConnectionId]) -> Vec<u32> {
    connections.iter().map(|connection| connection.0).collect()
}
