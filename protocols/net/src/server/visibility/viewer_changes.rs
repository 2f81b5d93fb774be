//! Audiences changed by the areas of an update.

use rustc_hash::FxHashSet;
use syncvar_runtime::interest::Area;
use syncvar_runtime::unstable::ordered::IdPairs;
use syncvar_runtime::{AudienceId, ConnectionId};

/// Connections that joined audiences because of the areas they enter, or left them because of the
/// areas they leave. One direction at a time.
#[derive(Debug, Default)]
pub(crate) struct ViewerChanges {
    pub(crate) crossed: IdPairs<AudienceId, ConnectionId>,
    /// The areas of these changes, each once, in the order of the interest management: it may
    /// report the nearest areas first.
    pub(crate) areas: Vec<Area>,
    listed: FxHashSet<Area>,
}

impl ViewerChanges {
    /// Adds a connection that joined or left these audiences because of an area.
    pub(crate) fn add(
        &mut self,
        area: Area,
        connection: ConnectionId,
        audiences: &mut Vec<AudienceId>,
    ) {
        if !audiences.is_empty() && self.listed.insert(area) {
            self.areas.push(area);
        }
        for audience in audiences.drain(..) {
            self.crossed.insert(audience, connection);
        }
    }

    /// Returns the connections that joined or left an audience, ascending.
    pub(crate) fn of(&self, id: AudienceId) -> impl Iterator<Item = ConnectionId> {
        self.crossed.of(id)
    }
}
