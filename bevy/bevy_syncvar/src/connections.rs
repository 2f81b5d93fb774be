//! Connections of a server as entities: their components, joins and ends.

mod join;
mod owner;

use bevy_ecs::entity::{Entity, EntityHashMap};
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;
use bevy_platform::collections::HashMap;
use syncvar::join::Payload;
use syncvar::{ConnectionId, DisconnectReason};

use crate::Server;

pub use join::JoinRequest;
pub use owner::{Owned, Owner, Owns};
pub(crate) use owner::{collect_owners, show_owned};

/// Connection of a server. Despawn the entity to disconnect the client.
///
/// The connection of the local player of a host has a [`LocalClient`], too.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_syncvar::prelude::*;
/// fn kick(idle: Query<Entity, (With<Connection>, Without<Ready>)>, mut commands: Commands) {
///     for connection in idle {
///         commands.entity(connection).despawn();
///     }
/// }
/// # let mut world = World::new();
/// # world.run_system_cached(kick).unwrap();
/// ```
#[derive(Component, Clone, Debug)]
#[component(immutable, clone_behavior = Ignore, on_remove)]
pub struct Connection {
    pub(crate) id: ConnectionId,
    pub(crate) payload: Payload,
}

impl Connection {
    /// Returns the number of the connection, for the methods of [`Server`].
    pub fn id(&self) -> ConnectionId {
        self.id
    }

    /// Returns the payload with which the client has joined.
    pub fn payload(&self) -> &Payload {
        &self.payload
    }

    fn on_remove(mut world: DeferredWorld<'_>, context: HookContext) {
        let Some(id) = world.get::<Self>(context.entity).map(Self::id) else {
            return;
        };
        let Some(mut connections) = world.get_resource_mut::<Connections>() else {
            return;
        };
        // The server has ended a connection that is not in the table.
        if connections.remove(id).is_some()
            && let Some(mut server) = world.get_resource_mut::<Server>()
        {
            server.disconnect(id, "disconnected by the server");
        }
    }
}

/// Marker of a [`Connection`] whose client has received all objects that it may see.
#[derive(Component, Clone, Copy, Debug, Default)]
#[component(clone_behavior = Ignore)]
pub struct Ready;

/// Marker of a [`Connection`] whose client has lost its link and may return.
#[derive(Component, Clone, Copy, Debug, Default)]
#[component(clone_behavior = Ignore)]
pub struct Away;

/// Marker of the [`Connection`] of the local player of a host.
#[derive(Component, Clone, Copy, Debug, Default)]
#[component(clone_behavior = Ignore)]
pub struct LocalClient;

/// Event of a server: the client of a connection has received all objects that it may see.
#[derive(EntityEvent, Clone, Copy, Debug)]
pub struct ClientJoined {
    /// The connection.
    pub entity: Entity,
}

/// Event of a server: a connection has ended. Its entity is despawned behind the observers.
#[derive(EntityEvent, Clone, Debug)]
pub struct ClientLeft {
    /// The connection.
    pub entity: Entity,
    /// The reason.
    pub reason: DisconnectReason,
}

/// Event of a client: the server has refused or ended its connection, or the link is lost.
#[derive(Event, Clone, Debug)]
pub struct Disconnected {
    /// The reason.
    pub reason: DisconnectReason,
}

/// Entities of the connections of a server.
#[derive(Resource, Debug, Default)]
pub struct Connections {
    entities: HashMap<ConnectionId, Entity>,
    ids: EntityHashMap<ConnectionId>,
}

impl Connections {
    /// Returns the entity of a connection.
    pub fn entity(&self, id: ConnectionId) -> Option<Entity> {
        self.entities.get(&id).copied()
    }

    /// Returns the connection of an entity.
    pub fn id(&self, entity: Entity) -> Option<ConnectionId> {
        self.ids.get(&entity).copied()
    }

    /// Returns all connections, in the order of their numbers.
    pub fn ids(&self) -> Vec<ConnectionId> {
        let mut ids: Vec<ConnectionId> = self.entities.keys().copied().collect();
        ids.sort_unstable();
        ids
    }

    pub(crate) fn insert(&mut self, id: ConnectionId, entity: Entity) {
        self.entities.insert(id, entity);
        self.ids.insert(entity, id);
    }

    pub(crate) fn remove(&mut self, id: ConnectionId) -> Option<Entity> {
        let entity = self.entities.remove(&id)?;
        self.ids.remove(&entity);
        Some(entity)
    }
}
