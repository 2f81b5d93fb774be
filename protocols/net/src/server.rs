//! `NetworkServer`: objects, connections, and who sees what. No socket, no clock, no thread.

mod audience;
mod budget;
mod call;
mod command;
mod config;
mod connection;
mod event;
mod full_state;
mod guard;
mod hide;
mod host;
mod interest;
mod join;
mod lend;
mod lifecycle;
mod limited;
mod owner;
#[cfg(feature = "parallel")]
mod parallel;
mod parent;
mod ping;
mod receive;
mod ruled;
mod scene;
mod schedule;
mod show;
mod side;
mod spawn;
mod spawned;
mod stock;
mod transmit;
mod update;

pub use budget::Budget;
pub use config::ServerConfig;
pub use event::{PacketError, ServerEvent};
pub use guard::BehaviourMut;
pub use host::LocalClient;
pub use parent::ParentError;
pub use spawn::SpawnOptions;
pub use transmit::Transmit;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::RangeInclusive;
use std::time::Duration;

use bytes::Bytes;

use crate::events::Events;
use crate::lend::{Late, LentObjects};
use crate::object::{MAX_CHANNELS, Pools};
use crate::relations::{Place, Relations};
use crate::stats::Stats;
use crate::table::Table;
use crate::{
    Channel, ConnectionId, Framing, NetId, NetworkBehaviour, NetworkIdentity, NetworkTime, Prefabs,
};
use audience::Audiences;
use call::Calls;
use connection::{Connection, ConnectionState};
use full_state::Kind;
use host::Host;
use interest::Interest;
use join::Spare;
use limited::Rationing;
use schedule::Schedule;
use show::{Showing, Turnover};
use spawned::Spawned;
use stock::Stock;
use update::Scratch;

/// Replicates objects to clients.
///
/// The server knows no socket and no clock: bytes, connections and the time come in, packets and
/// events come out. Its methods fall into four families:
///
/// * getters: [`get`](Self::get), [`identity`](Self::identity), [`stats`](Self::stats), ...
/// * commands from the game: [`spawn`](Self::spawn), [`get_mut`](Self::get_mut),
///   [`hide`](Self::hide), [`despawn`](Self::despawn), ...
/// * `handle_*`, from the network: [`handle_connect`](Self::handle_connect),
///   [`handle_packet`](Self::handle_packet), [`handle_disconnect`](Self::handle_disconnect)
/// * [`update`](Self::update), then `poll_*` until they are empty:
///   [`poll_transmit`](Self::poll_transmit), [`poll_event`](Self::poll_event)
///
/// One `update` does the following, in this order: the hooks of a [host](Self::connect_local) run;
/// objects are hidden; the changes of dirty objects go to those who have seen them and still do, and what
/// was dirty is clean; objects are shown; new objects are spawned; connections that became ready get everything they may
/// see. So a change reaches every client once, by an update or by a spawn.
#[derive(Debug)]
pub struct NetworkServer {
    prefabs: Prefabs,
    config: ServerConfig,
    schema_hash: u64,
    /// What there is to know about each prefab, in the order of registration.
    kinds: Vec<Kind>,
    objects: Table<Spawned>,
    /// The behaviours of all objects.
    pools: Pools,
    /// The objects that are being called, whose behaviours are not in their pools.
    lent: LentObjects,
    /// What is to be told when these are done.
    late: Late,
    /// Where all objects stand.
    places: Table<Place>,
    /// The scene ids and parents of objects that have one.
    relations: Box<Relations>,
    /// Objects whose parent is another one since the last update.
    reparented: BTreeSet<NetId>,
    /// Whether the scene has become complete since the last update.
    scene_loaded: bool,
    /// Who is to be given the full state of an object with the next update, though they see it.
    owed: BTreeMap<NetId, Vec<ConnectionId>>,
    /// The ids that are still to be given out, ascending; those in use are passed over.
    net_ids: RangeInclusive<u32>,
    connections: Table<Connection>,
    next_connection: u32,
    audiences: Audiences,
    interest: Interest,
    schedule: Schedule,
    /// Connections that have become ready since the last update.
    joining: Vec<ConnectionId>,
    /// Connections that have asked for objects again.
    resyncing: Vec<ConnectionId>,
    /// Connections that have asked for the time.
    pinging: Vec<ConnectionId>,
    /// Owners whose writes could not be read: they are told what is so.
    misled: BTreeSet<(ConnectionId, NetId)>,
    /// How many bytes have been looked at for the writes of owners since the last update.
    effort: BTreeMap<ConnectionId, usize>,
    /// Lists for the update loop to use again.
    scratch: Scratch,
    /// Full states that are being written.
    showing: Box<Showing>,
    turnover: Turnover,
    /// Buffers for full states of everything.
    spare: Spare,
    rationing: Box<Rationing>,
    /// The client in the same process.
    host: Option<Box<Host>>,
    calls: Box<Calls>,
    /// Connections that have something to transmit, each once.
    outgoing: VecDeque<ConnectionId>,
    /// What waits to be sent.
    stock: Stock,
    /// The segments of the packet that was polled last, if they had to be gathered.
    packet: Vec<Bytes>,
    events: Events<ServerEvent>,
    stats: Stats,
    /// The server's own time, which does not go back.
    now: Duration,
    /// The time of the last update by the caller's clock.
    clock: Duration,
}

