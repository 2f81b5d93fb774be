//! Data that a client predicts, and its way back to an earlier tick.

mod history;
mod local;
mod predicted;
pub(crate) mod spawns;

use std::any::type_name;

use bevy_app::App;
use bevy_ecs::component::Mutable;
use bevy_ecs::prelude::*;

use crate::registry::{ClientParts, Registry, register};
use crate::{NetEntities, Replicate, ShadowOf};
use local::{LocalComponent, LocalResource};
use predicted::PredictedComponent;
use spawns::{LocalSpawns, StepSpawn};

/// Functions that know a type of the fixed steps.
pub(crate) trait RollbackType: Send + Sync + 'static {
    /// Begins the predictions of entities that are new.
    fn begin(&mut self, parts: &mut ClientParts<'_>) {
        let _ = parts;
    }

    /// Writes the states of the newest tick: the frame has shown others.
    fn resume(&mut self, parts: &mut ClientParts<'_>) {
        let _ = parts;
    }

    /// Writes the states after an earlier tick.
    fn restore(&mut self, parts: &mut ClientParts<'_>, tick: u64);

    /// Records the states after a tick. Of a tick that is not ahead of the server's state, the client has it.
    fn record(&mut self, parts: &mut ClientParts<'_>, tick: u64, is_ahead: bool);

    /// Gives the component of an entity that a repeated step has spawned to the entity of the first run.
    fn adopt(&mut self, world: &mut World, from: Entity, to: Entity) {
        let _ = (world, from, to);
    }

    /// Server: gives components the values that travel.
    fn round(&mut self, world: &mut World, entities: &NetEntities) {
        let _ = (world, entities);
    }
}

/// The types of the fixed steps: those of the server first.
#[derive(Resource, Default)]
pub(crate) struct RollbackTypes(Vec<Box<dyn RollbackType>>);

impl RollbackTypes {
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut dyn RollbackType> {
        self.0.iter_mut().map(|known| &mut **known)
    }

    fn add(app: &mut App, new: impl RollbackType) {
        let mut types = app.world_mut().get_resource_or_init::<Self>();
        types.0.push(Box::new(new));
    }
}

/// Registration of the data of the fixed steps, on [`App`], for an app with a [`TickPlugin`](crate::TickPlugin). Both ends
/// register the same types.
///
/// ```
/// use bevy_app::prelude::*;
/// use bevy_ecs::prelude::*;
/// use bevy_syncvar::prelude::*;
///
/// #[derive(SyncValue, Clone, Default)]
/// struct Move {
///     x: f32,
/// }
///
/// #[derive(Component, Replicate)]
/// struct Position {
///     #[sync_var(interpolate = linear)]
///     x: f32,
/// }
///
/// /// State between two ticks that does not travel.
/// #[derive(Component, Clone, Default)]
/// struct Stamina(f32);
///
/// fn shared(app: &mut App) {
///     app.add_plugins(TickPlugin::<Move>::default())
///         .predict::<Position>()
///         .rollback_component::<Stamina>()
///         .add_systems(FixedUpdate, walk);
/// }
///
/// // The same system on both ends.
/// fn walk(mut players: Query<(&mut Position, &TickInput<Move>)>) {
///     for (mut position, input) in &mut players {
///         position.x += 0.1 * input.x;
///     }
/// }
/// # let mut app = App::new();
/// # app.add_plugins(ServerPlugin::alone());
/// # shared(&mut app);
/// # app.update();
/// ```
pub trait PredictApp {
    /// Replicates a component that [`Predicted`](crate::Predicted) entities are ahead with. Registers the component, unless it is.
    ///
    /// # Panics
    ///
    /// As [`replicate`](crate::ReplicateApp::replicate).
    fn predict<C: Replicate<Shadow: Clone> + Component<Mutability = Mutable>>(
        &mut self,
    ) -> &mut Self {
        self.predict_via::<C, C::Shadow>()
    }

    /// Like [`predict`](Self::predict), with a shadow of choice.
    ///
    /// # Panics
    ///
    /// As [`replicate_via`](crate::ReplicateApp::replicate_via), and when the component has a different shadow.
    fn predict_via<C, S>(&mut self) -> &mut Self
    where
        C: Component<Mutability = Mutable>,
        S: ShadowOf<C> + Clone;

    /// Takes a component of [`Predicted`](crate::Predicted) entities back with them, which does not travel: all that the
    /// next fixed step depends on.
    fn rollback_component<C: Component<Mutability = Mutable> + Clone>(&mut self) -> &mut Self;

    /// Takes a resource back with the predicted entities.
    fn rollback_resource<R: Resource + Clone>(&mut self) -> &mut Self;
}

impl PredictApp for App {
    fn predict_via<C, S>(&mut self) -> &mut Self
    where
        C: Component<Mutability = Mutable>,
        S: ShadowOf<C> + Clone,
    {
        let component = std::any::TypeId::of::<C>();
        let registry = self.world_mut().get_resource_or_init::<Registry>();
        let has_spawns = registry.knows(std::any::TypeId::of::<StepSpawn>());
        if !registry.knows(component) {
            register::<C, S, Changed<C>, ()>(self);
        }
        if !has_spawns {
            register::<StepSpawn, <StepSpawn as Replicate>::Shadow, Changed<StepSpawn>, ()>(self);
            RollbackTypes::add(self, LocalSpawns::default());
        }
        let mut registry = self.world_mut().resource_mut::<Registry>();
        let known = registry.find_mut(component);
        let known = known.filter(|known| known.pair().has_shadow(std::any::TypeId::of::<S>()));
        let Some(known) = known else {
            panic!("`{}` is replicated by a different shadow", type_name::<C>());
        };
        known.set_predicted();
        RollbackTypes::add(self, PredictedComponent::<C, S>::default());
        self
    }

    fn rollback_component<C: Component<Mutability = Mutable> + Clone>(&mut self) -> &mut Self {
        RollbackTypes::add(self, LocalComponent::<C>::default());
        self
    }

    fn rollback_resource<R: Resource + Clone>(&mut self) -> &mut Self {
        RollbackTypes::add(self, LocalResource::<R>::default());
        self
    }
}

/// Moves a component.
fn move_component<C: Component>(world: &mut World, from: Entity, to: Entity) {
    let taken = world
        .get_entity_mut(from)
        .ok()
        .and_then(|mut from| from.take::<C>());
    if let (Some(taken), Ok(mut to)) = (taken, world.get_entity_mut(to)) {
        to.insert(taken);
    }
}
