//! A replicated immutable component, a relationship among them: a received change is an insertion.

use bevy_ecs::component::Immutable;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryState;
use bevy_ecs::relationship::{Relationship, RelationshipTarget};
use syncvar::NetId;
use syncvar::behaviour::{BehaviourList, Optional};
use syncvar::error::ObjectError;

use super::component::{owner_fields, remove_shadow};
use super::{ClientParts, ReplicatedType, ServerParts, TypePair};
use crate::{Net, NetEntities, Received, Remote, Replicate, Replicated, ShadowOf};

type Before<C> = <<C as Replicate>::Shadow as ShadowOf<C>>::Before;

type Found<C, M> = QueryState<(&'static Net, &'static C), (Changed<C>, With<M>)>;

/// What a relationship knows of its entities.
pub(super) struct Relation<C> {
    target: fn(&C) -> Entity,
    sources: fn(&World, Entity) -> Vec<Entity>,
}

impl<C: Relationship> Relation<C> {
    pub(super) fn new() -> Self {
        Self {
            target: C::get,
            sources: |world, target| {
                let target = world.get::<C::RelationshipTarget>(target);
                target.map_or_else(Vec::new, |target| target.iter().collect())
            },
        }
    }
}

/// Functions for an immutable component. The vectors are empty between two frames.
pub(super) struct ReplicatedImmutable<C: Replicate> {
    changed: Option<Found<C, Replicated>>,
    /// Components that the owner may have written.
    written: Option<Found<C, Remote>>,
    relation: Option<Relation<C>>,
    new: Vec<(Entity, C)>,
    removed: Vec<Entity>,
    received: Vec<(Entity, Before<C>)>,
}

impl<C: Replicate> ReplicatedImmutable<C> {
    pub(super) fn new(relation: Option<Relation<C>>) -> Self {
        Self {
            changed: None,
            written: None,
            relation,
            new: Vec::new(),
            removed: Vec::new(),
            received: Vec::new(),
        }
    }
}

impl<C> ReplicatedImmutable<C>
where
    C: Replicate + Component<Mutability = Immutable> + Clone,
{
    /// Makes the shadow of a component.
    fn shadow(component: &C, entities: &NetEntities) -> C::Shadow {
        let mut shadow = C::Shadow::default();
        shadow.write(&mut component.clone(), u64::MAX, entities);
        shadow
    }

    /// Takes over components.
    fn write(parts: &mut ServerParts<'_>, components: Vec<(NetId, C)>) {
        let (ids, mut components): (Vec<NetId>, Vec<C>) = components.into_iter().unzip();
        let (entities, misfits) = (parts.entities, &mut parts.misfits);
        parts
            .server
            .edit_all::<C::Shadow>(&ids, |position, shadow| {
                match (shadow, components.get_mut(position)) {
                    (Ok(shadow), Some(component)) => shadow.write(component, u64::MAX, entities),
                    (Err(ObjectError::NoSuchBehaviour { object, .. }), _) => misfits.push(object),
                    // An object that could not be spawned has been reported.
                    _ => {}
                }
            });
    }

    /// Returns the component of an entity, as it will be at the end of the frame.
    fn present(&self, world: &World, entity: Entity) -> Option<C> {
        let new = self.new.iter().find(|(own, _)| *own == entity);
        let present = new.map(|(_, component)| component);
        present.or_else(|| world.get::<C>(entity)).cloned()
    }

    /// Remembers the new component of an entity.
    fn put(&mut self, entity: Entity, component: C) {
        match self.new.iter_mut().find(|(own, _)| *own == entity) {
            Some(new) => new.1 = component,
            None => self.new.push((entity, component)),
        }
    }

    /// Client: remembers the component of a received shadow.
    fn take(
        &mut self,
        world: &World,
        entities: &NetEntities,
        entity: Entity,
        shadow: Option<(&mut C::Shadow, u64)>,
    ) {
        let Some((shadow, fields)) = shadow else {
            self.removed.push(entity);
            return;
        };
        let component = if let Some(mut component) = self.present(world, entity) {
            let Some(previous) = shadow.read(&mut component, fields, entities) else {
                return;
            };
            self.received.push((entity, previous));
            component
        } else {
            shadow.create(entities)
        };
        let target = self
            .relation
            .as_ref()
            .map(|relation| (relation.target)(&component));
        if target == Some(Entity::PLACEHOLDER) {
            // Bevy has no relationship without a target: the component comes with the target.
            self.removed.push(entity);
            self.received.retain(|(received, _)| *received != entity);
        } else {
            self.put(entity, component);
        }
    }
}

