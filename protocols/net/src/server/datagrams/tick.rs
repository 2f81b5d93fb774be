//! Begin and end of an update for connections with datagrams.

use std::time::Duration;

use syncvar_runtime::ConnectionId;

use crate::server::datagram_link::DatagramLink;
use crate::server::datagrams::Datagrams;
use crate::server::ground::Ground;
use crate::server::outbound::Outbound;
use crate::server::sessions::Sessions;
use crate::server::sessions::connection::Connection;
use crate::server::sessions::send_queue::QueuedChunks;

/// Ticks between two searches for records that no packet needs.
const TRIM_TICKS: u32 = 8;

impl Datagrams {
    /// Declares packets lost that have been flying for too long, and detaches connections that do not
    /// answer. Before the frame of the update. Returns the connections with silent clients, to end them.
    pub(crate) fn decide_losses(&mut self, ground: &mut Ground<'_>) -> Vec<ConnectionId> {
        self.list_links(ground);
        let (context, sessions) = (&ground.context, &mut ground.sessions);
        let (now, repair_bytes) = (context.clock.now(), context.config.loss.repair_bytes);
        let tick = ground.outbound.store.tick;
        let mut silent = Vec::new();
        for id in &self.links {
            if let Some(connection) = sessions.connections.get_mut(id.0)
                && connection.decide_losses(now, tick, repair_bytes)
            {
                silent.push(*id);
            }
        }
        silent
    }

    /// Lists the ready connections with datagrams and a present client.
    fn list_links(&mut self, ground: &mut Ground<'_>) {
        let sessions = &mut *ground.sessions;
        let (links, connections) = (&mut self.links, &sessions.connections);
        links.clear();
        sessions.with_datagrams.retain(|id| {
            let known = connections.get(id.0);
            let known = known.filter(|known| known.datagrams.is_some());
            let present = known.filter(|known| known.is_ready() && known.link().is_some());
            links.extend(present.map(|_| *id));
            known.is_some()
        });
        let has_datagrams = !self.links.is_empty();
        ground.objects.ended_ids.has_datagrams = has_datagrams;
        ground.outbound.records.has_datagrams = has_datagrams;
    }

    /// Divides the chunks of the update into datagrams, and forgets records on which no verdict is due.
    pub(crate) fn end_tick(&mut self, ground: &mut Ground<'_>) {
        Self::complete_streams(ground);
        self.list_links(ground);
        let Ground {
            context,
            objects,
            sessions,
            outbound,
        } = ground;
        let (now, tick) = (context.clock.now(), outbound.store.tick);
        let trims = tick.is_multiple_of(TRIM_TICKS);
        let mut oldest = outbound.records.tick();
        // The packets of this tick are not sent yet.
        let mut handled = tick.saturating_sub(1);
        for id in &self.links {
            let Some(connection) = sessions.connections.get_mut(id.0) else {
                continue;
            };
            connection.end_tick(outbound, now);
            let Connection {
                datagrams: Some(link),
                ledger,
                ..
            } = connection
            else {
                continue;
            };
            let open = link.sender.oldest_open_tick();
            ledger.streamed.trim(open.unwrap_or(u32::MAX));
            // A lost packet that arrives after all is taken back.
            let missing = trims.then(|| link.sender.oldest_missing_tick(tick));
            let lost = ledger.packets.iter().map(|lost| lost.tick);
            let needed = lost.chain(missing.flatten()).min();
            oldest = needed.map_or(oldest, |needed| needed.min(oldest));
            let unhandled = link.unhandled_tick();
            handled = unhandled.map_or(handled, |tick| tick.min(handled));
        }
        if trims {
            outbound.records.trim(oldest);
        }
        objects.ended_ids.trim(handled, tick);
    }

    /// Returns whether all fates of datagrams are decided.
    pub(crate) fn are_settled(sessions: &Sessions) -> bool {
        let connections = sessions.connections.values();
        let mut present = connections.filter(|it| it.is_ready() && it.link().is_some());
        present.all(|connection| {
            let link = connection.datagrams.as_ref();
            link.is_none_or(|link| link.is_settled(&connection.ledger))
        })
    }
}

impl Connection {
    /// Decides the losses of the datagrams. Returns whether the client is silent for too long.
    fn decide_losses(&mut self, now: Duration, tick: u32, repair_bytes: usize) -> bool {
        let Some(link) = &mut self.datagrams else {
            return false;
        };
        if link.queue.tick < tick {
            link.end_tick(&mut self.ledger);
            (link.queue.partial, link.queue.lacks) = (false, false);
        }
        link.repair_left = repair_bytes;
        // No transport may have polled the probe of the update before.
        link.queue.probe |= link.sender.on_time(now, tick, &mut self.ledger.packets);
        if link.sender.is_stalled(now, 1) {
            tracing::debug!(connection = self.id.0, tick, "detached");
            link.detach(&mut self.ledger, now, tick);
        }
        link.sender.is_idle(now)
    }

    /// Divides the chunks of the tick into datagrams.
    fn end_tick(&mut self, outbound: &mut Outbound, now: Duration) {
        let Some(mut link) = self.datagrams.take() else {
            return;
        };
        // An update in the tick of the update before adds nothing to its datagrams.
        if link.queue.tick < outbound.store.tick {
            self.divide_chunks(&mut link, outbound, now);
        }
        let queue = &mut link.queue;
        if queue.probe && queue.parts().is_some() {
            // A datagram with messages asks for an acknowledgement too.
            queue.probe = false;
        }
        if queue.probe {
            link.sender.probe_sent(now);
        }
        queue.partial |= link.sender.is_detached();
        link.notice.end_update(&link.sender);
        if queue.parts().is_none() && !link.sender.is_detached() {
            queue.probe |= link.notice.needs_probe(&link.sender);
        }
        // Up to the next tick: a client reports a tick once, so that a second update cannot complete it.
        queue.lacks |= self.ledger.is_open();
        if queue.has_more() || link.receiver.due(now) {
            self.list(&mut outbound.outgoing);
        }
        self.datagrams = Some(link);
    }

    /// Divides the chunks of the tick into datagrams, with the calls behind them.
    fn divide_chunks(&mut self, link: &mut DatagramLink, outbound: &mut Outbound, now: Duration) {
        let (store, outgoing) = (&mut outbound.store, &mut outbound.outgoing);
        let (tick, room) = (store.tick, link.room);
        if link.sender.is_detached() {
            link.queue.drop_calls();
        }
        link.queue.add_calls(store, room, |store, channel, calls| {
            let chunks = store.add(std::iter::once(calls));
            self.send_queue.flush(store);
            self.send_queue.chunks.push_back(QueuedChunks {
                channel,
                tick,
                chunks,
            });
            self.list(outgoing);
        });
        let count = link.queue.divide(tick, store, room);
        if link.sender.is_stalled(now, count.into()) {
            tracing::debug!(connection = self.id.0, tick, "detached");
            link.detach(&mut self.ledger, now, tick);
            link.withhold_repairs(&mut self.ledger);
        }
    }
}
