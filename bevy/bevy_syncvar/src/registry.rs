//! The registered types, and the prefabs that are made of them.

mod bundle;
mod component;
mod immutable;
mod lookahead;
mod observe;
mod pair;
mod queries;
mod resource;
mod transfer;

use std::any::TypeId;
use std::mem;
use std::time::Duration;

use bevy_app::App;
use bevy_ecs::component::{Immutable, Mutable};
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryFilter;
use bevy_ecs::relationship::Relationship;
use syncvar::behaviour::BehaviourList;
use syncvar::error::SpawnError;
use syncvar::{ConnectionId, NetId, NetworkClient, NetworkServer, Prefabs, SpawnOptions};

use crate::{Client, NetEntities, Replicate, Server, ShadowOf};
pub use bundle::ReplicateBundle;
use bundle::{AnyBundle, TypedBundle};
use component::ReplicatedComponent;
pub(crate) use component::{give, owner_fields};
use immutable::{Relation, ReplicatedImmutable};
pub(crate) use observe::components_of;
pub(crate) use pair::TypePair;
use resource::ReplicatedResource;

/// Name of the prefab with a place for each registered type.
pub(crate) const ENTITY: &str = "entity";

/// Functions that know a registered type.
pub(crate) trait ReplicatedType: Send + Sync + 'static {
    /// Returns the component and its shadow.
    fn pair(&self) -> TypePair;

    /// Server: returns whether an entity sends the component.
    fn sends(&mut self, world: &mut World, entity: Entity) -> bool;

    /// Server: adds the shadow of an entity, present or absent, to the behaviours of a new object.
    fn gather(
        &mut self,
        world: &mut World,
        entity: Entity,
        entities: &NetEntities,
        list: BehaviourList,
    ) -> BehaviourList;

    /// Server: takes over the components that have changed since the last run of the system.
    fn collect(&mut self, parts: &mut ServerParts<'_>);

    /// Server: takes over all components.
    fn collect_all(&self, parts: &mut ServerParts<'_>);

    /// Server: adds or removes the shadow of an entity that has lost the component, or is filtered in a different way.
    fn settle(&mut self, parts: &mut ServerParts<'_>, entity: Entity);

    /// Server: spawns entities of the type's own.
    fn start(&self, world: &mut World) {
        let _ = world;
    }

    /// Server: writes fields that are not the game's to a component: the owner has written them.
    fn give_back(&mut self, parts: &mut ServerParts<'_>, id: NetId, fields: u64);

    /// Client: takes over the fields of owned entities that their owner writes.
    fn collect_owned(&mut self, parts: &mut ClientParts<'_>);

    /// Client: writes received fields to the components that exist, and remembers components to add and to remove.
    fn drain(&mut self, parts: &mut ClientParts<'_>);

    /// Client: writes all fields to the component of an object, if it exists: a target of a reference is there now.
    fn refresh(&mut self, parts: &mut ClientParts<'_>, id: NetId);

    /// Client: writes the view of a frame to the components of marked entities.
    fn show(&mut self, parts: &mut ClientParts<'_>, now: Duration) {
        let _ = (parts, now);
    }

    /// Server: writes the values that a client has seen to the components.
    fn rewind(&mut self, parts: &mut ServerParts<'_>, connection: ConnectionId) {
        let _ = (parts, connection);
    }

    /// Server: gives rewound components their present values.
    fn end_rewind(&mut self, world: &mut World, entities: &NetEntities) {
        let _ = (world, entities);
    }

    /// Client: leaves the components of predicted entities to the prediction.
    fn set_predicted(&mut self) {}

    /// Client: takes the relationships with an entity from the entities that have objects of their own, before the entity is
    /// despawned.
    fn release(&self, world: &mut World, entity: Entity) {
        let _ = (world, entity);
    }

    /// Adds and removes components.
    fn store(&mut self, world: &mut World);

    /// Triggers the observers of the received changes.
    fn report(&mut self, world: &mut World);
}

/// What the functions of a server work on.
pub(crate) struct ServerParts<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) server: &'a mut NetworkServer,
    pub(crate) entities: &'a NetEntities,
    /// Objects of a bundle whose entities have other components now.
    pub(crate) misfits: Vec<NetId>,
}

/// What the functions of a client work on.
pub(crate) struct ClientParts<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) client: &'a mut NetworkClient,
    pub(crate) entities: &'a NetEntities,
}

impl ServerParts<'_> {
    /// Lends the server, the table of entities and the world to a function.
    pub(crate) fn lend<R>(
        world: &mut World,
        work: impl FnOnce(&mut ServerParts<'_>) -> R,
    ) -> Option<R> {
        Server::lend(world, |world, server| {
            let entities = mem::take(&mut *world.resource_mut::<NetEntities>());
            let result = work(&mut ServerParts {
                world,
                server,
                entities: &entities,
                misfits: Vec::new(),
            });
            *world.resource_mut::<NetEntities>() = entities;
            result
        })
    }
}

impl ClientParts<'_> {
    /// Lends the client, the table of entities and the world to a function.
    pub(crate) fn lend<R>(
        world: &mut World,
        work: impl FnOnce(&mut ClientParts<'_>) -> R,
    ) -> Option<R> {
        Client::lend(world, |world, client| {
            let entities = mem::take(&mut *world.resource_mut::<NetEntities>());
            let result = work(&mut ClientParts {
                world,
                client,
                entities: &entities,
            });
            *world.resource_mut::<NetEntities>() = entities;
            result
        })
    }
}

/// The registered types. The order is that of their names from the first use on.
#[derive(Resource, Default)]
pub(crate) struct Registry {
    types: Vec<Box<dyn ReplicatedType>>,
    bundles: Vec<Box<dyn AnyBundle>>,
    is_closed: bool,
}

impl Registry {
    /// Returns whether a component is registered.
    pub(crate) fn knows(&self, component: TypeId) -> bool {
        self.types
            .iter()
            .any(|known| known.pair().component == component)
    }

    /// Registers a bundle of registered components.
    pub(crate) fn add_bundle<B: ReplicateBundle>(&mut self) {
        let bundle = TypedBundle::<B>::default();
        let name = bundle.name();
        assert!(
            !self.is_closed,
            "`{name}` is registered after the first update"
        );
        let is_known = self.bundles.iter().any(|known| known.name() == name);
        assert!(!is_known, "`{name}` is already registered");
        self.bundles.push(Box::new(bundle));
    }

    /// Registers a resource.
    pub(crate) fn add_resource<R: Resource<Mutability = Mutable> + Replicate>(&mut self) {
        self.add(ReplicatedResource::<R>::default());
    }

    fn add(&mut self, new: impl ReplicatedType) {
        let TypePair {
            names: [_, name],
            component,
            ..
        } = new.pair();
        assert!(
            !self.is_closed,
            "`{name}` is registered after the first update"
        );
        let is_known = self.knows(component);
        assert!(!is_known, "`{name}` is already registered");
        self.types.push(Box::new(new));
    }

    /// Makes the prefabs of an end. No type can be registered from now on.
    pub(crate) fn prefabs(&mut self) -> Prefabs {
        if !self.is_closed {
            self.is_closed = true;
            self.types.sort_by_key(|known| known.pair().names);
            self.bundles.sort_by_key(|bundle| bundle.name());
        }
        let absent = self.absent();
        let prefabs = Prefabs::new().register_with(ENTITY, move || absent.list());
        let bundles = self.bundles.iter();
        bundles.fold(prefabs, |prefabs, bundle| bundle.register(prefabs))
    }

    /// Returns the maker of an object without components.
    pub(crate) fn absent(&self) -> Absent {
        Absent(self.types.iter().map(|known| known.pair().absent).collect())
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut dyn ReplicatedType> {
        self.types.iter_mut().map(|known| &mut **known)
    }

    /// Returns a type by its shadow.
    pub(crate) fn find_shadow(&mut self, behaviour: TypeId) -> Option<&mut dyn ReplicatedType> {
        self.iter_mut()
            .find(|known| known.pair().has_shadow(behaviour))
    }

    /// Server: spawns the object of a new entity: of the bundle that has exactly its components, or of any set.
    pub(crate) fn spawn(
        &mut self,
        world: &mut World,
        server: &mut NetworkServer,
        entities: &NetEntities,
        entity: Entity,
        options: SpawnOptions,
    ) -> Result<(), SpawnError> {
        if !self.bundles.is_empty() && options.scene_id.is_none() {
            let sent = self.types.iter_mut().filter_map(|known| {
                let sends = known.sends(world, entity);
                sends.then(|| known.pair().component)
            });
            let sent: Vec<TypeId> = sent.collect();
            if let Some(bundle) = self.bundles.iter().find(|bundle| bundle.is(&sent)) {
                return bundle.spawn(world, server, entities, entity, options);
            }
        }
        let mut list = BehaviourList::new();
        for known in self.iter_mut() {
            list = known.gather(world, entity, entities, list);
        }
        let options = SpawnOptions {
            prefab: Some(ENTITY.into()),
            ..options
        };
        server.try_spawn(list, options).map(|_| ())
    }

    /// Returns a type by its component.
    pub(crate) fn find_mut(&mut self, component: TypeId) -> Option<&mut dyn ReplicatedType> {
        self.iter_mut()
            .find(|known| known.pair().component == component)
    }
}

/// Registers a component with its shadow. `W` finds its changes, and `F` the entities that have it on clients.
pub(crate) fn register<C, S, W, F>(app: &mut App)
where
    C: Component<Mutability = Mutable>,
    S: ShadowOf<C>,
    W: QueryFilter + Send + Sync + 'static,
    F: QueryFilter + Send + Sync + 'static,
{
    let mut registry = app.world_mut().get_resource_or_init::<Registry>();
    registry.add(ReplicatedComponent::<C, S, W, F>::default());
    observe::observe::<C, F>(app);
}

/// Registers an immutable component.
pub(crate) fn register_immutable<C>(app: &mut App)
where
    C: Replicate + Component<Mutability = Immutable> + Clone,
{
    add_immutable::<C>(app, None);
}

/// Registers a relationship.
pub(crate) fn register_relationship<R>(app: &mut App)
where
    R: Replicate + Component<Mutability = Immutable> + Relationship + Clone,
{
    add_immutable::<R>(app, Some(Relation::new()));
}

fn add_immutable<C>(app: &mut App, relation: Option<Relation<C>>)
where
    C: Replicate + Component<Mutability = Immutable> + Clone,
{
    let mut registry = app.world_mut().get_resource_or_init::<Registry>();
    registry.add(ReplicatedImmutable::<C>::new(relation));
    observe::observe::<C, ()>(app);
}

/// Makes the behaviours of an object without components.
pub(crate) struct Absent(Vec<fn(BehaviourList) -> BehaviourList>);

impl Absent {
    pub(crate) fn list(&self) -> BehaviourList {
        let list = BehaviourList::new();
        self.0.iter().fold(list, |list, absent| absent(list))
    }
}
