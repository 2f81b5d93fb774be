//! The classes of the recorded games: players, monsters and a door.

use serde_json::{Value, json};
use syncvar::prelude::*;
use syncvar::values::{Color32, Vector3};

use crate::golden::changes::{dictionary_events, list_events, set_events};
use crate::golden::log::Log;
use crate::golden::subject::subjects;
use crate::golden::value::number::MonsterKind;
use crate::golden::value::{Recorded, Text, structs};

/// A hook that writes down its field: what it was, and what it is now.
macro_rules! hooks {
    ($class:ident: $($hook:ident $field:ident $name:literal: $type:ty;)*) => {
        impl $class {$(
            #[allow(clippy::needless_pass_by_value, reason = "a hook is given the previous value")]
            fn $hook(&mut self, previous: $type) {
                let arguments = json!([$name, previous.to_json(), (*self.$field).to_json()]);
                self.log.write(stringify!($class), "hook", arguments);
            }
        )*}
    };
}

/// Callbacks that write down that they were called.
macro_rules! lives {
    ($($class:ident)*) => {$(
        impl NetworkLifecycle for $class {
            fn on_network_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
                self.log.write(stringify!($class), "OnStart", json!(ctx.net_id().0));
                Ok(())
            }

            fn on_network_despawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
                self.log.write(stringify!($class), "OnStop", json!(ctx.net_id().0));
                Ok(())
            }

            fn on_gained_ownership(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
                self.log.write(stringify!($class), "OnStartAuthority", json!(ctx.net_id().0));
                Ok(())
            }

            fn on_start_local_player(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
                self.log.write(stringify!($class), "OnStartLocalPlayer", json!(ctx.net_id().0));
                Ok(())
            }

            fn on_stop_local_player(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
                self.log.write(stringify!($class), "OnStopLocalPlayer", json!(ctx.net_id().0));
                Ok(())
            }

            fn on_lost_ownership(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
                self.log.write(stringify!($class), "OnStopAuthority", json!(ctx.net_id().0));
                Ok(())
            }
        }
    )*};
}

#[derive(NetworkBehaviour)]
#[network_behaviour(lifecycle)]
pub(crate) struct Player {
    #[sync_var(hook = on_inventory)]
    pub(crate) inventory: SyncList<i32>,
    #[sync_var(hook = on_player_name)]
    pub(crate) player_name: SyncVar<Text>,
    #[sync_var(hook = on_health)]
    pub(crate) health: SyncVar<i32>,
    #[sync_var]
    pub(crate) position: SyncVar<Vector3>,
    log: Log,
}

impl Default for Player {
    fn default() -> Self {
        Self {
            inventory: SyncList::new(),
            player_name: Some("unnamed".to_string()).into(),
            health: 100.into(),
            position: SyncVar::default(),
            log: Log::default(),
        }
    }
}

impl Player {
    fn on_inventory(&mut self, change: &ListChange<i32>) {
        let events = list_events(change);
        self.log
            .write("Player", "list", json!(["inventory", events]));
    }

    fn ran(&self, event: &'static str, what: Value) {
        self.log.write("Player", event, what);
    }
}

hooks! {
    Player:
    on_player_name player_name "playerName": Text;
    on_health health "health": i32;
}

#[network_calls]
impl Player {
    #[command]
    pub(crate) fn cmd_damage(&mut self, amount: i32) {
        self.ran("cmd", json!(["CmdDamage", amount]));
        self.health -= amount;
    }

    /// Answers with `RpcChat`: whoever runs the server sends it, having seen the log.
    #[command(
        requires_ownership = false,
        mirror = "System.Void Player::CmdChat(System.String,Mirror.NetworkConnectionToClient)"
    )]
    pub(crate) fn cmd_chat(&mut self, context: &CallContext<'_>, text: Text) {
        let sender = context.sender().map_or(0, |connection| connection.0);
        self.ran("cmd", json!(["CmdChat", text, sender]));
    }

    #[command]
    pub(crate) fn cmd_pickup(&mut self, item: i32, index: i32) {
        self.ran("cmd", json!(["CmdPickup", item, index]));
        match usize::try_from(index) {
            Ok(index) => self.inventory.insert(index, item),
            Err(_) => self.inventory.push(item),
        }
    }

    #[client_rpc]
    pub(crate) fn rpc_chat(&mut self, name: Text, text: Text) {
        self.ran("rpc", json!(["RpcChat", name, text]));
    }

    #[client_rpc(target = owner, name = "TargetNotify")]
    pub(crate) fn target_notify(&mut self, text: Text) {
        self.ran("rpc", json!(["TargetNotify", text]));
    }

    #[client_rpc(target = not_owner)]
    pub(crate) fn rpc_others(&mut self, number: i32) {
        self.ran("rpc", json!(["RpcOthers", number]));
    }
}

