//! `MemoryNetwork`: a server and its clients in one program, connected by simulated links.

mod compare;
mod links;
mod simulate;
mod stalls;

pub use compare::{DifferenceKind, ReplicaDifference, compare_replicas};

use std::fmt;
use std::time::Duration;

use crate::client::PendingWork;
use crate::{ClientConfig, ClientState, NetworkClient, NetworkServer, ServerConfig};
use syncvar_runtime::conditions::{Conditions, Pipe};
use syncvar_runtime::interest::InterestManagement;
use syncvar_runtime::{Channel, ConnectionId, Endpoint, NetworkBehaviour, PacketLimits, Prefabs};

/// Server and any number of clients, connected in memory: for tests, examples and games on one
/// machine.
///
/// Time is virtual and advances by [`step`](Self::step). The network never sleeps, and equal seeds
/// produce equal runs.
///
/// ```
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Door {
///     #[sync_var]
///     open: SyncVar<bool>,
/// }
///
/// let mut net = MemoryNetwork::new(|| Prefabs::new().register::<Door>("door"));
/// let client = net.connect();
/// let door = net.server.spawn(Door::default());
/// net.settle();
/// net.server.get_mut::<Door>(door).unwrap().open.set(true);
/// net.settle();
/// assert_eq!(net.client(client).get::<Door>(door).unwrap().open, true);
/// ```
#[derive(Debug)]
pub struct MemoryNetwork {
    /// The server.
    pub server: NetworkServer,
    /// Time per [`step`](Self::step); 50 ms by default.
    pub tick: Duration,
    /// Ping interval of the clients that [`connect`](Self::connect) adds; 2 s by default. Zero, before the
    /// first `connect`, limits the traffic to a test's subject.
    pub ping_interval: Duration,
    /// Whether packets of unreliable channels travel as datagrams, for the connections to come. By default
    /// they do if the links of the network lose or reorder packets.
    pub datagrams: bool,
    prefabs: PrefabSource,
    clients: Vec<ClientEnd>,
    link: Conditions,
    now: Duration,
    /// End of the server's stall.
    stalled_until: Duration,
}

/// Builds the registry of each end.
struct PrefabSource(Box<dyn Fn() -> Prefabs + Send + Sync>);

impl fmt::Debug for PrefabSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.0)().fmt(f)
    }
}

/// Client and both directions of its link.
#[derive(Debug)]
struct ClientEnd {
    client: NetworkClient,
    connection: ConnectionId,
    connected: bool,
    /// End of the client's stall.
    stalled_until: Duration,
    down: Pipe,
    up: Pipe,
}

impl ClientEnd {
    /// Returns whether one side has left and the other has received all packets.
    fn is_over(&self, server: &NetworkServer) -> bool {
        let by_server = server.connection_of(self.connection).is_none() && self.down.is_empty();
        let by_client = self.client.state() == ClientState::Disconnected
            && self.up.is_empty()
            && PendingWork::of(&self.client) != PendingWork::Outgoing;
        by_server || by_client
    }

    /// Returns whether the client's loop runs.
    fn runs(&self, now: Duration) -> bool {
        self.connected && now >= self.stalled_until
    }

    /// Closes the link as a transport does: it notifies both sides.
    fn hang_up(&mut self, server: &mut NetworkServer) {
        self.connected = false;
        self.client.handle_disconnect();
        server.handle_disconnect(self.connection);
    }
}

/// Step limit of `settle`.
const MAX_STEPS: usize = 2000;

impl MemoryNetwork {
    /// Creates a server without clients. Both sides use the registry that `prefabs` builds. The links
    /// are instant and lossless.
    pub fn new(prefabs: impl Fn() -> Prefabs + Send + Sync + 'static) -> Self {
        Self::with_config(prefabs, ServerConfig::default(), Conditions::default())
    }

    /// Creates a server with one connected client.
    pub fn pair(prefabs: impl Fn() -> Prefabs + Send + Sync + 'static) -> Self {
        let mut network = Self::new(prefabs);
        network.connect();
        network
    }

