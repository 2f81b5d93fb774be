//! A component that a client predicts: its states of the ticks are those of `NetworkClient`.

use std::marker::PhantomData;

use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::component::Mutable;
use bevy_ecs::entity::EntityHashMap;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryState;
use syncvar::behaviour::BehaviourFields;
use syncvar::wire::NetworkWriter;
use syncvar::{NetId, NetworkClient};

use super::history::History;
use super::{RollbackType, move_component};
use crate::registry::{ClientParts, give, owner_fields};
use crate::{Net, NetEntities, Owned, Predicted, Replicated, ShadowOf};

type Ahead<C> =
    QueryState<(Entity, Option<&'static Net>, &'static mut C, Has<Owned>), With<Predicted>>;

type Moved<C> = QueryState<&'static mut C, (Changed<C>, With<Replicated>)>;

/// Functions for a component `C` with the shadow `S`.
pub(super) struct PredictedComponent<C: Component<Mutability = Mutable>, S> {
    ahead: Option<Ahead<C>>,
    /// Server: components that have changed in a tick.
    moved: Option<Moved<C>>,
    /// States of entities without an object.
    local: EntityHashMap<History<S>>,
    writer: NetworkWriter,
    component: PhantomData<fn() -> C>,
}

impl<C: Component<Mutability = Mutable>, S> Default for PredictedComponent<C, S> {
    fn default() -> Self {
        Self {
            ahead: None,
            moved: None,
            local: EntityHashMap::default(),
            writer: NetworkWriter::new(),
            component: PhantomData,
        }
    }
}

/// Returns the object of an entity.
fn object(net: Option<&Net>) -> Option<NetId> {
    net.map(Net::id).filter(|id| *id != NetId::NONE)
}

impl<C, S> PredictedComponent<C, S>
where
    C: Component<Mutability = Mutable>,
    S: ShadowOf<C> + Clone,
{
    /// Writes states to the components: those of the client, or of the entities without an object.
    fn write<'a>(
        &'a mut self,
        parts: &'a mut ClientParts<'_>,
        of_object: impl Fn(&NetworkClient, NetId) -> Option<S>,
        of_local: impl Fn(&History<S>) -> Option<S>,
    ) {
        let ahead = self
            .ahead
            .get_or_insert_with(|| QueryState::new(parts.world));
        for (entity, net, component, is_owned) in ahead.iter_mut(parts.world) {
            let state = match object(net) {
                Some(id) => of_object(parts.client, id),
                None => self.local.get(&entity).and_then(&of_local),
            };
            if let Some(mut state) = state {
                // What this client writes as the owner is in the component.
                let own = if is_owned { owner_fields::<S>() } else { 0 };
                give(component, &mut state, !own, parts.entities);
            }
        }
    }
}

impl<C, S> RollbackType for PredictedComponent<C, S>
where
    C: Component<Mutability = Mutable>,
    S: ShadowOf<C> + Clone,
{
    fn begin(&mut self, parts: &mut ClientParts<'_>) {
        let ahead = self
            .ahead
            .get_or_insert_with(|| QueryState::new(parts.world));
        for (_, net, _, _) in ahead.iter_mut(parts.world) {
            if let Some(id) = object(net)
                && let Err(error) = parts.client.predict_recorded::<S>(id)
            {
                tracing::debug!(%id, %error, "an object is not predicted yet");
            }
        }
    }

    fn resume(&mut self, parts: &mut ClientParts<'_>) {
        let of_object = |client: &NetworkClient, id| client.predicted::<S>(id).cloned();
        let of_local = |history: &History<S>| history.newest().map(|(_, state)| state.clone());
        self.write(parts, of_object, of_local);
    }

    fn restore(&mut self, parts: &mut ClientParts<'_>, tick: u64) {
        let of_object = |client: &NetworkClient, id| {
            let state = client.predicted_at::<S>(id, tick);
            state.or_else(|| client.predicted::<S>(id)).cloned()
        };
        self.write(parts, of_object, |history| history.at(tick).cloned());
    }

    fn record(&mut self, parts: &mut ClientParts<'_>, tick: u64, is_ahead: bool) {
        let ahead = self
            .ahead
            .get_or_insert_with(|| QueryState::new(parts.world));
        let (local, entities) = (&mut self.local, parts.entities);
        for (entity, net, mut component, _) in ahead.iter_mut(parts.world) {
            let id = object(net);
            if id.is_some() && !is_ahead {
                continue;
            }
            let mut state = S::default();
            state.write(component.bypass_change_detection(), u64::MAX, entities);
            let travels = match id {
                Some(id) => parts.client.record_predicted(id, tick, &state).cloned(),
                None => {
                    state.round(&mut self.writer);
                    local.entry(entity).or_default().record(tick, state.clone());
                    Some(state)
                }
            };
            if let Some(mut travels) = travels {
                give(component, &mut travels, u64::MAX, entities);
            }
        }
        // Entities that are gone have no state of this tick.
        local.retain(|_, history| history.ends_at(tick));
    }

    fn adopt(&mut self, world: &mut World, from: Entity, to: Entity) {
        move_component::<C>(world, from, to);
    }

    fn round(&mut self, world: &mut World, entities: &NetEntities) {
        let moved = self.moved.get_or_insert_with(|| QueryState::new(world));
        for mut component in moved.iter_mut(world) {
            let mut state = S::default();
            state.write(component.bypass_change_detection(), u64::MAX, entities);
            state.round(&mut self.writer);
            let _ = state.read(component.bypass_change_detection(), u64::MAX, entities);
        }
    }
}
