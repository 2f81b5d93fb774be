//! `NetworkClient`: the mirror of the server. No socket, no clock, no thread.

mod apply;
mod arrive;
mod call;
mod clock;
mod config;
mod event;
mod guard;
mod hold;
mod late;
mod lend;
mod lifecycle;
mod owner;
mod parent;
mod receive;
mod references;
mod refuse;
mod scene;
mod side;
mod transmit;

pub use config::ClientConfig;
pub use event::{ClientEvent, SpawnFailure};
pub use guard::ReplicaMut;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Mutex;
use std::time::Duration;

use bytes::Bytes;
use rustc_hash::FxHashMap;

use crate::events::Events;
use crate::lend::LentObjects;
use crate::message::{Connect, Disconnect, PROTOCOL_VERSION, Ready};
use crate::object::{Location, Pools};
use crate::packet::Segments;
use crate::prefab::Prefab;
use crate::prefab::text::PrefabText;
use crate::relations::{Place, Relations};
use crate::stats::Stats;
use crate::table::Table;
use crate::{
    DisconnectReason, Framing, MAX_STRING_BYTES, NetId, NetworkBehaviour, NetworkIdentity, Prefabs,
    ReadError,
};
use clock::Clock;
use guard::Desk;
use late::Late;
use references::References;
use scene::Scene;

/// A packet for the server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientPacket {
    /// On which channel.
    pub channel: u8,
    /// The packet.
    pub bytes: Bytes,
}

/// Holds replicas of the server's objects.
///
/// The methods fall into the same families as those of the
/// [`NetworkServer`](crate::NetworkServer): getters ([`get`](Self::get),
/// [`identities`](Self::identities), ...), commands ([`ready`](Self::ready),
/// [`disconnect`](Self::disconnect)), `handle_*` from the network
/// ([`handle_connect`](Self::handle_connect), [`handle_packet`](Self::handle_packet)), and then
/// [`poll_transmit`](Self::poll_transmit) and [`poll_event`](Self::poll_event) until they are empty.
///
/// An update is applied to every field of every behaviour of its object first; then the hooks run,
/// in declaration order, each with the previous value of its field. No hook runs for an initial
/// state, nor for a value that is the same as before.
///
/// An update that cannot be read poisons its object and nothing else: the object keeps what it has,
/// further updates of it are ignored, and the server is asked to send all of it again.
///
/// A message for an object that is not there yet is held, and handled right after the object has been
/// announced, in the order in which such messages came: [`ClientConfig::hold_time`]. A message for an
/// object that was there and is gone is dropped.
#[derive(Debug)]
pub struct NetworkClient {
    prefabs: Prefabs,
    config: ClientConfig,
    state: ClientState,
    /// Whose bytes the server sends.
    framing: Framing,
    objects: Table<Replica>,
    /// The behaviours of all objects.
    pools: Pools,
    /// The objects that are being called, whose behaviours are not in their pools.
    lent: LentObjects,
    /// Packets that came while an object was being called.
    deferred: VecDeque<(u8, Bytes)>,
    /// How many connections there have been.
    session: u64,
    /// Whether the first burst of objects of this connection is complete.
    synchronized: bool,
    /// Where objects stand that do not stand at the origin, unturned.
    places: FxHashMap<NetId, Place>,
    /// The scene ids and parents of objects that have one, and the scene ids of objects of the server
    /// that could not be made.
    relations: Box<Relations>,
    scene: Scene,
    /// The message before this one: a child and its parent.
    said_parent: Option<(NetId, NetId)>,
    /// Objects that have another parent since the burst under way began.
    reparented: BTreeSet<NetId>,
    /// The position of each prefab in the registry, by its position in the order of names.
    by_rank: Vec<u32>,
    /// Whether there are prefabs whose behaviours are told of the life of their objects.
    tells: bool,
    /// Between `SpawnFinished` 0 and 1: new objects are not announced yet.
    joining: bool,
    /// The server's registry, as far as it has been sent to explain a refusal.
    server_schema: Vec<PrefabText>,
    /// The dirty masks of the update under way, a behaviour each.
    masks: Vec<u64>,
    /// Objects of the message under way that could not be read.
    failed: Vec<(NetId, ReadError)>,
    /// What the application has written.
    desk: Desk,
    outgoing: Segments,
    /// The channel of what is in `outgoing`.
    outgoing_channel: u8,
    /// Packets of what was in `outgoing`, oldest first, and their channels.
    packets: VecDeque<(u8, Bytes)>,
    events: Events<ClientEvent>,
    /// Messages whose objects are not there yet.
    late: Late,
    /// References to objects that are not there yet.
    references: References,
    /// Those of the message under way: who holds them, and to what.
    unresolved: Vec<(NetId, NetId)>,
    /// What the references refer to that are being read.
    targets: Mutex<Vec<NetId>>,
    stats: Stats,
    /// What is known of the server's time.
    server_clock: Clock,
    /// The client's own time, which does not go back.
    now: Duration,
    /// The time of the last update by the caller's clock.
    clock: Duration,
}

