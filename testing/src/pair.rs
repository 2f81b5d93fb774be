//! `Pair`: a server and one client, whose packets the test carries.

use std::iter::from_fn;
use std::time::Duration;

use bytes::Bytes;
use syncvar::prelude::*;
use syncvar::testing::compare_replicas;
use syncvar::{Channel, ClientConfig, Endpoint, PacketLimits, ServerConfig};

/// Packet between two ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Carrier of the packet.
    pub delivery: Channel,
    /// Number of the channel.
    pub channel: u8,
    /// Bytes with the header.
    pub bytes: Bytes,
}

impl Packet {
    /// Returns the next packet of an end for a connection. Packets for other connections are dropped.
    pub fn poll(end: &mut impl Endpoint, connection: ConnectionId) -> Option<Self> {
        loop {
            let transmit = end.poll_transmit()?;
            if transmit.connection == connection {
                return Some(Self {
                    delivery: transmit.delivery,
                    channel: transmit.channel,
                    bytes: transmit.to_bytes(),
                });
            }
        }
    }

    /// Hands the packet to an end, as the transport of a connection does.
    ///
    /// # Errors
    ///
    /// As [`Endpoint::handle_packet`].
    pub fn arrive<E: Endpoint>(
        &self,
        end: &mut E,
        connection: ConnectionId,
    ) -> Result<(), E::Error> {
        match self.delivery {
            Channel::Reliable => end.handle_packet(connection, self.channel, &self.bytes),
            Channel::Unreliable => end.handle_datagram(connection, self.channel, &self.bytes),
        }
    }

    /// Returns whether the packet is a datagram.
    #[must_use]
    pub fn is_datagram(&self) -> bool {
        self.delivery == Channel::Unreliable
    }
}

/// A server and one client. A packet moves when the test says so: [`up`](Self::up), [`down`](Self::down) and
/// [`step`](Self::step) deliver all packets, [`server_packets`](Self::server_packets) and
/// [`client_packets`](Self::client_packets) leave them to the test.
pub struct Pair<S = NetworkServer, C = NetworkClient> {
    /// The server.
    pub server: S,
    /// The client.
    pub client: C,
    /// Number of the client's connection.
    pub connection: ConnectionId,
    /// Virtual time of both ends.
    pub now: Duration,
    /// Time from one update of the server to the next; 50 ms at first.
    pub tick: Duration,
    /// Packets of the server under way, taken by [`poll`](Self::poll).
    pub waiting: Vec<Packet>,
}

impl<S: Endpoint, C: Endpoint> Pair<S, C> {
    /// Connects two ends. No packet has moved yet.
    pub fn connect(mut server: S, mut client: C, limits: PacketLimits) -> Self {
        client.handle_connect(limits);
        Self {
            connection: server.handle_connect(limits),
            server,
            client,
            now: Duration::ZERO,
            tick: Duration::from_millis(50),
            waiting: Vec::new(),
        }
    }

    /// Updates the server in the next tick. Its packets wait.
    pub fn update_server(&mut self) {
        self.now += self.tick;
        self.server.update(self.now);
    }

    /// Updates the server once more in the same tick. Its packets wait.
    pub fn update_server_again(&mut self) {
        self.now += Duration::from_micros(100);
        self.server.update(self.now);
    }

    /// Updates the client. Its packets wait.
    pub fn update_client(&mut self) {
        self.client.update(self.now);
    }

    /// Takes the waiting packets of the server.
    pub fn server_packets(&mut self) -> Vec<Packet> {
        from_fn(|| Packet::poll(&mut self.server, self.connection)).collect()
    }

    /// Takes packets of the server and keeps them under way.
    pub fn poll(&mut self) {
        let packets = self.server_packets();
        self.waiting.extend(packets);
    }

    /// Delivers the packets under way for which `arrives` returns true, in their order.
    ///
    /// # Panics
    ///
    /// When the client refuses a packet.
    #[track_caller]
    pub fn release(&mut self, arrives: impl FnMut(&mut Packet) -> bool) {
        let packets: Vec<_> = self.waiting.extract_if(.., arrives).collect();
        self.deliver(&packets);
    }

    /// Takes packets of the server, and delivers all packets under way: the stream first.
    ///
    /// # Panics
    ///
    /// When the client refuses a packet.
    #[track_caller]
    pub fn release_all(&mut self) {
        self.poll();
        self.release(|packet| !packet.is_datagram());
        self.release(|_| true);
    }

    /// Takes the waiting packets of the client.
    pub fn client_packets(&mut self) -> Vec<Packet> {
        from_fn(|| Packet::poll(&mut self.client, ConnectionId::SERVER)).collect()
    }

