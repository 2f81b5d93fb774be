//! `MirrorClient`: joins a Mirror server. No socket, no clock, no thread.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions
)]

mod call;
mod clock;
mod event;
mod guard;
mod lend;
mod lifecycle;
mod object;
mod order;
mod payload;
mod receive;
mod scene;
mod side;
mod spawn;
mod stats;
mod transmit;
mod write;

pub use event::{MirrorClientEvent, MirrorSpawnFailure, PayloadMismatch, SceneChange};
pub use guard::MirrorReplicaMut;
pub use scene::SceneObjectError;
pub use stats::MirrorClientStats;
pub use transmit::MirrorPacket;

use std::collections::BTreeSet;
use std::time::Duration;

use syncvar_runtime::events::Events;
use syncvar_runtime::lend::LentObjects;
use syncvar_runtime::relations::Relations;
use syncvar_runtime::table::Table;
use syncvar_runtime::{NetId, NetworkBehaviour, NetworkIdentity, Vector3};

use crate::message::{AddPlayerMessage, ReadyMessage};
use crate::unreliable::Baselines;
use crate::{Limits, MirrorClientConfig, MirrorError, MirrorPrefabs, SceneId};
use clock::Clock;
use object::Object;
use order::SpawnOrder;
use payload::Component;
use receive::Inbox;
use scene::Scene;
use spawn::Burst;
use transmit::Outbox;

/// Joins a Mirror server, as Unity's clients do: a bot, a load test, a client without Unity.
///
/// ```
/// use std::time::Duration;
/// use syncvar_mirror::{Limits, MirrorClient, MirrorPrefabs};
///
/// let mut client = MirrorClient::new(MirrorPrefabs::new());
/// client.handle_connect(Limits::TELEPATHY);
/// client.update(Duration::ZERO);
/// let sent: Vec<_> = std::iter::from_fn(|| client.poll_transmit()).collect();
/// assert_eq!(sent.len(), 2); // a ping and the time, and that it is ready and wants a player
/// assert!(sent[1].bytes.ends_with(b"\x02\xbc\xaa\x02\x06\xc1"));
/// ```
///
/// It knows no socket and no clock: connections and what comes from the network are given to
/// `handle_*`, the time to [`update`](Self::update), once a frame; then
/// [`poll_transmit`](Self::poll_transmit), [`poll_close`](Self::poll_close) and
/// [`poll_event`](Self::poll_event) say what is to be sent and what has happened. `MirrorPeer` does that on
/// tokio, over Telepathy or KCP.
///
/// A new connection says at once that it is ready, and asks for a player:
/// [`MirrorClientConfig`] says otherwise. With an authenticator the program exchanges its messages first
/// ([`send`](Self::send), [`MirrorClientEvent::Message`]) and then calls [`ready`](Self::ready) and
/// [`add_player`](Self::add_player).
///
/// # Objects
///
/// What is received for an object is applied to all fields of all its components first. Then the hooks of
/// those run that are different now, of one component after another, those of collections first; unlike in
/// UNet also when the object is spawned. Then come the callbacks of
/// [`NetworkLifecycle`](syncvar_runtime::NetworkLifecycle), each for all components of an object before the
/// next:
///
/// | Mirror | here |
/// |---|---|
/// | `OnStartClient` | `on_network_pre_spawn`, `on_network_spawn`, `on_network_post_spawn` |
/// | `OnStartAuthority`, `OnStopAuthority` | `on_gained_ownership`, `on_lost_ownership` |
/// | `OnStartLocalPlayer`, `OnStopLocalPlayer` | `on_start_local_player`, `on_stop_local_player` |
/// | `OnStopClient` | `on_network_despawn` |
///
/// The others are not called: Mirror has no parents, and sends no objects of a scene in particular. As in
/// Mirror, nobody is told of a lost ownership when the object goes. The objects of a burst, which is
/// what a client that joins is sent, are all there before the first hook of any of them runs; they are
/// spawned in the order in which they came. `on_network_session_synchronized` runs when the first burst of a
/// connection is complete. When the connection ends, all objects go.
///
/// What an owned object's component that the client writes (`SyncDirection.ClientToServer`) is changed to is
/// sent by the next [`update`](Self::update); if it travels unreliably
/// ([`SyncMethod::Hybrid`](crate::SyncMethod)) by each one, until a
/// [baseline](MirrorClientConfig::unreliable_baseline_interval) has it.
#[derive(Debug)]
pub struct MirrorClient {
    prefabs: MirrorPrefabs,
    config: MirrorClientConfig,
    connected: bool,
    /// How many connections have begun or ended.
    session: u64,
    /// Whether the server has been told that this client is ready, and has not said otherwise since.
    ready: bool,
    /// Whether the transport is to close the connection.
    closing: bool,
    /// How many objects there have been.
    made: u64,
    /// Boxed, so that a server that gives out far numbers takes little memory.
    objects: Table<Box<Object>>,
    order: SpawnOrder,
    /// The objects that are being called.
    lent: LentObjects,
    /// Mirror's objects have no parents, and scene ids of their own.
    relations: Relations,
    scene: Scene,
    local_player: Option<NetId>,
    burst: Burst,
    inbox: Inbox,
    /// Memory for what the components of one object have read.
    read: Vec<Component>,
    /// Objects with components that this client has written.
    writing: BTreeSet<NetId>,
    baselines: Baselines,
    outbox: Outbox,
    clock: Clock,
    now: Duration,
    events: Events<MirrorClientEvent>,
    stats: MirrorClientStats,
}

