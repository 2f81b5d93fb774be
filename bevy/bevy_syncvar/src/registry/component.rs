//! A replicated component: its way to the shadows and back.

use std::any::TypeId;

use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::component::Mutable;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryState;
use syncvar::behaviour::{BehaviourList, Optional};
use syncvar::{NetId, NetworkClient, NetworkServer};

use super::ReplicatedType;
use crate::{Net, NetEntities, Received, Remote, Replicated, ShadowOf};

type ChangedComponents<C> =
    QueryState<(&'static Net, &'static mut C), (Changed<C>, With<Replicated>)>;

/// Functions for a component `C` with the shadow `S`. The vectors are empty between two frames.
pub(super) struct ReplicatedComponent<C: Component<Mutability = Mutable>, S: ShadowOf<C>> {
    changed: Option<ChangedComponents<C>>,
    /// Objects of the components in `changed`.
    ids: Vec<NetId>,
    added: Vec<(Entity, C)>,
    removed: Vec<Entity>,
    received: Vec<(Entity, S::Before)>,
}

impl<C: Component<Mutability = Mutable>, S: ShadowOf<C>> Default for ReplicatedComponent<C, S> {
    fn default() -> Self {
        Self {
            changed: None,
            ids: Vec::new(),
            added: Vec::new(),
            removed: Vec::new(),
            received: Vec::new(),
        }
    }
}

impl<C, S> ReplicatedType for ReplicatedComponent<C, S>
where
    C: Component<Mutability = Mutable>,
    S: ShadowOf<C>,
{
    fn name(&self) -> &'static str {
        S::SCHEMA.name
    }

    fn component(&self) -> TypeId {
        TypeId::of::<C>()
    }

    fn absent(&self) -> fn(BehaviourList) -> BehaviourList {
        |list| list.with(Optional::<S>::default())
    }

    fn gather(
        &self,
        world: &mut World,
        entity: Entity,
        entities: &NetEntities,
        list: BehaviourList,
    ) -> BehaviourList {
        let shadow = world.get_mut::<C>(entity).map(|mut component| {
            let mut shadow = S::default();
            shadow.write(component.bypass_change_detection(), entities);
            shadow
        });
        list.with(Optional::from(shadow))
    }

    fn collect(&mut self, world: &mut World, server: &mut NetworkServer, entities: &NetEntities) {
        let changed = self.changed.get_or_insert_with(|| QueryState::new(world));
        self.ids.clear();
        let mut components = Vec::new();
        for (net, component) in changed.iter_mut(world) {
            self.ids.push(net.id);
            components.push(component);
        }
        server.edit_all::<S>(&self.ids, |position, shadow| {
            // An object that could not be spawned has been reported.
            if let (Ok(shadow), Some(component)) = (shadow, components.get_mut(position)) {
                shadow.write(component.bypass_change_detection(), entities);
            }
        });
    }

    fn remove(&self, server: &mut NetworkServer, id: NetId, index: usize) {
        if let Ok(mut shadow) = server.get_mut_at::<Optional<S>>(id, index) {
            shadow.take();
        }
    }

    fn drain(&mut self, world: &mut World, client: &mut NetworkClient, entities: &NetEntities) {
        client.drain_received::<Optional<S>>(|id, _, shadow, fields| {
            let Some(entity) = entities.entity(id) else {
                return;
            };
            let component = world.get_mut::<C>(entity);
            match (shadow.as_mut(), component) {
                (Some(shadow), Some(mut component)) => {
                    let own = component.bypass_change_detection();
                    if let Some(previous) = shadow.read(own, fields, entities) {
                        component.set_changed();
                        self.received.push((entity, previous));
                    }
                }
                (Some(shadow), None) => self.added.push((entity, shadow.create(entities))),
                (None, Some(_)) => self.removed.push(entity),
                (None, None) => {}
            }
        });
    }

    fn store(&mut self, world: &mut World) {
        for entity in self.removed.drain(..) {
            if let Ok(mut entity) = world.get_entity_mut(entity) {
                entity.remove::<C>();
            }
        }
        // An observer may have despawned an entity.
        let exists = |entity: &Entity| world.get::<Remote>(*entity).is_some();
        self.added.retain(|(entity, _)| exists(entity));
        if let Err(error) = world.try_insert_batch(self.added.drain(..)) {
            tracing::debug!(%error, "entities were despawned while they were received");
        }
    }

    fn report(&mut self, world: &mut World) {
        for (entity, previous) in self.received.drain(..) {
            if world.get_entity(entity).is_ok() {
                world.trigger(Received::<C, S>::new(entity, previous));
            }
        }
    }
}
