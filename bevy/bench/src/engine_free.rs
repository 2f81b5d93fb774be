//! `syncvar` alone.

use std::time::Duration;

use syncvar::prelude::{NetId, NetworkClient, NetworkServer, Prefabs};
use syncvar::{ClientConfig, ConnectionId, Endpoint, PacketLimits, ServerConfig};

use crate::unit::PlainUnit;
use crate::{CHANGED, Fields, World};

fn prefabs() -> Prefabs {
    Prefabs::new().register::<PlainUnit>("unit")
}

/// A server whose packets are dropped after the join.
pub(crate) struct CoreServer {
    end: NetworkServer,
    ids: Vec<NetId>,
    now: Duration,
}

fn server() -> NetworkServer {
    let config = ServerConfig {
        send_interval: Some(Duration::ZERO),
        ..ServerConfig::default()
    };
    NetworkServer::with_config(prefabs(), config)
}

fn connect(server: &mut NetworkServer) -> (ConnectionId, NetworkClient) {
    let mut client = NetworkClient::with_config(prefabs(), ClientConfig::default());
    let connection = Endpoint::handle_connect(server, PacketLimits::STREAM);
    Endpoint::handle_connect(&mut client, PacketLimits::STREAM);
    (connection, client)
}

/// Moves the packets of a frame in both directions.
fn exchange(
    server: &mut NetworkServer,
    clients: &mut [(ConnectionId, NetworkClient)],
    now: Duration,
) {
    server.update(now);
    while let Some(packet) = server.poll_transmit() {
        let (to, channel, bytes) = (packet.connection, packet.channel, packet.to_bytes());
        if let Some((_, client)) = clients.iter_mut().find(|(connection, _)| *connection == to) {
            let _ = client.handle_packet(channel, &bytes);
        }
    }
    for (connection, client) in clients {
        client.update(now);
        while let Some(packet) = Endpoint::poll_transmit(client) {
            let _ = server.handle_packet(*connection, packet.channel, &packet.to_bytes());
        }
    }
}

impl CoreServer {
    pub(crate) fn new(objects: usize, clients: usize) -> Self {
        let mut server = server();
        let mut now = Duration::ZERO;
        let mut clients: Vec<_> = (0..clients).map(|_| connect(&mut server)).collect();
        for _ in 0..10 {
            now += Duration::from_millis(16);
            exchange(&mut server, &mut clients, now);
        }
        let ids = (0..objects)
            .map(|_| server.spawn(PlainUnit::new()))
            .collect();
        let mut made = Self {
            end: server,
            ids,
            now,
        };
        (0..3).for_each(|tick| made.frame(tick, Fields::None));
        made
    }
}

impl CoreServer {
    fn write(&mut self, tick: u32, fields: Fields) {
        if fields == Fields::None {
            return;
        }
        let first = tick as usize % CHANGED;
        for id in self.ids.iter().skip(first).step_by(CHANGED) {
            if let Ok(mut unit) = self.end.get_mut::<PlainUnit>(*id) {
                unit.write(tick, fields);
            }
        }
    }
}

impl World for CoreServer {
    fn frame(&mut self, tick: u32, fields: Fields) {
        self.write(tick, fields);
        self.now += Duration::from_millis(16);
        self.end.update(self.now);
        while self.end.poll_transmit().is_some() {}
    }
}

/// A client, with its server.
pub(crate) struct CoreClient {
    server: CoreServer,
    connection: ConnectionId,
    end: NetworkClient,
    /// Packets of the server, by channel.
    packets: Vec<(u8, Vec<u8>)>,
}

impl CoreClient {
    pub(crate) fn new(objects: usize) -> Self {
        let mut server = server();
        let (connection, client) = connect(&mut server);
        let mut clients = [(connection, client)];
        let mut now = Duration::ZERO;
        let ids = (0..objects)
            .map(|_| server.spawn(PlainUnit::new()))
            .collect();
        for _ in 0..10 {
            now += Duration::from_millis(16);
            exchange(&mut server, &mut clients, now);
        }
        let [(_, end)] = clients;
        let server = CoreServer {
            end: server,
            ids,
            now,
        };
        Self {
            server,
            connection,
            end,
            packets: Vec::new(),
        }
    }
}

impl World for CoreClient {
    fn prepare(&mut self, tick: u32, fields: Fields) {
        let server = &mut self.server;
        server.write(tick, fields);
        server.now += Duration::from_millis(16);
        server.end.update(server.now);
        while let Some(packet) = server.end.poll_transmit() {
            self.packets
                .push((packet.channel, packet.to_bytes().to_vec()));
        }
    }

    fn frame(&mut self, _: u32, _: Fields) {
        for (channel, bytes) in self.packets.drain(..) {
            let _ = self.end.handle_packet(channel, &bytes);
        }
        self.end.update(self.server.now);
        while self.end.poll_event().is_some() {}
    }

    fn finish(&mut self) {
        while let Some(packet) = Endpoint::poll_transmit(&mut self.end) {
            let (channel, bytes) = (packet.channel, packet.to_bytes());
            let server = &mut self.server.end;
            let _ = server.handle_packet(self.connection, channel, &bytes);
        }
    }
}