    /// Creates a server with the given settings and link quality.
    ///
    /// ```
    /// # use syncvar::*;
    /// # use syncvar::testing::{Conditions, MemoryNetwork};
    /// use std::time::Duration;
    ///
    /// let mut link = Conditions::default();
    /// link.delay = Duration::from_millis(100);
    /// link.loss = 0.02;
    /// let mut net = MemoryNetwork::with_config(Prefabs::new, ServerConfig::default(), link);
    /// let client = net.connect();
    /// net.step();
    /// assert!(!net.client(client).is_connected(), "the handshake is on its way");
    /// net.settle();
    /// assert!(net.client(client).is_connected());
    /// ```
    pub fn with_config(
        prefabs: impl Fn() -> Prefabs + Send + Sync + 'static,
        config: ServerConfig,
        link: Conditions,
    ) -> Self {
        let server = NetworkServer::with_config(prefabs(), config);
        Self::of(server, prefabs, link)
    }

    /// Creates a server with an interest management.
    ///
    /// ```
    /// use syncvar::interest::SpatialGrid;
    /// use syncvar::testing::Conditions;
    /// use syncvar::values::Vector3;
    /// use syncvar::{ServerConfig, prelude::*};
    ///
    /// let (config, link) = (ServerConfig::default(), Conditions::default());
    /// let mut net = MemoryNetwork::with_interest(Prefabs::new, config, link, SpatialGrid::xz(20.0, 50.0));
    /// let client = net.connect();
    /// let connection = net.connection(client);
    /// let grid: &mut SpatialGrid = net.server.interest_mut().unwrap();
    /// grid.watch(connection, Vector3::new(1.0, 0.0, 2.0)).unwrap();
    /// ```
    pub fn with_interest(
        prefabs: impl Fn() -> Prefabs + Send + Sync + 'static,
        config: ServerConfig,
        link: Conditions,
        interest: impl InterestManagement,
    ) -> Self {
        let server = NetworkServer::with_interest(prefabs(), config, interest);
        Self::of(server, prefabs, link)
    }

    fn of(
        server: NetworkServer,
        prefabs: impl Fn() -> Prefabs + Send + Sync + 'static,
        link: Conditions,
    ) -> Self {
        Self {
            server,
            tick: Duration::from_millis(50),
            ping_interval: ClientConfig::default().ping_interval,
            datagrams: link.loss > 0.0 || link.reorder > 0.0 || !link.jitter.is_zero(),
            prefabs: PrefabSource(Box::new(prefabs)),
            clients: Vec::new(),
            link,
            now: Duration::ZERO,
            stalled_until: Duration::ZERO,
        }
    }

    /// Returns the limits of a new link.
    fn limits(&self) -> PacketLimits {
        PacketLimits {
            datagrams: self.datagrams,
            ..PacketLimits::STREAM
        }
    }

    /// Returns the virtual time.
    pub fn now(&self) -> Duration {
        self.now
    }

    /// Adds a client and connects it. Returns its index.
    ///
    /// The client sends pings every [`ping_interval`](Self::ping_interval), so that it knows the
    /// [server's time](NetworkClient::network_time).
    pub fn connect(&mut self) -> usize {
        let config = ClientConfig {
            compare_schemas: self.server.config().compare_schemas,
            ping_interval: self.ping_interval,
            channels: self.server.config().channels.clone(),
            ..ClientConfig::default()
        };
        self.connect_client(NetworkClient::with_config((self.prefabs.0)(), config))
    }

    /// Adds a given client and connects it. Returns its index.
    pub fn connect_client(&mut self, mut client: NetworkClient) -> usize {
        let limits = self.limits();
        Endpoint::handle_connect(&mut client, limits);
        let index = self.clients.len();
        self.clients.push(ClientEnd {
            client,
            connection: Endpoint::handle_connect(&mut self.server, limits),
            connected: true,
            stalled_until: Duration::ZERO,
            down: Pipe::new(&self.link, 2 * index as u64),
            up: Pipe::new(&self.link, 2 * index as u64 + 1),
        });
        index
    }

    /// Returns the number of clients, including disconnected ones.
    pub fn client_count(&self) -> usize {
        self.clients.len()
    }

    /// Returns a client.
    ///
    /// # Panics
    ///
    /// When the index is out of range.
    pub fn client(&self, index: usize) -> &NetworkClient {
        &self.clients[index].client
    }

    /// Returns a client for events and commands.
    ///
    /// # Panics
    ///
    /// When the index is out of range.
    pub fn client_mut(&mut self, index: usize) -> &mut NetworkClient {
        &mut self.clients[index].client
    }

    /// Returns the server's number of a client. It stays if the client returns to its session.
    ///
    /// # Panics
    ///
    /// When the index is out of range.
    pub fn connection(&self, index: usize) -> ConnectionId {
        let link = self.clients[index].connection;
        self.server.connection_of(link).unwrap_or(link)
    }

