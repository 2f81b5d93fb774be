//! Registration of types, and the parts of an app for both ends.

use bevy_app::App;
use bevy_ecs::component::{Immutable, Mutable};
use bevy_ecs::prelude::*;
use bevy_ecs::query::ArchetypeFilter;
use bevy_ecs::relationship::Relationship;
use syncvar::Prefabs;

use crate::events::EventTypes;
use crate::markers::Released;
use crate::registry::{
    Registry, ReplicateBundle, register, register_immutable, register_relationship,
};
use crate::relations::{self, hierarchy};
use crate::ticks::InputType;
use crate::time::NetClock;
use crate::{NetEntities, Replicate, Schedules, ShadowOf, SyncVarSystems};

/// Prepares an app for an end.
pub(crate) fn build(app: &mut App, schedules: Schedules) {
    app.init_resource::<Registry>()
        .init_resource::<NetEntities>()
        .init_resource::<NetClock>()
        .init_resource::<Released>();
    let (receive, apply) = (SyncVarSystems::Receive, SyncVarSystems::Apply);
    app.configure_sets(schedules.receive, (receive, apply).chain());
    let (collect, send) = (SyncVarSystems::Collect, SyncVarSystems::Send);
    app.configure_sets(schedules.send, (collect, send).chain());
    relations::build(app);
    #[cfg(feature = "state")]
    crate::state::build(app, schedules);
}

/// Returns the prefabs of the registered types and events.
pub(crate) fn prefabs(world: &mut World) -> Prefabs {
    let prefabs = world.resource_mut::<Registry>().prefabs();
    let prefabs = match world.get_resource::<EventTypes>() {
        Some(types) => types.add_to(prefabs),
        None => prefabs,
    };
    match world.get_resource::<InputType>() {
        Some(input) => input.add_to(prefabs),
        None => prefabs,
    }
}

/// Registration of replicated types, on [`App`]. Both ends register the same types, in any order, before their first
/// update.
///
/// ```
/// # use bevy_app::prelude::*;
/// # use bevy_ecs::prelude::*;
/// use bevy_syncvar::prelude::*;
///
/// #[derive(Component, Replicate)]
/// struct Health(u32);
/// #[derive(Component, Replicate)]
/// struct Model {
///     path: String,
/// }
/// #[derive(Component, Replicate)]
/// struct Loot(u32);
/// #[derive(Component)]
/// struct Open;
/// #[derive(Resource, Replicate)]
/// struct Score(u32);
///
/// fn types(app: &mut App) {
///     app.replicate::<Health>()
///         .replicate_once::<Model>()
///         .replicate_filtered::<Loot, With<Open>>()
///         .replicate_resource::<Score>();
/// }
/// # types(&mut App::new());
/// ```
///
/// # Panics
///
/// All methods, when the type is already registered, after the first update, and with more than 64 types.
pub trait ReplicateApp {
    /// Replicates a component on all [`Replicated`](crate::Replicated) entities.
    fn replicate<C: Replicate + Component<Mutability = Mutable>>(&mut self) -> &mut Self {
        self.replicate_via::<C, C::Shadow>()
    }

    /// Keeps the entities that have exactly these registered components in rows of their own: an optimisation. Registers the
    /// components, unless they are.
    ///
    /// An entity that gains or loses a registered component becomes a new object: clients despawn its entity, and spawn it
    /// again.
    fn replicate_bundle<B: ReplicateBundle>(&mut self) -> &mut Self;

    /// Replicates a component by a shadow of choice: a component of a different crate, for instance.
    fn replicate_via<C: Component<Mutability = Mutable>, S: ShadowOf<C>>(&mut self) -> &mut Self;

    /// Replicates a component when it is added; later changes do not travel.
    fn replicate_once<C: Replicate + Component<Mutability = Mutable>>(&mut self) -> &mut Self;

    /// Replicates a component of the entities that match a filter of `With`, `Without`, `Or` and their tuples. An entity
    /// that matches no longer loses the component on clients.
    fn replicate_filtered<C, F>(&mut self) -> &mut Self
    where
        C: Replicate + Component<Mutability = Mutable>,
        F: ArchetypeFilter + Send + Sync + 'static;

    /// Replicates an immutable component: clients insert each received change.
    fn replicate_immutable<C>(&mut self) -> &mut Self
    where
        C: Replicate + Component<Mutability = Immutable> + Clone;

    /// Replicates a relationship. A client's entity has it while the target is there, too. `ChildOf` needs no registration.
    fn replicate_relationship<R>(&mut self) -> &mut Self
    where
        R: Replicate + Component<Mutability = Immutable> + Relationship + Clone;

    /// Replicates `ChildOf` of the entities that match a filter only; on clients, the other entities have no parent. The app
    /// of the server decides.
    fn filter_parents<F: ArchetypeFilter + Send + Sync + 'static>(&mut self) -> &mut Self;

    /// Replicates a resource. On clients, [`Received`](crate::Received) reports its changes.
    fn replicate_resource<R: Resource<Mutability = Mutable> + Replicate>(&mut self) -> &mut Self;
}

impl ReplicateApp for App {
    fn replicate_bundle<B: ReplicateBundle>(&mut self) -> &mut Self {
        B::replicate(self);
        registry(self).add_bundle::<B>();
        self
    }

    fn replicate_via<C: Component<Mutability = Mutable>, S: ShadowOf<C>>(&mut self) -> &mut Self {
        register::<C, S, Changed<C>, ()>(self);
        self
    }

    fn replicate_once<C: Replicate + Component<Mutability = Mutable>>(&mut self) -> &mut Self {
        register::<C, C::Shadow, Added<C>, ()>(self);
        self
    }

    fn replicate_filtered<C, F>(&mut self) -> &mut Self
    where
        C: Replicate + Component<Mutability = Mutable>,
        F: ArchetypeFilter + Send + Sync + 'static,
    {
        register::<C, C::Shadow, Changed<C>, F>(self);
        self
    }

    fn replicate_immutable<C>(&mut self) -> &mut Self
    where
        C: Replicate + Component<Mutability = Immutable> + Clone,
    {
        register_immutable::<C>(self);
        self
    }

    fn replicate_relationship<R>(&mut self) -> &mut Self
    where
        R: Replicate + Component<Mutability = Immutable> + Relationship + Clone,
    {
        register_relationship::<R>(self);
        self
    }

    fn filter_parents<F: ArchetypeFilter + Send + Sync + 'static>(&mut self) -> &mut Self {
        hierarchy::set_filter::<F>(self);
        self
    }

    fn replicate_resource<R: Resource<Mutability = Mutable> + Replicate>(&mut self) -> &mut Self {
        registry(self).add_resource::<R>();
        self
    }
}

fn registry(app: &mut App) -> Mut<'_, Registry> {
    app.world_mut().get_resource_or_init::<Registry>()
}
