//! Networks of Mirror's protocol in memory and virtual time.

mod link;
pub mod messages;

use std::collections::BTreeMap;
use std::iter::from_fn;
use std::time::Duration;

use syncvar::NetworkBehaviour;
use syncvar::behaviour::BehaviourSet;
use syncvar::mirror::batch::Batcher;
use syncvar::mirror::message::NetworkMessage;
use syncvar::mirror::{
    Limits, MirrorClient, MirrorClientConfig, MirrorClientEvent, MirrorError, MirrorPrefabs,
    MirrorServer, MirrorServerConfig, MirrorServerEvent, SpawnPolicy,
};
use syncvar::prelude::*;
use syncvar::{Channel, NetworkIdentity};

pub use link::{Dice, Link, Quality};

/// Duration of a frame, if the test sets no other.
pub const FRAME: Duration = Duration::from_millis(20);

/// Packets that an end may refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusals {
    /// None: a refused packet panics.
    Never,
    /// Packets of a connection that the server has closed, and of no live connection.
    AfterClose,
    /// Any packet. Tests of invalid packets look at events and closed connections.
    Allowed,
}

/// Packet of a client or of the server.
#[derive(Clone, Debug)]
pub struct Packet {
    /// Client of the link.
    pub connection: ConnectionId,
    /// Whether the client is the sender.
    pub from_client: bool,
    /// Channel of the packet.
    pub channel: Channel,
    /// Batch of messages.
    pub bytes: Vec<u8>,
}

/// Server, its clients, and a pair of links for each.
pub struct MirrorNetwork {
    /// The server.
    pub server: MirrorServer,
    /// Connected clients.
    pub clients: BTreeMap<ConnectionId, MirrorClient>,
    /// Clients whose connection has closed.
    pub closed: BTreeMap<ConnectionId, MirrorClient>,
    /// Links to each client and from it.
    pub links: BTreeMap<ConnectionId, [Link; 2]>,
    /// Virtual time.
    pub now: Duration,
    /// Number of the frame.
    pub frame: u64,
    /// Duration of a frame; [`FRAME`] at first.
    pub frame_time: Duration,
    /// Limits of the next connections; Telepathy's at first.
    pub limits: Limits,
    /// Packets that may be refused; [`Refusals::Never`] at first.
    pub refusals: Refusals,
    new_client: Box<dyn Fn() -> MirrorClient + Send>,
    packets: Vec<Packet>,
}

impl MirrorNetwork {
    /// Returns a network without connections.
    pub fn new(
        server: MirrorServer,
        new_client: impl Fn() -> MirrorClient + Send + 'static,
    ) -> Self {
        Self {
            server,
            clients: BTreeMap::new(),
            closed: BTreeMap::new(),
            links: BTreeMap::new(),
            now: Duration::ZERO,
            frame: 0,
            frame_time: FRAME,
            limits: Limits::TELEPATHY,
            refusals: Refusals::Never,
            new_client: Box::new(new_client),
            packets: Vec::new(),
        }
    }

    /// Returns a network over KCP whose clients have no players: a client observes as soon as it is ready.
    pub fn of_observers(
        prefabs: impl Fn() -> MirrorPrefabs + Send + 'static,
        mut config: MirrorServerConfig,
    ) -> Self {
        config.spawn_policy = SpawnPolicy::WhenReady;
        let server = MirrorServer::with_config(prefabs(), config);
        let mut net = Self::new(server, move || {
            let config = MirrorClientConfig {
                auto_add_player: false,
                ..MirrorClientConfig::default()
            };
            MirrorClient::with_config(prefabs(), config)
        });
        net.limits = Limits::KCP;
        net
    }

    /// Connects a client.
    pub fn connect(&mut self) -> ConnectionId {
        let connection = self.server.handle_connect(self.limits);
        let mut client = (self.new_client)();
        client.handle_connect(self.limits);
        self.clients.insert(connection, client);
        let links = [1, 2].map(|way| Link::new(u64::from(connection.0) * 2 + way));
        self.links.insert(connection, links);
        connection
    }

    /// Connects a client, makes it ready and gives it a player, in two frames.
    ///
    /// # Panics
    ///
    /// If the player's prefab is not registered.
    pub fn join<S: BehaviourSet>(&mut self, player: S) -> (ConnectionId, NetId) {
        let connection = self.connect();
        let client = self.client(connection);
        if !client.is_ready() {
            client.ready();
        }
        self.frame();
        let player = self.server.add_player(connection, player);
        self.frame();
        (connection, player.expect("a registered prefab"))
    }