impl NetworkServer {
    /// A server without objects and connections.
    pub fn new(prefabs: Prefabs) -> Self {
        Self::with_config(prefabs, ServerConfig::default())
    }

    /// A server with settings of your own.
    pub fn with_config(prefabs: Prefabs, mut config: ServerConfig) -> Self {
        if config.channels.is_empty() {
            config.channels.push(Channel::Reliable);
        }
        config.channels.truncate(MAX_CHANNELS);
        config.tick_rate = config.tick_rate.max(1);
        config.framing = config.framing.min(Framing::Compact);
        Self {
            schema_hash: prefabs.schema_hash(),
            stats: Stats::for_prefabs(&prefabs),
            audiences: Audiences::new(config.channels.len(), config.gathered_size()),
            kinds: Kind::of_all(&prefabs),
            prefabs,
            objects: Table::default(),
            pools: Pools::default(),
            lent: LentObjects::default(),
            late: Late::default(),
            places: Table::default(),
            relations: Box::default(),
            reparented: BTreeSet::new(),
            scene_loaded: false,
            owed: BTreeMap::new(),
            net_ids: 1..=u32::MAX,
            connections: Table::default(),
            next_connection: 1,
            interest: Interest::default(),
            schedule: Schedule::default(),
            joining: Vec::new(),
            resyncing: Vec::new(),
            pinging: Vec::new(),
            misled: BTreeSet::new(),
            effort: BTreeMap::new(),
            scratch: Scratch::default(),
            showing: Box::new(Showing::new(config.gathered_size())),
            turnover: Turnover::default(),
            spare: Spare::default(),
            rationing: Box::default(),
            host: None,
            calls: Box::default(),
            outgoing: VecDeque::new(),
            stock: Stock::default(),
            packet: Vec::new(),
            events: Events::with_limit(config.max_events),
            config,
            now: Duration::ZERO,
            clock: Duration::ZERO,
        }
    }

    /// The registry that the server was made with.
    pub fn prefabs(&self) -> &Prefabs {
        &self.prefabs
    }

    /// The settings that the server was made with.
    pub fn config(&self) -> &ServerConfig {
        &self.config
    }

