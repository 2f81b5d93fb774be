//! The game of the recordings: a player with a wallet and an aim, monsters, a door.
#![allow(
    clippy::struct_field_names,
    clippy::unused_self,
    reason = "names of the recordings, and hooks are methods"
)]

use std::cell::RefCell;

use syncvar::mirror::{MirrorMessage, MirrorPrefab, MirrorPrefabs, SceneId};
use syncvar::prelude::*;
use syncvar::values::{Color32, Vector3};

/// The scene id of the door.
pub(crate) const DOOR: SceneId = SceneId(1_311_768_464_867_721_217);

thread_local! {
    static LOG: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

pub(crate) fn log(text: impl Into<String>) {
    LOG.with_borrow_mut(|log| log.push(text.into()));
}

/// What has been called since this was last asked.
pub(crate) fn called() -> Vec<String> {
    LOG.take()
}

/// Callbacks that say which object and which component they are of.
macro_rules! lives {
    ($($class:ident)*) => {$(
        impl NetworkLifecycle for $class {
            fn on_network_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
                lived("OnStartClient", ctx)
            }
            fn on_network_despawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
                lived("OnStopClient", ctx)
            }
            fn on_gained_ownership(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
                lived("OnStartAuthority", ctx)
            }
            fn on_lost_ownership(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
                lived("OnStopAuthority", ctx)
            }
            fn on_start_local_player(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
                lived("OnStartLocalPlayer", ctx)
            }
            fn on_stop_local_player(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
                lived("OnStopLocalPlayer", ctx)
            }
        }
    )*};
}

#[expect(clippy::unnecessary_wraps, reason = "it ends callbacks")]
fn lived(callback: &str, ctx: &NetworkContext<'_>) -> LifecycleResult {
    let (id, component) = (ctx.net_id().0, ctx.behaviour_index());
    log(format!("{callback} {id}.{component}"));
    Ok(())
}

#[derive(NetworkBehaviour)]
#[network_behaviour(lifecycle)]
pub(crate) struct Player {
    #[sync_var(hook = on_inventory)]
    pub(crate) inventory: SyncList<i32>,
    #[sync_var(hook = on_player_name)]
    pub(crate) player_name: SyncVar<Option<String>>,
    #[sync_var(hook = on_health)]
    pub(crate) health: SyncVar<i32>,
    #[sync_var]
    pub(crate) position: SyncVar<Vector3>,
}

impl Default for Player {
    fn default() -> Self {
        Self {
            inventory: SyncList::new(),
            player_name: Some("unnamed".to_string()).into(),
            health: 100.into(),
            position: SyncVar::default(),
        }
    }
}

impl Player {
    fn on_inventory(&mut self, _: &ListChange<i32>) {
        log("list inventory");
    }

    fn on_player_name(&mut self, _: Option<String>) {
        log("hook playerName");
    }

    fn on_health(&mut self, previous: i32) {
        log("hook health");
        assert_ne!(*self.health, previous);
    }
}

#[network_calls]
impl Player {
    #[command]
    pub(crate) fn cmd_damage(&mut self, amount: i32) {
        unreachable!("a client does not run {amount}");
    }

    #[command]
    pub(crate) fn cmd_name(&mut self, name: String) {
        unreachable!("a client does not run {name}");
    }

    #[client_rpc]
    pub(crate) fn rpc_chat(&mut self, name: Option<String>, text: Option<String>) {
        log("rpc RpcChat");
        assert!(name.is_some() && text.is_some());
    }

    #[target_rpc]
    pub(crate) fn target_notify(&mut self, text: Option<String>) {
        log("rpc TargetNotify");
        assert_eq!(text.as_deref(), Some("hello-owner"));
    }

    #[client_rpc]
    pub(crate) fn rpc_others(&mut self, number: i32) {
        log(format!("rpc RpcOthers {number}"));
    }
}

#[derive(NetworkBehaviour)]
#[network_behaviour(lifecycle)]
pub(crate) struct Wallet {
    #[sync_var(hook = on_gold, read = owner)]
    pub(crate) gold: SyncVar<i32>,
    #[sync_var(read = owner)]
    pub(crate) secret: SyncVar<i64>,
}

