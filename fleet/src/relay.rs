//! `Relay`: spectators of an origin, on a machine of their own.
//!
//! ```text
//! carrier ──> Arrivals ──> Playout ──> World: NetworkServer::handle_record ──> clients over any transport
//!   ^            │ gap        │ time of the record + delay      │
//!   │            v            └──> publish, unchanged           └── state() answers the relays below
//!   └──────── Upstream: which source, when a keyframe
//! ```
//!
//! A record is decoded once, for all spectators. The records go on to the relays below as they came, with the numbers of the
//! origin, so a relay may turn to a second source without a keyframe. A keyframe is written here: no join, and no relay
//! below, reaches the origin.

mod arrivals;
pub(crate) mod clock;
mod config;
mod endpoint;
mod forwarding;
pub(crate) mod links;
mod playout;
mod upstream;
pub(crate) mod world;

pub use config::RelayConfig;
pub use world::WorldError;

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use syncvar_net::{NetworkServer, ServerConfig, ServerEvent, TickRecord};
use syncvar_runtime::Prefabs;
use syncvar_runtime::events::Events;

use crate::{Carrier, CarrierEvent, NodeId, Question, QuestionId, Topic, WorldState};
use arrivals::{Arrivals, KeyframeArrival};
use clock::OriginClock;
use forwarding::Forwarding;
use links::Links;
use playout::{Held, Playout};
use upstream::Upstream;
use world::{MakeServer, World};

/// Most events that wait for the program.
const MAX_EVENTS: usize = 4096;

/// Counters of a relay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RelayStats {
    /// Records that were played, each once for all spectators.
    pub records: u64,
    /// Records with a wrong checksum or a malformed field.
    pub damaged: u64,
    /// Keyframes of the source that were taken.
    pub keyframes: u64,
    /// Origins that were followed so far.
    pub worlds: u64,
    /// Messages of spectators that were not forwarded.
    pub refused: u64,
}

/// Follows an origin over a [`Carrier`], and serves its objects to spectators: an
/// [`Endpoint`](syncvar_runtime::Endpoint) for every transport.
///
/// A relay needs neither prefabs nor game code. It learns the schema with the first keyframe, so it is a program without game code. Spectators are
/// ordinary clients, with compiled types or without. They get their snapshots, the repair of lost datagrams, their views and their
/// budgets from the relay alone.
///
/// * The first of the carrier's [sources](Carrier::sources) is followed, and the next one when it ends or is silent for 1.5 s.
/// * A missing or damaged record makes the relay ask for a keyframe, at most once a second. Spectators keep their objects, and
///   receive the fields that differ.
/// * A new origin (a new incarnation) closes the links of its spectators. They return and find the new world.
///
/// ```
/// use std::time::Duration;
/// use syncvar::{ConnectionId, Endpoint, PacketLimits, ServerConfig, prelude::*};
/// use syncvar_fleet::memory::MemoryFleet;
/// use syncvar_fleet::{Carrier, Origin, Relay, RelayConfig, Role};
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Door {
///     #[sync_var]
///     open: SyncVar<bool>,
/// }
/// let prefabs = || Prefabs::new().register::<Door>("door");
///
/// let config = ServerConfig { incarnation: 7, ..ServerConfig::default() };
/// let mut server = NetworkServer::with_config(prefabs(), config);
/// let door = server.spawn(Door { open: true.into() });
/// let mut origin = Origin::begin(&mut server)?;
///
/// let fleet = MemoryFleet::new(1);
/// let (mut here, there) = (fleet.node(Role::Origin, ""), fleet.node(Role::Relay, ""));
/// fleet.connect(there.id(), here.id());
/// let mut relay = Relay::new(there, RelayConfig::default());
/// let mut spectator = NetworkClient::new(prefabs());
/// let link = relay.handle_connect(PacketLimits::STREAM);
/// spectator.handle_connect();
///
/// for tick in 1..100 {
///     let now = Duration::from_millis(33 * tick);
///     server.update(now);
///     origin.pump(&mut server, &mut here, now);
///     fleet.update(now);
///     relay.update(now);
///     spectator.update(now);
///     while let Some(packet) = relay.poll_transmit() {
///         spectator.handle_packet(packet.channel, &packet.to_bytes())?;
///     }
///     while relay.accepts_packets(link) && let Some(packet) = spectator.poll_transmit() {
///         relay.handle_packet(link, packet.channel, &packet.bytes)?;
///     }
/// }
/// assert_eq!(spectator.get::<Door>(door).unwrap().open, true);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Relay<C> {
    carrier: C,
    config: RelayConfig,
    make: MakeServer,
    upstream: Upstream,
    arrivals: Arrivals,
    playout: Playout,
    clock: OriginClock,
    world: Option<World>,
    links: Links,
    forwarding: Forwarding,
    stats: RelayStats,
    events: Events<ServerEvent>,
}