impl<C> ReplicatedType for ReplicatedImmutable<C>
where
    C: Replicate + Component<Mutability = Immutable> + Clone,
{
    fn pair(&self) -> TypePair {
        TypePair::of::<C, C::Shadow>()
    }

    fn sends(&mut self, world: &mut World, entity: Entity) -> bool {
        world.get::<C>(entity).is_some()
    }

    fn gather(
        &mut self,
        world: &mut World,
        entity: Entity,
        entities: &NetEntities,
        list: BehaviourList,
    ) -> BehaviourList {
        let component = world.get::<C>(entity);
        list.with_optional(component.map(|component| Self::shadow(component, entities)))
    }

    fn collect(&mut self, parts: &mut ServerParts<'_>) {
        let changed = self
            .changed
            .get_or_insert_with(|| QueryState::new(parts.world));
        let changed = changed.query(parts.world);
        let changed: Vec<_> = changed
            .iter()
            .map(|(net, it)| (net.id, it.clone()))
            .collect();
        Self::write(parts, changed);
    }

    fn collect_all(&self, parts: &mut ServerParts<'_>) {
        let mut all = parts.world.query_filtered::<(&Net, &C), With<Replicated>>();
        let all = all.iter(parts.world).map(|(net, it)| (net.id, it.clone()));
        let all = all.collect();
        Self::write(parts, all);
    }

    fn settle(&mut self, parts: &mut ServerParts<'_>, entity: Entity) {
        let Some(id) = parts.entities.id(entity) else {
            return;
        };
        if let Some(component) = parts.world.get::<C>(entity).cloned() {
            Self::write(parts, vec![(id, component)]);
        } else {
            remove_shadow::<C::Shadow>(parts, id);
        }
    }

    fn give_back(&mut self, parts: &mut ServerParts<'_>, id: NetId, fields: u64) {
        if let Some(entity) = parts.entities.entity(id)
            && let Some(mut component) = self.present(parts.world, entity)
            && let Ok(mut shadow) = parts.server.get_mut::<C::Shadow>(id)
            && let Some(previous) = shadow.read(&mut component, fields, parts.entities)
        {
            self.received.push((entity, previous));
            self.put(entity, component);
        }
    }

    fn collect_owned(&mut self, parts: &mut ClientParts<'_>) {
        let fields = owner_fields::<C::Shadow>();
        if fields == 0 {
            return;
        }
        let written = self
            .written
            .get_or_insert_with(|| QueryState::new(parts.world));
        for (net, component) in written.query(parts.world).iter() {
            if parts.client.is_owner(net.id)
                && let Ok(mut shadow) = parts.client.get_mut::<C::Shadow>(net.id)
            {
                shadow.write(&mut component.clone(), fields, parts.entities);
            }
        }
    }

    fn drain(&mut self, parts: &mut ClientParts<'_>) {
        let (world, entities) = (&*parts.world, parts.entities);
        let mut take = |id: NetId, shadow: Option<&mut C::Shadow>, fields: u64| {
            if let Some(entity) = entities.entity(id) {
                entities.set_holder(id);
                self.take(
                    world,
                    entities,
                    entity,
                    shadow.map(|shadow| (shadow, fields)),
                );
            }
        };
        let client = &mut *parts.client;
        client.drain_received::<Optional<C::Shadow>>(|id, _, shadow, fields| {
            take(id, shadow.as_mut(), fields);
        });
        client.drain_received::<C::Shadow>(|id, _, shadow, fields| take(id, Some(shadow), fields));
    }

    fn refresh(&mut self, parts: &mut ClientParts<'_>, id: NetId) {
        let entity = parts.entities.entity(id);
        if let Some(entity) = entity
            && (self.relation.is_some() || parts.world.get::<C>(entity).is_some())
            && let Ok(mut shadow) = parts.client.get_mut::<C::Shadow>(id)
        {
            parts.entities.set_holder(id);
            let all = Some((&mut *shadow, u64::MAX));
            self.take(parts.world, parts.entities, entity, all);
        }
    }

    fn release(&self, world: &mut World, entity: Entity) {
        let Some(relation) = &self.relation else {
            return;
        };
        for source in (relation.sources)(world, entity) {
            if world.resource::<NetEntities>().id(source).is_some() {
                world.entity_mut(source).remove::<C>();
            }
        }
    }

    fn store(&mut self, world: &mut World) {
        for entity in self.removed.drain(..) {
            if let Ok(mut entity) = world.get_entity_mut(entity) {
                entity.remove::<C>();
            }
        }
        for (entity, component) in self.new.drain(..) {
            // An observer may have despawned the entity.
            if let Ok(mut entity) = world.get_entity_mut(entity) {
                entity.insert(component);
            }
        }
    }

    fn report(&mut self, world: &mut World) {
        for (entity, previous) in self.received.drain(..) {
            if world.get_entity(entity).is_ok() {
                world.trigger(Received::<C>::new(entity, previous));
            }
        }
    }
}
