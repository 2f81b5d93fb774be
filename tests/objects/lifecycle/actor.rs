//! Behaviours that note what they are told, and do what a test wants.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use syncvar::prelude::*;
use syncvar::{ClientConfig, Framing, ServerConfig, behaviour::LifecycleCallback};

/// What is done in a callback, after it has been noted.
pub(crate) type Script =
    fn(&mut Told<'_>, LifecycleCallback, &mut NetworkContext<'_>) -> LifecycleResult;

thread_local! {
    static LOG: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static SCRIPT: Cell<Option<Script>> = const { Cell::new(None) };
    static BROKEN: Cell<bool> = const { Cell::new(false) };
    static MAY_PANIC: Cell<bool> = const { Cell::new(false) };
}

/// Notes something.
pub(crate) fn note(text: impl Into<String>) {
    LOG.with_borrow_mut(|log| log.push(text.into()));
}

/// What has been noted since this was last asked.
pub(crate) fn noted() -> Vec<String> {
    check();
    LOG.take()
}

/// Fails if an assertion in a script has failed: the panic was contained.
fn check() {
    assert!(!BROKEN.take(), "a script has panicked: see above");
}

/// From now on scripts may panic.
pub(crate) fn expect_panics() {
    MAY_PANIC.set(true);
}

/// The notes that have a text in them.
pub(crate) fn noted_of(text: &str) -> Vec<String> {
    noted()
        .into_iter()
        .filter(|note| note.contains(text))
        .collect()
}

/// From now on this is done in every callback.
pub(crate) fn play(script: Script) {
    SCRIPT.set(Some(script));
}

/// A behaviour that is told something.
pub(crate) struct Told<'a> {
    pub(crate) name: &'static str,
    pub(crate) value: &'a mut SyncVar<i32>,
    pub(crate) items: &'a mut SyncList<u8>,
}

impl Told<'_> {
    fn tell(
        &mut self,
        callback: LifecycleCallback,
        ctx: &mut NetworkContext<'_>,
    ) -> LifecycleResult {
        let side = if ctx.is_server() { "server" } else { "client" };
        note(format!("{side} {} {} {callback}", ctx.net_id(), self.name));
        let Some(script) = SCRIPT.get() else {
            return Ok(());
        };
        let result = catch_unwind(AssertUnwindSafe(|| script(self, callback, ctx)));
        result.unwrap_or_else(|panicked| {
            BROKEN.set(!MAY_PANIC.get());
            resume_unwind(panicked)
        })
    }
}

macro_rules! actors {
    ($($name:ident)*) => {$(
        #[derive(NetworkBehaviour, Default)]
        #[network_behaviour(lifecycle, send_interval = 0)]
        pub(crate) struct $name {
            #[sync_var]
            pub(crate) value: SyncVar<i32>,
            #[sync_var]
            pub(crate) items: SyncList<u8>,
        }

        impl $name {
            fn tell(
                &mut self,
                callback: LifecycleCallback,
                ctx: &mut NetworkContext<'_>,
            ) -> LifecycleResult {
                let (name, value, items) = (stringify!($name), &mut self.value, &mut self.items);
                Told { name, value, items }.tell(callback, ctx)
            }
        }

        impl NetworkLifecycle for $name {
            fn on_network_pre_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
                self.tell(LifecycleCallback::PreSpawn, ctx)
            }
            fn on_network_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
                self.tell(LifecycleCallback::Spawn, ctx)
            }
            fn on_network_post_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
                self.tell(LifecycleCallback::PostSpawn, ctx)
            }
            fn on_network_despawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
                self.tell(LifecycleCallback::Despawn, ctx)
            }
            fn on_gained_ownership(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
                self.tell(LifecycleCallback::GainedOwnership, ctx)
            }
            fn on_lost_ownership(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
                self.tell(LifecycleCallback::LostOwnership, ctx)
            }
            fn on_network_session_synchronized(
                &mut self,
                ctx: &mut NetworkContext<'_>,
            ) -> LifecycleResult {
                self.tell(LifecycleCallback::SessionSynchronized, ctx)
            }
        }
    )*};
}

actors!(Actor Partner);

/// Has no callbacks.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Prop {
    #[sync_var]
    pub(crate) value: SyncVar<i32>,
}

pub(crate) fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Actor>("actor")
        .register::<Partner>("partner")
        .register::<(Actor, Partner)>("pair")
        .register::<(Prop, Actor)>("beside a prop")
        .register::<Prop>("prop")
}

/// A network with this many clients, all of them ready.
pub(crate) fn network(clients: usize) -> MemoryNetwork {
    network_in(Framing::Compact, clients)
}

pub(crate) fn network_in(dialect: Framing, clients: usize) -> MemoryNetwork {
    let config = ServerConfig {
        framing: dialect,
        ..ServerConfig::default()
    };
    let mut net =
        MemoryNetwork::with_config(prefabs, config, syncvar::testing::Conditions::default());
    for _ in 0..clients {
        net.connect();
    }
    net.settle();
    for client in 0..clients {
        events(&mut net, client);
    }
    while net.server.poll_event().is_some() {}
    noted();
    net
}

/// A network as with a real UNet: no handshake.
pub(crate) fn literal_network() -> MemoryNetwork {
    let config = ServerConfig {
        compare_schemas: false,
        ..ServerConfig::default()
    };
    let mut net =
        MemoryNetwork::with_config(prefabs, config, syncvar::testing::Conditions::default());
    let config = ClientConfig {
        compare_schemas: false,
        ..ClientConfig::default()
    };
    net.connect_client(NetworkClient::with_config(prefabs(), config));
    net.settle();
    net
}

/// What a client has been told since this was last asked.
pub(crate) fn events(net: &mut MemoryNetwork, client: usize) -> Vec<ClientEvent> {
    check();
    syncvar_testing::events(net.client_mut(client)).collect()
}

/// What the server has been told since this was last asked.
pub(crate) fn server_events(net: &mut MemoryNetwork) -> Vec<ServerEvent> {
    check();
    std::iter::from_fn(|| net.server.poll_event()).collect()
}
