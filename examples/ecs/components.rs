//! The components of the game: plain structs with the derive.

use syncvar::behaviour::Optional;
use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default, Clone, Debug)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Player {
    #[sync_var]
    pub(crate) name: SyncVar<String>,
    #[sync_var(hook = on_health)]
    pub(crate) health: SyncVar<i32>,
    #[sync_var]
    pub(crate) items: SyncList<u32>,
    /// Another player.
    #[sync_var]
    pub(crate) target: SyncVar<NetRef>,
    /// Changes of the health, on a client.
    pub(crate) log: Vec<String>,
}

#[derive(NetworkBehaviour, Default, Clone, Debug, PartialEq)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Burning {
    #[sync_var]
    pub(crate) until: SyncVar<u32>,
}

impl Player {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            health: 100.into(),
            ..Self::default()
        }
    }

    fn on_health(&mut self, previous: i32) {
        self.log.push(format!("{previous} -> {}", self.health));
    }
}

#[network_calls]
impl Player {
    #[command(requires_ownership = false)]
    pub(crate) fn pick_up(&mut self, item: u32) {
        self.items.push(item);
    }

    #[client_rpc]
    pub(crate) fn cheer(&mut self, text: String) {
        self.log.push(text);
    }
}

/// Builds the registry of prefabs, equal on the server and its clients.
pub(crate) fn prefabs() -> Prefabs {
    Prefabs::new().register::<(Player, Optional<Burning>)>("player")
}
