//! The game of these tests: a hero, a purse that only its owner is told of, an aim that its owner writes, a
//! door of the scene.

use std::cell::RefCell;

use syncvar::mirror::{MirrorMessage, MirrorPrefab, MirrorPrefabs, SceneId};
use syncvar::prelude::*;

thread_local! {
    static TOLD: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

pub(crate) fn tell(text: impl Into<String>) {
    TOLD.with_borrow_mut(|told| told.push(text.into()));
}

/// What callbacks, hooks and calls have said since this was last asked.
pub(crate) fn told() -> Vec<String> {
    TOLD.take()
}

/// What has been said by one side.
pub(crate) fn told_by(side: &str) -> Vec<String> {
    let told = told().into_iter();
    let told = told.filter_map(|line| Some(line.strip_prefix(side)?.trim_start().to_owned()));
    told.collect()
}

/// The scene id of the door.
pub(crate) const DOOR: SceneId = SceneId(0x0123_4567_0000_0001);

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(lifecycle)]
pub(crate) struct Hero {
    #[sync_var(hook = on_health)]
    pub(crate) health: SyncVar<i32>,
    #[sync_var(hook = on_target)]
    pub(crate) target: SyncVar<NetRef>,
    #[sync_var(hook = on_purse)]
    pub(crate) purse: SyncVar<BehaviourRef<Purse>>,
    #[sync_var]
    pub(crate) items: SyncList<i32>,
    /// Whether its callbacks fail on the server.
    pub(crate) is_broken: bool,
}

impl Hero {
    pub(crate) fn with(health: i32) -> Self {
        Self {
            health: health.into(),
            ..Self::default()
        }
    }

    fn on_health(&mut self, previous: i32) {
        tell(format!("hook health {previous} -> {}", *self.health));
    }

    fn on_target(&mut self, previous: NetRef) {
        tell(format!("hook target {previous:?} -> {:?}", *self.target));
    }

    fn on_purse(&mut self, _: BehaviourRef<Purse>) {
        tell(format!("hook purse -> {}", self.purse.index()));
    }

    fn lived(&self, what: &str, ctx: &NetworkContext<'_>) -> LifecycleResult {
        let side = if ctx.is_server() { "server" } else { "client" };
        tell(format!("{side} {what} {}", ctx.net_id().0));
        assert_ne!(ctx.is_server(), ctx.is_client());
        assert!(!ctx.is_host());
        if self.is_broken && ctx.is_server() {
            return Err("broken".into());
        }
        Ok(())
    }
}

impl NetworkLifecycle for Hero {
    fn on_network_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        self.lived("spawn", ctx)
    }

    fn on_network_despawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        self.lived("despawn", ctx)
    }

    fn on_gained_ownership(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        self.lived("gained", ctx)
    }

    fn on_lost_ownership(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        self.lived("lost", ctx)
    }

    fn on_start_local_player(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        self.lived("is player", ctx)
    }

    fn on_stop_local_player(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        self.lived("was player", ctx)
    }
}

#[network_calls]
impl Hero {
    #[command]
    pub(crate) fn cmd_hit(&mut self, amount: i32) {
        tell(format!("server CmdHit {amount}"));
        self.health -= amount;
        assert!(amount != 13, "bad luck");
    }

    #[command]
    pub(crate) fn cmd_who(&mut self, ctx: &CallContext<'_>) {
        tell(format!("server CmdWho {}", ctx.sender().unwrap().0));
    }

    #[command(requires_ownership = false)]
    pub(crate) fn cmd_greet(&mut self, ctx: &CallContext<'_>, words: i32) {
        tell(format!(
            "server CmdGreet {words} from {}",
            ctx.sender().unwrap().0
        ));
    }

    #[client_rpc]
    pub(crate) fn rpc_hit(&mut self, amount: i32) {
        tell(format!("client RpcHit {amount}"));
    }

    #[client_rpc(target = not_owner)]
    pub(crate) fn rpc_others(&mut self) {
        tell("client RpcOthers");
    }

    #[client_rpc(target = owner)]
    pub(crate) fn rpc_owner(&mut self, amount: i32) {
        tell(format!("client RpcOwner {amount}"));
    }

    #[target_rpc]
    pub(crate) fn target_hit(&mut self, amount: i32) {
        tell(format!("client TargetHit {amount}"));
    }

    #[client_rpc]
    pub(crate) fn rpc_look(&mut self, at: NetRef, into: BehaviourRef<Purse>) {
        tell(format!("client RpcLook {at:?} {}", into.index()));
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(sync_mode = owner)]
pub(crate) struct Purse {
    #[sync_var]
    pub(crate) coins: SyncVar<i32>,
}

#[network_calls]
impl Purse {
    #[command]
    pub(crate) fn cmd_count(&mut self, ctx: &CallContext<'_>) {
        tell(format!("server CmdCount on {}", ctx.behaviour_index()));
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(sync_direction = client_to_server)]
pub(crate) struct Aim {
    #[sync_var(hook = on_yaw)]
    pub(crate) yaw: SyncVar<i32>,
    #[sync_var]
    pub(crate) pitch: SyncVar<i32>,
}

impl Aim {
    fn on_yaw(&mut self, previous: i32) {
        tell(format!("hook yaw {previous} -> {}", *self.yaw));
    }
}

/// A hero with all its components.
pub(crate) type Whole = (Hero, Purse, Aim);

pub(crate) fn whole() -> Whole {
    (Hero::with(100), Purse::default(), Aim::default())
}

#[derive(NetworkBehaviour, Default)]
pub(crate) struct Door {
    #[sync_var]
    pub(crate) open: SyncVar<bool>,
}

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(crate) struct Chat {
    pub(crate) number: i32,
    pub(crate) text: Vec<u8>,
}

impl Chat {
    /// One that takes so many bytes, its id included.
    pub(crate) fn of_length(length: usize) -> Self {
        // The id, the number, and the length of the text, which is one more and has a second byte from 241 on.
        let rest = length.checked_sub(2 + 1 + 1).expect("room for the rest");
        let text = vec![7; rest - usize::from(rest >= 240)];
        Self { number: 0, text }
    }
}

impl MirrorMessage for Chat {
    const NAME: &'static str = "Game.Chat";
}

pub(crate) fn prefabs() -> MirrorPrefabs {
    MirrorPrefabs::new()
        .register::<Whole>(MirrorPrefab::new("whole", 1001.into()))
        .register::<Hero>(MirrorPrefab::new("hero", 1002.into()))
        .register::<(Purse, Hero, Purse)>(MirrorPrefab::new("three", 1003.into()))
        .register::<Door>(MirrorPrefab::scene("door"))
        .message::<Chat>()
}
