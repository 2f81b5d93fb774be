//! Delivery of the audiences' bytes to the queues of their members.

use bytes::Bytes;

use crate::Framing;
use crate::server::ground::Ground;
use crate::server::sessions::connection::Connection;
use crate::server::visibility::Visibility;
use crate::server::visibility::audience::AudienceDelivery;

impl Visibility {
    /// Queues the unsent bytes of audiences for their members.
    pub(crate) fn deliver(&mut self, ground: &mut Ground<'_>) {
        self.deliver_to(ground, |_| true);
    }

    /// Queues unsent deltas. Connections with a budget have their share already.
    pub(crate) fn deliver_changes(&mut self, ground: &mut Ground<'_>) {
        self.deliver_to(ground, |connection| !connection.is_limited());
    }

    fn deliver_to(&mut self, ground: &mut Ground<'_>, receives: impl Fn(&Connection) -> bool) {
        let config = &ground.context.config;
        let connections = &mut ground.sessions.connections;
        let outbound = &mut *ground.outbound;
        self.audiences.drain(|delivery| {
            let AudienceDelivery {
                channel, chunks, ..
            } = *delivery;
            let length = chunks.iter().map(Bytes::len).sum();
            let queued = outbound.add(channel, chunks.iter().cloned());
            let lossy = config.is_lossy(channel);
            let is_frame = lossy
                && delivery.framing == Framing::Compact
                && outbound.records.add(delivery.audience, &queued, chunks);
            for member in delivery.members {
                let connection = connections.get_mut(member.0);
                let Some(connection) = connection.filter(|connection| receives(connection)) else {
                    continue;
                };
                if lossy && connection.ledger.detached_since.is_some() {
                    continue;
                }
                connection.ledger.charge(length);
                if !lossy || connection.datagrams.is_none() {
                    outbound.queue(connection, queued.clone());
                } else if is_frame {
                    outbound.queue_frame(connection, chunks, &queued);
                } else if let Some(link) = &mut connection.datagrams {
                    link.queue.push_calls(channel, chunks);
                }
            }
        });
    }
}
