//! A `NetworkServer` with the workload's objects and any number of clients.

use std::hint::black_box;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{ClientConfig, ServerConfig, Transmit};

use super::random::Random;
use super::workload::{Change, Server, Unit, Values};

/// A server whose clients are connections only: what is sent to them is polled and dropped.
#[derive(Debug)]
pub(crate) struct UnitServer {
    pub(crate) server: NetworkServer,
    pub(crate) objects: Vec<NetId>,
    now: Duration,
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Unit>("unit")
}

impl UnitServer {
    /// A server with objects of random values, which all `clients` have got.
    pub(crate) fn new(objects: u32, clients: usize, random: &mut Random) -> Self {
        let mut config = ServerConfig::default();
        config.compare_schemas = false;
        let mut server = NetworkServer::with_config(prefabs(), config);
        let spawn = |_| server.spawn(Unit::from(Values::random(random)));
        let mut this = Self {
            objects: (0..objects).map(spawn).collect(),
            server,
            now: Duration::ZERO,
        };
        for _ in 0..clients {
            this.join();
        }
        this.tick();
        this
    }

    /// One more client is ready; it gets everything with the next tick.
    pub(crate) fn join(&mut self) -> ConnectionId {
        let connection = self.server.handle_connect();
        self.server.set_ready(connection);
        connection
    }

    /// The update, and every packet of every client as a transport takes it.
    pub(crate) fn tick_into(&mut self, mut send: impl FnMut(Transmit<'_>)) {
        self.now += Duration::from_millis(10);
        self.server.update(self.now);
        while let Some(transmit) = self.server.poll_transmit() {
            send(transmit);
        }
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
            black_box(transmit.segments);
        });
    }
}

/// A client that the server of [`UnitServer`] lets in.
pub(crate) fn connected_client() -> NetworkClient {
    let mut config = ClientConfig::default();
    config.compare_schemas = false;
    let mut client = NetworkClient::with_config(prefabs(), config);
    client.handle_connect();
    client
}

/// Hands packets to a client and takes its events, as a game does.
pub(crate) fn receive<'a>(
    client: &mut NetworkClient,
    packets: impl IntoIterator<Item = (u8, &'a [u8])>,
) {
    for (channel, packet) in packets {
        let handled = client.handle_packet(channel, packet);
        handled.expect("the server's packets make sense");
    }
    while client.poll_event().is_some() {}
}
