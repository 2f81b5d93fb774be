//! `NetworkServer`: objects, connections, and who sees what. No socket, no clock, no thread.

mod audience;
mod backlog;
mod bandwidth;
mod budget;
mod call;
mod clock;
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
mod notes;
mod outbound;
mod owner;
#[cfg(feature = "parallel")]
mod parallel;
mod parent;
mod ping;
mod receive;
mod replicated;
mod replication;
mod restricted;
mod scene;
mod schedule;
mod sessions;
mod show;
mod sink;
mod spawn;
mod stock;
mod transmit;
mod update;
mod visibility;
mod world;

pub use budget::Budget;
pub use call::{OutgoingRpc, RpcSender};
pub use config::ServerConfig;
pub use event::{PacketError, ServerEvent};
pub(crate) use full_state::{PARENT, SCENE_ID};
pub use guard::BehaviourMut;
pub use host::LocalClient;
pub use parent::ParentError;
pub(crate) use sink::Sink;
pub use spawn::{SpawnError, SpawnOptions};
pub use transmit::Transmit;

use std::time::Duration;

use crate::events::Events;
use crate::identity::MAX_CHANNELS;
use crate::stats::Stats;
use crate::{Channel, Dialect, NetId, NetworkBehaviour, NetworkIdentity, NetworkTime, Prefabs};
use call::Calls;
use clock::Clock;
use host::Host;
use outbound::Outbound;
use replication::Replication;
use sessions::Sessions;
use visibility::Visibility;
use world::World;

/// The number of a connection, counted from 1 and never given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub u32);

impl std::fmt::Display for ConnectionId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "connection {}", self.0)
    }
}

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
    world: World,
    sessions: Sessions,
    visibility: Visibility,
    replication: Replication,
    outbound: Outbound,
    calls: Box<Calls>,
    /// The client in the same process.
    host: Option<Box<Host>>,
    events: Events<ServerEvent>,
    stats: Stats,
    clock: Clock,
    config: ServerConfig,
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
        config.dialect = config.dialect.min(Dialect::Compact);
        Self {
            sessions: Sessions::new(prefabs.schema_hash()),
            stats: Stats::for_prefabs(&prefabs),
            visibility: Visibility::new(&config),
            world: World::new(prefabs),
            replication: Replication::default(),
            outbound: Outbound::default(),
            calls: Box::default(),
            host: None,
            events: Events::with_limit(config.max_events),
            clock: Clock::default(),
            config,
        }
    }

    /// The registry that the server was made with.
    pub fn prefabs(&self) -> &Prefabs {
        &self.world.prefabs
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
        self.world.identity(id)
    }

    /// All objects, by ascending id.
    pub fn identities(&self) -> impl Iterator<Item = NetworkIdentity<'_>> {
        self.world.identities()
    }

    /// The server's own time: that of the last update, which does not go back.
    pub fn now(&self) -> Duration {
        self.clock.now
    }

    /// The same with the tick that it is in: what clients estimate as
    /// [`NetworkClient::network_time`](crate::NetworkClient::network_time).
    pub fn network_time(&self) -> NetworkTime {
        NetworkTime::new(self.clock.now, self.config.tick_rate)
    }

    /// How many objects there are.
    pub fn object_count(&self) -> usize {
        self.world.objects.len()
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
        let at = self.world.objects.get(id.0)?.at;
        if self.host.is_some() {
            self.remember_local_by_type::<B>(id, at);
        }
        let behaviour = self.world.pools.behaviour_mut(at)?;
        let (schedule, events) = (&mut self.replication.schedule, &mut self.events);
        Some(BehaviourMut::new(id, behaviour, schedule, events))
    }

    /// The behaviour at a position of an object, for objects with two behaviours of one type.
    pub fn get_mut_at<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
        index: usize,
    ) -> Option<BehaviourMut<'_, B>> {
        let at = self.world.objects.get(id.0)?.at;
        if self.host.is_some() {
            self.remember_local(id, at, Some(index));
        }
        let behaviour = self.world.pools.behaviour_at_mut(at, index)?;
        let (schedule, events) = (&mut self.replication.schedule, &mut self.events);
        Some(BehaviourMut::new(id, behaviour, schedule, events))
    }

    /// The connection that owns an object.
    pub fn owner(&self, id: NetId) -> Option<ConnectionId> {
        self.world.objects.get(id.0)?.owner
    }

    /// Whether a connection sees an object, or will as soon as it is ready and the server updates.
    /// What the interest management has to say counts from the next update on: until then, everyone
    /// sees an object that has just been spawned.
    pub fn is_visible(&self, id: NetId, connection: ConnectionId) -> bool {
        if self.is_local(connection) {
            let replicated = self.world.objects.get(id.0);
            return replicated.is_some_and(|replicated| self.is_visible_locally(id, replicated));
        }
        let known = self.sessions.connections.get(connection.0).is_some();
        let wanted = self
            .world
            .objects
            .get(id.0)
            .map(|replicated| replicated.target_audience);
        known
            && wanted.is_some_and(|audience| self.visibility.audiences.admits(audience, connection))
    }

    /// The connections that are there, by ascending number.
    pub fn connections(&self) -> impl Iterator<Item = ConnectionId> {
        self.sessions
            .connections
            .values()
            .map(|connection| connection.id)
    }

    /// Whether a connection has been let in and is not being sent off.
    pub fn is_connected(&self, connection: ConnectionId) -> bool {
        self.sessions.is_connected(connection)
    }

    /// Whether a connection is ready: it gets objects and their changes.
    pub fn is_ready(&self, connection: ConnectionId) -> bool {
        self.sessions.is_ready(connection)
    }

    /// Whether a connection is there, perhaps not let in yet or being sent off.
    pub(crate) fn has_connection(&self, connection: ConnectionId) -> bool {
        self.sessions.connections.get(connection.0).is_some()
    }

    /// Whether nothing waits to be encoded or transmitted.
    pub fn is_idle(&self) -> bool {
        self.sessions.is_idle()
            && self.visibility.is_idle()
            && self.replication.schedule.is_empty()
            && self.outbound.outgoing.is_empty()
            && !self.has_backlog()
            && self.host.as_ref().is_none_or(|host| host.is_idle())
            && self.calls.is_idle()
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
    /// # use syncvar_runtime::*;
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
