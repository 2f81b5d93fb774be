//! Slow readers of a stream without datagrams: detached by their transport.

use syncvar_runtime::ConnectionId;

use crate::server::datagrams::Datagrams;
use crate::server::ground::Ground;
use crate::server::replication::bandwidth::BandwidthLimiter;
use crate::server::sessions::connection::Connection;
use crate::server::visibility::Visibility;
use crate::server::visibility::observer_view::ObserverView;

impl Connection {
    /// Detaches the connection while its transport holds back the state on unreliable channels. The state follows
    /// later, with the values of that time. A connection with datagrams is detached by its acknowledgements alone, and
    /// one without ticks never.
    pub(crate) fn detach(&mut self, tick: u32) {
        // Chunks in the queue are sent.
        if self.datagrams.is_none() && self.headers.from.is_some() {
            tracing::debug!(connection = self.id.0, tick, "detached");
            self.ledger.detached_since.get_or_insert(tick);
        }
    }
}

impl Datagrams {
    /// Attaches a connection after its transport has held the state back.
    pub(crate) fn attach_stream(
        &mut self,
        ground: &mut Ground<'_>,
        visibility: &Visibility,
        limiter: &mut BandwidthLimiter,
        id: ConnectionId,
    ) {
        let Some(connection) = ground.sessions.connections.get_mut(id.0) else {
            return;
        };
        if let Some(since) = connection.ledger.detached_since.take() {
            let view = ObserverView::new(ground.objects, visibility, id);
            if self.attach(view, &ground.outbound.records, connection, since) > 0 {
                limiter.add_connection(id);
            }
        }
    }
}
