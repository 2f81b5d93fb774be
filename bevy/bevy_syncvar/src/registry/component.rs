//! A replicated component: its way to the shadows and back.

use std::time::Duration;

use bevy_ecs::change_detection::{ContiguousRef, DetectChangesMut};
use bevy_ecs::component::Mutable;
use bevy_ecs::prelude::*;
use bevy_ecs::query::{QueryFilter, QueryState};
use syncvar::behaviour::{BehaviourList, Optional};
use syncvar::schema::Writers;
use syncvar::{ConnectionId, NetId, NetworkBehaviour};

use super::lookahead::Lookahead;
use super::queries::{PresentQuery, Queries};
use super::transfer::Transfer;
use super::{ClientParts, ReplicatedType, ServerParts, TypePair};
use crate::{Net, NetEntities, Received, Remote, Replicated, ShadowOf};

/// Components to add whose memory stays.
const KEPT: usize = 64;

/// Functions for a component `C` with the shadow `S`, which is sent `W`hen this filter matches, from entities that match
/// `F`. The vectors are empty between two frames.
pub(super) struct ReplicatedComponent<C, S, W, F>
where
    C: Component<Mutability = Mutable>,
    S: ShadowOf<C>,
    W: QueryFilter + 'static,
    F: QueryFilter + 'static,
{
    queries: Queries<C, W, F>,
    /// Objects of the components of `Queries::changed`.
    ids: Vec<NetId>,
    added: Vec<(Entity, C)>,
    removed: Vec<Entity>,
    received: Vec<(Entity, S::Before)>,
    /// Entities of the received objects.
    targets: Vec<(NetId, Entity)>,
    /// Values of a view.
    view: S,
    is_predicted: bool,
    /// Server: present values of rewound components, with the rewound fields.
    present_values: Vec<(Entity, S, u64)>,
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
            queries: Queries::default(),
            ids: Vec::new(),
            added: Vec::new(),
            removed: Vec::new(),
            received: Vec::new(),
            targets: Vec::new(),
            view: S::default(),
            is_predicted: false,
            present_values: Vec::new(),
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
    /// Returns whether a component may have changed since the last run of the system: with
    /// `#[component(summary_tick)]` from the ticks of whole tables.
    fn may_have_changed(&mut self, world: &mut World) -> bool {
        if !C::HAS_SUMMARY_TICK {
            return true;
        }
        let tables = self
            .queries
            .tables
            .get_or_insert_with(|| QueryState::new(world));
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
    fn pair(&self) -> TypePair {
        TypePair::of::<C, S>()
    }

    fn sends(&mut self, world: &mut World, entity: Entity) -> bool {
        let senders = self
            .queries
            .senders
            .get_or_insert_with(|| QueryState::new(world));
        senders.query(world).contains(entity)
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
        list.with_optional(shadow)
    }

    fn collect(&mut self, parts: &mut ServerParts<'_>) {
        if !self.may_have_changed(parts.world) {
            return;
        }
        let is_told = is_told::<C, S>(parts);
        let changed = self
            .queries
            .changed
            .get_or_insert_with(|| QueryState::new(parts.world));
        let mut transfer = Transfer::new(&mut self.ids);
        transfer.add(changed.iter_mut(parts.world));
        if is_told {
            let told = transfer.run_told::<S>(parts.server, parts.entities, &mut parts.misfits);
            self.received.extend(told);
        } else {
            transfer.run::<S>(parts.server, parts.entities, &mut parts.misfits);
        }
    }

    fn collect_all(&self, parts: &mut ServerParts<'_>) {
        let mut all = QueryState::<(&Net, &mut C), (F, With<Replicated>)>::new(parts.world);
        let mut ids = Vec::new();
        let mut transfer = Transfer::new(&mut ids);
        transfer.add(all.iter_mut(parts.world));
        transfer.run::<S>(parts.server, parts.entities, &mut parts.misfits);
    }

    fn settle(&mut self, parts: &mut ServerParts<'_>, entity: Entity) {
        let Some(id) = parts.entities.id(entity) else {
            return;
        };
        if self.sends(parts.world, entity) {
            let mut components = parts.world.query::<(&Net, &mut C)>();
            let mut transfer = Transfer::new(&mut self.ids);
            transfer.add(components.get_mut(parts.world, entity));
            transfer.run::<S>(parts.server, parts.entities, &mut parts.misfits);
        } else {
            remove_shadow::<S>(parts, id);
        }
    }

    fn give_back(&mut self, parts: &mut ServerParts<'_>, id: NetId, fields: u64) {
        let entity = parts.entities.entity(id);
        if let Some(entity) = entity
            && let Some(component) = parts.world.get_mut::<C>(entity)
            && let Ok(mut shadow) = parts.server.get_mut::<S>(id)
        {
            let previous = receive(component, &mut *shadow, fields, parts.entities);
            self.received
                .extend(previous.map(|previous| (entity, previous)));
        }
    }

    fn collect_owned(&mut self, parts: &mut ClientParts<'_>) {
        let fields = owner_fields::<S>();
        if fields == 0 {
            return;
        }
        let written = self
            .queries
            .written
            .get_or_insert_with(|| QueryState::new(parts.world));
        for (net, mut component) in written.iter_mut(parts.world) {
            if parts.client.is_owner(net.id)
                && let Ok(mut shadow) = parts.client.get_mut::<S>(net.id)
            {
                shadow.write(component.bypass_change_detection(), fields, parts.entities);
            }
        }
    }

    fn drain(&mut self, parts: &mut ClientParts<'_>) {
        let entities = parts.entities;
        let is_observed = Received::<C, S>::is_observed(parts.world);
        let present = self
            .queries
            .present
            .get_or_insert_with(|| QueryState::new(parts.world));
        let mut present = present.query_mut(&mut *parts.world);
        let (added, removed, received) = (&mut self.added, &mut self.removed, &mut self.received);
        let is_predicted = self.is_predicted;
        let mut take = |present: &mut PresentQuery<'_, '_, C>,
                        (id, entity): (NetId, Entity),
                        shadow: Option<&mut S>,
                        fields: u64| {
            entities.set_holder(id);
            match (shadow, present.get_mut(entity).ok()) {
                (Some(shadow), Some((component, is_ahead, is_behind))) => {
                    let fields = fields & !shown::<S>(is_predicted && is_ahead, is_behind);
                    if is_observed {
                        let previous = receive(component, shadow, fields, entities);
                        received.extend(previous.map(|previous| (entity, previous)));
                    } else {
                        give(component, shadow, fields, entities);
                    }
                }
                (Some(shadow), None) => added.push((entity, shadow.create(entities))),
                (None, Some(_)) => removed.push(entity),
                (None, None) => {}
            }
        };
        let client = &mut *parts.client;
        let targets = &mut self.targets;
        let mut ahead = Lookahead::begin::<C, Optional<S>>(targets, client, entities, &present);
        client.drain_received::<Optional<S>>(|id, _, shadow, fields| {
            if let Some(entity) = ahead.next(id) {
                take(&mut present, (id, entity), shadow.as_mut(), fields);
            }
        });
        let mut ahead = Lookahead::begin::<C, S>(targets, client, entities, &present);
        client.drain_received::<S>(|id, _, shadow, fields| {
            if let Some(entity) = ahead.next(id) {
                take(&mut present, (id, entity), Some(shadow), fields);
            }
        });
    }

    fn refresh(&mut self, parts: &mut ClientParts<'_>, id: NetId) {
        let entity = parts.entities.entity(id);
        let present = self
            .queries
            .present
            .get_or_insert_with(|| QueryState::new(parts.world));
        if let Some(entity) = entity
            && let Ok((component, is_ahead, is_behind)) = present.get_mut(parts.world, entity)
            && let Ok(mut shadow) = parts.client.get_mut::<S>(id)
        {
            let fields = !shown::<S>(self.is_predicted && is_ahead, is_behind);
            parts.entities.set_holder(id);
            let previous = receive(component, &mut *shadow, fields, parts.entities);
            self.received
                .extend(previous.map(|previous| (entity, previous)));
        }
    }

    fn show(&mut self, parts: &mut ClientParts<'_>, now: Duration) {
        if const { S::SCHEMA.interpolated() == 0 } {
            return;
        }
        let shown = self
            .queries
            .shown
            .get_or_insert_with(|| QueryState::new(parts.world));
        for (net, component, is_ahead, is_behind) in shown.iter_mut(parts.world) {
            if (self.is_predicted && is_ahead || is_behind)
                && let Some(view) = parts.client.view_at::<S>(net.id, now)
            {
                let written = view.write_into(&mut self.view);
                give(component, &mut self.view, written, parts.entities);
            }
        }
    }

    fn rewind(&mut self, parts: &mut ServerParts<'_>, connection: ConnectionId) {
        if const { S::SCHEMA.history() == 0 } {
            return;
        }
        let all = self
            .queries
            .all
            .get_or_insert_with(|| QueryState::new(parts.world));
        parts.server.rewind(connection, |past| {
            for (entity, net, mut component) in all.iter_mut(parts.world) {
                // The player sees the own objects in the present.
                if parts.server.owner(net.id) != Some(connection)
                    && let Some(view) = past.view::<S>(net.id)
                {
                    let fields = view.write_into(&mut self.view);
                    let own = component.bypass_change_detection();
                    let mut present = S::default();
                    present.write(own, u64::MAX, parts.entities);
                    self.view.read(own, fields, parts.entities);
                    self.present_values.push((entity, present, fields));
                }
            }
        });
    }

    fn end_rewind(&mut self, world: &mut World, entities: &NetEntities) {
        for (entity, mut present, fields) in self.present_values.drain(..) {
            if let Some(mut component) = world.get_mut::<C>(entity) {
                present.read(component.bypass_change_detection(), fields, entities);
            }
        }
    }

    fn set_predicted(&mut self) {
        self.is_predicted = true;
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
        // A join adds many.
        self.added.shrink_to(KEPT);
    }

    fn report(&mut self, world: &mut World) {
        for (entity, previous) in self.received.drain(..) {
            if world.get_entity(entity).is_ok() {
                world.trigger(Received::<C, S>::new(entity, previous));
            }
        }
    }
}

/// Server: removes the shadow of a component that an entity does not send.
pub(super) fn remove_shadow<S: NetworkBehaviour + Default>(parts: &mut ServerParts<'_>, id: NetId) {
    if let Ok(mut shadow) = parts.server.get_mut::<Optional<S>>(id) {
        shadow.take();
    } else if parts.server.get::<S>(id).is_some() {
        parts.misfits.push(id);
    }
}

/// Returns the fields that the owner of an object writes.
pub(crate) fn owner_fields<S: NetworkBehaviour>() -> u64 {
    let indices = (0..64).filter(|index| S::SCHEMA.policy(*index).writers != Writers::Server);
    let own = indices.fold(0, |fields, index| fields | 1 << index);
    own & S::SCHEMA.dirty_bits()
}

/// Returns the fields of a component that received changes do not reach: those of a prediction, or of a view.
fn shown<S: NetworkBehaviour>(is_predicted: bool, is_interpolated: bool) -> u64 {
    match (is_predicted, is_interpolated) {
        (true, _) => u64::MAX,
        (false, true) => S::SCHEMA.interpolated(),
        (false, false) => 0,
    }
}

/// Writes received fields to a component, which has changed if one of them differed.
pub(crate) fn receive<C, S: ShadowOf<C>>(
    mut component: Mut<'_, C>,
    shadow: &mut S,
    fields: u64,
    entities: &NetEntities,
) -> Option<S::Before> {
    let previous = shadow.read(component.bypass_change_detection(), fields, entities)?;
    component.set_changed();
    Some(previous)
}

/// Like [`receive`], without the previous values.
pub(crate) fn give<C, S: ShadowOf<C>>(
    mut component: Mut<'_, C>,
    shadow: &mut S,
    fields: u64,
    entities: &NetEntities,
) {
    if shadow.give(component.bypass_change_detection(), fields, entities) {
        component.set_changed();
    }
}

/// Returns whether the observers of a host are told of the changes of the game.
pub(super) fn is_told<C: Component, S: ShadowOf<C>>(parts: &ServerParts<'_>) -> bool {
    parts.server.local_client().is_some() && Received::<C, S>::is_observed(parts.world)
}
