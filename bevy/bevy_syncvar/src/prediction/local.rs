//! Data of the fixed steps that does not travel: components of predicted entities, resources.

use bevy_ecs::component::Mutable;
use bevy_ecs::entity::EntityHashMap;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryState;

use super::history::History;
use super::{RollbackType, move_component};
use crate::Predicted;
use crate::registry::ClientParts;

type Ahead<C> = QueryState<(Entity, Option<&'static C>), With<Predicted>>;

/// A component of predicted entities. `None` in a history is an entity without it.
pub(super) struct LocalComponent<C: Component> {
    histories: EntityHashMap<History<Option<C>>>,
    predicted: Option<Ahead<C>>,
}

impl<C: Component> Default for LocalComponent<C> {
    fn default() -> Self {
        Self {
            histories: EntityHashMap::default(),
            predicted: None,
        }
    }
}

impl<C: Component<Mutability = Mutable> + Clone> RollbackType for LocalComponent<C> {
    fn restore(&mut self, parts: &mut ClientParts<'_>, tick: u64) {
        for (entity, history) in &self.histories {
            let Ok(mut entity) = parts.world.get_entity_mut(*entity) else {
                continue;
            };
            match (history.at(tick), entity.get_mut::<C>()) {
                (Some(Some(value)), Some(mut component)) => component.clone_from(value),
                (Some(Some(value)), None) => {
                    entity.insert(value.clone());
                }
                (Some(None), Some(_)) => {
                    entity.remove::<C>();
                }
                _ => {}
            }
        }
    }

    fn record(&mut self, parts: &mut ClientParts<'_>, tick: u64, _: bool) {
        let predicted = self
            .predicted
            .get_or_insert_with(|| QueryState::new(parts.world));
        for (entity, component) in predicted.iter(parts.world) {
            let history = self.histories.entry(entity).or_default();
            history.record(tick, component.cloned());
        }
        // Entities that are gone have no value of this tick.
        self.histories.retain(|_, history| history.ends_at(tick));
    }

    fn adopt(&mut self, world: &mut World, from: Entity, to: Entity) {
        move_component::<C>(world, from, to);
    }
}

/// A resource. `None` in the history is a world without it.
pub(super) struct LocalResource<R>(History<Option<R>>);

impl<R> Default for LocalResource<R> {
    fn default() -> Self {
        Self(History::default())
    }
}

impl<R: Resource + Clone> RollbackType for LocalResource<R> {
    fn restore(&mut self, parts: &mut ClientParts<'_>, tick: u64) {
        match self.0.at(tick) {
            Some(Some(value)) => parts.world.insert_resource(value.clone()),
            Some(None) => {
                parts.world.remove_resource::<R>();
            }
            None => {}
        }
    }

    fn record(&mut self, parts: &mut ClientParts<'_>, tick: u64, _: bool) {
        let value = parts.world.get_resource::<R>().cloned();
        self.0.record(tick, value);
    }
}
