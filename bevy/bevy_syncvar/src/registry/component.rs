//! A replicated component: its way to the shadows and back.

use std::any::TypeId;

use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::component::Mutable;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryState;
use syncvar::behaviour::{BehaviourList, Optional};
use syncvar::schema::Writers;
use syncvar::{NetId, NetworkBehaviour, NetworkClient, NetworkServer};

use super::ReplicatedType;
use crate::{Net, NetEntities, Received, Remote, Replicated, ShadowOf};

type ChangedComponents<C, M> = QueryState<(&'static Net, &'static mut C), (Changed<C>, With<M>)>;

/// Functions for a component `C` with the shadow `S`. The vectors are empty between two frames.
pub(super) struct ReplicatedComponent<C: Component<Mutability = Mutable>, S: ShadowOf<C>> {
    /// Position of the shadow in the prefab.
    index: usize,
    changed: Option<ChangedComponents<C, Replicated>>,
    /// Components that the owner may have written.
    written: Option<ChangedComponents<C, Remote>>,
    /// Objects of the components in `changed`.
    ids: Vec<NetId>,
    added: Vec<(Entity, C)>,
    removed: Vec<Entity>,
    received: Vec<(Entity, S::Before)>,
}

impl<C: Component<Mutability = Mutable>, S: ShadowOf<C>> Default for ReplicatedComponent<C, S> {
    fn default() -> Self {
        Self {
            index: 0,
            changed: None,
            written: None,
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
            shadow.write(component.bypass_change_detection(), u64::MAX, entities);
            shadow
        });
        list.with(Optional::from(shadow))
    }

    fn collect(&mut self, world: &mut World, server: &mut NetworkServer, entities: &NetEntities) {
        let changed = self.changed.get_or_insert_with(|| QueryState::new(world));
        let components = changed.iter_mut(world);
        transfer::<C, S>(components, &mut self.ids, server, entities);
    }

    fn collect_all(&self, world: &mut World, server: &mut NetworkServer, entities: &NetEntities) {
        let mut all = world.query_filtered::<(&Net, &mut C), With<Replicated>>();
        transfer::<C, S>(all.iter_mut(world), &mut Vec::new(), server, entities);
    }

    fn remove(&self, server: &mut NetworkServer, id: NetId) {
        if let Ok(mut shadow) = server.get_mut_at::<Optional<S>>(id, self.index) {
            shadow.take();
        }
    }

    fn give_back(
        &mut self,
        world: &mut World,
        server: &mut NetworkServer,
        entity: Entity,
        fields: u64,
        entities: &NetEntities,
    ) {
        let Some(id) = entities.id(entity) else {
            return;
        };
        if let (Some(component), Ok(mut shadow)) = (
            world.get_mut::<C>(entity),
            server.get_mut_at::<Optional<S>>(id, self.index),
        ) && let Some(shadow) = shadow.as_mut()
        {
            let previous = present(component, shadow, fields, entities);
            self.received
                .extend(previous.map(|previous| (entity, previous)));
        }
    }

    fn collect_owned(
        &mut self,
        world: &mut World,
        client: &mut NetworkClient,
        entities: &NetEntities,
    ) {
        let fields = owner_fields::<S>();
        if fields == 0 {
            return;
        }
        let written = self.written.get_or_insert_with(|| QueryState::new(world));
        for (net, mut component) in written.iter_mut(world) {
            if client.is_owner(net.id)
                && let Ok(mut shadow) = client.get_mut_at::<Optional<S>>(net.id, self.index)
                && let Some(shadow) = shadow.as_mut()
            {
                shadow.write(component.bypass_change_detection(), fields, entities);
            }
        }
    }

    fn set_index(&mut self, index: usize) {
        self.index = index;
    }

    fn drain(&mut self, world: &mut World, client: &mut NetworkClient, entities: &NetEntities) {
        client.drain_received::<Optional<S>>(|id, _, shadow, fields| {
            let Some(entity) = entities.entity(id) else {
                return;
            };
            entities.set_holder(Some(id));
            match (shadow.as_mut(), world.get_mut::<C>(entity)) {
                (Some(shadow), Some(component)) => {
                    let previous = present(component, shadow, fields, entities);
                    self.received
                        .extend(previous.map(|previous| (entity, previous)));
                }
                (Some(shadow), None) => self.added.push((entity, shadow.create(entities))),
                (None, Some(_)) => self.removed.push(entity),
                (None, None) => {}
            }
        });
    }

    fn refresh(
        &mut self,
        world: &mut World,
        client: &mut NetworkClient,
        entities: &NetEntities,
        id: NetId,
    ) {
        let entity = entities.entity(id);
        let component = entity.and_then(|entity| Some((entity, world.get_mut::<C>(entity)?)));
        let Some((entity, component)) = component else {
            return;
        };
        if let Ok(mut shadow) = client.get_mut_at::<Optional<S>>(id, self.index)
            && let Some(shadow) = shadow.as_mut()
        {
            entities.set_holder(Some(id));
            let previous = present(component, shadow, u64::MAX, entities);
            self.received
                .extend(previous.map(|previous| (entity, previous)));
        }
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

/// Returns the fields that the owner of an object writes.
fn owner_fields<S: NetworkBehaviour>() -> u64 {
    let indices = (0..64).filter(|index| S::SCHEMA.policy(*index).writers != Writers::Server);
    let own = indices.fold(0, |fields, index| fields | 1 << index);
    own & S::SCHEMA.dirty_bits()
}

/// Writes received fields to a component, which has changed if one of them differed.
fn present<C, S: ShadowOf<C>>(
    mut component: Mut<'_, C>,
    shadow: &mut S,
    fields: u64,
    entities: &NetEntities,
) -> Option<S::Before> {
    let previous = shadow.read(component.bypass_change_detection(), fields, entities)?;
    component.set_changed();
    Some(previous)
}

/// Takes components over. `ids` is memory for their objects.
fn transfer<'w, C, S: ShadowOf<C>>(
    from: impl Iterator<Item = (&'w Net, Mut<'w, C>)>,
    ids: &mut Vec<NetId>,
    server: &mut NetworkServer,
    entities: &NetEntities,
) where
    C: Component<Mutability = Mutable>,
{
    ids.clear();
    let mut components = Vec::new();
    for (net, component) in from {
        ids.push(net.id);
        components.push(component);
    }
    server.edit_all::<S>(ids, |position, shadow| {
        // An object that could not be spawned has been reported.
        if let (Ok(shadow), Some(component)) = (shadow, components.get_mut(position)) {
            shadow.write(component.bypass_change_detection(), u64::MAX, entities);
        }
    });
}