    /// Runs a frame: packets of clients, the server's update, packets of the server.
    pub fn frame(&mut self) {
        self.advance(self.frame_time);
        self.send_all();
        self.server.update(self.now);
        self.deliver();
    }

    /// Runs a frame in the order in which a player sees it: the server's update, its packets, the clients' updates
    /// and their packets. The packets to each client pass through a function, which may change and order them.
    pub fn shown_frame(&mut self, change: impl FnMut(&mut Vec<(Channel, Vec<u8>)>)) {
        self.advance(self.frame_time);
        self.server.update(self.now);
        self.deliver_through(change);
        self.send_all();
    }

    /// Runs a number of frames.
    pub fn frames(&mut self, count: u64) {
        (0..count).for_each(|_| self.frame());
    }

    /// Begins a frame some time after the last one.
    pub fn advance(&mut self, passed: Duration) {
        self.now += passed;
        self.frame += 1;
    }

    /// Updates each client and carries its packets.
    pub fn send_all(&mut self) {
        let connections: Vec<_> = self.clients.keys().copied().collect();
        for connection in connections {
            self.send(connection);
        }
    }

    /// Updates a client and carries its packets; ignores a closed connection.
    ///
    /// # Panics
    ///
    /// If the server refuses a packet against [`refusals`](Self::refusals).
    pub fn send(&mut self, connection: ConnectionId) {
        let (Some(client), Some([_, link])) = (
            self.clients.get_mut(&connection),
            self.links.get_mut(&connection),
        ) else {
            return;
        };
        client.update(self.now);
        while let Some(packet) = client.poll_transmit() {
            link.send(self.frame, packet.channel, &packet.bytes);
            self.packets.push(Packet {
                connection,
                from_client: true,
                channel: packet.channel,
                bytes: packet.bytes.to_vec(),
            });
        }
        for (channel, bytes) in link.receive(self.frame) {
            let is_open = self.server.is_connected(connection);
            let taken = self.server.handle_packet(connection, channel, &bytes);
            match self.refusals {
                Refusals::Never => assert_eq!(taken, Ok(()), "{connection}"),
                Refusals::AfterClose => assert_eq!(taken.is_ok(), is_open, "{taken:?}"),
                Refusals::Allowed => {}
            }
        }
        if client.poll_close() {
            self.server.handle_disconnect(connection);
            self.close(connection);
        }
    }

    /// Carries the packets of the server, then closes the connections it has ended.
    ///
    /// # Panics
    ///
    /// If a client refuses a packet, except with [`Refusals::Allowed`], and for a packet to a closed
    /// connection with [`Refusals::Never`].
    pub fn deliver(&mut self) {
        self.deliver_through(|_| {});
    }

    /// As [`deliver`](Self::deliver); the packets to each client pass through a function before the link.
    ///
    /// # Panics
    ///
    /// As [`deliver`](Self::deliver).
    pub fn deliver_through(&mut self, mut change: impl FnMut(&mut Vec<(Channel, Vec<u8>)>)) {
        for (connection, mut packets) in self.poll_server() {
            change(&mut packets);
            if let Some([link, _]) = self.links.get_mut(&connection) {
                for (channel, bytes) in packets {
                    link.send(self.frame, channel, &bytes);
                }
            }
        }
        for (connection, client) in &mut self.clients {
            let Some([link, _]) = self.links.get_mut(connection) else {
                continue;
            };
            for (channel, bytes) in link.receive(self.frame) {
                let taken = client.handle_packet(channel, &bytes);
                if self.refusals != Refusals::Allowed {
                    assert_eq!(taken, Ok(()), "{connection}");
                }
            }
        }
        while let Some(connection) = self.server.poll_close() {
            self.server.handle_disconnect(connection);
            self.close(connection);
        }
    }

    /// Takes the packets of the server, by client.
    fn poll_server(&mut self) -> BTreeMap<ConnectionId, Vec<(Channel, Vec<u8>)>> {
        let mut packets: BTreeMap<_, Vec<_>> = BTreeMap::new();
        while let Some(transmit) = self.server.poll_transmit() {
            let (connection, channel) = (transmit.connection, transmit.channel);
            let bytes = transmit.to_bytes().to_vec();
            assert_eq!(transmit.len(), bytes.len());
            if self.refusals == Refusals::Never {
                assert!(!self.closed.contains_key(&connection), "{connection}");
            }
            let packet = (channel, bytes.clone());
            packets.entry(connection).or_default().push(packet);
            self.packets.push(Packet {
                connection,
                from_client: false,
                channel,
                bytes,
            });
        }
        packets
    }

