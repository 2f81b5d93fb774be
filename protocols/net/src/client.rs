//! `NetworkClient`: replicas of a server's objects. No socket, no clock, no thread.

mod arrivals;
mod call;
mod check_out;
mod clock;
mod config;
mod early;
mod endpoint;
mod event;
mod hooks;
mod inbound;
mod inputs;
mod iterate;
mod lifecycle;
mod link_quality;
mod messages;
mod motion;
mod outbound;
mod oversized;
mod parent;
mod playback;
mod players;
mod prediction;
mod receive;
mod received;
mod references;
mod replica;
mod scene;
mod session;
mod side;
mod spawn;
mod updates;
mod writes;

pub use config::ClientConfig;
pub use event::{ClientEvent, SpawnFailure};
pub use link_quality::LinkQuality;
pub use outbound::ClientPacket;
pub use prediction::PredictionStats;
pub use replica::Replica;
pub use session::ClientState;
pub use writes::{ReplicaMut, ReplicaSink};

use std::time::Duration;

use crate::Framing;
use crate::message::Ready;
use crate::stats::Stats;
use arrivals::Arrivals;
use clock::Clocks;
use early::EarlyMessages;
use inbound::Inbound;
use inputs::OwnInputs;
use outbound::Outbound;
use prediction::Predictions;
use received::Received;
use references::References;
use scene::Scene;
use session::Session;
use syncvar_runtime::events::{EventReader, Events};
use syncvar_runtime::world::World;
use syncvar_runtime::{Changed, NetId, NetworkBehaviour, NetworkIdentity, Prefabs};
use writes::PendingWrites;

/// Replicas of the objects of a [`NetworkServer`](crate::NetworkServer).
///
/// The methods fall into the same families as on the server:
///
/// - getters: [`get`](Self::get), [`identities`](Self::identities), ...
/// - commands: [`ready`](Self::ready), [`disconnect`](Self::disconnect)
/// - input from the transport: [`handle_connect`](Self::handle_connect),
///   [`handle_packet`](Self::handle_packet), [`handle_disconnect`](Self::handle_disconnect)
/// - time: [`update`](Self::update)
/// - output, polled until empty: [`poll_transmit`](Self::poll_transmit),
///   [`poll_event`](Self::poll_event)
///
/// An update is applied to all fields of all behaviours of its object first. Then the hooks run in
/// declaration order, each with the previous value of its field. Initial values and equal values run
/// no hook.
///
/// An unreadable update poisons its object only: the object keeps its values, later updates are
/// ignored, and the server is asked for a snapshot.
///
/// A message that arrives before its object is kept and handled right after the object's spawn, in
/// order of arrival: see [`ClientConfig::early_message_timeout`]. A message for a despawned object is dropped.
///
/// ```
/// use std::time::Duration;
/// use syncvar::prelude::*;
///
/// # #[derive(NetworkBehaviour, Default)]
/// # struct Door {
/// #     #[sync_var]
/// #     open: SyncVar<bool>,
/// # }
/// let mut client = NetworkClient::new(Prefabs::new().register::<Door>("door"));
/// client.handle_connect();
/// client.update(Duration::from_millis(50));
/// while let Some(packet) = client.poll_transmit() {
///     println!("{} bytes for the server", packet.bytes.len());
/// }
/// while let Some(event) = client.poll_event() {
///     println!("{event:?}");
/// }
/// assert!(!client.is_connected()); // no answer yet
/// ```
#[derive(Debug)]
pub struct NetworkClient {
    /// Boxed, so that a future with a client is small.
    config: Box<ClientConfig>,
    session: Session,
    world: World<Replica>,
    /// Dormant scene objects.
    scene: Scene,
    /// Decoding state of the message in progress.
    inbound: Inbound,
    /// Packets of an incomplete tick; `None` without headers.
    arrivals: Option<Arrivals>,
    /// Messages that arrived before their objects.
    early: EarlyMessages,
    /// References to objects that have not arrived.
    references: References,
    /// Local writes not yet sent.
    writes: PendingWrites,
    inputs: OwnInputs,
    predictions: Predictions,
    outbound: Outbound,
    events: Events<ClientEvent>,
    received: Received,
    stats: Stats,
    clock: Clocks,
}

impl NetworkClient {
    /// Creates a disconnected client without objects.
    pub fn new(prefabs: Prefabs) -> Self {
        Self::with_config(prefabs, ClientConfig::default())
    }

    /// Creates a client with the given settings.
    pub fn with_config(prefabs: Prefabs, mut config: ClientConfig) -> Self {
        config.tick_rate = config.tick_rate.max(1);
        config.warn_of_intervals();
        prefabs.warn_of_intervals(config.tick_rate);
        Self {
            session: Session::default(),
            inbound: Inbound::new(&prefabs),
            stats: Stats::for_prefabs(&prefabs, false),
            world: World::new(prefabs).with_callbacks(config.callbacks),
            scene: Scene::default(),
            arrivals: None,
            early: EarlyMessages::default(),
            references: References::default(),
            writes: PendingWrites::default(),
            inputs: OwnInputs::default(),
            predictions: Predictions::default(),
            outbound: Outbound::new(config.packet_size),
            events: Events::with_limit(config.max_events),
            received: Received::default(),
            clock: Clocks::default(),
            config: Box::new(config),
        }
    }

