//! The new build: renamed, moved, widened, added and removed.

use syncvar::prelude::*;
use syncvar::values::Vector3;

#[derive(SyncValue, Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Gait {
    Walk,
    Run,
    #[default]
    Stand,
}

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(crate) struct Item {
    pub(crate) count: u8,
    pub(crate) id: u16,
}

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(crate) struct Buff {
    pub(crate) level: u8,
    pub(crate) time: f32,
}

#[derive(SyncValue, Clone, Debug, PartialEq)]
pub(crate) struct Stance {
    pub(crate) height: f32,
    pub(crate) lean: u16,
}

impl Default for Stance {
    fn default() -> Self {
        Self {
            height: 1.75,
            lean: 0,
        }
    }
}

#[derive(NetworkBehaviour, Default)]
pub(crate) struct Entity {
    #[sync_var]
    pub(crate) name: SyncVar<String>,
    #[sync_var]
    pub(crate) position: SyncVar<Vector3>,
}

#[derive(NetworkBehaviour, Default)]
pub(crate) struct Hero {
    #[network_behaviour(base)]
    pub(crate) base: Entity,
    #[sync_var]
    pub(crate) title: SyncVar<String>,
    #[sync_var]
    pub(crate) speed: SyncVar<f64>,
    #[sync_var(was = "hp")]
    pub(crate) health: SyncVar<u32>,
    #[sync_var]
    pub(crate) gold: SyncVar<u32>,
    #[sync_var]
    pub(crate) gait: SyncVar<Gait>,
    #[sync_var]
    pub(crate) items: SyncList<Item>,
    #[sync_var]
    pub(crate) buffs: SyncDictionary<u16, Buff>,
    #[sync_var(write = owner)]
    pub(crate) aim: SyncVar<u16>,
    #[sync_var]
    pub(crate) bonus: SyncVar<u8>,
    #[sync_var]
    pub(crate) path: SyncList<u32>,
    #[sync_var]
    pub(crate) stance: SyncVar<Stance>,
    pub(crate) fired: Vec<(i32, u8)>,
}

#[network_calls]
impl Hero {
    #[client_rpc]
    pub(crate) fn sing(&mut self) {}

    #[client_rpc]
    pub(crate) fn hit(&mut self, damage: u16, by: u8) {
        let _ = (damage, by);
    }

    #[command(was = "shoot")]
    pub(crate) fn fire(&mut self, at: i32, power: u8) {
        self.fired.push((at, power));
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(channel = unreliable, send_interval = 0)]
pub(crate) struct Ship {
    #[sync_var]
    pub(crate) y: SyncVar<u32>,
    #[sync_var]
    pub(crate) x: SyncVar<f64>,
}

#[derive(NetworkBehaviour, Default)]
pub(crate) struct Dragon {
    #[sync_var]
    pub(crate) heads: SyncVar<u8>,
}

#[derive(SyncValue, Clone, Debug, PartialEq)]
pub(crate) struct Chat {
    pub(crate) to: Option<u32>,
    pub(crate) text: String,
}

/// Message of the new build only. The name precedes `chat`, so the two builds have different numbers for `chat`.
#[derive(SyncValue, Clone, Debug, PartialEq)]
pub(crate) struct Alert(pub(crate) u32);

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(crate) struct Move {
    pub(crate) jump: bool,
    pub(crate) x: i32,
}

pub(crate) fn hero() -> Hero {
    Hero {
        base: Entity {
            name: "Ann".to_string().into(),
            ..Entity::default()
        },
        speed: 1.5.into(),
        health: 200.into(),
        gold: 30.into(),
        gait: Gait::Walk.into(),
        items: [7, 8].map(|id| Item { id, count: 2 }).into_iter().collect(),
        buffs: [(
            3,
            Buff {
                level: 1,
                time: 2.0,
            },
        )]
        .into_iter()
        .collect(),
        bonus: 4.into(),
        path: [1, 2].into_iter().collect(),
        stance: Stance {
            height: 2.0,
            lean: 3,
        }
        .into(),
        title: "Sir".to_string().into(),
        ..Hero::default()
    }
}

pub(crate) fn prefabs() -> Prefabs {
    let made = || Hero {
        title: "none".to_string().into(),
        gold: 5.into(),
        ..Hero::default()
    };
    Prefabs::new()
        .register_with("hero", made)
        .register::<Ship>("ship")
        .register::<Dragon>("dragon")
        .message::<Chat>("chat")
        .message::<Alert>("alert")
        .input::<Move>()
}
