//! A `NetworkServer` with the workload's objects and any number of clients.

use std::hint::black_box;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{ClientConfig, Framing, ServerConfig, Transmit, interest::SpatialGrid};

use super::outbox::Outbox;
use super::random::Random;
use super::workload::{Change, Server, Unit, Values};

/// A server whose clients are connections only, unless somebody keeps them: what is sent to them is
/// polled and dropped.
#[derive(Debug)]
pub(crate) struct UnitServer {
    pub(crate) server: NetworkServer,
    pub(crate) objects: Vec<NetId>,
    now: Duration,
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Unit>("unit")
}

fn config(dialect: Framing) -> ServerConfig {
    let mut config = ServerConfig::default();
    config.framing = dialect;
    config
}

/// How the library is called where it speaks this dialect.
pub(crate) const fn label(dialect: Framing) -> &'static str {
    match dialect {
        Framing::Unet => "syncvar, UNet's bytes",
        Framing::Compact => "syncvar",
    }
}

impl UnitServer {
    /// A server with objects of random values, which all `clients` have got.
    pub(crate) fn new(objects: u32, clients: usize, dialect: Framing, random: &mut Random) -> Self {
        Self::with_config(config(dialect), objects, clients, random)
    }

    /// The same with settings of its own.
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

    /// A server with a grid and objects of random values, which all stand at the origin, and without
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

    /// One more client is ready; it gets everything with the next tick.
    pub(crate) fn join(&mut self) -> ConnectionId {
        self.connect().0
    }

    /// One more client, with which hands have been shaken; it is ready and gets everything with the
    /// next tick.
    pub(crate) fn connect(&mut self) -> (ConnectionId, NetworkClient) {
        // It asks for the best dialect, and the server says which it is.
        let mut client = NetworkClient::with_config(prefabs(), ClientConfig::default());
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

    /// The update, and every packet of every client as a transport takes it.
    pub(crate) fn tick_into(&mut self, mut send: impl FnMut(Transmit<'_>)) {
        self.now += Duration::from_millis(10);
        self.server.update(self.now);
        while let Some(transmit) = self.server.poll_transmit() {
            send(transmit);
        }
    }

    /// A tick; what is for `connection` goes into `outbox`.
    pub(crate) fn tick_for(&mut self, connection: ConnectionId, outbox: &mut Outbox) {
        self.tick_into(|transmit| {
            if transmit.connection == connection {
                outbox.push(transmit);
            } else {
                black_box(transmit.chunks);
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
            black_box(transmit.chunks);
        });
    }
}

/// A client that waits for the objects of a server that speaks this dialect.
pub(crate) fn connected_client(dialect: Framing) -> NetworkClient {
    UnitServer::new(0, 0, dialect, &mut Random::new(0))
        .connect()
        .1
}
