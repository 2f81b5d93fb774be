//! `MirrorServer`: objects, connections and observers, without socket, clock or thread.

mod call;
mod endpoint;
mod event;
mod frame;
mod observers;
mod outbound;
mod replication;
mod sessions;
mod side;
mod stats;
mod world;

pub use event::{MirrorServerEvent, StateRefusal};
pub use observers::rebuild::MirrorInterest;
pub use outbound::transmit::MirrorTransmit;
pub use stats::MirrorServerStats;
pub use world::guard::{MirrorBehaviourMut, ObservedSink};
pub use world::object::{Observed, Visibility};
pub use world::scene::LoadedScene;
pub use world::spawn::{MirrorSpawnError, MirrorSpawnOptions};

use std::time::Duration;

use rustc_hash::FxHashMap;
use syncvar_runtime::clock::Clock;
use syncvar_runtime::events::{EventReader, Events};
use syncvar_runtime::world::World;
use syncvar_runtime::{
    Changed, ConnectionId, ConnectionStats, NetId, NetworkBehaviour, NetworkIdentity, ObjectError,
};

use crate::{MirrorPrefabs, MirrorServerConfig, SceneId};
use call::Calls;
use observers::Observers;
use outbound::Outbound;
use replication::Replication;
use sessions::Sessions;
use sessions::connection::Connection;

/// A server for Mirror clients: Unity games with Mirror's `NetworkManager`, and
/// [`MirrorClient`](crate::MirrorClient)s.
///
/// The server knows no socket and no clock: bytes, connections and the time come in, packets and
/// events come out. Its methods fall into four families:
///
/// * getters: [`get`](Self::get), [`identity`](Self::identity), [`stats`](Self::stats), ...
/// * game commands: [`spawn`](Self::spawn), [`get_mut`](Self::get_mut),
///   [`add_player`](Self::add_player), [`despawn`](Self::despawn), ...
/// * network input: [`handle_connect`](Self::handle_connect),
///   [`handle_packet`](Self::handle_packet), [`handle_disconnect`](Self::handle_disconnect)
/// * one frame: [`update`](Self::update), then `poll_*` until they are empty:
///   [`poll_transmit`](Self::poll_transmit), [`poll_close`](Self::poll_close),
///   [`poll_event`](Self::poll_event)
///
/// # Frames
///
/// Messages for one connection (spawns, despawns, owners, calls) are queued at once, stamped with
/// the time of the last update. `update(now)` applies the interest management, encodes the dirty
/// objects, and completes the batches of every connection: first the queued messages, then the time
/// and the changes. No packet leaves between two updates.
///
/// # A client joins
///
/// [`MirrorServerEvent::Connected`] comes with the connection, then
/// [`Ready`](MirrorServerEvent::Ready) and
/// [`AddPlayerRequested`](MirrorServerEvent::AddPlayerRequested); Mirror's `NetworkManager` sends
/// both by default. The game answers with [`add_player`](Self::add_player): the connection receives
/// all visible objects, and then its player.
///
/// ```
/// use syncvar::mirror::{
///     AssetId, Limits, MirrorPrefab, MirrorPrefabs, MirrorServer, MirrorServerEvent,
/// };
/// # use syncvar::{*, behaviour::FieldVisitor, schema::BehaviourSchema};
/// # #[derive(Default)] struct Player;
/// # impl NetworkBehaviour for Player {
/// #     type Previous = ();
/// #     const SCHEMA: BehaviourSchema = BehaviourSchema { name: "Player", base: None, fields: &[] };
/// #     fn sync_var_dirty_bits(&self) -> u64 { 0 }
/// #     fn visit(&mut self, _: &mut (), _: &mut impl FieldVisitor) {}
/// # }
/// let prefabs = MirrorPrefabs::new()
///     .register::<Player>(MirrorPrefab::new("player", AssetId(1001)));
/// let mut server = MirrorServer::new(prefabs);
/// let connection = server.handle_connect(Limits::TELEPATHY);
///
/// // A batch: the time, and Mirror's `ReadyMessage` and `AddPlayerMessage`, each behind its length.
/// let batch = [&[0; 8][..], &[2, 0xbc, 0xaa, 2, 0x06, 0xc1]].concat();
/// server.handle_packet(connection, Channel::Reliable, &batch).unwrap();
/// while let Some(event) = server.poll_event() {
///     if let MirrorServerEvent::AddPlayerRequested { connection } = event {
///         server.add_player(connection, Player::default()).unwrap();
///     }
/// }
/// server.update(std::time::Duration::from_millis(16));
/// assert!(server.player_of(connection).is_some());
/// assert!(server.poll_transmit().is_some());
/// ```
///
/// # Differences from Mirror
///
/// The bytes are Mirror's. The behaviour differs in three points. Hooks for the writes of an owner
/// run after the whole message is read. A panic in a callback or command is reported and ends only
/// that call. The changes of several objects come by ascending id within each audience; Mirror uses
/// the order of a `HashSet`.
#[derive(Debug)]
pub struct MirrorServer {
    config: MirrorServerConfig,
    prefabs: MirrorPrefabs,
    world: World<Observed>,
    /// Objects of scenes, by scene id.
    scene_objects: FxHashMap<u64, NetId>,
    sessions: Sessions,
    observers: Observers,
    replication: Replication,
    outbound: Outbound,
    calls: Calls,
    events: Events<MirrorServerEvent>,
    stats: MirrorServerStats,
    clock: Clock,
    /// Own time of the last frame.
    last_frame: Duration,
}

