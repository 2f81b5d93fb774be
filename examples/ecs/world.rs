//! A small ECS: tables of components by entity.

use std::collections::BTreeMap;

use syncvar::behaviour::Optional;
use syncvar::prelude::*;

use super::components::{Burning, Player};

/// Number of an entity.
pub(crate) type Entity = u64;
/// Components of one type.
pub(crate) type Table<C> = BTreeMap<Entity, C>;

/// Components of all entities, and their ids on the network.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) players: Table<Player>,
    pub(crate) burning: Table<Optional<Burning>>,
    pub(crate) ids: Table<NetId>,
    pub(crate) entities: BTreeMap<NetId, Entity>,
    /// Entities without an object.
    pub(crate) spawned: Vec<Entity>,
    /// Objects without an entity.
    pub(crate) despawned: Vec<NetId>,
    next: Entity,
}

impl World {
    /// Adds an entity with default components.
    pub(crate) fn insert(&mut self, id: NetId) -> Entity {
        self.next += 1;
        self.players.entry(self.next).or_default();
        self.burning.entry(self.next).or_default();
        self.ids.insert(self.next, id);
        self.entities.insert(id, self.next);
        self.next
    }

    /// Spawns an entity on the server. Other entities may refer to it at once.
    pub(crate) fn spawn(&mut self, server: &mut NetworkServer, player: Player) -> Entity {
        let entity = self.insert(server.reserve_id().expect("an id is left"));
        self.players.insert(entity, player);
        self.spawned.push(entity);
        entity
    }

    /// Removes an entity with its components.
    pub(crate) fn despawn(&mut self, entity: Entity) {
        self.players.remove(&entity);
        self.burning.remove(&entity);
        if let Some(id) = self.ids.remove(&entity) {
            self.entities.remove(&id);
            self.despawned.push(id);
        }
    }
}
