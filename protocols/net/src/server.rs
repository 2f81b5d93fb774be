//! `NetworkServer`: objects, connections and visibility, without sockets, clocks or threads.
//!
//! The server is a list of rooms. A room owns state and the methods on the state. A method takes the rooms below as
//! parameters, as far as it reads or writes them: the signature names the rooms. A room never calls a room above; it
//! returns effects, e.g. the connections to end. Only this file and [`api`] see all rooms: they hold the `impl` blocks of
//! `NetworkServer`, and hand effects upwards.
//!
//! ```text
//! api          public methods; the conductor of `update` and of packets
//! ─────────────────────────────────────────────────────────────────────────────────────────────
//! host         client in this process           calls, messages, players, recording, saving, inputs, rewind
//! datagrams    acknowledgements, losses and their repair
//! replication  deltas: runs, restricted fields, stopped values, bandwidth
//! visibility   audiences, interest, groups, snapshots, joins, delivery
//! ┌ ground ───────────────────────────────────────────────────────────────────────────────────┐
//! │ outbound   queues of chunks, write records of ticks, packets, the recorder                │
//! │ sessions   connections, admission, returns       each with a ledger and a datagram link   │
//! │ objects    the world, its schedule, ids, permits                                          │
//! │ context    events, statistics, clock, settings                                            │
//! └───────────────────────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! The four rooms at the bottom are lent together, as [`ground::Ground`]. [`ledger`], [`datagram_link`] and [`chunk_store`]
//! are data of connections and queues, and know no room.

mod alive;
mod api;
mod calls;
mod chunk_store;
mod config;
mod context;
mod datagram_link;
mod datagrams;
mod event;
mod ground;
mod host;
mod inputs;
mod ledger;
mod motion;
mod objects;
mod outbound;
mod replication;
mod rewind;
mod saving;
mod sessions;
mod visibility;

pub use api::excerpt::RecordExcerpt;
pub use api::local_client::LocalClient;
pub use api::private_fields::PrivateRecord;
pub use config::{Admission, SchemaRequests, ServerConfig};
pub use event::{PacketError, ServerEvent};
pub use ledger::budget::Budget;
pub use objects::guard::{BehaviourMut, ServerWrites};
pub use objects::parent::ParentError;
pub use objects::replicated::Replicated;
pub use objects::spawn::SpawnOptions;
pub use outbound::remote::RemoteMessage;
pub use rewind::Past;
pub use sessions::admission::{Decision, JoinRequest};

use std::time::Duration;

use syncvar_runtime::events::{EventReader, Events};
use syncvar_runtime::unstable::clock::Clock;
use syncvar_runtime::unstable::object::MAX_CHANNELS;
use syncvar_runtime::{
    Changed, Channel, ConnectionId, NetId, NetworkBehaviour, NetworkIdentity, NetworkTime,
    ObjectError, Prefabs,
};

use crate::stats::Stats;
use alive::AliveServer;
use calls::Calls;
use context::{Context, Notes, Ticks};
use datagrams::Datagrams;
use host::Host;
use inputs::Inputs;
use objects::Objects;
use objects::guard::begin_write;
use outbound::Outbound;
use replication::Replication;
use rewind::Rewind;
use sessions::Sessions;
use visibility::Visibility;

/// Replicates objects to clients.
///
/// The server has no socket and no clock. Bytes, connections and the time come in; packets and
/// events come out. Its methods belong to four families:
///
/// * getters: [`get`](Self::get), [`identity`](Self::identity), [`stats`](Self::stats), ...
/// * commands of the game: [`spawn`](Self::spawn), [`get_mut`](Self::get_mut),
///   [`hide`](Self::hide), [`despawn`](Self::despawn), ...
/// * input of the transport: [`handle_connect`](Self::handle_connect),
///   [`handle_packet`](Self::handle_packet), [`handle_disconnect`](Self::handle_disconnect)
/// * [`update`](Self::update), then the outputs until they are empty:
///   [`poll_transmit`](Self::poll_transmit), [`poll_event`](Self::poll_event)
///
/// An `update` takes these steps, in this order. The hooks of a [host](Self::connect_local) run.
/// Objects are hidden. Deltas of dirty objects go to their remaining observers, and the fields
/// become clean. Objects are shown. New objects are spawned. Connections that became ready receive
/// all visible objects. So every change reaches a client once, by a delta or by a snapshot.
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
/// let mut server = NetworkServer::new(Prefabs::new().register::<Door>("door"));
/// let door = server.spawn(Door::default());
/// // The transport reports a socket.
/// let connection = server.handle_connect();
/// // One tick.
/// server.get_mut::<Door>(door).unwrap().open.set(true);
/// server.update(Duration::from_millis(50));
/// while let Some(packet) = server.poll_transmit() {
///     println!("{} bytes for {}", packet.len(), packet.connection);
/// }
/// while let Some(event) = server.poll_event() {
///     println!("{event:?}");
/// }
/// assert!(!server.is_ready(connection)); // no answer yet
/// ```
#[derive(Debug)]
pub struct NetworkServer {
    pub(crate) context: Context,
    pub(crate) objects: Objects,
    pub(crate) sessions: Sessions,
    pub(crate) visibility: Visibility,
    replication: Replication,
    datagrams: Datagrams,
    outbound: Outbound,
    calls: Box<Calls>,
    rewind: Rewind,
    inputs: Inputs,
    /// The client in the same process.
    host: Option<Box<Host>>,
    _alive: AliveServer,
}

