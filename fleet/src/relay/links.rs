//! `Links`: connections of the transport over the servers of successive origins.

use std::collections::{BTreeMap, VecDeque};

use syncvar_net::NetworkServer;
use syncvar_runtime::{ConnectionId, Endpoint, PacketLimits};

/// Connections before the first origin, and between two origins.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// Highest number of a connection so far.
    last: u32,
    waiting: BTreeMap<ConnectionId, PacketLimits>,
    closed: VecDeque<ConnectionId>,
}

impl Links {
    /// Adds a connection that waits for a server.
    pub(crate) fn wait(&mut self, limits: PacketLimits) -> ConnectionId {
        self.last += 1;
        let connection = ConnectionId(self.last);
        self.waiting.insert(connection, limits);
        connection
    }

    /// Notes a connection of the server.
    pub(crate) fn note(&mut self, connection: ConnectionId) {
        self.last = self.last.max(connection.0);
    }

    /// Returns whether a connection waits.
    pub(crate) fn waits(&self, connection: ConnectionId) -> bool {
        self.waiting.contains_key(&connection)
    }

    /// Removes a waiting connection that the transport has lost.
    pub(crate) fn forget(&mut self, connection: ConnectionId) {
        self.waiting.remove(&connection);
    }

    /// Ends a waiting connection.
    pub(crate) fn close(&mut self, connection: ConnectionId) {
        if self.waiting.remove(&connection).is_some() {
            self.closed.push_back(connection);
        }
    }

    /// Ends all connections of a server whose origin is gone, as lost links: their clients return.
    pub(crate) fn close_all(&mut self, server: &mut NetworkServer) {
        while let Some(closed) = server.poll_close() {
            self.closed.push_back(closed);
        }
        let returned: BTreeMap<_, _> = Endpoint::returned(server).collect();
        for connection in server.connections() {
            let link = returned.get(&connection).copied().unwrap_or(connection);
            self.closed.push_back(link);
        }
    }

    /// Gives the waiting connections to a new server. Its numbers continue behind those of the server before.
    pub(crate) fn enter(&mut self, server: &mut NetworkServer) {
        for number in 1..=self.last {
            let limits = self.waiting.remove(&ConnectionId(number));
            let connection =
                Endpoint::handle_connect(server, limits.unwrap_or(PacketLimits::STREAM));
            if limits.is_none() {
                Endpoint::handle_disconnect(server, connection);
            }
        }
        while server.poll_close().is_some() {}
        while server.poll_event().is_some() {}
    }

    /// Returns a connection that has ended.
    pub(crate) fn poll_close(&mut self) -> Option<ConnectionId> {
        self.closed.pop_front()
    }
}
