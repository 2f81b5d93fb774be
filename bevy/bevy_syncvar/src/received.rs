//! `Received`: the event of received changes.

use std::fmt;
use std::marker::PhantomData;

use bevy_ecs::prelude::*;

use crate::{Replicate, ShadowOf};

/// Event of a client: a component has changed by the server. The component has its new values, and so has every other
/// entity of the frame. A component that is new is reported by Bevy's `Add` and `Insert` instead.
///
/// Also an event of a host, for the changes of the game that its local player sees: once in a frame, before they are sent.
///
/// ```
/// # use bevy_app::prelude::*;
/// # use bevy_ecs::prelude::*;
/// # use bevy_syncvar::prelude::*;
/// # #[derive(Component, Replicate)]
/// # struct Player {
/// #     health: i32,
/// # }
/// # let mut app = App::new();
/// app.add_observer(|change: On<Received<Player>>, players: Query<&Player>| {
///     if let (Some(before), Ok(player)) = (change.previous.health, players.get(change.entity)) {
///         println!("{before} -> {}", player.health);
///     }
/// });
/// ```
#[derive(EntityEvent)]
pub struct Received<C, S = <C as Replicate>::Shadow>
where
    C: Component,
    S: ShadowOf<C>,
{
    /// The entity.
    pub entity: Entity,
    /// Previous values of the changed fields.
    pub previous: S::Before,
    component: PhantomData<fn() -> C>,
}

impl<C: Component, S: ShadowOf<C>> Received<C, S> {
    /// Returns whether an observer watches the event.
    pub(crate) fn is_observed(world: &World) -> bool {
        let key = world.event_key::<Self>();
        let observers = key.and_then(|key| world.observers().try_get_observers(key));
        observers.is_some_and(|observers| {
            !observers.global_observers().is_empty() || !observers.entity_observers().is_empty()
        })
    }

    pub(crate) fn new(entity: Entity, previous: S::Before) -> Self {
        Self {
            entity,
            previous,
            component: PhantomData,
        }
    }
}

impl<C: Component, S: ShadowOf<C>> fmt::Debug for Received<C, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Received")
            .field("entity", &self.entity)
            .finish_non_exhaustive()
    }
}
