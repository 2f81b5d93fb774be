//! Bundles: objects whose components come and go together, in one row of a pool.

use std::any::TypeId;
use std::marker::PhantomData;

use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::component::Mutable;
use bevy_ecs::prelude::*;
use syncvar::behaviour::BehaviourSet;
use syncvar::error::SpawnError;
use syncvar::{NetworkBehaviour, NetworkServer, Prefabs, SpawnOptions};

use crate::{NetEntities, Replicate, ShadowOf};

/// Components of a [bundle](crate::ReplicateApp::replicate_bundle): a tuple of up to eight replicated components.
pub trait ReplicateBundle: 'static {
    /// Shadows of the components.
    type Shadows: BehaviourSet + Default;

    /// Registers the components that are not registered.
    fn replicate(app: &mut bevy_app::App);

    /// Returns the components, with the names of their shadows.
    fn components() -> Vec<(TypeId, &'static str)>;

    /// Makes the shadows of an entity with all components.
    fn shadows(world: &mut World, entity: Entity, entities: &NetEntities) -> Self::Shadows;
}

/// A bundle without its type.
pub(crate) trait AnyBundle: Send + Sync {
    fn name(&self) -> String;

    /// Returns whether these components are the bundle's.
    fn is(&self, components: &[TypeId]) -> bool;

    /// Adds the prefab of the bundle.
    fn register(&self, prefabs: Prefabs) -> Prefabs;

    /// Spawns the object of an entity with exactly these components.
    fn spawn(
        &self,
        world: &mut World,
        server: &mut NetworkServer,
        entities: &NetEntities,
        entity: Entity,
        options: SpawnOptions,
    ) -> Result<(), SpawnError>;
}

pub(super) struct TypedBundle<B>(PhantomData<fn() -> B>);

impl<B> Default for TypedBundle<B> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<B: ReplicateBundle> AnyBundle for TypedBundle<B> {
    fn name(&self) -> String {
        let names: Vec<_> = B::components().into_iter().map(|(_, name)| name).collect();
        names.join("+")
    }

    fn is(&self, components: &[TypeId]) -> bool {
        let own = B::components();
        own.len() == components.len() && own.iter().all(|(own, _)| components.contains(own))
    }

    fn register(&self, prefabs: Prefabs) -> Prefabs {
        prefabs.register::<B::Shadows>(&self.name())
    }

    fn spawn(
        &self,
        world: &mut World,
        server: &mut NetworkServer,
        entities: &NetEntities,
        entity: Entity,
        options: SpawnOptions,
    ) -> Result<(), SpawnError> {
        let shadows = B::shadows(world, entity, entities);
        server.try_spawn(shadows, options).map(|_| ())
    }
}

/// Makes the shadow of a component.
fn shadow<C: Replicate + Component<Mutability = Mutable>>(
    world: &mut World,
    entity: Entity,
    entities: &NetEntities,
) -> C::Shadow {
    let mut shadow = C::Shadow::default();
    if let Some(mut component) = world.get_mut::<C>(entity) {
        shadow.write(component.bypass_change_detection(), u64::MAX, entities);
    }
    shadow
}

/// Implements tuples.
macro_rules! bundles {
    ($($($name:ident),*;)*) => {$(
        impl<$($name: Replicate + Component<Mutability = Mutable>),*> ReplicateBundle for ($($name,)*) {
            type Shadows = ($($name::Shadow,)*);

            fn replicate(app: &mut bevy_app::App) {
                $(
                    let registry = app.world_mut().get_resource_or_init::<super::Registry>();
                    if !registry.knows(TypeId::of::<$name>()) {
                        super::register::<$name, $name::Shadow, Changed<$name>, ()>(app);
                    }
                )*
            }

            fn components() -> Vec<(TypeId, &'static str)> {
                vec![$((TypeId::of::<$name>(), $name::Shadow::SCHEMA.name)),*]
            }

            fn shadows(world: &mut World, entity: Entity, entities: &NetEntities) -> Self::Shadows {
                ($(shadow::<$name>(world, entity, entities),)*)
            }
        }
    )*};
}

bundles! {
    A;
    A, B;
    A, B, C;
    A, B, C, D;
    A, B, C, D, E;
    A, B, C, D, E, F;
    A, B, C, D, E, F, G;
    A, B, C, D, E, F, G, H;
}
