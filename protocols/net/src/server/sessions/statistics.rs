//! Traffic and delay of one connection.

use syncvar_runtime::{ConnectionId, ConnectionStats, Counter, ObjectError};

use crate::server::NetworkServer;

impl NetworkServer {
    /// Returns the traffic, the queue and the delay of a connection.
    ///
    /// The server measures the round trip by its answers to the
    /// [pings](crate::ClientConfig::ping_interval) of the client, which the client echoes. Costs time in proportion to
    /// the queue.
    ///
    /// # Errors
    ///
    /// [`ObjectError::NotConnected`] for an unknown connection.
    pub fn connection_stats(
        &self,
        connection: ConnectionId,
    ) -> Result<ConnectionStats, ObjectError> {
        let known = self.sessions.connections.get(connection.0);
        let known = known.ok_or(ObjectError::NotConnected(connection))?;
        let mut queued = Counter::default();
        let chunks = known.queue.iter().flat_map(|queued| queued.chunks.clone());
        chunks.for_each(|chunk| queued.add(self.outbound.store.length(chunk)));
        if !known.own.is_empty() {
            queued.add(known.own.as_bytes().len());
        }
        let mut stats = ConnectionStats::default();
        (stats.sent, stats.received, stats.queued) = (known.outgoing, known.incoming, queued);
        stats.backlog = known
            .backlog
            .as_ref()
            .map_or(0, |backlog| backlog.entries.len());
        (stats.round_trip, stats.jitter) = known.ping.round_trip().measured().unzip();
        Ok(stats)
    }
}
