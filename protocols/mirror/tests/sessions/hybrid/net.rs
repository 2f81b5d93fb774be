//! Objects and networks of the hybrid tests.

use std::time::Duration;

use syncvar::mirror::batch::Unbatcher;
use syncvar::mirror::message::Message;
use syncvar::mirror::*;
use syncvar::prelude::*;

use syncvar_testing::mirror::{MirrorNetwork, Packet};

/// Public state, sent in each frame.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(lifecycle, send_interval = 0, sync_method = hybrid)]
pub(crate) struct Body {
    #[sync_var]
    pub(crate) x: SyncVar<i32>,
    #[sync_var]
    pub(crate) y: SyncVar<i32>,
}

impl NetworkLifecycle for Body {
    fn on_lost_ownership(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        if ctx.is_server() {
            self.y += 1000;
        }
        Ok(())
    }
}

#[network_calls]
impl Body {
    #[command(requires_ownership = false)]
    pub(crate) fn push(&mut self, by: i32) {
        self.x += by;
    }
}

/// Public state, sent reliably.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Name {
    #[sync_var]
    pub(crate) name: SyncVar<String>,
}

/// Private state of the owner.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, sync_method = hybrid, sync_mode = owner)]
pub(crate) struct Fuel {
    #[sync_var]
    pub(crate) left: SyncVar<i32>,
}

/// State written by the owner, ten times a second.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(sync_method = hybrid, sync_direction = client_to_server)]
pub(crate) struct Aim {
    #[sync_var]
    pub(crate) yaw: SyncVar<i32>,
}

pub(crate) type Car = (Body, Name, Fuel, Aim);

pub(crate) fn prefabs() -> MirrorPrefabs {
    let tenth = Component::new().sync_interval(Duration::from_millis(100));
    MirrorPrefabs::new()
        .register::<Car>(MirrorPrefab::new("car", 1.into()).component(3, tenth))
        .register::<Body>(MirrorPrefab::new("body", 2.into()))
}

/// Number of frames between two baselines.
pub(crate) const SECOND: u64 = 50;

/// Returns a network whose clients have no players.
pub(crate) fn network() -> MirrorNetwork {
    MirrorNetwork::of_observers(prefabs, MirrorServerConfig::default())
}

/// Returns a network with ready clients, half a second after a baseline.
pub(crate) fn joined<const N: usize>() -> (MirrorNetwork, [ConnectionId; N]) {
    let mut net = network();
    let all = [(); N].map(|()| net.connect());
    net.frames(SECOND + SECOND / 2);
    net.take_packets();
    (net, all)
}

/// Steps and lookups of the hybrid tests.
pub(crate) trait HybridNetwork {
    /// Runs until the frame before the next baseline.
    fn until_baseline(&mut self);
    /// Returns the states sent since the last call, one line each.
    fn states(&mut self) -> Vec<String>;
    /// Returns the `x` of a body on each client.
    fn xs<const N: usize>(&self, all: [ConnectionId; N], id: NetId) -> [i32; N];
    /// Sets the `x` of a body on the server.
    fn set_x(&mut self, id: NetId, x: i32);
}

impl HybridNetwork for MirrorNetwork {
    fn until_baseline(&mut self) {
        while !(self.frame + 1).is_multiple_of(SECOND) {
            self.frame();
        }
    }

    fn states(&mut self) -> Vec<String> {
        self.take_packets().iter().flat_map(states_of).collect()
    }

    fn xs<const N: usize>(&self, all: [ConnectionId; N], id: NetId) -> [i32; N] {
        all.map(|client| *self.seen::<Body>(client, id).x)
    }

    #[track_caller]
    fn set_x(&mut self, id: NetId, x: i32) {
        self.server.get_mut::<Body>(id).unwrap().x.set(x);
    }
}

/// Returns the states in a packet, one line each.
fn states_of(packet: &Packet) -> Vec<String> {
    let way = if packet.from_client { "from" } else { "to" };
    let end = format!("{way} {}", packet.connection.0);
    let messages = Unbatcher::new(&packet.bytes).unwrap();
    let payload = |payload: Option<&[u8]>| hex::encode(payload.unwrap_or_default());
    let lines = messages.filter_map(|message| {
        let (kind, payload) = match Message::decode(message.unwrap()).unwrap() {
            Message::EntityState(it) => ("state".into(), payload(it.payload)),
            Message::UnreliableDelta(it) => {
                (format!("delta {}", it.baseline_tick), payload(it.payload))
            }
            Message::UnreliableBaseline(it) => (
                format!("baseline {}", it.baseline_tick),
                payload(it.payload),
            ),
            _ => return None,
        };
        Some(format!("{end}: {kind} {payload}"))
    });
    lines.collect()
}
