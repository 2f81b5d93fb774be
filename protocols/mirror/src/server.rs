//! `MirrorServer`: objects, connections, and who observes what. No socket, no clock, no thread.

mod audience;
mod broadcast;
mod call;
mod changes;
mod command;
mod connection;
mod encode;
mod entity_state;
mod event;
mod frame;
mod full_state;
mod guard;
mod handover;
mod hybrid;
mod interest;
mod lend;
mod lifecycle;
mod message;
mod object;
mod observe;
mod outbox;
mod owner;
mod player;
mod receive;
mod scene;
mod side;
mod spawn;
mod stats;
mod transmit;

pub use event::{CommandRefusal, DisconnectReason, MirrorServerEvent, StateRefusal};
pub use guard::MirrorBehaviourMut;
pub use object::Visibility;
pub use spawn::{MirrorSpawnError, MirrorSpawnOptions};
pub use stats::MirrorServerStats;
pub use transmit::MirrorTransmit;

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use rustc_hash::FxHashMap;
use syncvar_runtime::events::Events;
use syncvar_runtime::lend::{Late, LentObjects};
use syncvar_runtime::object::Nanos;
use syncvar_runtime::relations::Relations;
use syncvar_runtime::table::Table;
use syncvar_runtime::{ConnectionId, NetId, NetworkBehaviour, NetworkIdentity};

use crate::prefabs::Entry;
use crate::unreliable::Unreliable;
use crate::{AuthRequestMessage, MirrorMessage, MirrorPrefabs, MirrorServerConfig, SceneId};
use audience::Audiences;
use call::Calls;
use connection::Connection;
use encode::Scratch;
use hybrid::Hybrid;
use interest::Interest;
use object::Object;
use outbox::Packet;

/// A server for clients of Mirror: Unity games with Mirror's `NetworkManager`, and
/// [`MirrorClient`](crate::MirrorClient)s.
///
/// It knows no socket and no clock: bytes, connections and the time come in, packets and events come
/// out. Its methods fall into four families:
///
/// * getters: [`get`](Self::get), [`identity`](Self::identity), [`stats`](Self::stats), ...
/// * commands from the game: [`spawn`](Self::spawn), [`get_mut`](Self::get_mut),
///   [`add_player`](Self::add_player), [`despawn`](Self::despawn), ...
/// * `handle_*`, from the network: [`handle_connect`](Self::handle_connect),
///   [`handle_packet`](Self::handle_packet), [`handle_disconnect`](Self::handle_disconnect)
/// * [`update`](Self::update), one frame of Mirror's, then `poll_*` until they are empty:
///   [`poll_transmit`](Self::poll_transmit), [`poll_close`](Self::poll_close),
///   [`poll_event`](Self::poll_event)
///
/// # What a frame does
///
/// What is said to one connection (a spawn, an object that is gone, an owner, a call) is queued at once,
/// stamped with the time of the last update. `update(now)` asks the interest management, sends the
/// changes of all that has become dirty, and completes the batches of every connection: first what was
/// queued before, then the time and the changes. Nothing leaves between two updates.
///
/// # A client joins
///
/// [`MirrorServerEvent::Connected`] comes with the connection, then [`Ready`](MirrorServerEvent::Ready)
/// and [`AddPlayerRequested`](MirrorServerEvent::AddPlayerRequested), which Mirror's `NetworkManager`
/// sends by itself. The game answers with [`add_player`](Self::add_player): the connection is shown all
/// objects that it may see, and then its player.
///
/// ```
/// use syncvar_mirror::{
///     AssetId, Limits, MirrorPrefab, MirrorPrefabs, MirrorServer, MirrorServerEvent,
/// };
/// # use syncvar_runtime::*;
/// # #[derive(Default)] struct Player;
/// # impl NetworkBehaviour for Player {
/// #     type Previous = ();
/// #     const SCHEMA: BehaviourSchema = BehaviourSchema { name: "Player", base: None, fields: &[] };
/// #     fn sync_var_dirty_bits(&self) -> u64 { 0 }
/// #     fn set_dirty_bit(&mut self, _: u64) {}
/// #     fn clear_all_dirty_bits(&mut self) {}
/// #     fn on_serialize(&mut self, _: &mut NetworkWriter, _: bool) -> bool { false }
/// #     fn on_deserialize(&mut self, _: &mut NetworkReader<'_>, _: bool) -> Result<(), ReadError> { Ok(()) }
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
/// The bytes are Mirror's. Where it does not show in them: the hooks of what an owner has sent run when
/// all of it has been read; a callback or command that panics is reported, and nothing ends but that
/// call; and the changes of several objects come by ascending id within each set of connections that see
/// the same, where Mirror's order is that of a `HashSet`.
#[derive(Debug)]
pub struct MirrorServer {
    prefabs: MirrorPrefabs,
    config: MirrorServerConfig,
    objects: Table<Object>,
    /// The ids from here on are free.
    next_id: u32,
    /// The objects that are being called, whose behaviours are not in the table.
    lent: LentObjects,
    /// What is to be told when these are done.
    late: Late,
    /// Scene ids, as contexts know them.
    relations: Box<Relations>,
    /// The objects of the scene, by scene id.
    scene_objects: FxHashMap<u64, NetId>,
    connections: Table<Connection>,
    next_connection: u32,
    audiences: Audiences,
    interest: Interest,
    /// Objects that may have changes, each once.
    dirty: Vec<NetId>,
    /// Those that the update under way looks at.
    visiting: Vec<NetId>,
    /// Objects whose changes wait for their interval, by when it is over.
    waking: BTreeSet<(Nanos, NetId)>,
    /// Who is to be shown an object that is being called, when that is done.
    owed: Vec<(ConnectionId, NetId)>,
    /// The ids of messages of the game that may come before a connection is let in.
    unauthenticated: BTreeSet<u16>,
    /// The scene that clients are to load.
    scene: Option<String>,
    calls: Calls,
    /// What has come of objects whose owners write to them unreliably.
    unreliable: FxHashMap<NetId, Unreliable>,
    hybrid: Hybrid,
    scratch: Scratch,
    /// Connections that have something to be polled, each once.
    outgoing: VecDeque<ConnectionId>,
    /// The last packets of connections that are gone.
    farewells: VecDeque<(ConnectionId, Packet)>,
    /// Connections that the transport is to close.
    closing: VecDeque<ConnectionId>,
    /// What was polled last.
    polled: Option<(ConnectionId, Packet)>,
    events: Events<MirrorServerEvent>,
    stats: MirrorServerStats,
    /// The time of the last update.
    now: Duration,
    /// How long a message about an object may be, so that every connection can be sent it.
    longest_state: usize,
    /// The same of an unreliable one.
    longest_delta: usize,
}

