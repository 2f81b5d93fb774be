//! Values with entities, and their form on the wire.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;

use bevy_ecs::entity::Entity;
use syncvar::{NetRef, SyncValue};

use crate::NetEntities;

/// A value of components and messages whose entities travel as references: `#[derive(NetValue)]`.
///
/// An entity without an object travels as no entity, and arrives as [`Entity::PLACEHOLDER`]. So does, on a client, an
/// entity that this client does not see; it is filled in when the client sees it.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use bevy_syncvar::prelude::*;
///
/// let entities = NetEntities::default();
/// assert_eq!(vec![Entity::PLACEHOLDER].to_wire(&entities), [NetRef::NONE]);
/// ```
pub trait NetValue: Sized {
    /// Form on the wire.
    type Wire: SyncValue;

    /// Returns the form on the wire.
    fn to_wire(&self, entities: &NetEntities) -> Self::Wire;

    /// Makes the value of a form on the wire.
    fn from_wire(wire: &Self::Wire, entities: &NetEntities) -> Self;

    /// Returns whether [`to_wire`](Self::to_wire) would make an equal form.
    fn is_same(&self, wire: &Self::Wire, entities: &NetEntities) -> bool {
        self.to_wire(entities).same(wire)
    }
}

impl NetValue for Entity {
    type Wire = NetRef;

    #[inline]
    fn to_wire(&self, entities: &NetEntities) -> NetRef {
        entities.reference(*self)
    }

    #[inline]
    fn from_wire(wire: &NetRef, entities: &NetEntities) -> Self {
        entities.target(*wire)
    }
}

impl<T: NetValue> NetValue for Option<T> {
    type Wire = Option<T::Wire>;

    fn to_wire(&self, entities: &NetEntities) -> Self::Wire {
        self.as_ref().map(|value| value.to_wire(entities))
    }

    fn from_wire(wire: &Self::Wire, entities: &NetEntities) -> Self {
        wire.as_ref().map(|wire| T::from_wire(wire, entities))
    }

    fn is_same(&self, wire: &Self::Wire, entities: &NetEntities) -> bool {
        match (self, wire) {
            (Some(value), Some(wire)) => value.is_same(wire, entities),
            (None, None) => true,
            _ => false,
        }
    }
}

impl<T: NetValue> NetValue for Vec<T> {
    type Wire = Vec<T::Wire>;

    fn to_wire(&self, entities: &NetEntities) -> Self::Wire {
        self.iter().map(|value| value.to_wire(entities)).collect()
    }

    fn from_wire(wire: &Self::Wire, entities: &NetEntities) -> Self {
        wire.iter()
            .map(|wire| T::from_wire(wire, entities))
            .collect()
    }

    fn is_same(&self, wire: &Self::Wire, entities: &NetEntities) -> bool {
        let mut pairs = self.iter().zip(wire);
        self.len() == wire.len() && pairs.all(|(value, wire)| value.is_same(wire, entities))
    }
}

impl<T: NetValue, const N: usize> NetValue for [T; N]
where
    [T::Wire; N]: SyncValue,
{
    type Wire = [T::Wire; N];

    fn to_wire(&self, entities: &NetEntities) -> Self::Wire {
        self.each_ref().map(|value| value.to_wire(entities))
    }

    fn from_wire(wire: &Self::Wire, entities: &NetEntities) -> Self {
        wire.each_ref().map(|wire| T::from_wire(wire, entities))
    }
}

/// Implements maps and sets.
macro_rules! collections {
    ($($map:ident, $set:ident: $($bound:ident)|*;)*) => {$(
        #[allow(clippy::implicit_hasher, reason = "decoded maps have the hasher of the standard library")]
        impl<K, V: NetValue> NetValue for $map<K, V>
        where
            K: NetValue $(+ $bound)*,
            $map<K::Wire, V::Wire>: SyncValue + FromIterator<(K::Wire, V::Wire)>,
        {
            type Wire = $map<K::Wire, V::Wire>;

            fn to_wire(&self, entities: &NetEntities) -> Self::Wire {
                let entry = |(key, value): (&K, &V)| (key.to_wire(entities), value.to_wire(entities));
                self.iter().map(entry).collect()
            }

            fn from_wire(wire: &Self::Wire, entities: &NetEntities) -> Self {
                let entries = wire.iter();
                let entries = entries.map(|(key, value)| {
                    (K::from_wire(key, entities), V::from_wire(value, entities))
                });
                entries.collect()
            }
        }

        #[allow(clippy::implicit_hasher, reason = "as above")]
        impl<K> NetValue for $set<K>
        where
            K: NetValue $(+ $bound)*,
            $set<K::Wire>: SyncValue + FromIterator<K::Wire>,
        {
            type Wire = $set<K::Wire>;

            fn to_wire(&self, entities: &NetEntities) -> Self::Wire {
                self.iter().map(|key| key.to_wire(entities)).collect()
            }

            fn from_wire(wire: &Self::Wire, entities: &NetEntities) -> Self {
                wire.iter().map(|key| K::from_wire(key, entities)).collect()
            }
        }
    )*};
}

collections! {
    HashMap, HashSet: Eq | Hash;
    BTreeMap, BTreeSet: Ord;
}

/// Implements values without entities, for collections and tuples that have both.
macro_rules! plain {
    ($($value:ty)*) => {$(
        impl NetValue for $value {
            type Wire = Self;

            #[inline]
            fn to_wire(&self, _: &NetEntities) -> Self {
                self.clone()
            }

            #[inline]
            fn from_wire(wire: &Self, _: &NetEntities) -> Self {
                wire.clone()
            }

            #[inline]
            fn is_same(&self, wire: &Self, _: &NetEntities) -> bool {
                self.same(wire)
            }
        }
    )*};
}

plain! { bool char f32 f64 i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 String }

/// Implements tuples.
macro_rules! tuples {
    ($($($name:ident $wire:ident),*;)*) => {$(
        impl<$($name: NetValue),*> NetValue for ($($name,)*)
        where
            ($($name::Wire,)*): SyncValue,
        {
            type Wire = ($($name::Wire,)*);

            #[expect(non_snake_case, reason = "the variables bear the names of the types")]
            fn to_wire(&self, entities: &NetEntities) -> Self::Wire {
                let ($($name,)*) = self;
                ($($name.to_wire(entities),)*)
            }

            fn from_wire(wire: &Self::Wire, entities: &NetEntities) -> Self {
                let ($($wire,)*) = wire;
                ($($name::from_wire($wire, entities),)*)
            }
        }
    )*};
}

tuples! {
    A a, B b;
    A a, B b, C c;
    A a, B b, C c, D d;
}