impl MirrorClient {
    /// A client without objects, not connected.
    pub fn new(prefabs: MirrorPrefabs) -> Self {
        Self::with_config(prefabs, MirrorClientConfig::default())
    }

    /// A client with settings of your own.
    pub fn with_config(prefabs: MirrorPrefabs, config: MirrorClientConfig) -> Self {
        Self {
            prefabs,
            connected: false,
            session: 0,
            ready: false,
            closing: false,
            made: 0,
            objects: Table::default(),
            order: SpawnOrder::default(),
            lent: LentObjects::default(),
            relations: Relations::default(),
            scene: Scene::default(),
            local_player: None,
            burst: Burst::default(),
            inbox: Inbox::default(),
            read: Vec::new(),
            writing: BTreeSet::new(),
            baselines: Baselines::every(config.unreliable_baseline_interval),
            outbox: Outbox::default(),
            clock: Clock::default(),
            now: Duration::ZERO,
            events: Events::with_limit(config.max_events),
            stats: MirrorClientStats::default(),
            config,
        }
    }

    /// The registry that the client was made with.
    pub fn prefabs(&self) -> &MirrorPrefabs {
        &self.prefabs
    }

    /// The settings that the client was made with.
    pub fn config(&self) -> &MirrorClientConfig {
        &self.config
    }

    /// What has been counted so far.
    pub fn stats(&self) -> &MirrorClientStats {
        &self.stats
    }

    /// Whether there is a connection.
    pub fn is_connected(&self) -> bool {
        self.connected
    }

    /// Whether the server knows that this client is ready: it sends state and takes commands. Mirror,
    /// `NetworkClient.ready`.
    pub fn is_ready(&self) -> bool {
        self.connected && self.ready
    }

