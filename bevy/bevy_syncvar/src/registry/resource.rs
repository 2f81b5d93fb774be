//! A replicated resource: one object without an entity of the game.

use std::marker::PhantomData;

use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::component::Mutable;
use bevy_ecs::prelude::*;
use syncvar::NetId;
use syncvar::behaviour::{BehaviourList, Optional};

use super::component::is_told;
use super::{ClientParts, ReplicatedType, ServerParts, TypePair};
use crate::{Net, NetEntities, Received, Replicate, Replicated, ShadowOf};

type Before<R> = <<R as Replicate>::Shadow as ShadowOf<R>>::Before;

/// Functions for a resource.
pub(super) struct ReplicatedResource<R: Replicate> {
    /// Server: whether the resource was there at the last run.
    was_there: bool,
    /// Client: the object with the resource.
    holder: Option<NetId>,
    added: Option<R>,
    is_removed: bool,
    received: Option<(Entity, Before<R>)>,
}

/// Marker of the entity whose object has the resource.
#[derive(Component)]
#[component(clone_behavior = Ignore)]
struct HolderOf<R: Send + Sync + 'static>(PhantomData<fn() -> R>);

impl<R: Replicate> Default for ReplicatedResource<R> {
    fn default() -> Self {
        Self {
            was_there: false,
            holder: None,
            added: None,
            is_removed: false,
            received: None,
        }
    }
}

impl<R: Resource<Mutability = Mutable> + Replicate> ReplicatedResource<R> {
    /// Takes over the present resource. Returns the previous values where the observers of a host are told of them.
    fn write(parts: &mut ServerParts<'_>) -> Option<(Entity, Before<R>)> {
        let is_told = is_told::<R, R::Shadow>(parts);
        let (world, server, entities) = (&mut *parts.world, &mut *parts.server, parts.entities);
        let mut holders = world.query_filtered::<(Entity, &Net), With<HolderOf<R>>>();
        let holder = holders.iter(world).map(|(entity, net)| (entity, net.id));
        let (holder, id) = holder.last()?;
        let local = server.local_client().filter(|_| is_told);
        let is_seen = local.is_some_and(|local| local.get::<R::Shadow>(id).is_some());
        let mut resource = world.get_resource_mut::<R>()?;
        let mut previous = None;
        server.edit_all::<R::Shadow>(&[id], |_, shadow| {
            let (Ok(shadow), resource) = (shadow, resource.bypass_change_detection()) else {
                return;
            };
            if is_seen {
                previous = shadow.change(resource, entities);
            } else {
                shadow.write(resource, u64::MAX, entities);
            }
        });
        previous.map(|previous| (holder, previous))
    }
}

impl<R: Resource<Mutability = Mutable> + Replicate> ReplicatedType for ReplicatedResource<R> {
    fn pair(&self) -> TypePair {
        TypePair::of::<R, R::Shadow>()
    }

    fn sends(&mut self, world: &mut World, entity: Entity) -> bool {
        world.get::<HolderOf<R>>(entity).is_some()
    }

    fn start(&self, world: &mut World) {
        let mut holders = world.query_filtered::<(), With<HolderOf<R>>>();
        // The server has been stopped and started.
        if holders.iter(world).next().is_none() {
            world.spawn((Replicated, HolderOf::<R>(PhantomData)));
        }
    }

    fn gather(
        &mut self,
        world: &mut World,
        entity: Entity,
        entities: &NetEntities,
        list: BehaviourList,
    ) -> BehaviourList {
        let is_holder = world.get::<HolderOf<R>>(entity).is_some();
        let resource = is_holder.then(|| world.get_resource_mut::<R>()).flatten();
        let shadow = resource.map(|mut resource| {
            let mut shadow = R::Shadow::default();
            shadow.write(resource.bypass_change_detection(), u64::MAX, entities);
            shadow
        });
        list.with_optional(shadow)
    }

    fn collect(&mut self, parts: &mut ServerParts<'_>) {
        let (world, entities) = (&mut *parts.world, parts.entities);
        let is_changed = world
            .get_resource_ref::<R>()
            .map(|resource| resource.is_changed());
        if is_changed == Some(true) {
            self.received = Self::write(parts);
        } else if is_changed.is_none() && self.was_there {
            let mut holders = world.query_filtered::<Entity, With<HolderOf<R>>>();
            let holder = holders.iter(world).find_map(|entity| entities.id(entity));
            if let Some(mut shadow) =
                holder.and_then(|id| parts.server.get_mut::<Optional<R::Shadow>>(id).ok())
            {
                shadow.take();
            }
        }
        self.was_there = is_changed.is_some();
    }

    fn collect_all(&self, parts: &mut ServerParts<'_>) {
        Self::write(parts);
    }

    fn settle(&mut self, _: &mut ServerParts<'_>, _: Entity) {}

    fn give_back(&mut self, _: &mut ServerParts<'_>, _: NetId, _: u64) {}

    fn collect_owned(&mut self, _: &mut ClientParts<'_>) {}

    fn drain(&mut self, parts: &mut ClientParts<'_>) {
        let (world, entities) = (&mut *parts.world, parts.entities);
        parts
            .client
            .drain_received::<Optional<R::Shadow>>(|id, _, shadow, fields| {
                let Some(entity) = entities.entity(id) else {
                    return;
                };
                entities.set_holder(id);
                match (shadow.as_mut(), world.get_resource_mut::<R>()) {
                    (Some(shadow), Some(mut resource)) => {
                        let own = resource.bypass_change_detection();
                        if let Some(previous) = shadow.read(own, fields, entities) {
                            resource.set_changed();
                            self.received = Some((entity, previous));
                        }
                    }
                    (Some(shadow), None) => self.added = Some(shadow.create(entities)),
                    // The objects of entities have no resource either.
                    (None, _) if self.holder == Some(id) => self.is_removed = true,
                    (None, _) => return,
                }
                self.holder = Some(id);
            });
    }

    fn refresh(&mut self, parts: &mut ClientParts<'_>, id: NetId) {
        let entity = parts.entities.entity(id);
        if let Some(entity) = entity
            && let Ok(mut shadow) = parts.client.get_mut::<R::Shadow>(id)
            && let Some(mut resource) = parts.world.get_resource_mut::<R>()
        {
            parts.entities.set_holder(id);
            let own = resource.bypass_change_detection();
            if let Some(previous) = shadow.read(own, u64::MAX, parts.entities) {
                resource.set_changed();
                self.received = Some((entity, previous));
            }
        }
    }

    fn store(&mut self, world: &mut World) {
        if std::mem::take(&mut self.is_removed) {
            self.holder = None;
            world.remove_resource::<R>();
        }
        if let Some(resource) = self.added.take() {
            world.insert_resource(resource);
        }
    }

    fn report(&mut self, world: &mut World) {
        if let Some((entity, previous)) = self.received.take() {
            world.trigger(Received::<R>::new(entity, previous));
        }
    }
}