    /// Returns the client's registry.
    pub fn prefabs(&self) -> &Prefabs {
        &self.world.prefabs
    }

    /// Returns the client's settings.
    pub fn config(&self) -> &ClientConfig {
        &self.config
    }

    /// Returns the counters of sent and received messages.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Returns the state of the connection.
    pub fn state(&self) -> ClientState {
        self.session.state
    }

    /// Returns whether the server has accepted the connection.
    pub fn is_connected(&self) -> bool {
        self.session.is_connected()
    }

    /// Returns the framing of the connection's messages.
    pub fn framing(&self) -> Framing {
        self.session.framing
    }

    /// Returns the object with this id.
    ///
    /// An object is visible from its [`ClientEvent::Spawned`] on, and for its
    /// [`NetworkLifecycle`](syncvar_runtime::NetworkLifecycle) callbacks shortly before. It is invisible during its
    /// callbacks.
    pub fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.world.identity(id)
    }

    /// Returns all objects by ascending id.
    pub fn identities(&self) -> impl Iterator<Item = NetworkIdentity<'_>> {
        self.world.identities()
    }

    /// Returns the number of objects.
    pub fn object_count(&self) -> usize {
        self.identities().count()
    }

    /// Returns the first behaviour of type `B` on an object.
    pub fn get<B: NetworkBehaviour>(&self, id: NetId) -> Option<&B> {
        self.world.get(id)
    }

    /// Returns the behaviour at a position of an object, for objects with two behaviours of one type.
    pub fn get_at<B: NetworkBehaviour>(&self, id: NetId, index: usize) -> Option<&B> {
        self.world.get_at(id, index)
    }

    /// Returns whether this client owns an object.
    pub fn is_owner(&self, id: NetId) -> bool {
        let replica = self.world.objects.get(id.0);
        replica.is_some_and(|replica| replica.is(replica::Fact::Owned))
    }

    /// Asks the server for the objects.
    ///
    /// The call is necessary where [`ClientConfig::auto_ready`] is off, and after
    /// [`ClientEvent::NotReady`].
    pub fn ready(&mut self) {
        if self.is_connected() {
            self.send_own(&Ready {});
        }
    }

    /// Returns the client's own time: the time of the last update. It never goes back.
    pub fn now(&self) -> Duration {
        self.clock.own.now()
    }

    /// Advances the client to `now`, the time since any fixed moment.
    ///
    /// If `now` goes back, the client's own time stands still for this update and continues from there.
    /// The same holds for a leap of more than 100 years ([`ClientEvent::ClockLeap`]).
    ///
    /// An update sends due owner writes, inputs and pings, advances [`network_time`](Self::network_time) and the
    /// [view](Self::view), and drops early messages after [`ClientConfig::early_message_timeout`]. A game without these needs no update.
    ///
    /// A transport that updates the end by its own clock (`TcpServer`, `TcpClient`, `MirrorHost`,
    /// `MirrorPeer`) disables this call: it does nothing then, with one warning.
    pub fn update(&mut self, now: Duration) {
        if self.clock.own.admits_program() {
            self.advance(now);
        }
    }

    /// Runs an update by the owner of the clock.
    pub(in crate::client) fn advance(&mut self, now: Duration) {
        self.clock.advance(now);
        if let Some(step) = self.clock.own.take_leap() {
            self.events.push(ClientEvent::ClockLeap { step });
        }
        self.events.release();
        self.inbound.work.reset();
        self.expire_tick();
        self.advance_view();
        self.send_ping();
        self.drop_expired();
        self.send_writes();
        self.advance_inputs();
    }

    /// Returns the oldest event: for a program with a single consumer.
    #[inline]
    pub fn poll_event(&mut self) -> Option<ClientEvent> {
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
    ) -> impl Iterator<Item = &'a ClientEvent> {
        self.events.read(reader)
    }

    /// Returns the changed fields of the behaviours of a type in the events that a reader has not read. Reads all other events too.
    ///
    /// # Panics
    ///
    /// In debug builds, if another end created the reader.
    pub fn changes_of<'a, B: NetworkBehaviour>(
        &'a self,
        reader: &'a mut EventReader,
    ) -> impl Iterator<Item = Changed<B>> {
        self.read_events(reader)
            .filter_map(ClientEvent::changed::<B>)
    }

    /// Returns the number of dropped events: the oldest ones go when [`ClientConfig::max_events`] are
    /// unpolled.
    pub fn missed_events(&self) -> u64 {
        self.events.missed()
    }

    /// Returns the name of an object's prefab.
    pub(crate) fn prefab_name(&self, id: NetId) -> Option<&str> {
        Some(&self.world.prefab(id)?.name)
    }

    /// Returns the ids of all visible objects, ascending.
    pub(crate) fn object_ids(&self) -> impl Iterator<Item = NetId> {
        self.identities().map(NetworkIdentity::net_id)
    }

    /// Returns the behaviours of an object that is not checked out.
    pub(crate) fn slots_mut(
        &mut self,
        id: NetId,
    ) -> Option<&mut dyn syncvar_runtime::object::Slots> {
        self.world.slots_mut(id)
    }

    /// Returns the place of an object.
    pub(crate) fn place(&self, id: NetId) -> syncvar_runtime::relations::Place {
        self.world.place(id)
    }
}