impl<C: fmt::Debug> fmt::Debug for Relay<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relay")
            .field("carrier", &self.carrier)
            .field("source", &self.upstream.source())
            .field("stats", &self.stats)
            .finish_non_exhaustive()
    }
}

impl<C: Carrier> Relay<C> {
    /// Creates a relay on a carrier.
    pub fn new(carrier: C, config: RelayConfig) -> Self {
        Self::with_server(carrier, config, NetworkServer::with_config)
    }

    /// Creates a relay whose server comes from the program, for an
    /// [interest management](NetworkServer::with_interest) of its own. `make` runs for each origin, and returns a server without
    /// objects, with these prefabs and settings.
    pub fn with_server(
        carrier: C,
        config: RelayConfig,
        make: impl FnMut(Prefabs, ServerConfig) -> NetworkServer + Send + 'static,
    ) -> Self {
        let forwarding = Forwarding::new(&config.forwarded);
        Self {
            carrier,
            config,
            make: Box::new(make),
            upstream: Upstream::default(),
            arrivals: Arrivals::default(),
            playout: Playout::default(),
            clock: OriginClock::default(),
            world: None,
            links: Links::default(),
            forwarding,
            stats: RelayStats::default(),
            events: Events::with_limit(MAX_EVENTS),
        }
    }

    /// Returns the server for the spectators; `None` before the first keyframe.
    pub fn server(&self) -> Option<&NetworkServer> {
        Some(&self.world.as_ref()?.server)
    }

    /// Returns the server for the spectators, for its views and groups. The objects are those of the origin: the program
    /// neither spawns nor changes any.
    pub fn server_mut(&mut self) -> Option<&mut NetworkServer> {
        Some(&mut self.world.as_mut()?.server)
    }

    /// Returns the node that the relay follows.
    pub fn source(&self) -> Option<NodeId> {
        self.upstream.source()
    }

    /// Returns the carrier.
    pub fn carrier(&self) -> &C {
        &self.carrier
    }

    /// Returns the carrier, for the program's own questions.
    pub fn carrier_mut(&mut self) -> &mut C {
        &mut self.carrier
    }

    /// Returns the counters.
    pub fn stats(&self) -> RelayStats {
        RelayStats {
            refused: self.forwarding.refused,
            ..self.stats
        }
    }

    /// Returns the oldest event of the spectators, such as a join. Messages are not among them: they are forwarded or refused.
    pub fn poll_event(&mut self) -> Option<ServerEvent> {
        self.events.pop()
    }

    /// Ends the links of the spectators, as if they were lost: their clients return, to an [alternate](RelayConfig::alternates) or to the
    /// same address, and keep their objects. For a relay that is about to end.
    pub fn release(&mut self) {
        if let Some(world) = &mut self.world {
            self.links.close_all(&mut world.server);
        }
    }

    /// Takes the input of the carrier, plays the records that are due, and updates the spectators. `now` is the time since a
    /// fixed moment.
    pub fn update(&mut self, now: Duration) {
        self.carrier.update(now);
        while let Some(event) = self.carrier.poll() {
            self.take_event(event, now);
        }
        self.play_due(now);
        let lacks_state = self
            .world
            .as_ref()
            .is_some_and(|it| it.server.lacks_records());
        let lacks = self.arrivals.lack() || lacks_state;
        let is_urgent = self.world.is_none();
        self.upstream
            .update(&mut self.carrier, now, lacks, is_urgent);
        if let Some(world) = &mut self.world {
            // Once for all records: a transport polls the packets behind each update.
            world.update(now);
        }
        self.take_messages();
    }

    fn take_event(&mut self, event: CarrierEvent, now: Duration) {
        match event {
            CarrierEvent::Record {
                publisher,
                topic: Topic::WORLD,
                bytes,
            } => {
                if self.upstream.hear(publisher, now) {
                    self.take_record(&bytes, now);
                }
            }
            CarrierEvent::Asked { from, id, question } => self.take_question(from, id, &question),
            CarrierEvent::Answered { id, answer } => {
                if self.upstream.take_answer(id) {
                    if let Some(bytes) = answer {
                        self.take_state(&bytes, now);
                    }
                } else {
                    self.forwarding.take_answer(id, answer.is_some());
                }
            }
            CarrierEvent::Record { .. } | CarrierEvent::Joined(_) | CarrierEvent::Left(_) => {}
        }
    }

