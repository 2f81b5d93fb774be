//! The registered types, and the prefabs that are made of them.

mod component;
mod resource;

use std::any::TypeId;

use bevy_ecs::component::Mutable;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryFilter;
use syncvar::behaviour::BehaviourList;
use syncvar::{NetId, NetworkClient, NetworkServer, Prefabs};

use crate::{NetEntities, Replicate, ShadowOf};
use component::ReplicatedComponent;
use resource::ReplicatedResource;

/// Name of the prefab with a place for each registered type.
pub(crate) const ENTITY: &str = "entity";

/// Functions that know a registered type.
pub(crate) trait ReplicatedType: Send + Sync + 'static {
    /// Returns the name of the shadow.
    fn name(&self) -> &'static str;

    /// Returns the type of the component.
    fn component(&self) -> TypeId;

    /// Returns the function that adds an absent shadow to the behaviours of an object.
    fn absent(&self) -> fn(BehaviourList) -> BehaviourList;

    /// Server: adds the shadow of an entity, present or absent, to the behaviours of a new object.
    fn gather(
        &mut self,
        world: &mut World,
        entity: Entity,
        entities: &NetEntities,
        list: BehaviourList,
    ) -> BehaviourList;

    /// Server: takes over the components that have changed since the last run of the system.
    fn collect(&mut self, world: &mut World, server: &mut NetworkServer, entities: &NetEntities);

    /// Server: takes over all components.
    fn collect_all(&self, world: &mut World, server: &mut NetworkServer, entities: &NetEntities);

    /// Server: adds or removes the shadow of an entity that has lost the component, or is filtered in a different way.
    fn settle(
        &mut self,
        world: &mut World,
        server: &mut NetworkServer,
        entity: Entity,
        entities: &NetEntities,
    );

    /// Server: spawns entities of the type's own.
    fn start(&self, world: &mut World) {
        let _ = world;
    }

    /// Server: writes fields that are not the game's to a component: the owner has written them.
    fn give_back(
        &mut self,
        world: &mut World,
        server: &mut NetworkServer,
        entity: Entity,
        fields: u64,
        entities: &NetEntities,
    );

    /// Client: takes over the fields of owned entities that their owner writes.
    fn collect_owned(
        &mut self,
        world: &mut World,
        client: &mut NetworkClient,
        entities: &NetEntities,
    );

    /// Sets the position of the shadow in the prefab `entity`.
    fn set_index(&mut self, index: usize);

    /// Client: writes received fields to the components that exist, and remembers components to add and to remove.
    fn drain(&mut self, world: &mut World, client: &mut NetworkClient, entities: &NetEntities);

    /// Client: writes all fields to the component of an object, if it exists: a target of a reference is there now.
    fn refresh(
        &mut self,
        world: &mut World,
        client: &mut NetworkClient,
        entities: &NetEntities,
        id: NetId,
    );

    /// Client: adds and removes components.
    fn store(&mut self, world: &mut World);

    /// Triggers the observers of the received changes.
    fn report(&mut self, world: &mut World);
}

/// The registered types. The order is that of their names from the first use on.
#[derive(Resource, Default)]
pub(crate) struct Registry {
    types: Vec<Box<dyn ReplicatedType>>,
    is_closed: bool,
}

impl Registry {
    /// Registers a component and its shadow, which is sent `W`hen this filter matches, from entities that match `F`.
    pub(crate) fn add_component<C, S, W, F>(&mut self)
    where
        C: Component<Mutability = Mutable>,
        S: ShadowOf<C>,
        W: QueryFilter + Send + Sync + 'static,
        F: QueryFilter + Send + Sync + 'static,
    {
        self.add(ReplicatedComponent::<C, S, W, F>::default());
    }

    /// Registers a resource.
    pub(crate) fn add_resource<R: Resource + Replicate>(&mut self) {
        self.add(ReplicatedResource::<R>::default());
    }

    fn add(&mut self, new: impl ReplicatedType) {
        let name = new.name();
        assert!(
            !self.is_closed,
            "`{name}` is registered after the first update"
        );
        let mut types = self.types.iter();
        let is_known =
            types.any(|known| known.component() == new.component() || known.name() == name);
        assert!(!is_known, "`{name}` is already registered");
        self.types.push(Box::new(new));
    }

    /// Makes the prefabs of an end. No type can be registered from now on.
    pub(crate) fn prefabs(&mut self) -> Prefabs {
        if !self.is_closed {
            self.is_closed = true;
            self.types.sort_by_key(|known| known.name());
            for (index, known) in self.types.iter_mut().enumerate() {
                known.set_index(index);
            }
        }
        let absent = self.absent();
        Prefabs::new().register_with(ENTITY, move || absent.list())
    }

    /// Returns the maker of an object without components.
    pub(crate) fn absent(&self) -> Absent {
        Absent(self.types.iter().map(|known| known.absent()).collect())
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut dyn ReplicatedType> {
        self.types.iter_mut().map(|known| &mut **known)
    }

    /// Returns a type by its position in the prefab.
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut dyn ReplicatedType> {
        self.types
            .get_mut(index)
            .map(|known| &mut **known as &mut dyn ReplicatedType)
    }

    /// Returns the position of a type in the prefab, by the name of its shadow.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        let is_named = |known: &&dyn ReplicatedType| known.name() == name;
        self.types
            .iter()
            .map(|known| &**known)
            .position(|known| is_named(&known))
    }

    /// Returns a type by its component.
    pub(crate) fn find_mut(&mut self, component: TypeId) -> Option<&mut dyn ReplicatedType> {
        self.iter_mut().find(|known| known.component() == component)
    }
}

/// Makes the behaviours of an object without components.
pub(crate) struct Absent(Vec<fn(BehaviourList) -> BehaviourList>);

impl Absent {
    pub(crate) fn list(&self) -> BehaviourList {
        let list = BehaviourList::new();
        self.0.iter().fold(list, |list, absent| absent(list))
    }
}
