//! The object of the stages over this crate's own protocol.

use std::collections::{BTreeMap, BTreeSet};

use syncvar::NetRef;
use syncvar::prelude::*;
use syncvar_testing::mirror::Dice;

/// An object with fields of all kinds.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Unit {
    #[sync_var(hook = on_health_changed)]
    pub(crate) health: SyncVar<i32>,
    #[sync_var]
    pub(crate) name: SyncVar<String>,
    #[sync_var]
    pub(crate) target: SyncVar<NetRef>,
    #[sync_var]
    pub(crate) log: SyncList<u32>,
    #[sync_var]
    pub(crate) bag: SyncDictionary<u32, String>,
    #[sync_var]
    pub(crate) marks: SyncHashSet<u32>,
    #[sync_var(read = owner)]
    pub(crate) secret: SyncVar<u32>,
    #[sync_var(write = owner)]
    pub(crate) aim: SyncVar<u32>,
    /// Number of hooks that have run.
    hooks: u64,
}

impl Unit {
    /// Returns the fields that everybody reads, as text.
    pub(crate) fn text(&self) -> String {
        let bag: BTreeMap<_, _> = self.bag.iter().collect();
        let marks: BTreeSet<_> = self.marks.iter().collect();
        let (health, name, log, aim) = (*self.health, &*self.name, &*self.log, *self.aim);
        format!("{health} {name} {log:?} {bag:?} {marks:?} {aim}")
    }

    /// Writes to a random field.
    pub(crate) fn write(&mut self, dice: &mut Dice, target: NetRef) {
        let number = dice.number();
        match dice.below(9) {
            0 => *self.health += 1,
            1 => *self.name = format!("unit {number}"),
            2 => *self.target = target,
            3 if self.log.len() < 50 => self.log.push(number),
            3 | 4 => self.log.clear(),
            5 => {
                self.bag.insert(number % 20, number.to_string());
            }
            6 => {
                self.bag.remove(&(number % 20));
                self.marks.remove(&(number % 30));
            }
            7 => {
                self.marks.insert(number % 30);
            }
            _ => *self.secret = number,
        }
    }

    fn on_health_changed(&mut self, _previous: i32) {
        self.hooks += 1;
    }
}

#[network_calls]
impl Unit {
    /// Strikes the unit.
    #[command(requires_ownership = false)]
    pub(crate) fn strike(&mut self, damage: i32) {
        self.health -= damage;
    }

    /// Tells all observers.
    #[client_rpc]
    pub(crate) fn cheer(&mut self, text: String) {
        self.hooks += text.len() as u64;
    }

    #[sync_event]
    pub(crate) fn rang(number: u32);
}

/// Random numbers of a type.
pub(crate) trait Numbers {
    /// Returns a number below 2^32.
    fn number(&mut self) -> u32;

    /// Returns an index of a list; `None` for an empty one.
    fn index(&mut self, length: usize) -> Option<usize>;
}

impl Numbers for Dice {
    fn number(&mut self) -> u32 {
        u32::try_from(self.below(1 << 32)).unwrap_or_default()
    }

    fn index(&mut self, length: usize) -> Option<usize> {
        if length == 0 {
            return None;
        }
        usize::try_from(self.below(length as u64)).ok()
    }
}

pub(crate) fn prefabs() -> Prefabs {
    Prefabs::new().register::<Unit>("unit")
}
