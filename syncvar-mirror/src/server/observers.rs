//! Observers of objects: audiences, interest management, and postponed spawns.

use syncvar_runtime::{ConnectionId, NetId};

use super::audience::Audiences;
use super::interest::Interest;

/// Audiences, interest management, and spawns postponed by a callback.
#[derive(Debug, Default)]
pub(super) struct Observers {
    pub(super) audiences: Audiences,
    pub(super) interest: Interest,
    /// Observers of checked-out objects that receive the spawn after the callback.
    pub(super) pending: Vec<(ConnectionId, NetId)>,
}