    /// Ends a client's connection.
    fn close(&mut self, connection: ConnectionId) {
        if let Some(mut client) = self.clients.remove(&connection) {
            client.handle_disconnect();
            self.closed.insert(connection, client);
        }
    }

    /// Sets the quality of the links.
    pub fn quality(&mut self, quality: Quality) {
        for link in self.links.values_mut().flatten() {
            link.quality = quality;
        }
    }

    /// Removes and returns the packets sent since the last call, oldest first.
    pub fn take_packets(&mut self) -> Vec<Packet> {
        std::mem::take(&mut self.packets)
    }

    /// Returns the connection of a connected client by its index: the order in which the clients have connected.
    ///
    /// # Panics
    ///
    /// If there are fewer clients.
    #[must_use]
    #[track_caller]
    pub fn nth(&self, index: usize) -> ConnectionId {
        *self.clients.keys().nth(index).expect("a connected client")
    }

    /// Returns a client, connected or closed.
    ///
    /// # Panics
    ///
    /// If the client never connected.
    #[track_caller]
    pub fn client(&mut self, connection: ConnectionId) -> &mut MirrorClient {
        let connected = self.clients.get_mut(&connection);
        let client = connected.or_else(|| self.closed.get_mut(&connection));
        client.expect("a client of the network")
    }

    /// Returns a client's replica of a behaviour.
    ///
    /// # Panics
    ///
    /// If the client lacks the behaviour.
    #[must_use]
    #[track_caller]
    pub fn seen<B: NetworkBehaviour>(&self, connection: ConnectionId, id: NetId) -> &B {
        let identity = self.replica(connection, id).expect("a replica");
        identity.behaviour().expect("the behaviour")
    }

    /// Returns whether a client has a replica of an object.
    #[must_use]
    pub fn sees(&self, connection: ConnectionId, id: NetId) -> bool {
        self.replica(connection, id).is_some()
    }

    fn replica(&self, connection: ConnectionId, id: NetId) -> Option<NetworkIdentity<'_>> {
        let connected = self.clients.get(&connection);
        let client = connected.or_else(|| self.closed.get(&connection))?;
        client.identity(id)
    }

    /// Removes and returns the events of the server.
    pub fn events(&mut self) -> Vec<MirrorServerEvent> {
        from_fn(|| self.server.poll_event()).collect()
    }

    /// Removes and returns the events of a client.
    #[track_caller]
    pub fn client_events(&mut self, connection: ConnectionId) -> Vec<MirrorClientEvent> {
        let client = self.client(connection);
        from_fn(|| client.poll_event()).collect()
    }

    /// Gives the server a reliable batch of messages from a client.
    ///
    /// # Errors
    ///
    /// The error of the server.
    pub fn say(&mut self, from: ConnectionId, messages: &[&[u8]]) -> Result<(), MirrorError> {
        let batch = batch(self.now, messages);
        self.server.handle_packet(from, Channel::Reliable, &batch)
    }

    /// Gives a client a reliable batch of messages.
    ///
    /// # Errors
    ///
    /// The error of the client.
    #[track_caller]
    pub fn give(&mut self, to: ConnectionId, messages: &[&[u8]]) -> Result<(), MirrorError> {
        let batch = batch(self.now, messages);
        self.client(to).handle_packet(Channel::Reliable, &batch)
    }

    /// Runs a frame and returns the size of its object messages to all clients, in bytes.
    pub fn state_bytes(&mut self) -> u64 {
        let before = self.server.stats().states.bytes;
        self.frame();
        self.server.stats().states.bytes - before
    }
}

/// Returns a batch of messages sent at a time; without messages, the time alone.
#[must_use]
pub fn batch(now: Duration, messages: &[&[u8]]) -> Vec<u8> {
    let time = now.as_secs_f64();
    let mut batcher = Batcher::new(usize::MAX);
    for message in messages {
        batcher.add(message, time);
    }
    let batch = batcher.next_batch().map(|batch| batch.to_vec());
    batch.unwrap_or_else(|| time.to_le_bytes().to_vec())
}

/// Returns the bytes of a message.
///
/// # Panics
///
/// If the message is too long.
#[must_use]
pub fn bytes<'a>(message: &impl NetworkMessage<'a>) -> Vec<u8> {
    message.to_bytes().expect("a short message").to_vec()
}