impl MirrorServer {
    /// A server without objects and connections.
    pub fn new(prefabs: MirrorPrefabs) -> Self {
        Self::with_config(prefabs, MirrorServerConfig::default())
    }

    /// A server with settings of your own.
    pub fn with_config(prefabs: MirrorPrefabs, config: MirrorServerConfig) -> Self {
        Self {
            prefabs,
            objects: Table::default(),
            next_id: 1,
            lent: LentObjects::default(),
            late: Late::default(),
            relations: Box::default(),
            scene_objects: FxHashMap::default(),
            connections: Table::default(),
            next_connection: 1,
            audiences: Audiences::default(),
            interest: Interest::default(),
            dirty: Vec::new(),
            visiting: Vec::new(),
            waking: BTreeSet::new(),
            owed: Vec::new(),
            unauthenticated: BTreeSet::from([AuthRequestMessage::ID]),
            scene: None,
            calls: Calls::default(),
            unreliable: FxHashMap::default(),
            hybrid: Hybrid::new(&config),
            scratch: Scratch::default(),
            outgoing: VecDeque::new(),
            farewells: VecDeque::new(),
            closing: VecDeque::new(),
            polled: None,
            events: Events::with_limit(config.max_events),
            stats: MirrorServerStats::default(),
            now: Duration::ZERO,
            longest_state: usize::MAX,
            longest_delta: usize::MAX,
            config,
        }
    }

    /// The registry that the server was made with.
    pub fn prefabs(&self) -> &MirrorPrefabs {
        &self.prefabs
    }

    /// The settings that the server was made with.
    pub fn config(&self) -> &MirrorServerConfig {
        &self.config
    }

    /// What has been encoded, sent and received so far.
    pub fn stats(&self) -> &MirrorServerStats {
        &self.stats
    }