impl MirrorServer {
    /// Creates a server without objects and connections.
    pub fn new(prefabs: MirrorPrefabs) -> Self {
        Self::with_config(prefabs, MirrorServerConfig::default())
    }

    /// Creates a server with custom settings.
    pub fn with_config(mut prefabs: MirrorPrefabs, config: MirrorServerConfig) -> Self {
        Self {
            world: World::new(prefabs.take_core()),
            scene_objects: FxHashMap::default(),
            sessions: Sessions::new(&config.limits),
            observers: Observers::default(),
            replication: Replication::new(&config),
            outbound: Outbound::default(),
            calls: Calls::default(),
            events: Events::with_limit(config.max_events),
            stats: MirrorServerStats::for_prefabs(&prefabs, config.profile),
            prefabs,
            clock: Clock::default(),
            last_frame: Duration::ZERO,
            config,
        }
    }

    /// Returns the prefab registry.
    pub fn prefabs(&self) -> &MirrorPrefabs {
        &self.prefabs
    }

    /// Returns the settings.
    pub fn config(&self) -> &MirrorServerConfig {
        &self.config
    }

    /// Returns the counters.
    pub fn stats(&self) -> &MirrorServerStats {
        &self.stats
    }

    /// Returns the time of the last update, which never goes back.
    pub fn now(&self) -> Duration {
        self.clock.now()
    }