impl Default for Wallet {
    fn default() -> Self {
        Self {
            gold: 10.into(),
            secret: 1.into(),
        }
    }
}

impl Wallet {
    fn on_gold(&mut self, _: i32) {
        log("hook gold");
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(lifecycle)]
pub(crate) struct Aim {
    #[sync_var(hook = on_yaw, write = owner)]
    pub(crate) yaw: SyncVar<f32>,
    #[sync_var(hook = on_firing, write = owner)]
    pub(crate) firing: SyncVar<bool>,
}

impl Aim {
    fn on_yaw(&mut self, _: f32) {
        log("hook yaw");
    }

    fn on_firing(&mut self, _: bool) {
        log("hook firing");
    }
}

#[derive(SyncValue, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    #[default]
    Goblin,
    Orc,
    Dragon,
}

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(crate) struct Loot {
    pub(crate) item: i32,
    pub(crate) label: Option<String>,
    pub(crate) chance: f32,
}

#[derive(NetworkBehaviour)]
#[network_behaviour(lifecycle)]
pub(crate) struct Monster {
    #[sync_var(hook = on_buffs)]
    pub(crate) buffs: SyncDictionary<i32, Option<String>>,
    #[sync_var(hook = on_tags)]
    pub(crate) tags: SyncHashSet<Option<String>>,
    #[sync_var(hook = on_loot)]
    pub(crate) loot: SyncList<Loot>,
    #[sync_var(hook = on_kind)]
    pub(crate) kind: SyncVar<Kind>,
    #[sync_var(hook = on_hp)]
    pub(crate) hp: SyncVar<u16>,
    #[sync_var(hook = on_target)]
    pub(crate) target: SyncVar<NetRef>,
    #[sync_var]
    pub(crate) bounty: SyncVar<Option<i32>>,
    #[sync_var]
    pub(crate) color: SyncVar<Color32>,
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
        }
    }
}

impl Monster {
    fn on_buffs(&mut self, _: &DictionaryChange<i32, Option<String>>) {
        log("dict buffs");
    }

    fn on_tags(&mut self, _: &SetChange<Option<String>>) {
        log("set tags");
    }

    fn on_loot(&mut self, _: &ListChange<Loot>) {
        log("list loot");
    }

    fn on_kind(&mut self, _: Kind) {
        log("hook kind");
    }

    fn on_hp(&mut self, _: u16) {
        log("hook hp");
    }

    fn on_target(&mut self, _: NetRef) {
        log("hook target");
    }
}

#[network_calls]
impl Monster {
    #[client_rpc]
    pub(crate) fn rpc_roar(&mut self, volume: i32, at: Vector3) {
        log("rpc RpcRoar");
        assert_eq!((volume, at), (9, Vector3::new(1.0, 1.0, 1.0)));
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(lifecycle)]
pub(crate) struct Door {
    #[sync_var(hook = on_open)]
    pub(crate) open: SyncVar<bool>,
}

impl Door {
    fn on_open(&mut self, _: bool) {
        log("hook open");
    }
}

#[network_calls]
impl Door {
    #[command(requires_ownership = false)]
    pub(crate) fn cmd_toggle(&mut self) {
        unreachable!("a client does not run this");
    }
}

lives! { Player Wallet Aim Monster Door }

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(crate) struct Item {
    pub(crate) id: i32,
    pub(crate) name: Option<String>,
    pub(crate) weight: f32,
}

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(crate) struct GlobalMsg {
    pub(crate) a: i32,
    pub(crate) item: Item,
}

impl MirrorMessage for GlobalMsg {
    const NAME: &'static str = "GlobalMsg";
}

/// The parts of a player.
pub(crate) fn player() -> (Player, Wallet, Aim) {
    Default::default()
}

/// What the recorded client knows.
pub(crate) fn prefabs() -> MirrorPrefabs {
    MirrorPrefabs::new()
        .register::<(Player, Wallet, Aim)>(MirrorPrefab::new("Player", 1001.into()))
        .register::<Monster>(MirrorPrefab::new("Monster", 1002.into()))
        .register::<Door>(MirrorPrefab::scene("Door"))
        .message::<GlobalMsg>()
}