/// How far a client has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientState {
    /// There is no connection, or it is over.
    Disconnected,
    /// The transport has a connection, and the server has not let us in yet.
    Connecting,
    /// The server has let us in.
    Connected,
}

/// An object on the client.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts that hold independently"
)]
struct Replica {
    /// Where its behaviours are.
    at: Location,
    owned: bool,
    /// Whether this client owned it before the burst of objects under way.
    owned_before: bool,
    /// Whether the application can see it.
    announced: bool,
    /// Whether the application has been told of it.
    told: bool,
    /// Whether an update could not be read, and no full state has come since.
    poisoned: bool,
    /// Whether the server has been asked for the full state, and it has not come yet.
    asked: bool,
    /// Whether it was sent again in the burst of objects under way.
    fresh: bool,
    /// What this client's writes must bear; 0 as long as the server has not said so.
    lease: u32,
    /// Whether the application has had it for writing.
    lent: bool,
    /// Whether the next full state counts even for what this client has written.
    yields: bool,
}

impl NetworkClient {
    /// A client without objects, not connected.
    pub fn new(prefabs: Prefabs) -> Self {
        Self::with_config(prefabs, ClientConfig::default())
    }

    /// A client with settings of your own.
    pub fn with_config(prefabs: Prefabs, mut config: ClientConfig) -> Self {
        config.framing = config.framing.min(Framing::Compact);
        Self {
            stats: Stats::for_prefabs(&prefabs),
            by_rank: prefabs.by_rank().map(|prefab| prefab.index).collect(),
            tells: prefabs.entries().iter().any(Prefab::tells),
            prefabs,
            state: ClientState::Disconnected,
            framing: Framing::Unet,
            objects: Table::default(),
            pools: Pools::default(),
            lent: LentObjects::default(),
            deferred: VecDeque::new(),
            session: 0,
            synchronized: false,
            places: FxHashMap::default(),
            relations: Box::default(),
            scene: Scene::default(),
            said_parent: None,
            reparented: BTreeSet::new(),
            joining: false,
            server_schema: Vec::new(),
            masks: Vec::new(),
            failed: Vec::new(),
            desk: Desk::default(),
            outgoing: Framing::Unet.segments(config.packet_size),
            outgoing_channel: 0,
            packets: VecDeque::new(),
            events: Events::with_limit(config.max_events),
            late: Late::default(),
            references: References::default(),
            unresolved: Vec::new(),
            targets: Mutex::default(),
            config,
            server_clock: Clock::default(),
            now: Duration::ZERO,
            clock: Duration::ZERO,
        }
    }

    /// The registry that the client was made with.
    pub fn prefabs(&self) -> &Prefabs {
        &self.prefabs
    }

    /// The settings that the client was made with.
    pub fn config(&self) -> &ClientConfig {
        &self.config
    }

    /// What has been sent and received so far.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// How far the connection has come.
    pub fn state(&self) -> ClientState {
        self.state
    }

    /// Whether the server has let us in.
    pub fn is_connected(&self) -> bool {
        self.state == ClientState::Connected
    }

