//! The registered types, and the prefabs that are made of them.

mod component;

use std::any::TypeId;

use bevy_ecs::component::Mutable;
use bevy_ecs::prelude::*;
use syncvar::behaviour::BehaviourList;
use syncvar::{NetId, NetworkClient, NetworkServer, Prefabs};

use crate::{NetEntities, ShadowOf};
use component::ReplicatedComponent;

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
        &self,
        world: &mut World,
        entity: Entity,
        entities: &NetEntities,
        list: BehaviourList,
    ) -> BehaviourList;

    /// Server: takes over the components that have changed since the last run of the system.
    fn collect(&mut self, world: &mut World, server: &mut NetworkServer, entities: &NetEntities);

    /// Server: takes over all components.
    fn collect_all(&self, world: &mut World, server: &mut NetworkServer, entities: &NetEntities);

    /// Server: removes the shadow of an entity that has lost the component.
    fn remove(&self, server: &mut NetworkServer, id: NetId);

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
    /// Registers a component and its shadow.
    pub(crate) fn add_component<C, S>(&mut self)
    where
        C: Component<Mutability = Mutable>,
        S: ShadowOf<C>,
    {
        let name = std::any::type_name::<C>();
        assert!(
            !self.is_closed,
            "`{name}` is registered after the first update"
        );
        let component = TypeId::of::<C>();
        let is_known = self
            .types
            .iter()
            .any(|known| known.component() == component);
        assert!(!is_known, "`{name}` is already registered");
        self.types
            .push(Box::new(ReplicatedComponent::<C, S>::default()));
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
        let places: Vec<_> = self.types.iter().map(|known| known.absent()).collect();
        let entity = move || {
            let list = BehaviourList::new();
            places.iter().fold(list, |list, absent| absent(list))
        };
        Prefabs::new().register_with(ENTITY, entity)
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
    pub(crate) fn find(&self, component: TypeId) -> Option<&dyn ReplicatedType> {
        let mut types = self.types.iter().map(|known| &**known);
        types.find(|known| known.component() == component)
    }
}
