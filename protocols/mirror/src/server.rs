//! `MirrorServer`: objects, connections and observers, without socket, clock or thread.

mod api;
mod audiences;
mod batches;
mod calls;
mod context;
mod encoding;
mod event;
mod objects;
mod observers;
mod outbound;
mod replication;
mod rooms;
mod sessions;
mod stats;

pub use api::transmit::MirrorTransmit;
pub use event::{MirrorServerEvent, StateRefusal};
pub use objects::entry::Observed;
pub use objects::guard::{MirrorBehaviourMut, ObservedSink};
pub use objects::options::{MirrorSpawnError, MirrorSpawnOptions};
pub use objects::scene::LoadedScene;
pub use objects::visibility::Visibility;
pub use observers::rebuild::MirrorInterest;
pub use stats::MirrorServerStats;

use std::time::Duration;

use syncvar_runtime::limits::LimitExceeded;
use syncvar_runtime::{
    ConnectionId, ConnectionStats, DisconnectReason, NetId, NetworkBehaviour, NetworkIdentity,
    ObjectError,
};

use crate::{MirrorError, MirrorPrefabs, MirrorServerConfig, SceneId};
use calls::Calls;
use context::Context;
use objects::Objects;
use observers::Observers;
use outbound::Outbound;
use replication::Replication;
use rooms::Rooms;
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
    context: Context,
    objects: Objects,
    sessions: Sessions,
    observers: Observers,
    replication: Replication,
    calls: Calls,
    outbound: Outbound,
    /// Own time of the last frame.
    last_frame: Duration,
}

impl MirrorServer {
    /// Creates a server without objects and connections.
    pub fn new(prefabs: MirrorPrefabs) -> Self {
        Self::with_config(prefabs, MirrorServerConfig::default())
    }

    /// Creates a server with custom settings.
    pub fn with_config(prefabs: MirrorPrefabs, config: MirrorServerConfig) -> Self {
        Self {
            sessions: Sessions::new(&config.limits),
            observers: Observers::default(),
            replication: Replication::new(&config),
            calls: Calls::default(),
            outbound: Outbound::default(),
            context: Context::new(&prefabs, config),
            objects: Objects::new(prefabs),
            last_frame: Duration::ZERO,
        }
    }

    /// Returns the prefab registry.
    pub fn prefabs(&self) -> &MirrorPrefabs {
        &self.objects.prefabs
    }

    /// Returns the settings.
    pub fn config(&self) -> &MirrorServerConfig {
        &self.context.config
    }

    /// Returns the counters.
    pub fn stats(&self) -> &MirrorServerStats {
        &self.context.stats
    }

    /// Returns the time of the last update, which never goes back.
    pub fn now(&self) -> Duration {
        self.context.now()
    }

