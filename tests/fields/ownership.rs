//! Who reads and who writes which field, and when a field is sent.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    clippy::type_complexity,
    reason = "small numbers that travel exactly, and whole states as tuples"
)]
#![allow(
    clippy::needless_pass_by_value,
    clippy::trivially_copy_pass_by_ref,
    clippy::unused_self,
    reason = "hooks, thresholds and checks have the signature that they are called with"
)]

mod changing;
mod checks;
mod component;
mod former;
mod groups;
mod hooked;
mod intervals;
mod reading;
mod relay;
mod writing;

use std::collections::BTreeMap;
use std::time::Duration;

use syncvar::NetworkBehaviour;
use syncvar::prelude::*;
use syncvar::{ClientConfig, Framing, ServerConfig, behaviour::BehaviourSet};

/// A value that is found in the bytes of a packet, in any dialect and at any place.
fn marker(number: u8) -> String {
    format!("marker-{number:03}")
}

/// A server and clients, and every byte that each of them is sent.
struct World {
    server: NetworkServer,
    clients: BTreeMap<ConnectionId, NetworkClient>,
    bytes: BTreeMap<ConnectionId, Vec<u8>>,
    now: Duration,
    prefabs: fn() -> Prefabs,
}

const TICK: Duration = Duration::from_millis(50);

impl World {
    fn new(prefabs: fn() -> Prefabs, dialect: Framing) -> Self {
        Self::with(prefabs, |config| config.framing = dialect)
    }

    fn with(prefabs: fn() -> Prefabs, change: impl FnOnce(&mut ServerConfig)) -> Self {
        let mut config = ServerConfig::default();
        change(&mut config);
        Self {
            server: NetworkServer::with_config(prefabs(), config),
            clients: BTreeMap::new(),
            bytes: BTreeMap::new(),
            now: Duration::ZERO,
            prefabs,
        }
    }

    fn connect(&mut self) -> ConnectionId {
        let config = ClientConfig {
            ping_interval: Duration::ZERO,
            ..ClientConfig::default()
        };
        let mut client = NetworkClient::with_config((self.prefabs)(), config);
        client.handle_connect();
        let connection = self.server.handle_connect();
        self.clients.insert(connection, client);
        self.steps(3);
        connection
    }

    /// What the clients have to say reaches the server.
    fn up(&mut self) {
        for (connection, client) in &mut self.clients {
            client.update(self.now);
            while let Some(packet) = client.poll_transmit() {
                let _ = self
                    .server
                    .handle_packet(*connection, packet.channel, &packet.bytes);
            }
        }
    }

    /// The server updates, and what it has to say reaches the clients.
    fn down(&mut self) {
        self.server.update(self.now);
        while let Some(transmit) = self.server.poll_transmit() {
            let (connection, channel) = (transmit.connection, transmit.channel);
            let packet = transmit.to_bytes();
            self.bytes.entry(connection).or_default().extend(&packet);
            if let Some(client) = self.clients.get_mut(&connection) {
                client.handle_packet(channel, &packet).unwrap();
            }
        }
    }

    fn step(&mut self) {
        self.now += TICK;
        self.up();
        self.down();
    }

    fn steps(&mut self, count: usize) {
        (0..count).for_each(|_| self.step());
    }

    fn client(&mut self, connection: ConnectionId) -> &mut NetworkClient {
        self.clients.get_mut(&connection).unwrap()
    }

    fn replica<B: NetworkBehaviour>(&self, connection: ConnectionId, id: NetId) -> &B {
        self.clients[&connection].get(id).unwrap()
    }

    /// Whether a connection was sent a marker, ever.
    fn was_sent(&self, connection: ConnectionId, text: &str) -> bool {
        let bytes = self.bytes.get(&connection);
        bytes.is_some_and(|bytes| {
            bytes
                .windows(text.len())
                .any(|part| part == text.as_bytes())
        })
    }

    fn events(&mut self, connection: ConnectionId) -> Vec<ClientEvent> {
        let client = self.clients.get_mut(&connection).unwrap();
        syncvar_testing::events(client).collect()
    }

    fn server_events(&mut self) -> Vec<ServerEvent> {
        std::iter::from_fn(|| self.server.poll_event()).collect()
    }

    fn owned<B: BehaviourSet>(&mut self, behaviour: B, owner: ConnectionId) -> NetId {
        let options = SpawnOptions {
            owner: Some(owner),
            ..SpawnOptions::default()
        };
        self.server.try_spawn(behaviour, options).unwrap()
    }
}

const DIALECTS: [Framing; 2] = [Framing::Unet, Framing::Compact];
