//! A replicated component: its way to the shadows and back.

use std::any::TypeId;

use bevy_ecs::change_detection::{ContiguousRef, DetectChangesMut};
use bevy_ecs::component::Mutable;
use bevy_ecs::prelude::*;
use bevy_ecs::query::{QueryFilter, QueryState};
use syncvar::behaviour::{BehaviourList, Optional};
use syncvar::schema::Writers;
use syncvar::{NetId, NetworkBehaviour, NetworkClient, NetworkServer};

use super::ReplicatedType;
use crate::{Net, NetEntities, Received, Remote, Replicated, ShadowOf};

type Changes<C, W, F> = Components<C, (W, F, With<Replicated>)>;
type Written<C> = Components<C, (Changed<C>, With<Remote>)>;
type Components<C, F> = QueryState<(&'static Net, &'static mut C), F>;

/// Functions for a component `C` with the shadow `S`, which is sent `W`hen this filter matches, from entities that match
/// `F`. The vectors are empty between two frames.
pub(super) struct ReplicatedComponent<C, S, W, F>
where
    C: Component<Mutability = Mutable>,
    S: ShadowOf<C>,
    W: QueryFilter + 'static,
    F: QueryFilter + 'static,
{
    /// Position of the shadow in the prefab.
    index: usize,
    changed: Option<Changes<C, W, F>>,
    /// Tables with the component, for their summary ticks.
    tables: Option<QueryState<Ref<'static, C>, With<Replicated>>>,
    /// Components of received objects.
    present: Option<QueryState<&'static mut C>>,
    /// Components that the owner may have written.
    written: Option<Written<C>>,
    /// Entities that send the component.
    senders: Option<QueryState<(), (With<C>, F)>>,
    /// Objects of the components in `changed`.
    ids: Vec<NetId>,
    added: Vec<(Entity, C)>,
    removed: Vec<Entity>,
    received: Vec<(Entity, S::Before)>,
}

impl<C, S, W, F> Default for ReplicatedComponent<C, S, W, F>
where
    C: Component<Mutability = Mutable>,
    S: ShadowOf<C>,
    W: QueryFilter + Send + Sync + 'static,
    F: QueryFilter + Send + Sync + 'static,
{
    fn default() -> Self {
        Self {
            index: 0,
            changed: None,
            tables: None,
            present: None,
            written: None,
            senders: None,
            ids: Vec::new(),
            added: Vec::new(),
            removed: Vec::new(),
            received: Vec::new(),
        }
    }
}

impl<C, S, W, F> ReplicatedComponent<C, S, W, F>
where
    C: Component<Mutability = Mutable>,
    S: ShadowOf<C>,
    W: QueryFilter + Send + Sync + 'static,
    F: QueryFilter + Send + Sync + 'static,
{
    /// Returns whether an entity sends the component.
    fn sends(&mut self, world: &mut World, entity: Entity) -> bool {
        let senders = self.senders.get_or_insert_with(|| QueryState::new(world));
        senders.query(world).contains(entity)
    }

    /// Returns whether a component may have changed since the last run of the system: with
    /// `#[component(summary_tick)]` from the ticks of whole tables.
    fn may_have_changed(&mut self, world: &mut World) -> bool {
        if !C::HAS_SUMMARY_TICK {
            return true;
        }
        let tables = self.tables.get_or_insert_with(|| QueryState::new(world));
        let Ok(mut tables) = tables.contiguous_iter(world) else {
            return true;
        };
        tables.any(|table| ContiguousRef::split(table).1.summary_tick_is_changed() != Some(false))
    }
}

impl<C, S, W, F> ReplicatedType for ReplicatedComponent<C, S, W, F>
where
    C: Component<Mutability = Mutable>,
    S: ShadowOf<C>,
    W: QueryFilter + Send + Sync + 'static,
    F: QueryFilter + Send + Sync + 'static,
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
        &mut self,
        world: &mut World,
        entity: Entity,
        entities: &NetEntities,
        list: BehaviourList,
    ) -> BehaviourList {
        let component = self
            .sends(world, entity)
            .then(|| world.get_mut::<C>(entity));
        let shadow = component.flatten().map(|mut component| {
            let mut shadow = S::default();
            shadow.write(component.bypass_change_detection(), u64::MAX, entities);
            shadow
        });
        list.with(Optional::from(shadow))
    }

    fn collect(&mut self, world: &mut World, server: &mut NetworkServer, entities: &NetEntities) {
        if !self.may_have_changed(world) {
            return;
        }
        let changed = self.changed.get_or_insert_with(|| QueryState::new(world));
        let components = changed.iter_mut(world);
        transfer::<C, S>(components, &mut self.ids, server, entities);
    }

    fn collect_all(&self, world: &mut World, server: &mut NetworkServer, entities: &NetEntities) {
        let mut all = world.query_filtered::<(&Net, &mut C), (F, With<Replicated>)>();
        transfer::<C, S>(all.iter_mut(world), &mut Vec::new(), server, entities);
    }

    fn settle(
        &mut self,
        world: &mut World,
        server: &mut NetworkServer,
        entity: Entity,
        entities: &NetEntities,
    ) {
        let Some(id) = entities.id(entity) else {
            return;
        };
        if self.sends(world, entity) {
            let mut components = world.query::<(&Net, &mut C)>();
            let own = components.get_mut(world, entity).into_iter();
            transfer::<C, S>(own, &mut self.ids, server, entities);
        } else if let Ok(mut shadow) = server.get_mut_at::<Optional<S>>(id, self.index) {
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
            let previous = receive(component, shadow, fields, entities);
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
        let present = self.present.get_or_insert_with(|| QueryState::new(world));
        let mut present = present.query_mut(world);
        client.drain_received::<Optional<S>>(|id, _, shadow, fields| {
            let Some(entity) = entities.entity(id) else {
                return;
            };
            entities.set_holder(Some(id));
            match (shadow.as_mut(), present.get_mut(entity).ok()) {
                (Some(shadow), Some(component)) => {
                    let previous = receive(component, shadow, fields, entities);
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
            let previous = receive(component, shadow, u64::MAX, entities);
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
fn receive<C, S: ShadowOf<C>>(
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
    let mut components = Vec::with_capacity(ids.capacity());
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