    /// Returns the object with this id, unless it is checked out.
    pub fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.objects.world.identity(id)
    }

    /// Returns all objects, by ascending id.
    pub fn identities(&self) -> impl Iterator<Item = NetworkIdentity<'_>> {
        self.objects.world.identities()
    }

    /// Returns the number of objects.
    pub fn object_count(&self) -> usize {
        self.objects.world.objects.len()
    }

    /// Returns the first behaviour of this type on an object.
    pub fn get<B: NetworkBehaviour>(&self, id: NetId) -> Option<&B> {
        self.objects.world.get(id)
    }

    /// Returns the behaviour at a position, for objects with two behaviours of a type.
    pub fn get_at<B: NetworkBehaviour>(&self, id: NetId, index: usize) -> Option<&B> {
        self.objects.world.get_at(id, index)
    }

    /// Returns the scene id of a scene object. Mirror's `NetworkIdentity.sceneId`.
    pub fn scene_id(&self, id: NetId) -> Option<SceneId> {
        let scene_id = self.objects.get(id)?.scene_id;
        Some(scene_id).filter(|scene_id| *scene_id != SceneId::NONE)
    }

    /// Returns the owner of an object.
    pub fn owner(&self, id: NetId) -> Option<ConnectionId> {
        self.objects.owner(id)
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
        let round_trip = self.sessions.get(connection)?.times.round_trip.durations();
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
        (stats.round_trip, stats.jitter) = client.times.round_trip.durations().unzip();
        Ok(stats)
    }

    /// Runs one frame: Mirror's `NetworkLateUpdate`, once per send interval. `now` is the time
    /// since any fixed moment. After a time that is earlier than the last, the own time stands still for
    /// this update and continues from there. The same holds for a leap of more than 100 years
    /// ([`MirrorServerEvent::ClockLeap`](crate::MirrorServerEvent::ClockLeap)).
    ///
    /// First, view changes of the interest management take effect. Then dirty objects are encoded,
    /// each once for all observers and once more for an owner who reads more components. Hybrid
    /// components ([`SyncMethod::Hybrid`](crate::SyncMethod)) send their changes since the last
    /// baseline, and a new baseline when one is due. Finally the batches of every connection are
    /// completed: messages queued since the last update, with their time; and with `now`,
    /// `TimeSnapshotMessage`, the deltas, and a due `NetworkPingMessage`.
    ///
    /// A transport that updates the end by its own clock (`TcpServer`, `TcpClient`, `MirrorHost`,
    /// `MirrorPeer`) disables this call: it does nothing then, with one warning. A program that calls it
    /// at another rate than [`tick_rate`](crate::MirrorServerConfig::tick_rate) is warned once.
    pub fn update(&mut self, now: Duration) {
        if self.context.clock.admits_program() {
            self.advance(now);
            self.context.clock.watch_pace(self.context.config.tick_rate);
        }
    }

    /// Runs an update by the owner of the clock.
    fn advance(&mut self, now: Duration) {
        self.context.advance_clock(now);
        self.context.events.release();
        self.sessions.intake.next_update();
        let (now, timeout) = (self.context.now(), self.context.config.limits.join_timeout);
        for connection in self.sessions.lobby.expire(now, timeout) {
            self.close_for(connection, LimitExceeded::JoinTime);
        }
        // Calls queued by a call of the server on itself.
        self.run_local_calls();
        self.run_frame();
        self.replicate(|replication, rooms| {
            replication.apply_interest(rooms);
            replication.write_changes(rooms);
            replication.report_stopped(rooms);
        });
        self.broadcast();
        self.observers.audiences.collect_unused();
        self.context.stats.updates += 1;
    }

    /// Completes the batches of all connections, and ends connections whose queue is too long.
    fn broadcast(&mut self) {
        let (sessions, audiences) = (&mut self.sessions, &mut self.observers.audiences);
        let slow = self.outbound.broadcast(sessions, audiences, &self.context);
        let (what, limit) = ("queued bytes", self.context.config.max_queued_bytes);
        for connection in slow {
            let error = MirrorError::TooMuch { what, limit };
            tracing::warn!(%connection, %error, "disconnecting a client");
            if let Some(client) = self.sessions.get_mut(connection) {
                client.outbox.clear();
            }
            self.close(connection, DisconnectReason::Refused(error));
        }
    }

    /// Runs an action of replication with the rooms below it.
    #[inline]
    fn replicate<T>(&mut self, action: impl FnOnce(&mut Replication, &mut Rooms<'_>) -> T) -> T {
        let UpperRooms {
            replication,
            mut rooms,
            ..
        } = self.parts();
        action(replication, &mut rooms)
    }

    #[inline]
    fn parts(&mut self) -> UpperRooms<'_> {
        UpperRooms {
            calls: &mut self.calls,
            replication: &mut self.replication,
            rooms: Rooms {
                objects: &mut self.objects,
                sessions: &mut self.sessions,
                observers: &mut self.observers,
                context: &mut self.context,
            },
        }
    }
}

/// Replication and calls, with the rooms below them.
struct UpperRooms<'a> {
    calls: &'a mut Calls,
    replication: &'a mut Replication,
    rooms: Rooms<'a>,
}
