//! `Crowd`: a server and its clients by connection, with the bytes sent to each.

use std::collections::BTreeMap;
use std::iter::from_fn;
use std::time::Duration;

use syncvar::NetworkBehaviour;
use syncvar::behaviour::BehaviourSet;
use syncvar::prelude::*;
use syncvar::{ClientConfig, Endpoint, PacketLimits, ServerConfig};

use crate::pair::Packet;

/// A server and its clients, whose packets arrive at once. The bytes to each client are kept, so that a test can
/// look for a value in them.
pub struct Crowd<S = NetworkServer, C = NetworkClient> {
    /// The server.
    pub server: S,
    /// Clients by connection.
    pub clients: BTreeMap<ConnectionId, C>,
    /// Bytes sent to each client since the last [`forget`](Self::forget).
    pub bytes: BTreeMap<ConnectionId, Vec<u8>>,
    /// Virtual time of all ends.
    pub now: Duration,
    /// Time of a [`step`](Self::step); 50 ms at first.
    pub tick: Duration,
    /// Limits of the next connections; a stream at first.
    pub limits: PacketLimits,
    new_client: Box<dyn Fn() -> C>,
}

impl<S: Endpoint, C: Endpoint> Crowd<S, C> {
    /// Returns a server without clients, and the source of its clients.
    pub fn of(server: S, new_client: impl Fn() -> C + 'static) -> Self {
        Self {
            server,
            clients: BTreeMap::new(),
            bytes: BTreeMap::new(),
            now: Duration::ZERO,
            tick: Duration::from_millis(50),
            limits: PacketLimits::STREAM,
            new_client: Box::new(new_client),
        }
    }

    /// Connects a client of the source. No packet has moved yet.
    pub fn connect(&mut self) -> ConnectionId {
        let client = (self.new_client)();
        self.add(client)
    }

    /// Connects a client of the source, and runs three ticks: it is ready, if the server lets it be.
    #[track_caller]
    pub fn join(&mut self) -> ConnectionId {
        let connection = self.connect();
        self.steps(3);
        connection
    }

    /// Connects a given client. No packet has moved yet.
    pub fn add(&mut self, mut client: C) -> ConnectionId {
        client.handle_connect(self.limits);
        let connection = self.server.handle_connect(self.limits);
        self.clients.insert(connection, client);
        connection
    }

    /// Removes a client whose link is lost.
    pub fn cut(&mut self, connection: ConnectionId) -> Option<C> {
        self.server.handle_disconnect(connection);
        self.clients.remove(&connection)
    }

    /// Updates the clients and delivers their packets. The server may refuse them.
    pub fn up(&mut self) {
        for (&connection, client) in &mut self.clients {
            client.update(self.now);
            while let Some(packet) = Packet::poll(client, ConnectionId::SERVER) {
                // The server's events report a malformed packet.
                let _ = packet.arrive(&mut self.server, connection);
            }
        }
    }

    /// Updates the server and delivers its packets.
    ///
    /// # Panics
    ///
    /// When a client refuses a packet.
    #[track_caller]
    pub fn down(&mut self) {
        self.server.update(self.now);
        while let Some(transmit) = self.server.poll_transmit() {
            let connection = transmit.connection;
            let packet = Packet {
                delivery: transmit.delivery,
                channel: transmit.channel,
                bytes: transmit.to_bytes(),
            };
            self.bytes
                .entry(connection)
                .or_default()
                .extend(&packet.bytes);
            if let Some(client) = self.clients.get_mut(&connection) {
                let handled = packet.arrive(client, ConnectionId::SERVER);
                handled.expect("a valid packet of the server");
            }
        }
    }

    /// Runs a tick: [`up`](Self::up), then [`down`](Self::down).
    #[track_caller]
    pub fn step(&mut self) {
        self.now += self.tick;
        self.up();
        self.down();
    }

    /// Runs a number of ticks.
    #[track_caller]
    pub fn steps(&mut self, count: usize) {
        (0..count).for_each(|_| self.step());
    }

    /// Returns a client.
    ///
    /// # Panics
    ///
    /// When the crowd lacks the connection.
    #[track_caller]
    pub fn client(&mut self, connection: ConnectionId) -> &mut C {
        self.clients
            .get_mut(&connection)
            .expect("a client of the crowd")
    }

    /// Returns whether a text has been sent to a client since the last [`forget`](Self::forget).
    #[must_use]
    pub fn was_sent(&self, connection: ConnectionId, text: &str) -> bool {
        let (bytes, text) = (self.bytes.get(&connection), text.as_bytes());
        bytes.is_some_and(|bytes| bytes.windows(text.len()).any(|part| part == text))
    }

    /// Drops the bytes so far and all events.
    pub fn forget(&mut self) {
        self.bytes.clear();
        while self.server.poll_event().is_some() {}
        for client in self.clients.values_mut() {
            while client.poll_event().is_some() {}
        }
    }
}

impl Crowd {
    /// Returns a server without clients. Its clients send no pings.
    #[must_use]
    pub fn new(prefabs: fn() -> Prefabs, config: ServerConfig) -> Self {
        let server = NetworkServer::with_config(prefabs(), config);
        Self::of(server, move || {
            let config = ClientConfig {
                ping_interval: Duration::ZERO,
                ..ClientConfig::default()
            };
            NetworkClient::with_config(prefabs(), config)
        })
    }

    /// Returns a client's replica of a behaviour.
    ///
    /// # Panics
    ///
    /// When the client lacks the behaviour.
    #[must_use]
    #[track_caller]
    pub fn replica<B: NetworkBehaviour>(&self, connection: ConnectionId, id: NetId) -> &B {
        self.clients[&connection].get(id).expect("a replica")
    }

    /// Removes and returns the events of a client, without the reports of complete ticks.
    #[track_caller]
    pub fn events(&mut self, connection: ConnectionId) -> Vec<ClientEvent> {
        crate::events(self.client(connection)).collect()
    }

    /// Removes and returns the events of the server.
    pub fn server_events(&mut self) -> Vec<ServerEvent> {
        from_fn(|| self.server.poll_event()).collect()
    }

    /// Spawns an object with an owner.
    pub fn owned<B: BehaviourSet>(&mut self, behaviours: B, owner: ConnectionId) -> NetId {
        crate::spawn_owned(&mut self.server, behaviours, owner)
    }
}
