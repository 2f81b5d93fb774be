//! A component and its shadow.

#[cfg(feature = "transform")]
mod transform;

use std::mem;

use bevy_ecs::component::Mutable;
use bevy_ecs::prelude::Component;
use syncvar::behaviour::{Assign, BehaviourFields};
use syncvar::{NetworkBehaviour, SyncValue, SyncVar};

use crate::{NetEntities, NetValue};

#[cfg(feature = "transform")]
pub use transform::TransformShadow;

/// A component with a shadow: `#[derive(Component, Replicate)]`, or `#[derive(Component, NetworkBehaviour, Default)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a replicated component",
    note = "write `#[derive(Component, Replicate)]` above the type"
)]
pub trait Replicate: Component + Sized {
    /// The behaviour in the pools of the ends.
    type Shadow: ShadowOf<Self>;
}

/// A behaviour that stands for a component in the pools of the ends.
///
/// The derive [`Replicate`](macro@crate::Replicate) implements it. An implementation by hand makes a component of a
/// different crate replicable.
pub trait ShadowOf<C>: NetworkBehaviour + Default {
    /// Previous values of the changed fields.
    type Before: Send + Sync + 'static;

    /// Takes over the fields of the component (bits of the shadow) that differ, and no others.
    fn write(&mut self, component: &mut C, fields: u64, entities: &NetEntities);

    /// Takes over all fields that differ. Returns their previous values, and `None` if none did.
    fn change(&mut self, component: &mut C, entities: &NetEntities) -> Option<Self::Before> {
        let mut before = self.create(entities);
        self.write(component, u64::MAX, entities);
        self.read(&mut before, u64::MAX, entities)
    }

    /// Makes the component of a new shadow.
    fn create(&mut self, entities: &NetEntities) -> C;

    /// Gives received fields (bits of the shadow) to the component. Returns the previous values of those that
    /// differed, and `None` if none did.
    fn read(
        &mut self,
        component: &mut C,
        fields: u64,
        entities: &NetEntities,
    ) -> Option<Self::Before>;

    /// Like [`read`](Self::read), without the previous values. Returns whether a field differed.
    fn give(&mut self, component: &mut C, fields: u64, entities: &NetEntities) -> bool {
        self.read(component, fields, entities).is_some()
    }
}

/// A component that is a behaviour itself, with `SyncVar`s and collections: `#[derive(Component, NetworkBehaviour, Default)]`.
/// Its collections send their operations. Previous values are those of fields with a hook, or of all fields with
/// `#[network_behaviour(previous)]`; hooks do not run.
impl<B: Component<Mutability = Mutable> + NetworkBehaviour + Default> Replicate for B {
    type Shadow = B;
}

impl<B: NetworkBehaviour + Default> ShadowOf<B> for B {
    type Before = <B as NetworkBehaviour>::Previous;

    fn write(&mut self, component: &mut B, fields: u64, _: &NetEntities) {
        self.take_changes(component, fields);
    }

    fn change(&mut self, component: &mut B, _: &NetEntities) -> Option<Self::Before> {
        let taken = self.take_changes(component, u64::MAX);
        (taken.changed != 0).then_some(taken.previous)
    }

    fn create(&mut self, entities: &NetEntities) -> B {
        let mut component = B::default();
        self.read(&mut component, u64::MAX, entities);
        component
    }

    fn read(&mut self, component: &mut B, fields: u64, _: &NetEntities) -> Option<Self::Before> {
        let taken = component.take_changes(self, fields);
        // A change from the pool is no change of the game.
        component.clear_all_dirty_bits();
        (taken.changed != 0).then_some(taken.previous)
    }
}

/// Takes a field of a component over.
#[inline]
pub fn write_value<T: SyncValue>(from: &T, to: &mut SyncVar<T>) {
    to.set_from(from);
}

/// Takes a field with entities over.
#[inline]
pub fn write_mapped<T: NetValue>(from: &T, to: &mut SyncVar<T::Wire>, entities: &NetEntities) {
    if !from.is_same(to.get(), entities) {
        to.set(from.to_wire(entities));
    }
}

/// Gives a received field to a component; returns its previous value if it differed.
#[inline]
pub fn read_value<T: SyncValue>(from: &SyncVar<T>, to: &mut T) -> Option<T> {
    let differs = !to.same(from.get());
    differs.then(|| mem::replace(to, from.get().clone()))
}

/// Like [`read_value`], without the previous value: a text that fits costs no allocation.
#[inline]
pub fn give_value<T: SyncValue>(from: &SyncVar<T>, to: &mut T) -> bool {
    let differs = !to.same(from.get());
    if differs {
        to.clone_from(from.get());
    }
    differs
}

/// Like [`read_mapped`], without the previous value.
#[inline]
pub fn give_mapped<T: NetValue>(
    from: &SyncVar<T::Wire>,
    to: &mut T,
    entities: &NetEntities,
) -> bool {
    let differs = !to.is_same(from.get(), entities);
    if differs {
        *to = T::from_wire(from.get(), entities);
    }
    differs
}

/// Gives a received field with entities to a component; returns its previous value if it differed.
#[inline]
pub fn read_mapped<T: NetValue>(
    from: &SyncVar<T::Wire>,
    to: &mut T,
    entities: &NetEntities,
) -> Option<T> {
    let differs = !to.is_same(from.get(), entities);
    differs.then(|| mem::replace(to, T::from_wire(from.get(), entities)))
}
