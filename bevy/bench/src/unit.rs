//! The measured object: four `i32`, three `f32` and a text of 14 characters.

use bevy_ecs::prelude::Component;
use bevy_syncvar::prelude::Replicate;
use syncvar::prelude::{NetworkBehaviour, SyncVar};

use crate::{CHANGED, Fields};

/// The object as a component.
#[derive(Component, Replicate, Clone, Default)]
#[cfg_attr(feature = "replicon", derive(serde::Serialize, serde::Deserialize))]
#[component(summary_tick)]
pub(crate) struct Unit {
    pub(crate) health: i32,
    mana: i32,
    armour: i32,
    level: i32,
    x: f32,
    y: f32,
    z: f32,
    name: String,
}

/// The object as a behaviour.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct PlainUnit {
    #[sync_var]
    pub(crate) health: SyncVar<i32>,
    #[sync_var]
    mana: SyncVar<i32>,
    #[sync_var]
    armour: SyncVar<i32>,
    #[sync_var]
    level: SyncVar<i32>,
    #[sync_var]
    x: SyncVar<f32>,
    #[sync_var]
    y: SyncVar<f32>,
    #[sync_var]
    z: SyncVar<f32>,
    #[sync_var]
    name: SyncVar<String>,
}

/// Changes the last letter, differently at each change of an object.
fn name(tick: u32, name: &mut String) {
    let changes = tick / u32::try_from(CHANGED).unwrap_or(1);
    let digit = char::from(b'0' + u8::try_from(changes % 10).unwrap_or(0));
    name.pop();
    name.push(digit);
}

fn coordinate(tick: u32) -> f32 {
    f32::from(u16::try_from(tick % 60_000).unwrap_or(0))
}

impl Unit {
    pub(crate) fn new() -> Self {
        Self {
            name: "a unit, fourteen".chars().take(14).collect(),
            ..Self::default()
        }
    }

    pub(crate) fn write(&mut self, tick: u32, fields: Fields) {
        self.health += 1;
        if fields == Fields::All {
            self.mana += 1;
            self.armour += 1;
            self.level += 1;
            self.x = coordinate(tick + 1);
            self.y = coordinate(tick + 2);
            self.z = coordinate(tick + 3);
            name(tick, &mut self.name);
        }
    }
}

impl PlainUnit {
    pub(crate) fn new() -> Self {
        let name: String = "a unit, fourteen".chars().take(14).collect();
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    pub(crate) fn write(&mut self, tick: u32, fields: Fields) {
        self.health += 1;
        if fields == Fields::All {
            self.mana += 1;
            self.armour += 1;
            self.level += 1;
            self.x.set(coordinate(tick + 1));
            self.y.set(coordinate(tick + 2));
            self.z.set(coordinate(tick + 3));
            name(tick, &mut self.name);
        }
    }
}
