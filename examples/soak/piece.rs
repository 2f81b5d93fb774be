//! The prefabs of the stage over Mirror's protocol.

use syncvar::mirror::{Component, MirrorPrefab, MirrorPrefabs, SyncDirection, SyncMode};
use syncvar::prelude::*;
use syncvar_testing::mirror::Dice;

use crate::unit::Numbers;

/// Fields that all observers read.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Piece {
    #[sync_var(hook = on_health_changed)]
    health: SyncVar<i32>,
    #[sync_var]
    name: SyncVar<String>,
    #[sync_var]
    log: SyncList<u32>,
    #[sync_var]
    bag: SyncDictionary<u32, String>,
    #[sync_var]
    marks: SyncHashSet<u32>,
    hooks: u64,
}

/// Fields for the owner.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Wallet {
    #[sync_var]
    pub(crate) coins: SyncVar<u32>,
}

/// Fields written by the owner.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Aim {
    #[sync_var]
    pub(crate) yaw: SyncVar<u32>,
}

impl Piece {
    fn on_health_changed(&mut self, _previous: i32) {
        self.hooks += 1;
    }

    pub(crate) fn write(&mut self, dice: &mut Dice) {
        let number = dice.number();
        match dice.below(6) {
            0 => *self.health += 1,
            1 => *self.name = format!("piece {number}"),
            2 if self.log.len() < 50 => self.log.push(number),
            2 => self.log.clear(),
            3 => {
                self.bag.insert(number % 20, number.to_string());
            }
            4 => {
                self.bag.remove(&(number % 20));
                self.marks.remove(&(number % 30));
            }
            _ => {
                self.marks.insert(number % 30);
            }
        }
    }

    /// Returns the fields as text.
    pub(crate) fn text(&self) -> String {
        let bag: std::collections::BTreeMap<_, _> = self.bag.iter().collect();
        let marks: std::collections::BTreeSet<_> = self.marks.iter().collect();
        let (health, name, log) = (*self.health, &*self.name, &*self.log);
        format!("{health} {name} {log:?} {bag:?} {marks:?}")
    }
}

#[network_calls]
impl Piece {
    #[command(requires_ownership = false)]
    pub(crate) fn strike(&mut self, damage: i32) {
        self.health -= damage;
    }

    #[client_rpc]
    pub(crate) fn cheer(&mut self, text: String) {
        self.hooks += text.len() as u64;
    }
}

pub(crate) fn prefabs() -> MirrorPrefabs {
    let wallet = Component::new().sync_mode(SyncMode::Owner);
    let aim = Component::new().sync_direction(SyncDirection::ClientToServer);
    let player = MirrorPrefab::new("player", 1.into());
    MirrorPrefabs::new()
        .register::<(Piece, Wallet, Aim)>(player.component(1, wallet).component(2, aim))
        .register::<Piece>(MirrorPrefab::new("piece", 2.into()))
}
