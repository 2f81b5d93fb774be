//! The behaviours of these tests, and a network with them.

use syncvar::SyncValue;
use syncvar::prelude::*;
use syncvar::{Channel, Framing, NetworkContext, ServerConfig, testing::Conditions};

/// What has been called, by whom, with what.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Unit {
    #[sync_var]
    pub(crate) ammo: SyncVar<u32>,
    pub(crate) log: Vec<String>,
}

#[network_calls]
impl Unit {
    #[command]
    pub(crate) fn fire(&mut self, context: &CallContext<'_>, at: i32) {
        let sender = context.sender().map(|connection| connection.0);
        self.log.push(format!("fire {at} by {sender:?}"));
        self.ammo.set(self.ammo.wrapping_sub(1));
    }

    #[command(requires_ownership = false, rate = 5)]
    pub(crate) fn open(&mut self, context: &CallContext<'_>) {
        let sender = context.sender().map(|connection| connection.0);
        self.log.push(format!("open by {sender:?}"));
    }

    #[command(requires_ownership = false, channel = 1)]
    pub(crate) fn steer(&mut self, way: String) {
        self.log.push(format!("steer {way}"));
    }

    #[command(requires_ownership = false)]
    pub(crate) fn stumble(&mut self, over: String) {
        self.log.push(format!("stumble over {over}"));
        assert!(over != "a stone", "fell over {over}");
    }

    /// Asks the server to call back everyone.
    #[command(requires_ownership = false)]
    pub(crate) fn shout(&mut self, context: &mut CallContext<'_>, text: String) {
        let id = context.net_id();
        let server = context.server().expect("a command runs on the server");
        server.calls::<Self>(id).hear(text).expect("a call");
    }

    #[client_rpc]
    pub(crate) fn hear(&mut self, text: String) {
        self.log.push(format!("hear {text}"));
    }

    #[client_rpc(target = owner)]
    pub(crate) fn reload(&mut self) {
        self.log.push("reload".into());
    }

    #[client_rpc(target = not_owner)]
    pub(crate) fn notice(&mut self, what: u8) {
        self.log.push(format!("notice {what}"));
    }

    #[client_rpc(target = everyone, channel = 0)]
    pub(crate) fn explode(&mut self, context: &CallContext<'_>, radius: f32) {
        let side = if context.is_server() {
            "server"
        } else {
            "client"
        };
        self.log.push(format!("explode {radius} on the {side}"));
    }

    #[client_rpc(channel = 1)]
    pub(crate) fn glimpse(&mut self, what: String) {
        self.log.push(format!("glimpse {what}"));
    }

    #[target_rpc]
    pub(crate) fn whisper(&mut self, context: &mut CallContext<'_>, text: String) {
        assert!(context.is_client() && context.sender().is_none());
        self.log.push(format!("whisper {text}"));
        assert!(text != "boo", "it was frightening");
    }

    /// Something has burst.
    #[sync_event]
    pub(crate) fn burst(at: i32, of: String);

    #[sync_event(channel = 1)]
    pub(crate) fn passed();

    pub(crate) fn helper(&self) -> usize {
        self.log.len()
    }
}

/// Calls itself again and again, and another object back and forth.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct Echo {
    pub(crate) times: u32,
    pub(crate) other: NetId,
}

#[network_calls]
impl Echo {
    #[client_rpc(target = everyone)]
    pub(crate) fn again(&mut self, context: &mut CallContext<'_>) {
        self.times += 1;
        let id = if self.other == NetId::NONE {
            NetworkContext::net_id(context)
        } else {
            self.other
        };
        if let Some(server) = context.server() {
            let _ = server.calls::<Self>(id).again();
        }
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Creature {
    #[sync_var]
    pub(crate) health: SyncVar<i32>,
    pub(crate) log: Vec<String>,
}

#[network_calls]
impl Creature {
    #[command(requires_ownership = false)]
    pub(crate) fn feed(&mut self, amount: i32) {
        self.health += amount;
    }

    #[client_rpc]
    pub(crate) fn roar(&mut self, text: String) {
        self.log.push(text);
    }

    #[sync_event]
    pub(crate) fn died(of: String);
}

/// Has calls of its own behind those of its base.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Orc {
    #[network_behaviour(base)]
    pub(crate) base: Creature,
    #[sync_var]
    pub(crate) rage: SyncVar<i32>,
}

#[network_calls]
impl Orc {
    #[command(requires_ownership = false)]
    pub(crate) fn anger(&mut self, by: i32) {
        self.rage += by;
    }