    /// What has been encoded, sent and received so far.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// The object with this id.
    pub fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.identity_of(id, self.objects.get(id.0)?)
    }

    fn identity_of(&self, id: NetId, spawned: &Spawned) -> Option<NetworkIdentity<'_>> {
        let kind = self
            .kinds
            .get(self.pools.prefab(spawned.at.pool) as usize)?;
        let place = *self.places.get(id.0)?;
        let behaviours = self.pools.slots(spawned.at)?;
        let names = (id, kind.asset_id);
        let relations = &self.relations;
        Some(NetworkIdentity::new(names, place, behaviours, relations))
    }

    /// All objects, by ascending id.
    pub fn identities(&self) -> impl Iterator<Item = NetworkIdentity<'_>> {
        let objects = self.objects.iter();
        objects.filter_map(|(number, spawned)| self.identity_of(NetId(number), spawned))
    }

    /// The server's own time: that of the last update, which does not go back.
    pub fn now(&self) -> Duration {
        self.now
    }

    /// The same with the tick that it is in: what clients estimate as
    /// [`NetworkClient::network_time`](crate::NetworkClient::network_time).
    pub fn network_time(&self) -> NetworkTime {
        NetworkTime::new(self.now, self.config.tick_rate)
    }

    /// How many objects there are.
    pub fn object_count(&self) -> usize {
        self.objects.len()
    }

    /// The first behaviour of this type on an object.
    pub fn get<B: NetworkBehaviour>(&self, id: NetId) -> Option<&B> {
        self.identity(id)?.behaviour()
    }

    /// The behaviour at a position of an object, for objects with two behaviours of one type.
    pub fn get_at<B: NetworkBehaviour>(&self, id: NetId, index: usize) -> Option<&B> {
        self.identity(id)?.behaviour_at(index)
    }

    /// The first behaviour of this type on an object, for writing. When the guard is dropped and
    /// something has changed, the object is queued for the next update.
    ///
    /// While a connection owns the object, fields with `#[sync_var(write = owner)]` are that
    /// connection's to write: what is written to them here is refused, as
    /// [`ServerEvent::WriteRefused`], and they are what they were. With `server_override` beside it the
    /// server may write, too.
    #[inline]
    pub fn get_mut<B: NetworkBehaviour>(&mut self, id: NetId) -> Option<BehaviourMut<'_, B>> {
        let at = self.objects.get(id.0)?.at;
        if self.host.is_some() {
            self.remember_first_for_local::<B>(id, at);
        }
        let behaviour = self.pools.behaviour_mut(at)?;
        let (schedule, events) = (&mut self.schedule, &mut self.events);
        Some(BehaviourMut::new(id, behaviour, schedule, events))
    }

    /// The behaviour at a position of an object, for objects with two behaviours of one type.
    pub fn get_mut_at<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
        index: usize,
    ) -> Option<BehaviourMut<'_, B>> {
        let at = self.objects.get(id.0)?.at;
        if self.host.is_some() {
            self.remember_for_local(id, at, Some(index));
        }
        let behaviour = self.pools.behaviour_at_mut(at, index)?;
        let (schedule, events) = (&mut self.schedule, &mut self.events);
        Some(BehaviourMut::new(id, behaviour, schedule, events))
    }

    /// The connection that owns an object.
    pub fn owner(&self, id: NetId) -> Option<ConnectionId> {
        self.objects.get(id.0)?.owner
    }

    /// Whether a connection sees an object, or will as soon as it is ready and the server updates.
    /// What the interest management has to say counts from the next update on: until then, everyone
    /// sees an object that has just been spawned.
    pub fn is_visible(&self, id: NetId, connection: ConnectionId) -> bool {
        if self.is_local(connection) {
            let spawned = self.objects.get(id.0);
            return spawned.is_some_and(|spawned| self.is_for_local(id, spawned));
        }
        let known = self.connections.get(connection.0).is_some();
        let wanted = self.objects.get(id.0).map(|spawned| spawned.wanted);
        known && wanted.is_some_and(|audience| self.audiences.admits(audience, connection))
    }

    /// The connections that are there, by ascending number.
    pub fn connections(&self) -> impl Iterator<Item = ConnectionId> {
        self.connections.values().map(|connection| connection.id)
    }

    /// Whether a connection has been let in and is not being sent off.
    pub fn is_connected(&self, connection: ConnectionId) -> bool {
        self.connections
            .get(connection.0)
            .is_some_and(Connection::is_connected)
    }

    /// Whether a connection is there and is not being sent off.
    fn knows(&self, connection: ConnectionId) -> bool {
        self.connections
            .get(connection.0)
            .is_some_and(|connection| connection.state != ConnectionState::Closing)
    }

    /// Whether a connection is ready: it gets objects and their changes.
    pub fn is_ready(&self, connection: ConnectionId) -> bool {
        self.connections
            .get(connection.0)
            .is_some_and(Connection::is_ready)
    }

    /// Whether a connection is there, perhaps not let in yet or being sent off.
    pub(crate) fn has_connection(&self, connection: ConnectionId) -> bool {
        self.connections.get(connection.0).is_some()
    }

    /// Whether nothing waits to be encoded or transmitted.
    pub fn is_idle(&self) -> bool {
        self.schedule.is_empty()
            && self.joining.is_empty()
            && self.resyncing.is_empty()
            && self.pinging.is_empty()
            && self.misled.is_empty()
            && self.outgoing.is_empty()
            && self.reparented.is_empty()
            && !self.scene_loaded
            && !self.is_rationing()
            && self.host.as_ref().is_none_or(|host| host.is_idle())
            && !self.audiences.is_written()
            && self.has_no_calls()
    }

    /// Something that happened, oldest first.
    pub fn poll_event(&mut self) -> Option<ServerEvent> {
        self.events.pop()
    }

    /// How many events there have been, polled or not.
    pub fn event_count(&self) -> u64 {
        self.events.total()
    }

    /// Forgets those of the first `count` events that nobody has polled: what a transport does with what a
    /// game does not want, so that no client can pile it up.
    ///
    /// ```
    /// # use syncvar::*;
    /// # let mut config = ServerConfig::default();
    /// # config.compare_schemas = false;
    /// # let mut server = NetworkServer::with_config(Prefabs::new(), config);
    /// # let connection = server.handle_connect();
    /// let old = server.event_count();
    /// server.disconnect(connection, "enough"); // the game has its turn
    /// server.forget_events(old); // what has come up in it waits for the next one
    /// # assert!(matches!(server.poll_event(), Some(ServerEvent::Disconnected { .. })));
    /// # assert!(server.poll_event().is_none());
    /// ```
    pub fn forget_events(&mut self, count: u64) {
        while self.events.gone() < count && self.poll_event().is_some() {}
    }

    /// How many events were dropped, oldest first, because nobody polled them.
    pub fn missed_events(&self) -> u64 {
        self.events.missed()
    }
}
