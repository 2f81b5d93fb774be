//! References as values of serde.

use std::marker::PhantomData;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::BehaviourRef;

impl<T> Serialize for BehaviourRef<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.object, self.index).serialize(serializer)
    }
}

impl<'de, T> Deserialize<'de> for BehaviourRef<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (object, index) = Deserialize::deserialize(deserializer)?;
        let behaviour = PhantomData;
        Ok(Self {
            object,
            index,
            behaviour,
        })
    }
}
