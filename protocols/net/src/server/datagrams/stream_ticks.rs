//! Complete ticks on streams without datagrams.
//!
//! The last packet of a tick says whether changes were withheld: a budget is spent, or the transport holds the state back.
//! Mostly the rest follows with a packet of a later tick, which is complete. An empty packet takes its place if the rest was
//! sent with a second update of the same tick, which a client does not report again, or if it has become void.

use crate::server::datagrams::Datagrams;
use crate::server::ground::Ground;
use crate::server::outbound::Outbound;
use crate::server::sessions::Sessions;
use crate::server::sessions::connection::Connection;

impl Connection {
    /// Returns whether the client waits for a complete tick, of which the server withholds nothing.
    fn lacks_complete_tick(&self) -> bool {
        let is_present = self.is_ready() && self.link().is_some();
        is_present && self.headers.withheld.is_some() && !self.ledger.withholds()
    }
}

impl Datagrams {
    /// Queues an empty packet for each connection that lacks a complete tick, unless another packet leaves in this tick.
    pub(super) fn complete_streams(ground: &mut Ground<'_>) {
        let (outbound, sessions) = (&mut *ground.outbound, &mut *ground.sessions);
        let mut incomplete = std::mem::take(&mut outbound.incomplete);
        incomplete.retain(|id| {
            let connection = sessions.connections.get_mut(id.0);
            let Some(connection) = connection.filter(|it| it.headers.withheld.is_some()) else {
                return false;
            };
            let is_later = connection.headers.withheld < Some(outbound.store.tick);
            connection.send_queue.flush(&mut outbound.store);
            if is_later
                && connection.send_queue.chunks.is_empty()
                && connection.lacks_complete_tick()
            {
                let empty = outbound.add(0, std::iter::once(bytes::Bytes::new()));
                outbound.queue(connection, empty);
            }
            true
        });
        outbound.incomplete = incomplete;
    }

    /// Returns whether a connection lacks a complete tick, and the next tick brings it.
    pub(crate) fn has_incomplete_streams(outbound: &Outbound, sessions: &Sessions) -> bool {
        let connections = outbound.incomplete.iter();
        let mut connections = connections.filter_map(|id| sessions.connections.get(id.0));
        connections.any(Connection::lacks_complete_tick)
    }
}
