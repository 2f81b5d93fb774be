//! `TypePair`: a registered type and its shadow.

use std::any::{TypeId, type_name};

use syncvar::NetworkBehaviour;
use syncvar::behaviour::{BehaviourList, Optional};

/// A component or resource and its shadow.
#[derive(Clone, Copy)]
pub(crate) struct TypePair {
    /// Name of the shadow, and that of the component with its generic arguments.
    pub(crate) names: [&'static str; 2],
    pub(crate) component: TypeId,
    /// The shadow, alone and within an `Optional`.
    shadows: [TypeId; 2],
    /// Adds an absent shadow to the behaviours of an object.
    pub(crate) absent: fn(BehaviourList) -> BehaviourList,
}

impl TypePair {
    pub(super) fn of<C: 'static, S: NetworkBehaviour + Default>() -> Self {
        Self {
            names: [S::SCHEMA.name, type_name::<C>()],
            component: TypeId::of::<C>(),
            shadows: [TypeId::of::<S>(), TypeId::of::<Optional<S>>()],
            absent: |list| list.with_optional::<S>(None),
        }
    }

    /// Returns whether a behaviour is the shadow.
    pub(crate) fn has_shadow(&self, behaviour: TypeId) -> bool {
        self.shadows.contains(&behaviour)
    }
}