    #[client_rpc]
    pub(crate) fn charge(&mut self, way: i32) {
        self.base.log.push(format!("charge {way}"));
    }
}

/// Has only the calls of its base.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct Wolf {
    #[network_behaviour(base)]
    pub(crate) base: Creature,
}

/// Generic.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Cell<T: SyncValue + Default> {
    #[sync_var]
    pub(crate) value: SyncVar<T>,
    pub(crate) last: Option<T>,
}

#[network_calls]
impl<T: SyncValue + Default> Cell<T> {
    #[command(requires_ownership = false)]
    pub(crate) fn store(&mut self, value: T) {
        self.value.set(value);
    }

    #[client_rpc]
    pub(crate) fn show(&mut self, value: T) {
        self.last = Some(value);
    }

    #[sync_event]
    pub(crate) fn stored(value: T, times: u8);
}

pub(crate) fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Unit>("unit")
        .register::<(Unit, Unit)>("twins")
        .register::<Echo>("echo")
        .register::<Orc>("orc")
        .register::<Wolf>("wolf")
        .register::<(Cell<u32>, Cell<String>)>("cells")
}

/// What the clients of a test speak.
pub(crate) const DIALECTS: [Framing; 2] = [Framing::Compact, Framing::Unet];

/// A network with so many clients, all of them ready and spoken to in this dialect.
pub(crate) fn network(dialect: Framing, clients: usize) -> MemoryNetwork {
    let config = ServerConfig {
        framing: dialect,
        ..ServerConfig::default()
    };
    network_with(config, clients)
}

pub(crate) fn network_with(mut config: ServerConfig, clients: usize) -> MemoryNetwork {
    config.channels = vec![Channel::Reliable, Channel::Unreliable];
    let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
    for _ in 0..clients {
        net.connect();
    }
    net.settle();
    net
}

/// A unit that this client owns, if any, and that everybody has.
pub(crate) fn spawn(net: &mut MemoryNetwork, owner: Option<usize>) -> NetId {
    let owner = owner.map(|client| net.connection(client));
    let options = SpawnOptions {
        owner,
        ..SpawnOptions::default()
    };
    let unit = Unit {
        ammo: 10.into(),
        ..Unit::default()
    };
    let id = net.server.try_spawn(unit, options).expect("a unit");
    net.settle();
    id
}

/// What has run on a client's unit.
pub(crate) fn seen(net: &MemoryNetwork, client: usize, id: NetId) -> Vec<String> {
    let unit = net.client(client).get::<Unit>(id);
    unit.map(|unit| unit.log.clone()).unwrap_or_default()
}

/// What has run on the server's unit.
pub(crate) fn ran(net: &MemoryNetwork, id: NetId) -> Vec<String> {
    net.server.get::<Unit>(id).expect("the unit").log.clone()
}

/// The events of the server since this was last asked.
pub(crate) fn server_events(net: &mut MemoryNetwork) -> Vec<ServerEvent> {
    std::iter::from_fn(|| net.server.poll_event()).collect()
}

/// The events of objects that a client was told of since this was last asked.
pub(crate) fn raised(net: &mut MemoryNetwork, client: usize) -> Vec<syncvar::calls::ReceivedEvent> {
    let events = syncvar_testing::events(net.client_mut(client));
    let raised = events.filter_map(|event| match event {
        ClientEvent::SyncEvent(event) => Some(event),
        _ => None,
    });
    raised.collect()
}
