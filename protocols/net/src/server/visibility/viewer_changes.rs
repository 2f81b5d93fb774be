//! Audiences changed by the areas of an update.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use syncvar_runtime::interest::Area;
use syncvar_runtime::{AudienceId, ConnectionId};

/// Connections that joined audiences because of the areas they enter, or left them because of the
/// areas they leave. One direction at a time.
#[derive(Debug, Default)]
pub(in crate::server) struct ViewerChanges {
    pub(in crate::server) crossed: BTreeSet<(AudienceId, ConnectionId)>,
    /// The areas of these changes, each once, in the order of the interest management: it may
    /// report the nearest ones first.
    pub(in crate::server) areas: Vec<Area>,
    listed: FxHashSet<Area>,
}

impl ViewerChanges {
    /// Adds a connection that joined or left these audiences because of an area.
    pub(in crate::server) fn add(
        &mut self,
        area: Area,
        connection: ConnectionId,
        audiences: &mut Vec<AudienceId>,
    ) {
        if !audiences.is_empty() && self.listed.insert(area) {
            self.areas.push(area);
        }
        let pairs = audiences.drain(..).map(|audience| (audience, connection));
        self.crossed.extend(pairs);
    }

    /// Returns the connections that joined or left an audience, ascending.
    pub(in crate::server) fn of(&self, id: AudienceId) -> impl Iterator<Item = ConnectionId> {
        let (first, last) = (ConnectionId(0), ConnectionId(u32::MAX));
        let pairs = self.crossed.range((id, first)..=(id, last));
        pairs.map(|(_, connection)| *connection)
    }
}
