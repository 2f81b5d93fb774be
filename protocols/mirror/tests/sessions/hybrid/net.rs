//! A server, its clients, and the links between them.

use std::collections::BTreeMap;
use std::iter::from_fn;
use std::time::Duration;

use syncvar::Channel;
use syncvar::mirror::batch::Unbatcher;
use syncvar::mirror::message::Message;
use syncvar::mirror::*;
use syncvar::prelude::*;

use syncvar_testing::mirror::{Link, Quality};

/// What everybody sees; as many times a second as there are frames.
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

/// What everybody sees, reliably.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Name {
    #[sync_var]
    pub(crate) name: SyncVar<String>,
}

/// What the owner sees.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, sync_method = hybrid, sync_mode = owner)]
pub(crate) struct Fuel {
    #[sync_var]
    pub(crate) left: SyncVar<i32>,
}

/// What the owner writes, ten times a second.
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

/// What one frame lasts.
pub(crate) const FRAME: Duration = Duration::from_millis(20);
/// So many frames are between two baselines.
pub(crate) const SECOND: u64 = 50;

pub(crate) struct Net {
    pub(crate) server: MirrorServer,
    pub(crate) clients: BTreeMap<ConnectionId, MirrorClient>,
    /// To each client, and from it.
    pub(crate) links: BTreeMap<ConnectionId, [Link; 2]>,
    pub(crate) frame: u64,
    /// The messages about objects' states that have been sent: by whom, if not by the server, to whom, and
    /// what.
    said: Vec<String>,
}

impl Net {
    pub(crate) fn new() -> Self {
        Self::with_config(MirrorServerConfig::default())
    }

    pub(crate) fn with_config(mut config: MirrorServerConfig) -> Self {
        config.spawn_policy = SpawnPolicy::WhenReady;
        Self {
            server: MirrorServer::with_config(prefabs(), config),
            clients: BTreeMap::new(),
            links: BTreeMap::new(),
            frame: 0,
            said: Vec::new(),
        }
    }

    pub(crate) fn join(&mut self, limits: Limits) -> ConnectionId {
        let connection = self.server.handle_connect(limits);
        let mut config = MirrorClientConfig::default();
        config.auto_add_player = false;
        let mut client = MirrorClient::with_config(prefabs(), config);
        client.handle_connect(limits);
        self.clients.insert(connection, client);
        let links = [1, 2].map(|way| Link::new(u64::from(connection.0) * 2 + way));
        self.links.insert(connection, links);
        connection
    }

    /// A number of clients that are ready, half a second after a baseline.
    pub(crate) fn joined<const N: usize>() -> (Self, [ConnectionId; N]) {
        let mut net = Self::new();
        let all = [(); N].map(|()| net.join(Limits::KCP));
        net.frames(SECOND + SECOND / 2);
        net.said();
        (net, all)
    }

    pub(crate) fn frame(&mut self) {
        self.frame += 1;
        let now = FRAME * u32::try_from(self.frame).unwrap();
        for (connection, client) in &mut self.clients {
            let [_, link] = self.links.get_mut(connection).unwrap();
            client.update(now);
            while let Some(packet) = client.poll_transmit() {
                note(
                    &mut self.said,
                    &format!("from {}", connection.0),
                    &packet.bytes,
                );
                link.send(self.frame, packet.channel, &packet.bytes);
            }
            for (channel, bytes) in link.receive(self.frame) {
                let server = &mut self.server;
                server.handle_packet(*connection, channel, &bytes).unwrap();
            }
        }
        self.server.update(now);
        while let Some(transmit) = self.server.poll_transmit() {
            let (to, bytes) = (transmit.connection, transmit.to_bytes());
            note(&mut self.said, &format!("to {}", to.0), &bytes);
            if let Some([link, _]) = self.links.get_mut(&to) {
                link.send(self.frame, transmit.channel, &bytes);
            }
        }
        for (connection, client) in &mut self.clients {
            let [link, _] = self.links.get_mut(connection).unwrap();
            for (channel, bytes) in link.receive(self.frame) {
                client.handle_packet(channel, &bytes).unwrap();
            }
        }
    }

    pub(crate) fn frames(&mut self, count: u64) {
        (0..count).for_each(|_| self.frame());
    }

    /// Goes on to the frame before the next baseline.
    pub(crate) fn until_baseline(&mut self) {
        while !(self.frame + 1).is_multiple_of(SECOND) {
            self.frame();
        }
    }

    /// What has been said of states since this was last asked.
    pub(crate) fn said(&mut self) -> Vec<String> {
        std::mem::take(&mut self.said)
    }

    pub(crate) fn quality(&mut self, quality: Quality) {
        for link in self.links.values_mut().flatten() {
            link.quality = quality;
        }
    }

    pub(crate) fn client(&mut self, connection: ConnectionId) -> &mut MirrorClient {
        self.clients.get_mut(&connection).unwrap()
    }

    /// A component as a client has it.
    #[track_caller]
    pub(crate) fn seen<B: NetworkBehaviour>(&self, connection: ConnectionId, id: NetId) -> &B {
        self.clients[&connection].get(id).expect("it is seen")
    }

    /// Where a body is to each of some clients.
    pub(crate) fn xs<const N: usize>(&self, all: [ConnectionId; N], id: NetId) -> [i32; N] {
        all.map(|client| *self.seen::<Body>(client, id).x)
    }

    #[track_caller]
    pub(crate) fn set_x(&mut self, id: NetId, x: i32) {
        self.server.get_mut::<Body>(id).unwrap().x.set(x);
    }

    pub(crate) fn events(&mut self) -> Vec<MirrorServerEvent> {
        from_fn(|| self.server.poll_event()).collect()
    }

    /// What a batch of these messages does to a client when it comes now.
    pub(crate) fn give(&mut self, to: ConnectionId, channel: Channel, batch: &[u8]) {
        self.client(to).handle_packet(channel, batch).unwrap();
    }
}

/// Notes the states in a batch.
fn note(said: &mut Vec<String>, who: &str, batch: &[u8]) {
    for message in Unbatcher::new(batch).unwrap() {
        let payload = |payload: Option<&[u8]>| hex::encode(payload.unwrap_or_default());
        said.push(match Message::decode(message.unwrap()).unwrap() {
            Message::EntityState(it) => format!("{who}: state {}", payload(it.payload)),
            Message::UnreliableDelta(it) => {
                format!("{who}: delta {} {}", it.baseline_tick, payload(it.payload))
            }
            Message::UnreliableBaseline(it) => {
                format!(
                    "{who}: baseline {} {}",
                    it.baseline_tick,
                    payload(it.payload)
                )
            }
            _ => continue,
        });
    }
}
