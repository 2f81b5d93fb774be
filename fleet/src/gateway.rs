//! Gateway: players of a world that is partitioned over zones.
//!
//! ```text
//! zones ──> ZoneStreams ──> Copies ────────> RecordMerge ──> NetworkServer::handle_record ──> clients over any transport
//!             order, gaps,    which zone has   one record         │
//!             due ticks       the object       for each tick      ├── commands ──> CommandSender ──> zones, each once
//!                                                                 ├── inputs ────> InputRoutes ────> zones
//!                                                                 └── clients ───> Players ────────> zones: remote connections
//! ```
//!
//! The server of the gateway follows one sequence of records, as that of a relay. The gateway writes this sequence from the records of
//! the zones. So its clients have one connection, one space of ids and one sequence of ticks; views, budgets and repairs of losses are
//! those of any server.

mod config;
mod endpoint;
mod inputs;
mod players;
mod shift;
mod streams;
mod world;

pub use config::GatewayConfig;

use std::fmt;
use std::time::Duration;

use syncvar_net::{NetworkServer, ServerConfig, ServerEvent};
use syncvar_runtime::events::Events;
use syncvar_runtime::{ConnectionId, NetId, Prefabs};

use crate::relay::links::Links;
use crate::relay::world::MakeServer;
use crate::zone::{CommandSender, ZoneId};
use crate::{Carrier, CarrierEvent, NoIncarnation, Topic};
use inputs::InputRoutes;
use players::Players;
use streams::ZoneStreams;
use world::GatewayWorld;

/// Most events that wait for the program.
const MAX_EVENTS: usize = 4096;

/// Most commands of a client to an object that wait for a zone.
const MAX_PENDING: usize = 1024;

/// Counters of a gateway.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GatewayStats {
    /// Records of zones that were played, each once for all clients.
    pub records: u64,
    /// Records and keyframes with a wrong checksum or a malformed field.
    pub damaged: u64,
    /// Keyframes of zones that were played.
    pub keyframes: u64,
    /// Objects that have turned from a zone to another zone.
    pub turns: u64,
    /// Objects that have ended because no zone had them for [`GatewayConfig::hold`].
    pub expired: u64,
    /// Commands that were not sent: of a client with the framing `Unet`, or beyond 1 024 without an answer.
    pub refused: u64,
}

/// Serves the objects of all zones to players: an [`Endpoint`](syncvar_runtime::Endpoint) for every transport. See the page "Gateway" of the
/// guide.
///
/// A gateway needs neither prefabs nor game code. Its clients are ordinary clients, and do not know that there are zones:
///
/// * An object that crosses a border stays on the clients: no despawn, no hook for a field that is equal.
/// * A command runs once, in the zone with the object. Inputs reach the zone that steps the object, so predictions go on.
/// * An object belongs to the client whose connection has the [key](NetworkServer::set_player_key) of its player, in every zone. The program sets
///   the key at [`ServerEvent::Connected`] or in the rule of admission; without one the client is a player of its own.
/// * Each client is a [remote connection](NetworkServer::connect_remote) of every zone.
///
/// ```
/// use std::time::Duration;
/// use syncvar::{Endpoint, PacketLimits, ServerConfig, prelude::*};
/// use syncvar_fleet::gateway::{Gateway, GatewayConfig};
/// use syncvar_fleet::memory::MemoryFleet;
/// use syncvar_fleet::zone::{Regions, VoterId, Zone, ZoneConfig, ZoneId};
/// use syncvar_fleet::{Carrier, Role};
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Walker {
///     #[sync_var]
///     x: SyncVar<f32>,
/// }
/// let prefabs = || Prefabs::new().register::<Walker>("walker");
/// let server = |incarnation| ServerConfig { incarnation, ..ServerConfig::default() };
///
/// let fleet = MemoryFleet::new(1);
/// let (node, there) = (fleet.node(Role::Zone, ""), fleet.node(Role::Gateway, ""));
/// fleet.connect(there.id(), node.id());
/// let mut config = ZoneConfig::new(ZoneId(1));
/// (config.voter, config.voters) = (Some(VoterId(1)), vec![VoterId(1)]);
/// config.server = server(7);
/// let everywhere = Regions::new(|_server, _object| None);
/// let (mut zone, mut node) = (Zone::new(config, prefabs, everywhere)?, node);
///
/// let config = GatewayConfig { server: server(8), ..GatewayConfig::default() };
/// let mut gateway = Gateway::new(there, config)?;
/// let mut client = NetworkClient::new(prefabs());
/// let link = gateway.handle_connect(PacketLimits::STREAM);
/// client.handle_connect();
/// for tick in 1..300 {
///     let now = Duration::from_millis(33 * tick);
///     fleet.update(now);
///     zone.receive(&mut node, now, &mut ());
///     if let Some(server) = zone.server_mut() && server.object_count() == 0 {
///         server.spawn(Walker { x: 5.0.into() });
///     }
///     zone.update(now, &mut ());
///     zone.transmit(&mut node, now);
///     gateway.update(now);
///     client.update(now);
///     while let Some(packet) = gateway.poll_transmit() {
///         client.handle_packet(packet.channel, &packet.to_bytes())?;
///     }
///     while gateway.accepts_packets(link) && let Some(packet) = client.poll_transmit() {
///         gateway.handle_packet(link, packet.channel, &packet.bytes)?;
///     }
/// }
/// let walker = client.identities().next().unwrap().net_id();
/// assert_eq!(client.get::<Walker>(walker).unwrap().x, 5.0);
/// assert_eq!(gateway.zone_of(walker), Some(ZoneId(1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Gateway<C> {
    carrier: C,
    config: GatewayConfig,
    make: MakeServer,
    streams: ZoneStreams,
    world: Option<GatewayWorld>,
    players: Players,
    sender: CommandSender,
    inputs: InputRoutes,
    links: Links,
    stats: GatewayStats,
    events: Events<ServerEvent>,
}

