//! The fighter and the crown as a client has them: the fields of the server's, and commands without bodies. The
//! server's bodies would bring parts of a server into the page; the handshake compares the fields and commands.

use syncvar::prelude::*;

/// A fighter; each client owns one.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.05)]
pub(crate) struct Fighter {
    #[sync_var]
    pub(crate) name: SyncVar<String>,
    #[sync_var]
    pub(crate) health: SyncVar<i32>,
    #[sync_var]
    pub(crate) buffs: SyncList<Buff>,
    #[sync_var(read = owner)]
    pub(crate) pack: SyncList<Item>,
    #[sync_var(write = owner)]
    pub(crate) stance: SyncVar<Stance>,
    /// Notes of the calls for the page.
    pub(crate) seen: Vec<String>,
}

/// A temporary effect.
#[derive(SyncValue, Clone, Debug, PartialEq, Default)]
pub(crate) struct Buff {
    pub(crate) name: String,
    pub(crate) strength: i32,
}

/// An item of the inventory.
#[derive(SyncValue, Clone, Copy, Debug, PartialEq, Default)]
pub(crate) enum Item {
    #[default]
    Potion,
    Whetstone,
}

/// Stance of a fighter.
#[derive(SyncValue, Clone, Copy, Debug, PartialEq, Default)]
pub(crate) enum Stance {
    #[default]
    Open,
    OnGuard,
}

#[network_calls]
impl Fighter {
    #[command]
    pub(crate) fn introduce(&mut self, name: String) {
        drop(name);
    }

    #[command(rate = 2.0)]
    pub(crate) fn strike(&mut self, target: NetRef) {
        let _ = target;
    }

    #[command]
    pub(crate) fn use_item(&mut self) {}

    #[client_rpc]
    pub(crate) fn struck(&mut self, by: String, damage: i32) {
        let name = &self.name;
        self.seen
            .push(format!("RPC: {by} strikes {name} for {damage}"));
    }

    #[target_rpc]
    pub(crate) fn tell(&mut self, text: String) {
        self.seen.push(format!("RPC to me alone: {text}"));
    }

    #[sync_event]
    pub(crate) fn fallen(by: String);
}

/// The crown of the arena; the last taker owns it.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.05)]
pub(crate) struct Crown {
    #[sync_var]
    pub(crate) wearer: SyncVar<NetRef>,
    #[sync_var(write = owner)]
    pub(crate) motto: SyncVar<String>,
}

#[network_calls]
impl Crown {
    #[command(requires_ownership = false)]
    pub(crate) fn take(&mut self, fighter: NetRef) {
        let _ = fighter;
    }
}