    /// Whose bytes the server sends.
    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// The object with this id, once it has been announced by [`ClientEvent::Spawned`]. It is there for
    /// the callbacks of [`NetworkLifecycle`](crate::NetworkLifecycle) before that, and not while it is
    /// being called itself.
    pub fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.identity_of(id, self.objects.get(id.0)?)
    }

    fn identity_of(&self, id: NetId, replica: &Replica) -> Option<NetworkIdentity<'_>> {
        if !replica.announced {
            return None;
        }
        let prefab = self.prefabs.get(self.pools.prefab(replica.at.pool))?;
        let place = self.places.get(&id).copied().unwrap_or_default();
        let behaviours = self.pools.slots(replica.at)?;
        Some(NetworkIdentity::new(
            (id, prefab.asset_id),
            place,
            behaviours,
            &self.relations,
        ))
    }

    /// All objects, by ascending id.
    pub fn identities(&self) -> impl Iterator<Item = NetworkIdentity<'_>> {
        let objects = self.objects.iter();
        objects.filter_map(|(number, replica)| self.identity_of(NetId(number), replica))
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

    /// Whether this client owns an object.
    pub fn is_owner(&self, id: NetId) -> bool {
        self.objects.get(id.0).is_some_and(|replica| replica.owned)
    }

    /// Asks for the objects, or for all of them again after the server has made this client not
    /// ready. Only needed where [`ClientConfig::auto_ready`] is off.
    pub fn ready(&mut self) {
        if self.is_connected() {
            self.send(&Ready {});
        }
    }

    /// Ends the connection; the server is told, in at most 32 767 bytes. The objects stay as they are.
    pub fn disconnect(&mut self, text: &str) {
        let text = &text[..text.floor_char_boundary(MAX_STRING_BYTES)];
        if self.state != ClientState::Disconnected {
            let reason = DisconnectReason::Requested(text.into());
            self.send(&Disconnect {
                reason: crate::message::number(&reason),
                text: text.into(),
            });
            self.end(reason);
        }
    }

    /// The transport has a connection to the server. Objects of a former connection are forgotten, and
    /// their [`on_network_despawn`](crate::NetworkLifecycle::on_network_despawn) runs.
    pub fn handle_connect(&mut self) {
        self.session += 1;
        self.forget_all();
        self.forget_missed();
        self.reparented.clear();
        self.said_parent = None;
        self.deferred.clear();
        self.synchronized = false;
        self.late = Late::default();
        self.server_clock = Clock::default();
        self.framing = Framing::Unet;
        self.joining = false;
        self.server_schema.clear();
        self.desk = Desk::default();
        self.outgoing = Framing::Unet.segments(self.config.packet_size);
        self.packets.clear();
        if self.config.compare_schemas {
            self.state = ClientState::Connecting;
            let schema_hash = self.prefabs.schema_hash();
            self.send(&Connect {
                version: PROTOCOL_VERSION,
                schema_hash,
                framing: self.config.framing,
            });
        } else {
            self.accepted();
        }
    }

    /// The transport has lost the connection.
    pub fn handle_disconnect(&mut self) {
        self.end(DisconnectReason::ConnectionLost);
    }

    /// The client's own time: that of the last update, which does not go back.
    pub fn now(&self) -> Duration {
        self.now
    }

    /// Lets the client do what depends on time. `now` is the time since any fixed moment. If it goes
    /// back, the client's own time stands still for this update and goes on from there.
    ///
    /// What was written to the objects that it owns is sent, when it is due. It sends pings, makes
    /// [`network_time`](Self::network_time) go on, and drops what has been held for too long
    /// ([`ClientConfig::hold_time`]). A game that needs none of that need not call it.
    pub fn update(&mut self, now: Duration) {
        let before = self.now;
        self.now = self.now.saturating_add(now.saturating_sub(self.clock));
        self.clock = now;
        self.server_clock.advance(before, self.now);
        self.send_ping();
        self.drop_expired();
        self.send_writes();
    }

    /// Something that happened, oldest first.
    pub fn poll_event(&mut self) -> Option<ClientEvent> {
        self.events.pop()
    }

    /// How many events were dropped, oldest first, because nobody polled them.
    pub fn missed_events(&self) -> u64 {
        self.events.missed()
    }

    /// The server has let us in.
    fn accepted(&mut self) {
        self.state = ClientState::Connected;
        self.events.push(ClientEvent::Connected);
        if self.config.auto_ready {
            self.send(&Ready {});
        }
    }

    /// The connection is over.
    fn end(&mut self, reason: DisconnectReason) {
        let event = match self.state {
            ClientState::Disconnected => return,
            ClientState::Connecting => ClientEvent::Refused { reason },
            ClientState::Connected => ClientEvent::Disconnected { reason },
        };
        self.state = ClientState::Disconnected;
        self.drop_all_held();
        self.events.push(event);
    }

    /// The objects for which this is true, ascending.
    fn ids(&self, wanted: impl Fn(&Replica) -> bool) -> Vec<NetId> {
        let objects = self.objects.iter().filter(|(_, replica)| wanted(replica));
        objects.map(|(number, _)| NetId(number)).collect()
    }
}