    /// The object with this number, once it has been spawned. It is there for its callbacks, and not while
    /// it is being called itself.
    pub fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.identity_of(id, self.objects.get(id.0)?)
    }

    /// All objects, by ascending number.
    pub fn identities(&self) -> impl Iterator<Item = NetworkIdentity<'_>> {
        let objects = self.objects.iter();
        objects.filter_map(|(number, object)| self.identity_of(NetId(number), object))
    }

    /// How many objects there are.
    pub fn object_count(&self) -> usize {
        self.identities().count()
    }

    /// The first behaviour of this type on an object.
    pub fn get<B: NetworkBehaviour>(&self, id: NetId) -> Option<&B> {
        self.identity(id)?.behaviour()
    }

    /// The behaviour at a position of an object, for objects with two behaviours of one type.
    pub fn get_at<B: NetworkBehaviour>(&self, id: NetId, index: usize) -> Option<&B> {
        self.identity(id)?.behaviour_at(index)
    }

    /// The name of the prefab that an object was made from.
    pub fn prefab_name(&self, id: NetId) -> Option<&str> {
        let object = self.objects.get(id.0)?;
        Some(&self.prefabs.get(object.prefab)?.name)
    }

    /// How large an object was when it was spawned: 1 for as its prefab is. Position and rotation stand in
    /// its [`identity`](Self::identity).
    pub fn scale(&self, id: NetId) -> Option<Vector3> {
        Some(self.objects.get(id.0)?.scale)
    }

    /// What names an object in its scene, if it is one of a scene.
    pub fn scene_id(&self, id: NetId) -> Option<SceneId> {
        self.objects.get(id.0)?.scene_id
    }

    /// Whether this client owns an object. Mirror, `isOwned`.
    pub fn is_owned(&self, id: NetId) -> bool {
        self.objects.get(id.0).is_some_and(|object| object.owned)
    }

    /// The player of this client. Mirror, `NetworkClient.localPlayer`.
    pub fn local_player(&self) -> Option<NetId> {
        self.local_player
    }

    /// The client's own time: that of the last [`update`](Self::update).
    pub fn now(&self) -> Duration {
        self.now
    }

    /// The time of the server, by its own clock: of two send intervals ago, so that there is something to
    /// move towards. None as long as the server has not said it. It does not go back. Mirror,
    /// `NetworkTime.time`, but that this one does not run faster or slower to keep its distance.
    pub fn network_time(&self) -> Option<Duration> {
        self.clock.network_time()
    }

    /// How long the way to the server and back takes, as an average of the last 50 pings or so; zero before
    /// the first one has come back. Mirror, `NetworkTime.rtt`.
    pub fn rtt(&self) -> Duration {
        Duration::try_from_secs_f64(self.clock.rtt()).unwrap_or_default()
    }

    /// Says that this client is ready: the server may send objects. Only needed where
    /// [`MirrorClientConfig::auto_ready`] is off, and after [`MirrorClientEvent::NotReady`]. Does nothing
    /// if the client is ready, or not connected.
    pub fn ready(&mut self) {
        if self.connected && !self.ready {
            self.ready = true;
            self.send_own(&ReadyMessage);
        }
    }

    /// Asks the server for a player. Only needed where [`MirrorClientConfig::auto_add_player`] is off. Does
    /// nothing if the client is not ready, or has a player: Mirror's server closes the connection of a
    /// client that asks for a second one.
    pub fn add_player(&mut self) {
        if self.is_ready() && self.local_player.is_none() {
            self.send_own(&AddPlayerMessage);
        }
    }

    /// Ends the connection: what is queued is still sent, then the transport closes it
    /// ([`poll_close`](Self::poll_close)).
    pub fn disconnect(&mut self) {
        if self.connected {
            self.flush();
            self.end(None);
        }
    }

    /// The transport has a connection to a server, and can carry so much.
    pub fn handle_connect(&mut self, limits: Limits) {
        self.end(None);
        self.session = self.session.wrapping_add(1);
        self.closing = false;
        self.connected = true;
        self.ready = false;
        self.burst = Burst::default();
        self.inbox = Inbox::default();
        self.scene.begin(self.config.awaits_scene);
        self.outbox = Outbox::new(limits);
        self.clock = Clock::default();
        self.events.push(MirrorClientEvent::Connected);
        self.send_ping();
        if self.config.auto_ready && !self.config.awaits_scene {
            self.ready();
            if self.config.auto_add_player {
                self.add_player();
            }
        }
    }

    /// The transport has lost the connection. All objects go. What has come and not been handled, because a
    /// scene was being loaded, is dropped.
    pub fn handle_disconnect(&mut self) {
        self.end(None);
        self.closing = false;
        self.outbox = Outbox::default();
    }

    /// One frame: sends what has been written to owned objects and what has been queued, and what is due of
    /// pings. `now` is the time since any fixed moment; one that is earlier than the last counts as that.
    pub fn update(&mut self, now: Duration) {
        let now = self.now.max(now);
        self.now = now;
        self.clock.advance(now);
        self.catch_up();
        if !self.connected {
            return;
        }
        if self.ready {
            self.send_time_snapshot();
            self.send_writes();
        }
        self.send_ping();
        self.flush();
    }

    /// Something that happened, oldest first.
    pub fn poll_event(&mut self) -> Option<MirrorClientEvent> {
        self.events.pop()
    }

    /// How many events were dropped, oldest first, because nobody polled them.
    pub fn missed_events(&self) -> u64 {
        self.events.missed()
    }

    /// Whether the transport is to close the connection, when it has sent what was polled before. Says so
    /// once.
    pub fn poll_close(&mut self) -> bool {
        std::mem::take(&mut self.closing)
    }

    /// The connection is over, and the objects with it.
    fn end(&mut self, error: Option<MirrorError>) {
        if !self.connected {
            return;
        }
        if let Some(error) = &error {
            tracing::error!(%error, "leaving the server");
        }
        (self.connected, self.ready, self.closing) = (false, false, true);
        self.session = self.session.wrapping_add(1);
        self.events.push(MirrorClientEvent::Disconnected {
            error: error.map(Box::new),
        });
        self.inbox = Inbox::default();
        self.scene.loaded();
        self.forget_all();
        self.burst = Burst::default();
        self.writing.clear();
    }
}
