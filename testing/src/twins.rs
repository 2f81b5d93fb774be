//! `Twins`: two servers with the same commands and the same packets.

use std::fmt::Debug;
use std::iter::from_fn;
use std::time::Duration;

use bytes::Bytes;
use syncvar::prelude::*;

/// Two servers that receive the same commands, and clients that talk to both servers as if they were one.
pub struct Twins {
    /// The servers.
    pub servers: [NetworkServer; 2],
    /// Clients by connection.
    pub clients: Vec<(ConnectionId, NetworkClient)>,
    /// Virtual time of the servers.
    pub now: Duration,
}

impl Twins {
    /// Returns servers without clients.
    #[must_use]
    pub fn new(servers: [NetworkServer; 2]) -> Self {
        Self {
            servers,
            clients: Vec::new(),
            now: Duration::ZERO,
        }
    }

    /// Runs a command on both servers. Returns the result.
    ///
    /// # Panics
    ///
    /// When the results differ.
    #[track_caller]
    pub fn both<R: PartialEq + Debug>(&mut self, command: impl Fn(&mut NetworkServer) -> R) -> R {
        let [one, other] = self.servers.each_mut().map(command);
        assert_eq!(one, other);
        one
    }

    /// Returns the connection that a number chooses; an unknown one without clients.
    #[must_use]
    pub fn connection(&self, number: usize) -> ConnectionId {
        let client = self.clients.get(number % self.clients.len().max(1));
        client.map_or(ConnectionId(999), |(connection, _)| *connection)
    }

    /// Ends the link of the client that a number chooses.
    pub fn leave(&mut self, number: usize) {
        let connection = self.connection(number);
        self.clients.retain(|(id, _)| *id != connection);
        self.both(|server| server.handle_disconnect(connection));
    }

    /// Connects a client to both servers.
    pub fn connect(&mut self, mut client: NetworkClient) -> ConnectionId {
        client.handle_connect();
        let connection = self.both(NetworkServer::handle_connect);
        self.clients.push((connection, client));
        connection
    }

    /// Delivers all packets. Those of the servers are equal, piece by piece, and so are the statistics.
    ///
    /// # Panics
    ///
    /// On a difference between the servers, and when an end refuses a packet.
    #[track_caller]
    pub fn exchange(&mut self) {
        let packets = self.both(packets);
        let [one, other] = &self.servers;
        assert_eq!(one.stats(), other.stats());
        for (connection, channel, pieces) in packets {
            let client = self.clients.iter_mut().find(|(id, _)| *id == connection);
            let Some((_, client)) = client else {
                assert!(!one.is_connected(connection), "{connection} has a client");
                continue;
            };
            let handled = client.handle_packet(channel, &pieces.concat());
            handled.expect("a valid packet of the servers");
        }
        for (connection, client) in &mut self.clients {
            while let Some(packet) = client.poll_transmit() {
                for server in &mut self.servers {
                    let handled = server.handle_packet(*connection, packet.channel, &packet.bytes);
                    handled.expect("a valid packet of the client");
                }
            }
        }
    }
}

/// Takes the packets of a server: receiver, channel, and pieces with the header first.
fn packets(server: &mut NetworkServer) -> Vec<(ConnectionId, u8, Vec<Bytes>)> {
    let packets = from_fn(|| {
        let transmit = server.poll_transmit()?;
        let header = Bytes::copy_from_slice(transmit.header);
        let pieces = [&[header], transmit.chunks].concat();
        Some((transmit.connection, transmit.channel, pieces))
    });
    packets.collect()
}