    /// Takes a record of the source. A damaged record counts as missing.
    fn take_record(&mut self, bytes: &[u8], now: Duration) {
        let record = match TickRecord::from_bytes(bytes) {
            Ok(record) => record,
            Err(error) => {
                tracing::debug!(%error, "a damaged record");
                self.stats.damaged += 1;
                return;
            }
        };
        if !record.is_keyframe() && self.arrivals.take(&record) {
            let due = self.due(&record, now);
            self.playout.push(due, Held::Record(record));
        }
    }

    /// Takes the state of the world of the source.
    fn take_state(&mut self, bytes: &[u8], now: Duration) {
        let state = match WorldState::from_bytes(bytes) {
            Ok(state) => state,
            Err(error) => {
                tracing::debug!(%error, "a damaged keyframe");
                self.stats.damaged += 1;
                return;
            }
        };
        match self.arrivals.take_keyframe(&state.keyframe) {
            KeyframeArrival::Former => return,
            KeyframeArrival::SameOrigin => {}
            KeyframeArrival::NewOrigin => self.clock = OriginClock::default(),
        }
        self.stats.keyframes += 1;
        let due = self.due(&state.keyframe, now);
        self.playout.push(due, Held::State(Box::new(state)));
    }

    /// Returns the time at which a record is played.
    fn due(&mut self, record: &TickRecord, now: Duration) -> Duration {
        self.clock.sample(now, record.time());
        if self.config.delay.is_zero() {
            return now;
        }
        self.clock.own_time(record.time()) + self.config.delay
    }

    fn take_question(&mut self, from: NodeId, id: QuestionId, question: &Question) {
        let Some(world) = &mut self.world else {
            return;
        };
        match question {
            Question::Keyframe(Topic::WORLD) => {
                if let Some(state) = world.state() {
                    self.carrier.answer(from, id, state);
                }
            }
            Question::Keyframe(_) => {}
            Question::Call(bytes) => {
                if self.forwarding.pass(&world.server, bytes) {
                    self.carrier.answer(from, id, Bytes::new());
                }
            }
        }
    }

    /// Plays the records whose time has come.
    fn play_due(&mut self, now: Duration) {
        let max_bytes = self.config.max_delayed_bytes;
        while let Some(held) = self.playout.pop(now, max_bytes) {
            match held {
                Held::Record(record) => self.play(&record, now),
                Held::State(state) => self.play_state(&state, now),
            }
        }
    }

    fn play(&mut self, record: &TickRecord, now: Duration) {
        let world = self.world.as_mut();
        let Some(world) = world.filter(|world| world.origin() == record.origin()) else {
            return;
        };
        self.stats.records += 1;
        world.play(record, now);
        self.carrier.publish(Topic::WORLD, record.to_bytes());
    }

    fn play_state(&mut self, state: &WorldState, now: Duration) {
        let known = self.world.as_mut();
        if let Some(world) = known.filter(|world| world.origin() == state.keyframe.origin()) {
            world.play(&state.keyframe, now);
            return;
        }
        match World::begin(state, &self.config, &mut self.make, now) {
            Ok(world) => self.begin_world(world),
            Err(error) => tracing::error!(%error, "a relay cannot follow an origin"),
        }
    }

    /// Turns the spectators to a new origin.
    fn begin_world(&mut self, mut world: World) {
        self.take_messages();
        if let Some(former) = &mut self.world {
            self.links.close_all(&mut former.server);
        }
        self.links.enter(&mut world.server);
        self.stats.worlds += 1;
        self.world = Some(world);
    }

    /// Takes the events of the server: the messages of spectators go to the source, or are refused.
    fn take_messages(&mut self) {
        let Some(world) = &mut self.world else {
            return;
        };
        let relay = self.carrier.id();
        while let Some(event) = world.server.poll_event() {
            match event {
                ServerEvent::Message {
                    connection,
                    message,
                } => {
                    self.forwarding
                        .take(&world.server, relay, connection, &message);
                }
                event => self.events.push(event),
            }
        }
        if let Some(source) = self.upstream.source() {
            self.forwarding.send(&mut self.carrier, source);
        }
    }
}