    /// The time of the last update, which does not go back.
    pub fn now(&self) -> Duration {
        self.now
    }

    /// The object with this id, unless it is being called.
    pub fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.identity_of(id, self.objects.get(id.0)?)
    }

    /// The prefab of an object.
    fn entry(&self, id: NetId) -> Option<&Entry> {
        self.prefabs.get(self.objects.get(id.0)?.prefab)
    }

    fn identity_of<'a>(&'a self, id: NetId, object: &'a Object) -> Option<NetworkIdentity<'a>> {
        let slots = object.behaviours.as_ref()?.slots();
        let asset_id = encode::asset_hash(self.prefabs.get(object.prefab)?.asset_id);
        let names = (id, asset_id);
        Some(NetworkIdentity::new(
            names,
            object.place,
            slots,
            &self.relations,
        ))
    }

    /// All objects, by ascending id.
    pub fn identities(&self) -> impl Iterator<Item = NetworkIdentity<'_>> {
        let objects = self.objects.iter();
        objects.filter_map(|(number, object)| self.identity_of(NetId(number), object))
    }

    /// How many objects there are.
    pub fn object_count(&self) -> usize {
        self.objects.len()
    }

    /// The first behaviour of this type on an object.
    pub fn get<B: NetworkBehaviour>(&self, id: NetId) -> Option<&B> {
        self.objects.get(id.0)?.behaviours.as_ref()?.behaviour()
    }

    /// The behaviour at a position of an object, for objects with two behaviours of one type.
    pub fn get_at<B: NetworkBehaviour>(&self, id: NetId, index: usize) -> Option<&B> {
        self.identity(id)?.behaviour_at(index)
    }

    /// The scene id of an object of a scene; none for others. Mirror's `NetworkIdentity.sceneId`.
    pub fn scene_id(&self, id: NetId) -> Option<SceneId> {
        let scene_id = self.objects.get(id.0)?.scene_id;
        Some(scene_id).filter(|scene_id| *scene_id != SceneId::NONE)
    }

    /// The connection that owns an object.
    pub fn owner(&self, id: NetId) -> Option<ConnectionId> {
        self.objects.get(id.0)?.owner
    }

    /// The connections that are there, by ascending number.
    pub fn connections(&self) -> impl Iterator<Item = ConnectionId> {
        let connections = self.connections.iter();
        connections.map(|(number, _)| ConnectionId(number))
    }

    /// Whether a connection is there.
    pub fn is_connected(&self, connection: ConnectionId) -> bool {
        self.connections.get(connection.0).is_some()
    }

    /// Whether a connection is ready: it may call commands, and is shown objects when
    /// [`SpawnPolicy`](crate::SpawnPolicy) says so.
    pub fn is_ready(&self, connection: ConnectionId) -> bool {
        let connection = self.connections.get(connection.0);
        connection.is_some_and(|connection| connection.ready)
    }

    /// The player of a connection.
    pub fn player_of(&self, connection: ConnectionId) -> Option<NetId> {
        self.connections.get(connection.0)?.player
    }

    /// How long a message takes to a connection and back, as the answers to pings have it: an average
    /// over the last ones, measured in whole updates. None before the first answer.
    pub fn rtt(&self, connection: ConnectionId) -> Option<Duration> {
        let seconds = self.connections.get(connection.0)?.rtt?;
        Duration::try_from_secs_f64(seconds).ok()
    }

    /// Something that happened, oldest first.
    pub fn poll_event(&mut self) -> Option<MirrorServerEvent> {
        let event = self.events.pop()?;
        if let MirrorServerEvent::AddPlayerRequested { connection } = &event
            && let Some(client) = self.connections.get_mut(connection.0)
        {
            client.asked = None;
        }
        Some(event)
    }

    /// How many events there have been, polled or not.
    pub fn event_count(&self) -> u64 {
        self.events.total()
    }

    /// Forgets those of the first `count` events that nobody has polled: what a transport does with what a
    /// game does not want, so that no client can pile it up.
    pub fn forget_events(&mut self, count: u64) {
        while self.events.gone() < count && self.poll_event().is_some() {}
    }

    /// How many events were dropped, oldest first, because nobody polled them.
    pub fn missed_events(&self) -> u64 {
        self.events.missed()
    }
}
