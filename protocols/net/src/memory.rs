//! `MemoryNetwork`: a server and its clients in one program, over links without a network.

mod link;

pub use link::Link;

use std::time::Duration;

use link::Pipe;

use crate::{
    ClientConfig, ClientState, ConnectionId, NetworkBehaviour, NetworkClient, NetworkServer,
    Prefabs, ServerConfig,
};

/// A server and any number of clients, connected in memory: for tests, examples and games on one
/// machine. Time is virtual and moves by [`step`](Self::step); nothing sleeps, and the same seed
/// gives the same run.
///
/// ```
/// # use syncvar::*;
/// # #[derive(Default)] struct Door { open: SyncVar<bool> }
/// # impl NetworkBehaviour for Door {
/// #     type Previous = ();
/// #     const SCHEMA: BehaviourSchema = BehaviourSchema { name: "Door", base: None, fields: &[] };
/// #     fn sync_var_dirty_bits(&self) -> u64 { self.open.is_dirty().into() }
/// #     fn set_dirty_bit(&mut self, _: u64) { self.open.set_dirty(); }
/// #     fn clear_all_dirty_bits(&mut self) { self.open.clear_dirty(); }
/// #     fn on_serialize(&mut self, writer: &mut NetworkWriter, _: bool) -> bool { writer.write(&*self.open); true }
/// #     fn on_deserialize(&mut self, reader: &mut NetworkReader<'_>, _: bool) -> Result<(), ReadError> {
/// #         self.open = reader.read::<bool>()?.into(); Ok(())
/// #     }
/// # }
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
    /// How far [`step`](Self::step) moves the time; 50 ms at first.
    pub tick: Duration,
    prefabs: fn() -> Prefabs,
    clients: Vec<End>,
    link: Link,
    now: Duration,
}

/// A client, and what is on its way to it and from it.
#[derive(Debug)]
struct End {
    client: NetworkClient,
    connection: ConnectionId,
    connected: bool,
    down: Pipe,
    up: Pipe,
}

impl End {
    /// Whether one side has left, and the other has received what was sent before that.
    fn is_left(&self, server: &NetworkServer) -> bool {
        let by_server = !server.has_connection(self.connection) && self.down.is_empty();
        let by_client = self.client.state() == ClientState::Disconnected
            && self.up.is_empty()
            && !self.client.has_outgoing();
        by_server || by_client
    }

    /// Takes the link down, as a transport does: both sides notice unless they knew.
    fn hang_up(&mut self, server: &mut NetworkServer) {
        self.connected = false;
        self.client.handle_disconnect();
        server.handle_disconnect(self.connection);
    }
}

/// More steps than any state needs to come to rest.
const MANY_STEPS: usize = 2000;

impl MemoryNetwork {
    /// A server without clients; both sides are given the registry that `prefabs` builds. The links
    /// have no delay and lose nothing.
    pub fn new(prefabs: fn() -> Prefabs) -> Self {
        Self::with_config(prefabs, ServerConfig::default(), Link::default())
    }

    /// A server and one client, connected.
    pub fn pair(prefabs: fn() -> Prefabs) -> Self {
        let mut network = Self::new(prefabs);
        network.connect();
        network
    }

    /// A server with settings of its own, and links of this quality.
    pub fn with_config(prefabs: fn() -> Prefabs, config: ServerConfig, link: Link) -> Self {
        Self {
            server: NetworkServer::with_config(prefabs(), config),
            tick: Duration::from_millis(50),
            prefabs,
            clients: Vec::new(),
            link,
            now: Duration::ZERO,
        }
    }

    /// The virtual time.
    pub fn now(&self) -> Duration {
        self.now
    }

    /// Adds a client and connects it. Returns its index. It does not ask for the server's time, so that
    /// nothing is sent but what a test is about; use [`connect_client`](Self::connect_client) for one
    /// that does.
    pub fn connect(&mut self) -> usize {
        let config = ClientConfig {
            compare_schemas: self.server.config().compare_schemas,
            ping_interval: Duration::ZERO,
            channels: self.server.config().channels.clone(),
            ..ClientConfig::default()
        };
        self.connect_client(NetworkClient::with_config((self.prefabs)(), config))
    }

