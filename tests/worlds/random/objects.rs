//! What there is in these worlds.

use std::cell::{Cell, RefCell};

use syncvar::prelude::*;
use syncvar::{NetRef, NetworkSceneId};

use super::lossy::{Fast, Twice};

pub(crate) const GATE: NetworkSceneId = NetworkSceneId(12);

thread_local! {
    /// The client whose packet is being handled.
    pub(crate) static CURRENT: Cell<Option<ConnectionId>> = const { Cell::new(None) };
    /// Which calls have run on which client.
    pub(crate) static HEARD: RefCell<Vec<(ConnectionId, NetId, u32)>> = const { RefCell::new(Vec::new()) };
    /// Which commands have run, of whom.
    pub(crate) static RAN: RefCell<Vec<(ConnectionId, u32)>> = const { RefCell::new(Vec::new()) };
    /// Whether nothing is sent that UNet does not have: then no client can write.
    pub(crate) static LITERAL: Cell<bool> = const { Cell::new(false) };
    static SAID: Cell<u32> = const { Cell::new(0) };
}

/// The number of the next call.
pub(crate) fn next_call() -> u32 {
    SAID.set(SAID.get() + 1);
    SAID.get()
}

fn hear(context: &CallContext<'_>, number: u32) {
    let id = context.net_id();
    if let Some(client) = CURRENT.get().filter(|_| !context.is_server()) {
        HEARD.with_borrow_mut(|heard| heard.push((client, id, number)));
    }
}

fn ran(context: &CallContext<'_>, number: u32) -> ConnectionId {
    let sender = context.sender().expect("a command has a sender");
    RAN.with_borrow_mut(|ran| ran.push((sender, number)));
    sender
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Plain {
    #[sync_var]
    pub(crate) level: SyncVar<u32>,
    #[sync_var]
    pub(crate) log: SyncList<u32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.1, lifecycle, synchronize)]
pub(crate) struct Hero {
    #[network_behaviour(base)]
    pub(crate) base: Plain,
    #[sync_var(hook = on_name_changed)]
    pub(crate) name: SyncVar<String>,
    #[sync_var]
    pub(crate) target: SyncVar<NetRef>,
    #[sync_var]
    pub(crate) shown: SyncVar<u32>,
    #[sync_var(read = owner)]
    pub(crate) secret: SyncVar<String>,
    #[sync_var(read = others)]
    pub(crate) outfit: SyncVar<String>,
    #[sync_var(read = owner)]
    pub(crate) quests: SyncList<String>,
    #[sync_var(read = owner)]
    pub(crate) bag: SyncDictionary<u32, String>,
    #[sync_var(read = owner)]
    pub(crate) mark: SyncVar<NetRef>,
    #[sync_var(write = owner)]
    pub(crate) aim: SyncVar<u32>,
    #[sync_var(write = owner)]
    pub(crate) path: SyncList<u32>,
    #[sync_var(write = owner, read = owner)]
    pub(crate) notes: SyncVar<u32>,
    #[sync_var(read = group, hook = on_plan_changed)]
    pub(crate) plan: SyncVar<String>,
    #[sync_var(read = group)]
    pub(crate) steps: SyncList<String>,
    #[sync_var(read = group, write = owner)]
    pub(crate) wish: SyncVar<u32>,
    #[sync_var(read = group, min_interval = 0.2)]
    pub(crate) morale: SyncVar<u32>,
    #[sync_var(write = owner, server_override)]
    pub(crate) mode: SyncVar<u32>,
    #[sync_var(write = owner, server_override)]
    pub(crate) orders: SyncList<u32>,
    #[sync_var(min_interval = 0.3)]
    pub(crate) heat: SyncVar<u32>,
    #[sync_var(threshold = far, max_interval = 1.0, min_interval = 0.2)]
    pub(crate) place: SyncVar<u32>,
    pub(crate) session: u32,
    pub(crate) names: u32,
}

impl Hero {
    fn far(last_sent: &u32, now: &u32) -> bool {
        now.abs_diff(*last_sent) > 3
    }