#[derive(NetworkBehaviour)]
#[network_behaviour(lifecycle)]
pub(crate) struct Wallet {
    #[sync_var(hook = on_gold)]
    pub(crate) gold: SyncVar<i32>,
    #[sync_var]
    pub(crate) secret: SyncVar<u64>,
    log: Log,
}

impl Default for Wallet {
    fn default() -> Self {
        Self {
            gold: 10.into(),
            secret: 1.into(),
            log: Log::default(),
        }
    }
}

hooks! {
    Wallet:
    on_gold gold "gold": i32;
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(lifecycle)]
pub(crate) struct Aim {
    #[sync_var(hook = on_yaw)]
    pub(crate) yaw: SyncVar<f32>,
    #[sync_var(hook = on_firing)]
    pub(crate) firing: SyncVar<bool>,
    log: Log,
}

hooks! {
    Aim:
    on_yaw yaw "yaw": f32;
    on_firing firing "firing": bool;
}

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(crate) struct Loot {
    item: i32,
    label: Text,
    chance: f32,
}

structs! {
    Loot "LootItem" { item "item", label "label", chance "chance" }
}

#[derive(NetworkBehaviour)]
#[network_behaviour(lifecycle)]
pub(crate) struct Monster {
    #[sync_var(hook = on_buffs)]
    pub(crate) buffs: SyncDictionary<i32, Text>,
    #[sync_var(hook = on_tags)]
    pub(crate) tags: SyncHashSet<Text>,
    #[sync_var(hook = on_loot)]
    pub(crate) loot: SyncList<Loot>,
    #[sync_var(hook = on_kind)]
    pub(crate) kind: SyncVar<MonsterKind>,
    #[sync_var(hook = on_hp)]
    pub(crate) hp: SyncVar<i16>,
    #[sync_var(hook = on_target)]
    pub(crate) target: SyncVar<NetRef>,
    #[sync_var]
    pub(crate) bounty: SyncVar<Option<i32>>,
    #[sync_var]
    pub(crate) color: SyncVar<Color32>,
    log: Log,
}

impl Default for Monster {
    fn default() -> Self {
        Self {
            buffs: SyncDictionary::new(),
            tags: SyncHashSet::new(),
            loot: SyncList::new(),
            kind: SyncVar::default(),
            hp: 50.into(),
            target: SyncVar::default(),
            bounty: SyncVar::default(),
            color: Color32::new(1, 2, 3, 255).into(),
            log: Log::default(),
        }
    }
}

impl Monster {
    fn on_buffs(&mut self, change: &DictionaryChange<i32, Text>) {
        let events = dictionary_events(change);
        self.log.write("Monster", "dict", json!(["buffs", events]));
    }

    fn on_tags(&mut self, change: &SetChange<Text>) {
        self.log
            .write("Monster", "set", json!(["tags", set_events(change)]));
    }

    fn on_loot(&mut self, change: &ListChange<Loot>) {
        self.log
            .write("Monster", "list", json!(["loot", list_events(change)]));
    }
}

hooks! {
    Monster:
    on_kind kind "kind": MonsterKind;
    on_hp hp "hp": i16;
    on_target target "target": NetRef;
}

#[network_calls]
impl Monster {
    #[client_rpc]
    pub(crate) fn rpc_roar(&mut self, volume: i32, at: Vector3) {
        let arguments = json!(["RpcRoar", volume, at.to_json()]);
        self.log.write("Monster", "rpc", arguments);
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(lifecycle)]
pub(crate) struct Door {
    #[sync_var(hook = on_open)]
    pub(crate) open: SyncVar<bool>,
    log: Log,
}

hooks! {
    Door:
    on_open open "open": bool;
}

#[network_calls]
impl Door {
    #[command(requires_ownership = false)]
    pub(crate) fn cmd_toggle(&mut self) {
        self.log.write("Door", "cmd", json!(["CmdToggle"]));
        let open = *self.open;
        self.open.set(!open);
    }
}

lives! { Player Wallet Aim Monster Door }

subjects! {
    Player [inventory player_name health position];
    Wallet [gold secret];
    Aim [yaw firing];
    Monster [buffs tags loot kind hp target bounty color];
    Door [open];
}