    /// Adds a client of your own making and connects it. Returns its index.
    pub fn connect_client(&mut self, mut client: NetworkClient) -> usize {
        client.handle_connect();
        let index = self.clients.len();
        self.clients.push(End {
            client,
            connection: self.server.handle_connect(),
            connected: true,
            down: Pipe::new(&self.link, 2 * index as u64),
            up: Pipe::new(&self.link, 2 * index as u64 + 1),
        });
        index
    }

    /// How many clients there are, those that were disconnected included.
    pub fn client_count(&self) -> usize {
        self.clients.len()
    }

    /// A client.
    ///
    /// # Panics
    ///
    /// When there is no client of this index.
    pub fn client(&self, index: usize) -> &NetworkClient {
        &self.clients[index].client
    }

    /// A client, for events and commands.
    ///
    /// # Panics
    ///
    /// When there is no client of this index.
    pub fn client_mut(&mut self, index: usize) -> &mut NetworkClient {
        &mut self.clients[index].client
    }

    /// The server's number for a client.
    ///
    /// # Panics
    ///
    /// When there is no client of this index.
    pub fn connection(&self, index: usize) -> ConnectionId {
        self.clients[index].connection
    }

    /// Whether a client's link is up. It is until either side has left and its goodbye has arrived;
    /// then neither has a connection any more.
    ///
    /// # Panics
    ///
    /// When there is no client of this index.
    pub fn is_connected(&self, index: usize) -> bool {
        self.clients[index].connected
    }

    /// Cuts the link of a client: what is on its way is lost, and both sides notice.
    ///
    /// # Panics
    ///
    /// When there is no client of this index.
    pub fn cut(&mut self, index: usize) {
        let end = &mut self.clients[index];
        if end.connected {
            end.hang_up(&mut self.server);
        }
    }

    /// Lets one tick pass: the clients update, packets from them arrive, the server updates, packets from the server
    /// arrive. A link that one side has left goes down when nothing is on its way to the other.
    pub fn step(&mut self) {
        self.now += self.tick;
        for end in self.clients.iter_mut().filter(|end| end.connected) {
            end.client.update(self.now);
            while let Some(packet) = end.client.poll_transmit() {
                let kind = end
                    .client
                    .config()
                    .channels
                    .get(usize::from(packet.channel));
                let reliable = kind != Some(&crate::Channel::Unreliable);
                end.up
                    .send(self.now, packet.channel, packet.bytes, reliable);
            }
            for (_, packet) in end.up.arrived(self.now) {
                // What is wrong with a packet is told by the server's events.
                let _ = self.server.handle_packet(end.connection, &packet);
            }
        }
        self.server.update(self.now);
        self.carry_down();
        for end in self.clients.iter_mut().filter(|end| end.connected) {
            for (channel, packet) in end.down.arrived(self.now) {
                // What is wrong with a message for an object is told by the client's events.
                let _ = end.client.handle_packet(channel, &packet);
            }
            if end.is_left(&self.server) {
                end.hang_up(&mut self.server);
            }
        }
    }

    fn carry_down(&mut self) {
        while let Some(transmit) = self.server.poll_transmit() {
            let (channel, bytes) = (transmit.channel, transmit.to_bytes());
            let connection = transmit.connection;
            let kind = self.server.config().channels.get(usize::from(channel));
            let reliable = kind != Some(&crate::Channel::Unreliable);
            let end = self
                .clients
                .iter_mut()
                .find(|end| end.connection == connection);
            if let Some(end) = end.filter(|end| end.connected) {
                end.down.send(self.now, channel, bytes, reliable);
            }
        }
    }

    /// Lets time pass until nothing is on its way and the server has nothing left to send (or until
    /// that has not come about for 2000 ticks).
    pub fn settle(&mut self) {
        for _ in 0..MANY_STEPS {
            self.step();
            let on_the_way = self.clients.iter_mut().filter(|end| end.connected);
            let busy = on_the_way
                .into_iter()
                .any(|end| !end.up.is_empty() || !end.down.is_empty() || end.client.has_outgoing());
            if !busy && self.server.is_idle() {
                break;
            }
        }
    }

    /// The first behaviour of this type on an object, as every connected client sees it.
    pub fn replicas<B: NetworkBehaviour>(
        &self,
        id: crate::NetId,
    ) -> impl Iterator<Item = Option<&B>> {
        let connected = self.clients.iter().filter(|end| end.connected);
        connected.map(move |end| end.client.get(id))
    }
}