    fn on_plan_changed(&mut self, previous: String) {
        assert_ne!(*self.plan, previous);
    }

    fn on_name_changed(&mut self, _previous: String) {
        self.names += 1;
    }
}

impl Synchronize for Hero {
    fn on_synchronize(
        &mut self,
        serializer: &mut BufferSerializer<'_, '_>,
    ) -> Result<(), SynchronizeError> {
        if serializer.is_writer() {
            *self.shown += 1;
            // Not the server's while there is an owner.
            self.aim.set(77);
        }
        serializer.serialize_value(&mut self.session)
    }
}

impl NetworkLifecycle for Hero {
    fn on_network_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        if ctx.is_server() {
            self.base.log.push(1);
        } else if ctx.is_owner() && !LITERAL.get() {
            self.path.push(7);
        }
        Ok(())
    }

    fn on_network_despawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        if ctx.is_server() {
            self.name.set("gone".into());
        }
        Ok(())
    }

    fn on_gained_ownership(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        if ctx.is_server() {
            *self.base.level += 1;
            self.orders.push(3);
        } else if !LITERAL.get() {
            self.path.push(8);
            *self.mode += 1;
        }
        Ok(())
    }

    fn on_lost_ownership(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        if ctx.is_server() {
            self.orders.push(4);
            // Refused.
            self.path.push(9);
        } else if !LITERAL.get() {
            self.path.push(10);
        }
        Ok(())
    }
}

#[network_calls]
impl Hero {
    #[command]
    pub(crate) fn fire(&mut self, context: &mut CallContext<'_>, number: u32) {
        ran(context, number);
        self.base.level.set(number);
        self.mode.set(number);
        // Refused, and sent back.
        self.aim.set(number);
        let id = context.net_id();
        let server = context.server().unwrap();
        if number % 5 == 0 {
            server.set_owner(id, None).ok();
            self.path.push(number);
        }
        if number % 7 == 0 {
            server.despawn(id).ok();
        }
        let _ = server.calls::<Self>(id).say(next_call());
    }

    #[command(requires_ownership = false)]
    pub(crate) fn open(&mut self, context: &mut CallContext<'_>, number: u32) {
        let sender = ran(context, number);
        self.name.set(number.to_string());
        let id = context.net_id();
        let server = context.server().unwrap();
        if number % 5 == 0 {
            server.set_owner(id, Some(sender)).ok();
        }
        if number % 7 == 0 {
            server.hide(id, sender).ok();
        }
        if number % 11 == 0 {
            server.set_not_ready(sender);
        }
    }

    #[command(requires_ownership = false)]
    pub(crate) fn list(&mut self, _numbers: Vec<u32>) {}

    #[client_rpc]
    pub(crate) fn say(&mut self, context: &CallContext<'_>, number: u32) {
        hear(context, number);
    }

    #[client_rpc(target = everyone)]
    pub(crate) fn boom(&mut self, context: &CallContext<'_>, number: u32) {
        hear(context, number);
        if context.is_server() {
            self.base.log.push(number);
        } else if context.is_owner() && !LITERAL.get() {
            self.aim.set(number);
        }
    }

    #[client_rpc(target = owner)]
    pub(crate) fn tell_owner(&mut self, context: &CallContext<'_>, _text: String, number: u32) {
        hear(context, number);
    }

    #[client_rpc(target = not_owner)]
    pub(crate) fn tell_others(&mut self, context: &CallContext<'_>, _text: String, number: u32) {
        hear(context, number);
    }

    #[target_rpc]
    pub(crate) fn whisper(&mut self, context: &CallContext<'_>, number: u32) {
        hear(context, number);
    }

    #[sync_event]
    pub(crate) fn rang(number: u32);
}

pub(crate) fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Hero>("hero")
        .register::<(Plain, Hero, Fast, Twice)>("racer")
        .register::<(Fast, Twice)>("ghost")
        .register::<Plain>("plain")
}
