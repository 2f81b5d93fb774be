//! `MirrorClient`: a client of Mirror servers, without socket, clock or thread.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions
)]

mod api;
mod clock;
mod context;
mod event;
mod inbound;
mod objects;
mod scenes;
mod session;
mod stats;
mod writes;

pub use event::{MirrorClientEvent, MirrorSpawnFailure, PayloadMismatch, SceneChange};
pub use objects::entry::Replica;
pub use objects::guard::{MirrorReplicaMut, ReplicaSink};
pub use scenes::SceneObjectError;
pub use session::outbox::MirrorPacket;
pub use stats::MirrorClientStats;

use std::time::Duration;

use syncvar_runtime::{
    ConnectionStats, NetId, NetworkBehaviour, NetworkIdentity, NetworkTime, Vector3,
};

use crate::message::AddPlayerMessage;
use crate::{Limits, MirrorClientConfig, MirrorError, MirrorPrefabs, SceneId};
use context::Context;
use inbound::Inbound;
use objects::Objects;
use scenes::Scenes;
use session::Session;
use session::outbox::SessionOutbox;
use writes::Writes;

/// A client of Mirror servers, like Unity's: for bots, load tests and programs without Unity.
///
/// ```
/// use std::time::Duration;
/// use syncvar::mirror::{Limits, MirrorClient, MirrorPrefabs};
///
/// let mut client = MirrorClient::new(MirrorPrefabs::new());
/// client.handle_connect(Limits::TELEPATHY);
/// client.update(Duration::ZERO);
/// let sent: Vec<_> = std::iter::from_fn(|| client.poll_transmit()).collect();
/// assert_eq!(sent.len(), 2); // a ping and the time, and that it is ready and wants a player
/// assert!(sent[1].bytes.ends_with(b"\x02\xbc\xaa\x02\x06\xc1"));
/// ```
///
/// The client knows no socket and no clock. Connections and network input go to `handle_*`, the
/// time to [`update`](Self::update), once a frame; then [`poll_transmit`](Self::poll_transmit),
/// [`poll_close`](Self::poll_close) and [`poll_event`](Self::poll_event) return output and events.
/// `MirrorPeer` runs this on tokio, over Telepathy or KCP.
///
/// A new connection sends its ready message and asks for a player at once, unless
/// [`MirrorClientConfig`] disables either. With an authenticator, the program first exchanges its
/// messages ([`send`](Self::send), [`MirrorClientEvent::Message`]) and then calls
/// [`ready`](Self::ready) and [`add_player`](Self::add_player).
///
/// # Objects
///
/// A message is first applied to all fields of all components of an object. Then the hooks of
/// changed fields run, component by component, collections first; unlike in UNet also at the spawn.
/// Then the callbacks of [`NetworkLifecycle`](syncvar_runtime::NetworkLifecycle) follow, each for
/// all components before the next:
///
/// | Mirror | here |
/// |---|---|
/// | `OnStartClient` | `on_network_pre_spawn`, `on_network_spawn`, `on_network_post_spawn` |
/// | `OnStartAuthority`, `OnStopAuthority` | `on_gained_ownership`, `on_lost_ownership` |
/// | `OnStartLocalPlayer`, `OnStopLocalPlayer` | `on_start_local_player`, `on_stop_local_player` |
/// | `OnStopClient` | `on_network_despawn` |
///
/// Further callbacks are never called: Mirror has neither parents nor extra messages for scene
/// objects. As in Mirror, a despawn does not report a lost ownership. All objects of a burst, which
/// a joining client receives, exist before the first hook of any of them runs; they are spawned in
/// the order of their messages. `on_network_session_synchronized` runs at the end of the first
/// burst of a connection. The end of a connection despawns all objects.
///
/// Writes to components of owned objects with `SyncDirection.ClientToServer` are sent by the next
/// [`update`](Self::update). Hybrid components ([`SyncMethod::Hybrid`](crate::SyncMethod)) are sent
/// by each update, until a [baseline](MirrorClientConfig::unreliable_baseline_interval) contains
/// the change.
#[derive(Debug)]
pub struct MirrorClient {
    context: Context,
    objects: Objects,
    session: Session,
    scenes: Scenes,
    inbound: Inbound,
    writes: Writes,
}

impl MirrorClient {
    /// Creates a client without objects, not connected.
    pub fn new(prefabs: MirrorPrefabs) -> Self {
        Self::with_config(prefabs, MirrorClientConfig::default())
    }

