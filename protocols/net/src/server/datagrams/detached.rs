//! Slow readers of a stream without datagrams: detached by their transport.

use syncvar_runtime::ConnectionId;

use crate::server::NetworkServer;
use crate::server::datagrams::Datagrams;
use crate::server::datagrams::shown::Shown;

impl NetworkServer {
    /// Detaches the connection of a link, or attaches it again. Its state on unreliable channels follows later, with
    /// the values of that time. A connection with datagrams is detached by its acknowledgements alone, and one without
    /// ticks never.
    pub(in crate::server) fn hold_state_of(&mut self, link: ConnectionId, held: bool) {
        let connection = self.sessions.returns.of_link(link);
        let tick = self.outbound.store.tick;
        let Some(known) = self.sessions.connections.get_mut(connection.0) else {
            return;
        };
        if !held {
            return self.release_state(connection);
        }
        // Chunks in the queue are sent.
        if known.datagrams.is_none() && known.headers.from.is_some() {
            tracing::debug!(connection = connection.0, tick, "detached");
            known.detached_since.get_or_insert(tick);
        }
    }

    /// Attaches a connection whose transport held its state.
    pub(in crate::server) fn release_state(&mut self, connection: ConnectionId) {
        let known = self.sessions.connections.get_mut(connection.0);
        if let Some(since) = known.and_then(|known| known.detached_since.take()) {
            self.attach(connection, &Shown::default(), since);
        }
    }

    /// Returns whether a connection is sent no state on unreliable channels for the time being, given its datagrams
    /// if it has them.
    pub(in crate::server) fn is_detached(
        &self,
        connection: ConnectionId,
        datagrams: Option<&Datagrams>,
    ) -> bool {
        let known = self.sessions.connections.get(connection.0);
        known.is_some_and(|known| known.detached_since.is_some())
            || datagrams.is_some_and(|datagrams| datagrams.sender.is_detached())
    }
}