impl<C: fmt::Debug> fmt::Debug for Gateway<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway")
            .field("carrier", &self.carrier)
            .field("stats", &self.stats)
            .finish_non_exhaustive()
    }
}

impl<C: Carrier> Gateway<C> {
    /// Creates a gateway on a carrier that reaches all zones.
    ///
    /// # Errors
    ///
    /// For a server without an [incarnation](ServerConfig::incarnation).
    pub fn new(carrier: C, config: GatewayConfig) -> Result<Self, NoIncarnation> {
        Self::with_server(carrier, config, NetworkServer::with_config)
    }

    /// Creates a gateway whose server comes from the program, for an [interest management](NetworkServer::with_interest) of its own. `make`
    /// returns a server without objects, with these prefabs and settings.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_server(
        carrier: C,
        config: GatewayConfig,
        make: impl FnMut(Prefabs, ServerConfig) -> NetworkServer + Send + 'static,
    ) -> Result<Self, NoIncarnation> {
        if config.server.incarnation == 0 {
            return Err(NoIncarnation);
        }
        Ok(Self {
            carrier,
            config,
            make: Box::new(make),
            streams: ZoneStreams::default(),
            world: None,
            players: Players::default(),
            sender: CommandSender::of_calls(),
            inputs: InputRoutes::default(),
            links: Links::default(),
            stats: GatewayStats::default(),
            events: Events::with_limit(MAX_EVENTS),
        })
    }

    /// Returns the server for the clients; `None` before the first keyframe of a zone.
    pub fn server(&self) -> Option<&NetworkServer> {
        Some(&self.world.as_ref()?.server)
    }

    /// Returns the server for the clients, for its views, groups, keys of players and messages. The objects are those of the zones: the program
    /// neither spawns nor changes any, nor gives any to a connection.
    pub fn server_mut(&mut self) -> Option<&mut NetworkServer> {
        Some(&mut self.world.as_mut()?.server)
    }

    /// Returns the zone with an object; `None` for an object on its way, and for an unknown object.
    pub fn zone_of(&self, object: NetId) -> Option<ZoneId> {
        self.world.as_ref()?.copies.zone(object)
    }

    /// Returns the zones that the gateway follows, ascending.
    pub fn zones(&self) -> impl Iterator<Item = ZoneId> {
        self.streams.zones()
    }

    /// Returns the number of commands that no zone has acknowledged.
    pub fn pending_commands(&self) -> usize {
        self.sender.pending()
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
    pub fn stats(&self) -> GatewayStats {
        GatewayStats {
            damaged: self.streams.damaged,
            ..self.stats
        }
    }

    /// Returns the oldest event of the clients, such as a join or a message of the program. Commands are not among them: they go to the
    /// zones.
    pub fn poll_event(&mut self) -> Option<ServerEvent> {
        self.events.pop()
    }

    /// Ends the links of the clients, as if they were lost: they return, to an [alternate](GatewayConfig::alternates) or to the same address, and
    /// keep their objects. For a gateway that is about to end.
    pub fn release(&mut self) {
        if let Some(world) = &mut self.world {
            self.links.close_all(&mut world.server);
        }
    }

    /// Takes the input of the carrier, plays the records that are due, and updates the clients. `now` is the time since a fixed moment.
    pub fn update(&mut self, now: Duration) {
        self.carrier.update(now);
        while let Some(event) = self.carrier.poll() {
            let event = self.sender.take_event(&mut self.carrier, event, now);
            if let Some(event) = event {
                self.take_event(event, now);
            }
        }
        let directory = &self.sender.directory;
        self.streams.update(&mut self.carrier, directory, now);
        self.begin_world(now);
        let has_ticked = self.play_due(now);
        self.take_events(now);
        self.players
            .update(&mut self.carrier, &mut self.sender, now);
        self.sender.update(&mut self.carrier, now);
        if let Some(world) = self.world.as_mut().filter(|_| has_ticked) {
            let (server, tick) = (&mut world.server, world.tick);
            let (carrier, streams) = (&mut self.carrier, &mut self.streams);
            self.inputs
                .send(carrier, server, &self.players, streams, tick);
        }
    }

    fn take_event(&mut self, event: CarrierEvent, now: Duration) {
        match event {
            CarrierEvent::Record {
                publisher,
                topic: Topic::GATEWAY,
                bytes,
            } => self.streams.take_record(publisher, &bytes, now),
            CarrierEvent::Answered { id, answer } => {
                let answer = answer.as_ref();
                let _ = self.inputs.take_answer(id, answer)
                    || self.players.take_answer(id, answer.is_some())
                    || self.streams.take_answer(&mut self.carrier, id, answer, now);
            }
            CarrierEvent::Record { .. }
            | CarrierEvent::Asked { .. }
            | CarrierEvent::Joined(_)
            | CarrierEvent::Left(_) => {}
        }
    }

    /// Begins with the first keyframe of a zone.
    fn begin_world(&mut self, now: Duration) {
        if self.world.is_some() {
            return;
        }
        for (zone, stream) in self.streams.iter_mut() {
            let Some(state) = stream.state() else {
                continue;
            };
            match GatewayWorld::begin(&state.state, &self.config, &mut self.make, now) {
                Ok(mut world) => {
                    self.links.enter(&mut world.server);
                    self.world = Some(world);
                    return;
                }
                Err(error) => {
                    tracing::error!(%zone, %error, "a gateway cannot follow a zone");
                    stream.drop_state();
                }
            }
        }
    }

    /// Plays the records that are due, once in each tick. Returns whether a tick has begun.
    fn play_due(&mut self, now: Duration) -> bool {
        let Some(world) = &mut self.world else {
            return false;
        };
        let has_ticked = world.begin_tick(now);
        if has_ticked {
            world.play(&mut self.streams, &self.config, &mut self.stats, now);
            let is_whole = world.end_tick(&self.config, &mut self.stats, now);
            if !is_whole {
                self.streams.need_keyframes();
            }
            for object in world.ended.drain(..) {
                self.players.forget_object(object);
                self.sender.forget_object(object);
            }
            for object in world.expired.drain(..) {
                // It may return: the numbers of its commands go on.
                self.players.forget_object(object);
            }
            for (object, key) in world.owners.drain(..) {
                self.players.set_player(&mut world.server, object, key);
            }
            for message in world.messages.drain(..) {
                if let Some(connection) = self.players.connection(message.client) {
                    let (channel, bytes) = (message.channel, &message.message);
                    world.server.send_remote(connection, channel, bytes);
                }
            }
            world.update(now);
        }
        has_ticked
    }

    /// Takes the events of the server: commands go to the zones.
    fn take_events(&mut self, now: Duration) {
        let Some(world) = &mut self.world else {
            return;
        };
        let gateway = self.carrier.id();
        while let Some(event) = world.server.poll_event() {
            match event {
                ServerEvent::Called(called) => {
                    let sender = called.sender().unwrap_or(ConnectionId::SERVER);
                    let client = self.players.client(sender);
                    let command = client.zip(world.server.command_bytes(&called));
                    let is_sent = command.is_some_and(|(client, bytes)| {
                        let object = called.object();
                        let zone = world.copies.zone(object);
                        let sender = &mut self.sender;
                        sender.send_within(client, object, zone, bytes, MAX_PENDING)
                    });
                    self.stats.refused += u64::from(!is_sent);
                    continue;
                }
                ServerEvent::Ready { connection } => {
                    self.players.add(&mut world.server, gateway, connection);
                }
                ServerEvent::Disconnected { connection, .. } => {
                    self.players.leave(connection, now);
                }
                _ => {}
            }
            self.events.push(event);
        }
    }
}
