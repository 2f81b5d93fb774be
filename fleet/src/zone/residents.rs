//! `Residents`: objects of a zone, and their handovers.

use std::collections::{BTreeMap, BTreeSet};

use syncvar_net::NetworkServer;
use syncvar_runtime::NetId;

use super::handovers::Handovers;
use crate::zone::{ClientId, ZoneId};

/// Objects that have left whose new zone is known.
const MAX_MOVED: usize = 4096;

/// Handovers, and the objects that the next update looks at.
#[derive(Debug, Default)]
pub(super) struct Residents {
    pub(super) handovers: Handovers,
    /// Objects whose note changes with the next update.
    pub(super) changed: BTreeSet<NetId>,
    /// Objects that are placed in the next update.
    pub(super) unplaced: BTreeSet<NetId>,
    /// Handovers by the program.
    pub(super) ordered: BTreeMap<NetId, ZoneId>,
    /// Zones of the last objects that have left.
    pub(super) moved: BTreeMap<NetId, ZoneId>,
    /// Children that have arrived before their parents, by parent.
    pub(super) orphans: BTreeMap<NetId, BTreeSet<NetId>>,
    /// Number of updates.
    pub(super) updates: u32,
}

impl Residents {
    pub(super) fn epoch(&self, object: NetId) -> u64 {
        let residence = self.handovers.residences.get(&object);
        residence.map_or(1, |residence| residence.epoch)
    }

    /// Returns the zone to which an object has left, or is on its way.
    pub(super) fn left_to(&self, object: NetId) -> Option<ZoneId> {
        let residence = self.handovers.residences.get(&object);
        let departure = residence.and_then(|it| it.departure.as_ref());
        departure
            .map(|it| it.to)
            .or_else(|| self.moved.get(&object).copied())
    }

    /// Returns the objects on their way.
    pub(super) fn departing(&self) -> impl Iterator<Item = NetId> {
        let residences = self.handovers.residences.iter();
        residences
            .filter(|(_, residence)| residence.departure.is_some())
            .map(|(object, _)| *object)
    }

    pub(super) fn note_moved(&mut self, object: NetId, to: ZoneId) {
        self.changed.insert(object);
        self.moved.insert(object, to);
        if self.moved.len() > MAX_MOVED {
            self.moved.pop_first();
        }
    }

    /// Forgets the numbers of the commands of a client.
    pub(super) fn forget_client(&mut self, client: ClientId) {
        for (object, residence) in &mut self.handovers.residences {
            if residence.commands.remove(&client).is_some() {
                self.changed.insert(*object);
            }
        }
    }

    /// Forgets the objects that the program has despawned.
    pub(super) fn forget_ended(&mut self, server: &NetworkServer) {
        let residences = self.handovers.residences.iter();
        let ended = residences.filter(|(object, residence)| {
            residence.departure.is_none() && server.identity(**object).is_none()
        });
        let ended: Vec<NetId> = ended.map(|(object, _)| *object).collect();
        for object in ended {
            self.handovers.despawn(object);
            self.changed.insert(object);
        }
        self.orphans.retain(|_, children| {
            children.retain(|child| server.identity(*child).is_some());
            !children.is_empty()
        });
    }
}