impl NetworkServer {
    /// Returns a server with the default settings.
    pub fn new(prefabs: Prefabs) -> Self {
        Self::with_config(prefabs, ServerConfig::default())
    }

    /// Returns a server with these settings.
    pub fn with_config(prefabs: Prefabs, mut config: ServerConfig) -> Self {
        if config.channels.is_empty() {
            config.channels.push(Channel::Reliable);
        }
        config.channels.truncate(MAX_CHANNELS);
        config.tick_rate = config.tick_rate.max(1);
        prefabs.warn_of_intervals(config.tick_rate);
        let callbacks = config.callbacks;
        let datagrams = Datagrams::new(&prefabs);
        Self {
            sessions: Sessions::new(prefabs.schema_hash(), &config.limits),
            visibility: Visibility::new(&config),
            replication: Replication::default(),
            datagrams,
            outbound: Outbound::default(),
            calls: Box::default(),
            rewind: Rewind::default(),
            inputs: Inputs::default(),
            host: None,
            _alive: AliveServer::begin(),
            context: Context {
                events: Events::with_limit(config.max_events),
                stats: Box::new(Stats::for_prefabs(&prefabs, config.profile)),
                clock: Clock::default(),
                config: Box::new(config),
                ticks: Ticks::default(),
                alternates: Vec::new(),
                notes: Notes::default(),
            },
            objects: Objects::new(prefabs, callbacks),
        }
    }

    /// Returns the registered prefabs.
    pub fn prefabs(&self) -> &Prefabs {
        &self.objects.world.prefabs
    }

    /// Returns the settings.
    pub fn config(&self) -> &ServerConfig {
        &self.context.config
    }

    /// Returns the counters of encoded, sent and received messages.
    pub fn stats(&self) -> &Stats {
        &self.context.stats
    }