    /// Creates a client with custom settings.
    pub fn with_config(prefabs: MirrorPrefabs, config: MirrorClientConfig) -> Self {
        Self {
            objects: Objects::new(prefabs, config.tick_rate),
            session: Session::default(),
            scenes: Scenes::default(),
            inbound: Inbound::default(),
            writes: Writes::new(config.unreliable_baseline_interval),
            context: Context::new(config),
        }
    }

    /// Returns the prefab registry.
    pub fn prefabs(&self) -> &MirrorPrefabs {
        &self.objects.prefabs
    }

    /// Returns the settings.
    pub fn config(&self) -> &MirrorClientConfig {
        &self.context.config
    }

    /// Returns the counters.
    pub fn stats(&self) -> &MirrorClientStats {
        &self.context.stats
    }

    /// Returns whether the client is connected.
    pub fn is_connected(&self) -> bool {
        self.session.is_connected()
    }

    /// Returns whether the server knows this client as ready: it sends objects and accepts
    /// commands. Mirror, `NetworkClient.ready`.
    pub fn is_ready(&self) -> bool {
        self.session.is_ready()
    }

    /// Returns a spawned object. It is visible from its own callbacks on, and hidden while checked
    /// out.
    pub fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.objects.world.identity(id)
    }

    /// Returns all objects, by ascending id.
    pub fn identities(&self) -> impl Iterator<Item = NetworkIdentity<'_>> {
        self.objects.world.identities()
    }

    /// Returns the number of objects.
    pub fn object_count(&self) -> usize {
        self.identities().count()
    }

    /// Returns the first behaviour of this type on an object.
    pub fn get<B: NetworkBehaviour>(&self, id: NetId) -> Option<&B> {
        self.objects.world.get(id)
    }

    /// Returns the behaviour at a position, for objects with two behaviours of a type.
    pub fn get_at<B: NetworkBehaviour>(&self, id: NetId, index: usize) -> Option<&B> {
        self.objects.world.get_at(id, index)
    }

    /// Returns the name of an object's prefab.
    pub fn prefab_name(&self, id: NetId) -> Option<&str> {
        Some(&self.objects.entry(id)?.name)
    }

    /// Returns the scale of an object at its spawn, relative to its prefab. Its
    /// [`identity`](Self::identity) has position and rotation.
    pub fn scale(&self, id: NetId) -> Option<Vector3> {
        Some(self.objects.get(id)?.scale)
    }

    /// Returns the scene id of a scene object.
    pub fn scene_id(&self, id: NetId) -> Option<SceneId> {
        self.objects.get(id)?.scene_id
    }

    /// Returns whether this client owns an object. Mirror, `isOwned`.
    pub fn is_owned(&self, id: NetId) -> bool {
        self.objects
            .world
            .objects
            .get(id.0)
            .is_some_and(|object| object.role.owner)
    }

    /// Returns the player of this client. Mirror, `NetworkClient.localPlayer`.
    pub fn local_player(&self) -> Option<NetId> {
        self.session.local_player
    }

    /// Returns the client's own time: that of the last [`update`](Self::update).
    pub fn now(&self) -> Duration {
        self.context.now()
    }

    /// Returns the time of the server at the last [`update`](Self::update), two send intervals behind,
    /// as interpolation needs it. `None` before the first message with a time. Mirror,
    /// `NetworkTime.time`.
    pub fn network_time(&self) -> Option<Duration> {
        self.context.clock.server.network_time(self.now())
    }

    /// Returns [`network_time`](Self::network_time) at a moment: `now` is a time of the clock that
    /// [`update`](Self::update) takes, not before the last update. For render loops: the time advances
    /// in each frame and never goes back, at 7/8 to 9/8 of the clock's speed. It jumps forward beyond
    /// an error of 250 ms.
    ///
    /// Mirror's protocol lacks ticks: the ticks are of [`MirrorClientConfig::tick_rate`].
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::mirror::{MirrorClient, MirrorPrefabs};
    ///
    /// let client = MirrorClient::new(MirrorPrefabs::new());
    /// assert_eq!(client.network_time_at(Duration::from_secs(1)), None); // not connected
    /// ```
    pub fn network_time_at(&self, now: Duration) -> Option<NetworkTime> {
        let time = self
            .context
            .clock
            .server
            .network_time(self.context.clock.own.at(now))?;
        Some(NetworkTime::new(time, self.context.config.tick_rate))
    }

    /// Returns the round-trip time, averaged over about the last 50 pings; zero before the first
    /// pong. Mirror, `NetworkTime.rtt`.
    pub fn rtt(&self) -> Duration {
        let round_trip = self.context.clock.server.round_trip();
        round_trip.map_or(Duration::ZERO, |(average, _)| average)
    }

    /// Returns the traffic and the round trip of the connection. The counters run since the creation of
    /// the client, and those of the sent batches include the queue.
    pub fn connection_stats(&self) -> ConnectionStats {
        let mut stats = ConnectionStats::default();
        stats.sent.messages = self.context.stats.batches_sent;
        stats.sent.bytes = self.context.stats.bytes_sent;
        stats.received.messages = self.context.stats.batches_received;
        stats.received.bytes = self.context.stats.bytes_received;
        (stats.round_trip, stats.jitter) = self.context.clock.server.round_trip().unzip();
        stats
    }

    /// Sends the ready message: the server may send objects. Only needed without
    /// [`MirrorClientConfig::auto_ready`], and after [`MirrorClientEvent::NotReady`]. Ignored if
    /// the client is ready or not connected.
    pub fn ready(&mut self) {
        self.session.become_ready(&self.context);
    }

    /// Asks the server for a player. Only needed without [`MirrorClientConfig::auto_add_player`].
    /// Ignored if the client is not ready or has a player: Mirror's server disconnects a client
    /// that asks for a second one.
    pub fn add_player(&mut self) {
        if self.is_ready() && self.session.local_player.is_none() {
            self.session.send_protocol(&AddPlayerMessage, &self.context);
        }
    }

    /// Ends the connection: the transport sends the queue, then closes
    /// ([`poll_close`](Self::poll_close)).
    pub fn disconnect(&mut self) {
        if self.session.is_connected() {
            self.session.flush(&mut self.context);
            self.end(None);
        }
    }

    /// Handles a new connection to a server, which carries messages up to `limits`.
    pub fn handle_connect(&mut self, limits: Limits) {
        self.end(None);
        self.session.begin();
        self.inbound.clear();
        self.scenes.begin(self.context.config.awaits_scene);
        self.session.outbox = SessionOutbox::new(limits);
        self.context.clock.begin(&self.context.config);
        self.context.events.push(MirrorClientEvent::Connected);
        self.session.send_ping(&mut self.context);
        if self.context.config.auto_ready && !self.context.config.awaits_scene {
            self.ready();
            if self.context.config.auto_add_player {
                self.add_player();
            }
        }
    }

    /// Handles the loss of the connection. All objects are despawned. Messages that wait for a
    /// scene are dropped.
    pub fn handle_disconnect(&mut self) {
        self.end(None);
        self.session.take_closing();
        self.session.outbox = SessionOutbox::default();
    }

    /// Runs one frame: sends writes to owned objects, queued messages and a due ping. `now` is the
    /// time since any fixed moment. After a time that is earlier than the last, the own time stands still
    /// for this update and continues from there. The same holds for a leap of more than 100 years
    /// ([`MirrorClientEvent::ClockLeap`]).
    ///
    /// A transport that updates the end by its own clock (`TcpServer`, `TcpClient`, `MirrorHost`,
    /// `MirrorPeer`) disables this call: it does nothing then, with one warning.
    pub fn update(&mut self, now: Duration) {
        if self.context.clock.own.admits_program() {
            self.advance(now);
        }
    }

    /// Runs an update by the owner of the clock.
    fn advance(&mut self, now: Duration) {
        self.context.advance_clock(now);
        self.context.events.release();
        self.inbound.work.reset();
        self.resume();
        if !self.session.is_connected() {
            return;
        }
        self.run_frame();
        if self.session.is_ready() {
            self.session.send_time_snapshot(&self.context);
            let (objects, session) = (&mut self.objects, &mut self.session);
            self.writes.send(objects, session, &mut self.context);
        }
        self.session.send_ping(&mut self.context);
        self.session.flush(&mut self.context);
    }

    /// Returns once whether the transport has to close the connection, after sending the polled
    /// packets.
    pub fn poll_close(&mut self) -> bool {
        self.session.take_closing()
    }

    /// Ends the connection and despawns its objects.
    fn end(&mut self, error: Option<MirrorError>) {
        if !self.session.is_connected() {
            return;
        }
        if let Some(error) = &error {
            tracing::error!(%error, "leaving the server");
        }
        self.session.end();
        self.context.events.push(MirrorClientEvent::Disconnected {
            error: error.map(Box::new),
        });
        self.inbound.clear();
        self.scenes.loaded();
        self.despawn_all();
        self.writes.clear();
    }
}
