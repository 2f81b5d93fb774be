//! Inputs of the ticks.

use bevy_ecs::component::Mutable;
use bevy_ecs::prelude::*;
use syncvar::{Prefabs, SyncValue};

/// What the player of this app holds down: the input of the ticks to come. A system writes it before the ticks of the frame:
/// in `PreUpdate`, or in `RunFixedMainLoop` before them.
///
/// ```
/// # use bevy_app::prelude::*;
/// # use bevy_ecs::prelude::*;
/// # use bevy_syncvar::prelude::*;
/// # #[derive(SyncValue, Clone, Default)]
/// # struct Move {
/// #     x: f32,
/// # }
/// # #[derive(Resource)]
/// # struct Keys;
/// # impl Keys { fn is_right(&self) -> bool { true } }
/// fn read_keys(keys: Res<Keys>, mut held: ResMut<HeldInput<Move>>) {
///     held.x = if keys.is_right() { 1.0 } else { 0.0 };
/// }
/// # let mut app = App::new();
/// app.add_systems(PreUpdate, read_keys);
/// ```
#[derive(Resource, Clone, Debug, Default)]
pub struct HeldInput<M: Send + Sync + 'static>(pub M);

impl<M: Send + Sync + 'static> std::ops::Deref for HeldInput<M> {
    type Target = M;

    fn deref(&self) -> &M {
        &self.0
    }
}

impl<M: Send + Sync + 'static> std::ops::DerefMut for HeldInput<M> {
    fn deref_mut(&mut self) -> &mut M {
        &mut self.0
    }
}

/// Input of the owner of an entity in the tick that runs: on the server on entities with an
/// [`Owner`](crate::Owner), on a client on its own [`Predicted`](crate::Predicted) entities. An input that is late or lost is
/// the one before.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_syncvar::prelude::*;
/// # #[derive(SyncValue, Clone, Default)]
/// # struct Move {
/// #     x: f32,
/// # }
/// # #[derive(Component)]
/// # struct Position {
/// #     x: f32,
/// # }
/// fn walk(mut players: Query<(&mut Position, &TickInput<Move>)>) {
///     for (mut position, input) in &mut players {
///         position.x += 0.1 * input.x;
///     }
/// }
/// # let _ = walk;
/// ```
#[derive(Component, Clone, Debug, Default)]
#[component(clone_behavior = Ignore)]
pub struct TickInput<M: Send + Sync + 'static>(pub M);

impl<M: Send + Sync + 'static> std::ops::Deref for TickInput<M> {
    type Target = M;

    fn deref(&self) -> &M {
        &self.0
    }
}

/// The type of the inputs of an app, for its prefabs.
#[derive(Resource, Clone, Copy, Debug)]
pub(crate) struct InputType(fn(Prefabs) -> Prefabs);

impl InputType {
    pub(super) fn of<M: SyncValue>() -> Self {
        Self(Prefabs::input::<M>)
    }

    /// Adds the type to prefabs.
    pub(crate) fn add_to(self, prefabs: Prefabs) -> Prefabs {
        self.0(prefabs)
    }
}

/// Sets a component of an entity.
pub(super) fn set<C: Component<Mutability = Mutable>>(world: &mut World, entity: Entity, value: C) {
    match world.get_mut::<C>(entity) {
        Some(mut component) => *component = value,
        None => {
            if let Ok(mut entity) = world.get_entity_mut(entity) {
                entity.insert(value);
            }
        }
    }
}