    /// Returns an object.
    pub fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.objects.world.identity(id)
    }

    /// Returns all objects, by ascending id.
    pub fn identities(&self) -> impl Iterator<Item = NetworkIdentity<'_>> {
        self.objects.world.identities()
    }

    /// Returns the server's own time as of the last update. It never goes back.
    pub fn now(&self) -> Duration {
        self.context.clock.now()
    }

    /// Returns the server's own time and tick. Clients estimate it as
    /// [`NetworkClient::network_time`](crate::NetworkClient::network_time).
    pub fn network_time(&self) -> NetworkTime {
        NetworkTime::new(self.context.clock.now(), self.context.config.tick_rate)
    }

    /// Returns the number of objects.
    pub fn object_count(&self) -> usize {
        self.objects.world.objects.len()
    }

    /// Returns the first behaviour of this type on an object.
    pub fn get<B: NetworkBehaviour>(&self, id: NetId) -> Option<&B> {
        self.objects.world.get(id)
    }

    /// Returns the behaviour at an index of an object, for objects with two behaviours of one type.
    pub fn get_at<B: NetworkBehaviour>(&self, id: NetId, index: usize) -> Option<&B> {
        self.objects.world.get_at(id, index)
    }

    /// Returns the first behaviour of this type on an object, for writing. Dropping the guard
    /// queues a changed object for the next update.
    ///
    /// While a connection owns the object, only that connection writes the fields with
    /// `#[sync_var(write = owner)]`. The server's write is reverted and reported as
    /// [`ServerEvent::WriteRefused`]. With `server_override`, the server may write too.
    ///
    /// ```
    /// use syncvar::{error::ObjectError, prelude::*};
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Door {
    ///     #[sync_var]
    ///     open: SyncVar<bool>,
    /// }
    ///
    /// let mut server = NetworkServer::new(Prefabs::new().register::<Door>("door"));
    /// let door = server.spawn(Door::default());
    /// if let Ok(mut door) = server.get_mut::<Door>(door) {
    ///     door.open.set(true);
    /// }
    /// server.despawn(door).unwrap();
    /// let error = server.get_mut::<Door>(door).unwrap_err();
    /// assert_eq!(error, ObjectError::NoSuchObject(door));
    /// ```
    ///
    /// # Errors
    ///
    /// When the object does not exist, has no such behaviour or is checked out. Inside a call or a
    /// callback, the own object is checked out.
    #[inline]
    pub fn get_mut<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
    ) -> Result<BehaviourMut<'_, B>, ObjectError> {
        let at = self
            .objects
            .world
            .objects
            .get(id.0)
            .map(|replicated| replicated.at);
        let at = at.ok_or(ObjectError::NoSuchObject(id))?;
        if let Some(host) = &mut self.host {
            host.remember_by_type::<B>(&mut self.objects, id, at);
        }
        let behaviour = self.objects.world.pools.behaviour_mut(id, at)?;
        let (schedule, events) = (&mut self.objects.schedule, &mut self.context.events);
        Ok(begin_write(id, behaviour, schedule, events))
    }

    /// Returns the behaviour at an index of an object, for writing. For objects with two behaviours
    /// of one type.
    ///
    /// # Errors
    ///
    /// As [`get_mut`](Self::get_mut).
    pub fn get_mut_at<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
        index: usize,
    ) -> Result<BehaviourMut<'_, B>, ObjectError> {
        let at = self
            .objects
            .world
            .objects
            .get(id.0)
            .map(|replicated| replicated.at);
        let at = at.ok_or(ObjectError::NoSuchObject(id))?;
        if let Some(host) = &mut self.host {
            host.remember_at(&mut self.objects, id, at, Some(index));
        }
        let behaviour = self.objects.world.pools.behaviour_at_mut(id, at, index)?;
        let (schedule, events) = (&mut self.objects.schedule, &mut self.context.events);
        Ok(begin_write(id, behaviour, schedule, events))
    }

    /// Returns the owner of an object.
    pub fn owner(&self, id: NetId) -> Option<ConnectionId> {
        self.objects.world.objects.get(id.0)?.owner
    }

    /// Returns whether a connection observes an object, or will with the next update after it is
    /// ready. The interest management takes effect with the next update: until then, a new object
    /// is visible to all connections.
    pub fn is_visible(&self, id: NetId, connection: ConnectionId) -> bool {
        if let Some(host) = self.host.as_ref().filter(|_| self.is_local(connection)) {
            let replicated = self.objects.world.objects.get(id.0);
            return replicated.is_some_and(|it| host.observes(&self.visibility, id, it));
        }
        let known = self.sessions.connections.get(connection.0);
        let known = known.is_some_and(|known| !known.records());
        let wanted = self
            .objects
            .world
            .objects
            .get(id.0)
            .map(|replicated| replicated.target_audience);
        known
            && wanted.is_some_and(|audience| self.visibility.audiences.admits(audience, connection))
    }

    /// Returns all connections, by ascending number.
    pub fn connections(&self) -> impl Iterator<Item = ConnectionId> {
        let connections = self.sessions.connections.values();
        let connections = connections.filter(|connection| !connection.records());
        connections.map(|connection| connection.id)
    }

    /// Returns whether a connection is accepted and not closing.
    pub fn is_connected(&self, connection: ConnectionId) -> bool {
        self.sessions.is_connected(connection)
    }

    /// Returns whether a connection is ready: it receives objects and their changes.
    pub fn is_ready(&self, connection: ConnectionId) -> bool {
        self.sessions.is_ready(connection)
    }

    /// Returns whether no change and no byte waits.
    pub fn is_idle(&self) -> bool {
        self.sessions.is_idle()
            && self.visibility.is_idle()
            && self.objects.schedule.is_empty()
            && !self.objects.has_local_changes()
            && self.outbound.outgoing.is_empty()
            && !self.replication.bandwidth.has_backlog(&self.sessions)
            && Datagrams::are_settled(&self.sessions)
            && !Datagrams::has_incomplete_streams(&self.outbound, &self.sessions)
            && self.host.as_ref().is_none_or(|host| host.is_idle())
            && self.calls.is_idle()
    }

    /// Returns the oldest event: for a program with a single consumer.
    pub fn poll_event(&mut self) -> Option<ServerEvent> {
        self.context.events.pop()
    }

    /// Creates a reader of the events, for a program with several consumers: see [`EventReader`].
    pub fn event_reader(&mut self) -> EventReader {
        self.context.events.reader()
    }

    /// Returns the events that a reader has not read, oldest first.
    ///
    /// # Panics
    ///
    /// In debug builds, if another end created the reader.
    pub fn read_events<'a>(
        &'a self,
        reader: &'a mut EventReader,
    ) -> impl Iterator<Item = &'a ServerEvent> {
        self.context.events.read(reader)
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
            .filter_map(ServerEvent::changed::<B>)
    }

    /// Returns the number of all events, polled or not.
    pub fn event_count(&self) -> u64 {
        self.context.events.total()
    }

    /// Drops the events among the first `count` that are still unpolled. Transports call it, so
    /// that clients cannot pile up events that a game ignores.
    ///
    /// ```
    /// # use syncvar::*;
    /// # let config = ServerConfig { compare_schemas: false, ..ServerConfig::default() };
    /// # let mut server = NetworkServer::with_config(Prefabs::new(), config);
    /// # let connection = server.handle_connect();
    /// let old = server.event_count();
    /// server.disconnect(connection, "enough"); // the game has its turn
    /// server.forget_events(old); // what has come up in it waits for the next one
    /// # assert!(matches!(server.poll_event(), Some(ServerEvent::Disconnected { .. })));
    /// # assert!(server.poll_event().is_none());
    /// ```
    pub fn forget_events(&mut self, count: u64) {
        self.context.events.forget(count);
    }

    /// Returns the number of events dropped because of [`ServerConfig::max_events`], oldest first.
    pub fn missed_events(&self) -> u64 {
        self.context.events.missed()
    }
}
