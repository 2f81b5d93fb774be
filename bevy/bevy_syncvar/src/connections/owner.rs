//! Owners: the connection that an entity belongs to.

use bevy_ecs::prelude::*;
use syncvar::NetId;

use super::Connections;
use crate::{Client, Net, NetEntities, Replicated, Server};

/// Connection that owns an entity, which is [`Replicated`]: its client writes the fields with `write = owner`, reads
/// those with `read = owner`, and calls the commands.
///
/// ```
/// # use bevy_app::prelude::*;
/// # use bevy_ecs::prelude::*;
/// # use bevy_syncvar::prelude::*;
/// # let mut app = App::new();
/// app.add_observer(|joined: On<ClientJoined>, mut commands: Commands| {
///     commands.spawn(Owner(joined.entity));
/// });
/// ```
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
#[relationship(relationship_target = Owns)]
#[require(Replicated)]
pub struct Owner(pub Entity);

/// Entities of a connection: the entities with this [`Owner`].
#[derive(Component, Debug, Default)]
#[relationship_target(relationship = Owner)]
pub struct Owns(Vec<Entity>);

/// Marker of a client's own entities, and of the entities of the local player of a host.
#[derive(Component, Clone, Copy, Debug, Default)]
#[component(clone_behavior = Ignore)]
pub struct Owned;

type NewOwner = Or<(Changed<Owner>, Changed<Net>)>;

/// Gives the objects their owners.
pub(crate) fn collect_owners(
    mut server: ResMut<Server>,
    connections: Res<Connections>,
    changed: Query<(Entity, &Net, &Owner, Has<Owned>), NewOwner>,
    mut removed: RemovedComponents<Owner>,
    without: Query<(Entity, &Net, Has<Owned>), Without<Owner>>,
    mut commands: Commands,
) {
    let mut set = |entity: Entity, net: &Net, owner: Option<&Owner>, is_owned: bool| {
        if net.id() == NetId::NONE {
            return;
        }
        let owner = owner.and_then(|owner| connections.id(owner.0));
        if server.owner(net.id()) != owner
            && let Err(error) = server.set_owner(net.id(), owner)
        {
            tracing::warn!(%entity, %error, "an entity has no owner");
        }
        let is_local = owner.is_some_and(|owner| server.is_local(owner));
        if is_local && !is_owned {
            commands.entity(entity).insert(Owned);
        } else if !is_local && is_owned {
            commands.entity(entity).remove::<Owned>();
        }
    };
    for entity in removed.read() {
        if let Ok((entity, net, is_owned)) = without.get(entity) {
            set(entity, net, None, is_owned);
        }
    }
    for (entity, net, owner, is_owned) in &changed {
        set(entity, net, Some(owner), is_owned);
    }
}

/// Client: marks the entity of an object if the client owns it.
pub(crate) fn show_owned(world: &mut World, id: NetId) {
    let Some(entity) = world.resource::<NetEntities>().entity(id) else {
        return;
    };
    let is_owner = world.resource::<Client>().is_owner(id);
    if let Ok(mut entity) = world.get_entity_mut(entity) {
        if is_owner && !entity.contains::<Owned>() {
            entity.insert(Owned);
        } else if !is_owner && entity.contains::<Owned>() {
            entity.remove::<Owned>();
        }
    }
}