    /// Returns the object with this id, unless it is checked out.
    pub fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.world.identity(id)
    }

    /// Returns all objects, by ascending id.
    pub fn identities(&self) -> impl Iterator<Item = NetworkIdentity<'_>> {
        self.world.identities()
    }

    /// Returns the number of objects.
    pub fn object_count(&self) -> usize {
        self.world.objects.len()
    }

    /// Returns the first behaviour of this type on an object.
    pub fn get<B: NetworkBehaviour>(&self, id: NetId) -> Option<&B> {
        self.world.get(id)
    }

    /// Returns the behaviour at a position, for objects with two behaviours of one type.
    pub fn get_at<B: NetworkBehaviour>(&self, id: NetId, index: usize) -> Option<&B> {
        self.world.get_at(id, index)
    }

    /// Returns the scene id of a scene object. Mirror's `NetworkIdentity.sceneId`.
    pub fn scene_id(&self, id: NetId) -> Option<SceneId> {
        let scene_id = self.world.objects.get(id.0)?.scene_id;
        Some(scene_id).filter(|scene_id| *scene_id != SceneId::NONE)
    }

    /// Returns the owner of an object.
    pub fn owner(&self, id: NetId) -> Option<ConnectionId> {
        self.world.objects.get(id.0)?.owner
    }

    /// Returns the connections, by ascending number.
    pub fn connections(&self) -> impl Iterator<Item = ConnectionId> {
        self.sessions.iter().map(|(connection, _)| connection)
    }

    /// Returns whether the connection exists.
    pub fn is_connected(&self, connection: ConnectionId) -> bool {
        self.sessions.get(connection).is_some()
    }

    /// Returns whether a connection is ready: it may call commands, and receives objects according
    /// to [`SpawnPolicy`](crate::SpawnPolicy).
    pub fn is_ready(&self, connection: ConnectionId) -> bool {
        let connection = self.sessions.get(connection);
        connection.is_some_and(Connection::is_ready)
    }

    /// Returns the player of a connection.
    pub fn player_of(&self, connection: ConnectionId) -> Option<NetId> {
        self.sessions.get(connection)?.player
    }

    /// Returns the round-trip time of a connection: an average over the last pongs, measured in
    /// whole updates. `None` before the first pong.
    pub fn rtt(&self, connection: ConnectionId) -> Option<Duration> {
        let round_trip = self.sessions.get(connection)?.round_trip.durations();
        round_trip.map(|(average, _)| average)
    }

    /// Returns the traffic, the queue and the delay of a connection. The queue counts complete
    /// batches.
    ///
    /// # Errors
    ///
    /// [`ObjectError::NotConnected`] for an unknown connection.
    pub fn connection_stats(
        &self,
        connection: ConnectionId,
    ) -> Result<ConnectionStats, ObjectError> {
        let client = self.sessions.get(connection);
        let client = client.ok_or(ObjectError::NotConnected(connection))?;
        let mut stats = ConnectionStats::default();
        (stats.sent, stats.queued) = (client.outbox.sent(), client.outbox.queued());
        stats.received = client.received;
        (stats.round_trip, stats.jitter) = client.round_trip.durations().unzip();
        Ok(stats)
    }

    /// Returns the oldest event: for a program with a single consumer.
    pub fn poll_event(&mut self) -> Option<MirrorServerEvent> {
        self.events.pop()
    }

    /// Creates a reader of the events, for a program with several consumers: see [`EventReader`].
    pub fn event_reader(&mut self) -> EventReader {
        self.events.reader()
    }

    /// Returns the events that a reader has not read, oldest first.
    ///
    /// # Panics
    ///
    /// In debug builds, if another end created the reader.
    pub fn read_events<'a>(
        &'a self,
        reader: &'a mut EventReader,
    ) -> impl Iterator<Item = &'a MirrorServerEvent> {
        self.events.read(reader)
    }

    /// Returns the fields of a behaviour type that owners have written, in the events that a reader has not read. Reads all other events too.
    ///
    /// # Panics
    ///
    /// In debug builds, if another end created the reader.
    pub fn changes_of<'a, B: NetworkBehaviour>(
        &'a self,
        reader: &'a mut EventReader,
    ) -> impl Iterator<Item = Changed<B>> {
        self.read_events(reader)
            .filter_map(MirrorServerEvent::changed::<B>)
    }

    /// Returns the number of events so far, polled or not.
    pub fn event_count(&self) -> u64 {
        self.events.total()
    }

    /// Drops the unpolled events among the first `count`. A transport calls this for events that
    /// the game ignores, so that no client can pile them up.
    pub fn forget_events(&mut self, count: u64) {
        self.events.forget(count);
    }

    /// Returns the number of events dropped unpolled because the queue was full; the oldest go
    /// first.
    pub fn missed_events(&self) -> u64 {
        self.events.missed()
    }
}
