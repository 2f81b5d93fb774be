//! `Lookahead`: entities of received objects, looked up before the first object is applied.

use std::slice;

use bevy_ecs::component::Mutable;
use bevy_ecs::prelude::*;
use prefetch_index::prefetch_index;
use syncvar::{NetId, NetworkBehaviour, NetworkClient};

use super::queries::PresentQuery;
use crate::NetEntities;

/// Entities of received objects, in the order of the objects. Look-ups one behind the other overlap in memory; each one
/// alone would wait for its tables while an object is applied.
pub(super) struct Lookahead<'a> {
    targets: slice::Iter<'a, (NetId, Entity)>,
}

impl<'a> Lookahead<'a> {
    /// Looks up the objects that `drain_received` of a behaviour visits next, and loads their components into the cache.
    /// `targets` is memory for the entities.
    pub(super) fn begin<C: Component<Mutability = Mutable>, B: NetworkBehaviour>(
        targets: &'a mut Vec<(NetId, Entity)>,
        client: &NetworkClient,
        entities: &NetEntities,
        present: &PresentQuery<'_, '_, C>,
    ) -> Self {
        targets.clear();
        let entity_of = |id| entities.entity(id).unwrap_or(Entity::PLACEHOLDER);
        targets.extend(client.received::<B>().map(|id| (id, entity_of(id))));
        for (_, entity) in &*targets {
            if let Ok((component, ..)) = present.get(*entity) {
                prefetch_index(slice::from_ref(component), 0);
            }
        }
        Self {
            targets: targets.iter(),
        }
    }

    /// Returns the entity of the next visited object.
    pub(super) fn next(&mut self, id: NetId) -> Option<Entity> {
        // Objects that are gone are not visited.
        let (_, entity) = self.targets.find(|(target, _)| *target == id)?;
        (*entity != Entity::PLACEHOLDER).then_some(*entity)
    }
}
