//! The object as libraries want it that work on plain structs.

use bevy::prelude::Component;
use serde::{Deserialize, Serialize};

use crate::support::workload::{Change, Values};

/// One component of eight fields for Bevy, one struct for the codecs.
#[derive(
    Clone,
    Debug,
    PartialEq,
    Component,
    Serialize,
    Deserialize,
    bincode::Encode,
    bincode::Decode,
    bitcode::Encode,
    bitcode::Decode,
    speedy::Readable,
    speedy::Writable,
)]
pub(crate) struct PlainUnit {
    health: i32,
    score: i32,
    balance: i32,
    seed: i32,
    x: f32,
    y: f32,
    z: f32,
    name: String,
}

impl PlainUnit {
    pub(crate) fn apply(&mut self, change: Change) {
        match change {
            Change::Health(health) => self.health = health,
            Change::All(values) => *self = values.into(),
        }
    }

    pub(crate) fn values(&self) -> Values {
        Values {
            health: self.health,
            score: self.score,
            balance: self.balance,
            seed: self.seed,
            x: self.x,
            y: self.y,
            z: self.z,
            name: self.name.clone(),
        }
    }
}

impl From<Values> for PlainUnit {
    fn from(values: Values) -> Self {
        Self {
            health: values.health,
            score: values.score,
            balance: values.balance,
            seed: values.seed,
            x: values.x,
            y: values.y,
            z: values.z,
            name: values.name,
        }
    }
}
