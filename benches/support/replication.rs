//! A `NetworkServer` with the workload's objects and any number of clients.

use std::hint::black_box;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{ClientConfig, Framing, ServerConfig, Transmit, interest::SpatialGrid};

use super::outbox::Outbox;
use super::random::Random;
use super::workload::{Change, Server, Unit, Values};

/// A server with bare connections as clients, unless the caller keeps them: their packets are polled
/// and dropped.
#[derive(Debug)]
pub(crate) struct UnitServer {
    pub(crate) server: NetworkServer,
    pub(crate) objects: Vec<NetId>,
    now: Duration,
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Unit>("unit")
}

fn config(framing: Framing) -> ServerConfig {
    ServerConfig {
        framing,
        ..ServerConfig::default()
    }
}

/// Returns the library's name in reports, by framing.
pub(crate) const fn label(framing: Framing) -> &'static str {
    match framing {
        Framing::Unet => "syncvar, UNet's bytes",
        Framing::Compact => "syncvar",
    }
}

impl UnitServer {
    /// Creates a server with objects of random values; all `clients` have their snapshots.
    pub(crate) fn new(objects: u32, clients: usize, framing: Framing, random: &mut Random) -> Self {
        Self::with_config(config(framing), objects, clients, random)
    }

    /// Like [`new`](Self::new), with a server configuration.
    pub(crate) fn with_config(
        config: ServerConfig,
        objects: u32,
        clients: usize,
        random: &mut Random,
    ) -> Self {
        let server = NetworkServer::with_config(prefabs(), config);
        let mut this = Self::with_objects(server, objects, random);
        for _ in 0..clients {
            this.join();
        }
        this.tick();
        this
    }

    /// Creates a server with a grid and objects of random values, all at the origin, without
    /// clients.
    pub(crate) fn with_grid(grid: SpatialGrid, objects: u32, random: &mut Random) -> Self {
        let config = config(Framing::Compact);
        let server = NetworkServer::with_interest(prefabs(), config, grid);
        Self::with_objects(server, objects, random)
    }

    fn with_objects(mut server: NetworkServer, objects: u32, random: &mut Random) -> Self {
        let spawn = |_| server.spawn(Unit::from(Values::random(random)));
        Self {
            objects: (0..objects).map(spawn).collect(),
            server,
            now: Duration::ZERO,
        }
    }

    /// Adds a ready client; it receives all snapshots with the next tick.
    pub(crate) fn join(&mut self) -> ConnectionId {
        self.connect().0
    }

    /// Adds a real client after its handshake; it is ready and receives all snapshots with the
    /// next tick.
    pub(crate) fn connect(&mut self) -> (ConnectionId, NetworkClient) {
        self.connect_with(prefabs())
    }

    /// Like [`connect`](Self::connect), for a client without compiled types.
    pub(crate) fn connect_untyped(&mut self) -> (ConnectionId, NetworkClient) {
        let learned = Prefabs::from_schema(&prefabs().schema());
        self.connect_with(learned.expect("a schema of known types"))
    }

    fn connect_with(&mut self, prefabs: Prefabs) -> (ConnectionId, NetworkClient) {
        // The client offers its best framing, and the server selects one.
        let mut client = NetworkClient::with_config(prefabs, ClientConfig::default());
        let connection = self.server.handle_connect();
        client.handle_connect();
        let mut quiet = false;
        while !quiet {
            quiet = true;
            while let Some(packet) = client.poll_transmit() {
                let handled = self
                    .server
                    .handle_packet(connection, packet.channel, &packet.bytes);
                handled.expect("the client's packets make sense");
                quiet = false;
            }
            while let Some(transmit) = self.server.poll_transmit() {
                let handled = client.handle_packet(transmit.channel, &transmit.to_bytes());
                handled.expect("the server's packets make sense");
            }
        }
        assert!(client.is_connected(), "the server lets everybody in");
        (connection, client)
    }

    /// Runs the update and polls every packet of every client, as a transport does.
    pub(crate) fn tick_into(&mut self, mut send: impl FnMut(Transmit<'_>)) {
        self.now += Duration::from_millis(10);
        self.server.update(self.now);
        while let Some(transmit) = self.server.poll_transmit() {
            send(transmit);
        }
    }

    /// Runs a tick; packets for `connection` go into `outbox`.
    pub(crate) fn tick_for(&mut self, connection: ConnectionId, outbox: &mut Outbox) {
        self.tick_into(|transmit| {
            if transmit.connection == connection {
                outbox.push(transmit);
            } else {
                black_box((transmit.header, transmit.chunks));
            }
        });
    }
}

impl Server for UnitServer {
    fn change(&mut self, object: u32, change: Change) {
        let id = self.objects[object as usize];
        let unit = self.server.get_mut::<Unit>(id);
        unit.expect("the object was spawned").apply(change);
    }

    fn tick(&mut self) {
        self.tick_into(|transmit| {
            black_box((transmit.header, transmit.chunks));
        });
    }
}

/// Creates a connected client that awaits the objects of a server with this framing.
pub(crate) fn connected_client(framing: Framing) -> NetworkClient {
    UnitServer::new(0, 0, framing, &mut Random::new(0))
        .connect()
        .1
}
