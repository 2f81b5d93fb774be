//! The old build.

use syncvar::codec::Half;
use syncvar::prelude::*;
use syncvar::values::Vector3;

#[derive(SyncValue, Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Gait {
    #[default]
    Stand,
    Walk,
}

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(crate) struct Item {
    pub(crate) id: u8,
}

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(crate) struct Buff {
    pub(crate) time: f32,
}

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(crate) struct Stance {
    pub(crate) lean: u8,
}

#[derive(NetworkBehaviour, Default)]
pub(crate) struct Entity {
    #[sync_var(with = Half)]
    pub(crate) position: SyncVar<Vector3>,
}

#[derive(NetworkBehaviour, Default)]
pub(crate) struct Hero {
    #[network_behaviour(base)]
    pub(crate) base: Entity,
    #[sync_var(hook = on_hp)]
    pub(crate) hp: SyncVar<u8>,
    #[sync_var]
    pub(crate) name: SyncVar<String>,
    #[sync_var(read = owner)]
    pub(crate) gold: SyncVar<u16>,
    #[sync_var]
    pub(crate) gait: SyncVar<Gait>,
    #[sync_var(hook = on_item)]
    pub(crate) items: SyncList<Item>,
    #[sync_var]
    pub(crate) buffs: SyncDictionary<u16, Buff>,
    #[sync_var(write = owner)]
    pub(crate) aim: SyncVar<u8>,
    #[sync_var]
    pub(crate) level: SyncVar<u8>,
    #[sync_var]
    pub(crate) speed: SyncVar<f32>,
    #[sync_var]
    pub(crate) bonus: SyncVar<Option<u8>>,
    #[sync_var]
    pub(crate) path: SyncVar<Vec<u32>>,
    #[sync_var]
    pub(crate) stance: SyncVar<Stance>,
    pub(crate) hp_changes: Vec<u8>,
    pub(crate) item_changes: usize,
    pub(crate) hits: Vec<u8>,
}

impl Hero {
    fn on_hp(&mut self, previous: u8) {
        self.hp_changes.push(previous);
    }

    fn on_item(&mut self, change: &ListChange<Item>) {
        if matches!(change, ListChange::Add { .. } | ListChange::RemoveAt { .. }) {
            self.item_changes += 1;
        }
    }
}

#[network_calls]
impl Hero {
    #[command]
    pub(crate) fn shoot(&mut self, at: i32) {
        let _ = at;
    }

    #[command]
    pub(crate) fn dance(&mut self) {}

    #[client_rpc]
    pub(crate) fn hit(&mut self, damage: u8) {
        self.hits.push(damage);
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(channel = unreliable, send_interval = 0)]
pub(crate) struct Ship {
    #[sync_var]
    pub(crate) x: SyncVar<f32>,
    #[sync_var]
    pub(crate) y: SyncVar<u16>,
}

#[derive(NetworkBehaviour, Default)]
pub(crate) struct Ghost {
    #[sync_var]
    pub(crate) boo: SyncVar<bool>,
}

#[derive(SyncValue, Clone, Debug, PartialEq)]
pub(crate) struct Chat {
    pub(crate) text: String,
}

#[derive(SyncValue, Clone, Debug, PartialEq)]
pub(crate) struct Vote(pub(crate) u8);

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(crate) struct Move {
    pub(crate) x: i8,
}

pub(crate) fn hero() -> Hero {
    Hero {
        hp: 200.into(),
        name: "Ann".to_string().into(),
        gold: 30.into(),
        gait: Gait::Walk.into(),
        items: [7, 8].map(|id| Item { id }).into_iter().collect(),
        buffs: [(3, Buff { time: 2.0 })].into_iter().collect(),
        level: 9.into(),
        speed: 1.5.into(),
        bonus: Some(4).into(),
        path: vec![1, 2].into(),
        stance: Stance { lean: 3 }.into(),
        ..Hero::default()
    }
}

pub(crate) fn prefabs() -> Prefabs {
    let made = || Hero {
        level: 9.into(),
        ..Hero::default()
    };
    Prefabs::new()
        .register_with("hero", made)
        .register::<Ship>("ship")
        .register::<Ghost>("ghost")
        .message::<Chat>("chat")
        .message::<Vote>("vote")
        .input::<Move>()
}