    /// Returns whether a client's link is up. It goes down after either side has left and its last
    /// packet has arrived.
    ///
    /// # Panics
    ///
    /// When the index is out of range.
    pub fn is_connected(&self, index: usize) -> bool {
        self.clients[index].connected
    }

    /// Advances the time by one tick: clients update, their packets arrive, the server updates, its
    /// packets arrive. A link that one side has left goes down after the last packet. The loop of a stalled end does
    /// not run.
    pub fn step(&mut self) {
        self.step_with(|_, _| {});
    }

    /// Advances the time by one tick as [`step`](Self::step) does, and runs the game of the server between the arrival
    /// of the packets and the update, as a transport does: with the time of the update. The game of a
    /// [stalled](Self::stall_server) server does not run.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// let mut net = MemoryNetwork::pair(Prefabs::new);
    /// let mut ticks = Vec::new();
    /// for _ in 0..3 {
    ///     net.step_with(|server, now| ticks.extend(server.ticks_until(now))); // 30 ticks per second
    /// }
    /// assert_eq!(ticks, [1, 2, 3, 4]);
    /// assert_eq!(net.server.network_time().tick, 4);
    /// ```
    pub fn step_with(&mut self, game: impl FnOnce(&mut NetworkServer, Duration)) {
        self.now += self.tick;
        self.update_clients();
        if self.now >= self.stalled_until {
            self.update_server(game);
        }
        for end in self.clients.iter_mut().filter(|end| end.runs(self.now)) {
            while let Some((carrier, channel, packet)) = end.down.next_arrived(self.now) {
                // The client's events report unreadable objects.
                let _ = match carrier {
                    Channel::Reliable => end.client.handle_packet(channel, &packet),
                    Channel::Unreliable => end.client.handle_datagram(channel, &packet),
                };
            }
            if end.is_over(&self.server) {
                end.hang_up(&mut self.server);
            }
        }
    }

    fn update_clients(&mut self) {
        for end in self.clients.iter_mut().filter(|end| end.runs(self.now)) {
            end.client.update(self.now);
            while let Some(packet) = end.client.poll_transmit() {
                let place = (packet.delivery, packet.channel);
                end.up.send(self.now, place, packet.bytes);
            }
        }
    }

    fn update_server(&mut self, game: impl FnOnce(&mut NetworkServer, Duration)) {
        for end in self.clients.iter_mut().filter(|end| end.connected) {
            while self.server.accepts_packets(end.connection)
                && let Some((carrier, channel, packet)) = end.up.next_arrived(self.now)
            {
                let (server, connection) = (&mut self.server, end.connection);
                // The server's events report malformed packets.
                let _ = match carrier {
                    Channel::Reliable => server.handle_packet(connection, channel, &packet),
                    Channel::Unreliable => server.handle_datagram(connection, channel, &packet),
                };
            }
        }
        game(&mut self.server, self.now);
        // The network sets its own rate.
        Endpoint::update(&mut self.server, self.now);
        self.carry_down();
    }

    /// Moves the server's packets to the links.
    fn carry_down(&mut self) {
        while let Some(transmit) = self.server.poll_transmit() {
            let (place, bytes) = ((transmit.delivery, transmit.channel), transmit.to_bytes());
            let connection = transmit.connection;
            let end = self
                .clients
                .iter_mut()
                .find(|end| end.connection == connection);
            if let Some(end) = end.filter(|end| end.connected) {
                end.down.send(self.now, place, bytes);
            }
        }
    }

    /// Advances the time until no end is stalled, no packet is in flight and both sides have sent all data, for at most
    /// 2000 ticks.
    pub fn settle(&mut self) {
        for _ in 0..MAX_STEPS {
            self.step();
            let now = self.now;
            let connected = self.clients.iter_mut().filter(|end| end.connected);
            let busy = connected.into_iter().any(|end| {
                !end.runs(now)
                    || !end.up.is_empty()
                    || !end.down.is_empty()
                    || PendingWork::of(&end.client) != PendingWork::Done
            });
            if !busy && now >= self.stalled_until && self.server.is_idle() {
                break;
            }
        }
    }

    /// Returns the first behaviour of type `B` on an object, as each connected client sees it.
    pub fn replicas<B: NetworkBehaviour>(
        &self,
        id: syncvar_runtime::NetId,
    ) -> impl Iterator<Item = Option<&B>> {
        let connected = self.clients.iter().filter(|end| end.connected);
        connected.map(move |end| end.client.get(id))
    }
}