    /// Hands a packet to the client.
    ///
    /// # Errors
    ///
    /// As [`Endpoint::handle_packet`].
    pub fn to_client(&mut self, packet: &Packet) -> Result<(), C::Error> {
        packet.arrive(&mut self.client, ConnectionId::SERVER)
    }

    /// Hands a packet to the server.
    ///
    /// # Errors
    ///
    /// As [`Endpoint::handle_packet`].
    pub fn to_server(&mut self, packet: &Packet) -> Result<(), S::Error> {
        packet.arrive(&mut self.server, self.connection)
    }

    /// Hands packets of the server to the client.
    ///
    /// # Panics
    ///
    /// When the client refuses a packet.
    #[track_caller]
    pub fn deliver<'a>(&mut self, packets: impl IntoIterator<Item = &'a Packet>) {
        for packet in packets {
            self.to_client(packet)
                .expect("a valid packet of the server");
        }
    }

    /// Updates the client and delivers its packets.
    ///
    /// # Panics
    ///
    /// When the server refuses a packet.
    #[track_caller]
    pub fn up(&mut self) {
        self.up_where(|_| true);
    }

    /// Updates the client and delivers those packets for which `arrives` returns true. Returns all packets.
    ///
    /// # Panics
    ///
    /// When the server refuses a packet.
    #[track_caller]
    pub fn up_where(&mut self, mut arrives: impl FnMut(&Packet) -> bool) -> Vec<Packet> {
        self.update_client();
        let packets = self.client_packets();
        for packet in packets.iter().filter(|packet| arrives(packet)) {
            let handled = self.to_server(packet);
            handled.expect("a valid packet of the client");
        }
        packets
    }

    /// Updates the server in the next tick and delivers its packets.
    ///
    /// # Panics
    ///
    /// When the client refuses a packet.
    #[track_caller]
    pub fn down(&mut self) {
        self.down_where(|_| true);
    }

    /// Updates the server in the next tick and delivers those packets for which `arrives` returns true. Returns all
    /// packets.
    ///
    /// # Panics
    ///
    /// When the client refuses a packet.
    #[track_caller]
    pub fn down_where(&mut self, mut arrives: impl FnMut(&Packet) -> bool) -> Vec<Packet> {
        self.update_server();
        let packets = self.server_packets();
        self.deliver(packets.iter().filter(|packet| arrives(packet)));
        packets
    }

    /// Runs a tick: [`up`](Self::up), then [`down`](Self::down).
    #[track_caller]
    pub fn step(&mut self) {
        self.up();
        self.down();
    }

    /// Runs a number of ticks.
    #[track_caller]
    pub fn steps(&mut self, count: usize) {
        (0..count).for_each(|_| self.step());
    }
}

impl Pair {
    /// Returns a pair with datagrams whose client is ready, without events.
    #[must_use]
    pub fn new(prefabs: impl Fn() -> Prefabs) -> Self {
        let (server, client) = (ServerConfig::default(), ClientConfig::default());
        Self::joined(prefabs, server, client, crate::DATAGRAMS)
    }

    /// Returns a pair with these settings whose client is ready, without events.
    ///
    /// # Panics
    ///
    /// When the server does not admit the client within 10 ticks.
    #[must_use]
    pub fn joined(
        prefabs: impl Fn() -> Prefabs,
        server: ServerConfig,
        client: ClientConfig,
        limits: PacketLimits,
    ) -> Self {
        let server = NetworkServer::with_config(prefabs(), server);
        let client = NetworkClient::with_config(prefabs(), client);
        let mut pair = Self::connect(server, client, limits);
        pair.steps(10);
        assert!(pair.server.is_ready(pair.connection), "the client is ready");
        pair.events();
        pair.server_events();
        pair
    }

    /// Removes and returns the events of the client, without the reports of complete ticks.
    pub fn events(&mut self) -> Vec<ClientEvent> {
        crate::events(&mut self.client).collect()
    }

    /// Removes and returns the events of the server.
    pub fn server_events(&mut self) -> Vec<ServerEvent> {
        from_fn(|| self.server.poll_event()).collect()
    }

    /// Asserts that the client has the state of the server that it may read, and no more.
    ///
    /// # Panics
    ///
    /// On a difference.
    #[track_caller]
    pub fn assert_equal(&mut self) {
        let found = compare_replicas(&mut self.server, self.connection, &mut self.client);
        let found: Vec<_> = found.iter().map(ToString::to_string).collect();
        assert!(found.is_empty(), "{found:#?}");
    }
}
