//! Begin and end of an update for connections with datagrams.

use syncvar_runtime::ConnectionId;
use syncvar_runtime::DisconnectReason;

use crate::server::NetworkServer;
use crate::server::datagrams::Datagrams;
use crate::server::sessions::connection::QueuedChunks;

/// Ticks between two searches for records that no packet needs.
const TRIM_TICKS: u32 = 8;

impl NetworkServer {
    /// Returns whether the fate of each datagram is decided.
    pub(in crate::server) fn has_settled_datagrams(&self) -> bool {
        let connections = self.sessions.connections.values();
        let mut present = connections.filter(|it| it.is_ready() && it.link().is_some());
        present.all(|it| it.datagrams.as_ref().is_none_or(|it| it.is_settled()))
    }

    /// Declares packets lost that have been flying for too long, and detaches connections that do not
    /// answer. Before the frame of the update.
    pub(in crate::server) fn decide_losses(&mut self) {
        let connections = self.with_datagram_links();
        let mut silent = Vec::new();
        for connection in connections.iter().copied() {
            let is_silent = self.with_datagrams(connection, |server, datagrams| {
                server.decide_losses_of(connection, datagrams);
                datagrams.sender.is_idle(server.context.clock.now())
            });
            if is_silent == Some(true) {
                silent.push(connection);
            }
        }
        self.replication.links = connections;
        for connection in silent {
            self.send_off(connection, DisconnectReason::ConnectionLost);
        }
    }

    /// Returns the ready connections with datagrams whose client is present, in a reused list.
    fn with_datagram_links(&mut self) -> Vec<ConnectionId> {
        let mut links = std::mem::take(&mut self.replication.links);
        links.clear();
        let connections = &self.sessions.connections;
        self.sessions.with_datagrams.retain(|id| {
            let known = connections.get(id.0);
            let known = known.filter(|known| known.datagrams.is_some());
            let present = known.filter(|known| known.is_ready() && known.link().is_some());
            links.extend(present.map(|_| *id));
            known.is_some()
        });
        links
    }

    fn decide_losses_of(&mut self, connection: ConnectionId, datagrams: &mut Datagrams) {
        let (now, tick) = (self.context.clock.now(), self.outbound.store.tick);
        if datagrams.queue.tick < tick {
            datagrams.end_tick();
            datagrams.queue.partial = false;
        }
        datagrams.repair_left = self.context.config.loss.repair_bytes;
        let Datagrams {
            sender, verdicts, ..
        } = datagrams;
        datagrams.queue.probe = sender.on_time(now, tick, verdicts);
        if sender.is_stalled(now, 1) {
            self.detach(connection, datagrams);
        }
    }

    /// Stops the state for a connection. Nothing of this tick was sent to it.
    fn detach(&mut self, connection: ConnectionId, datagrams: &mut Datagrams) {
        let (now, tick) = (self.context.clock.now(), self.outbound.store.tick);
        tracing::debug!(connection = connection.0, tick, "detached");
        let since = tick.saturating_sub(1);
        { &mut datagrams.sender }.detach(now, since, &mut datagrams.verdicts);
        datagrams.counts.detached += 1;
        datagrams.queue.probe = true;
    }

    /// Divides the chunks of the update into datagrams, and forgets records on which no verdict is due.
    pub(in crate::server) fn seal_datagrams(&mut self) {
        let connections = self.with_datagram_links();
        let tick = self.outbound.store.tick;
        let (mut oldest, trims) = (
            self.replication.frames.tick(),
            tick.is_multiple_of(TRIM_TICKS),
        );
        // The packets of this tick are not sent yet.
        let mut handled = tick.saturating_sub(1);
        for connection in connections.iter().copied() {
            let of_connection = self.with_datagrams(connection, |server, datagrams| {
                server.seal(connection, datagrams);
                let open = datagrams.sender.oldest_open_tick();
                datagrams.shown.trim(open.unwrap_or(u32::MAX));
                // A lost packet that arrives after all is taken back.
                let missing = trims.then(|| datagrams.sender.oldest_missing_tick(tick));
                let lost = datagrams.verdicts.iter().map(|lost| lost.tick);
                let needed = lost.chain(missing.flatten()).min();
                (needed, datagrams.unhandled_tick())
            });
            let (needed, unhandled) = of_connection.unwrap_or_default();
            oldest = needed.map_or(oldest, |needed| needed.min(oldest));
            handled = unhandled.map_or(handled, |tick| tick.min(handled));
        }
        self.replication.links = connections;
        if trims {
            self.replication.frames.trim(oldest);
        }
        self.objects.ended_ids.trim(handled);
    }

    fn seal(&mut self, connection: ConnectionId, datagrams: &mut Datagrams) {
        let (now, tick) = (self.context.clock.now(), self.outbound.store.tick);
        // An update in the tick of the one before adds nothing to its datagrams.
        if datagrams.queue.tick < tick {
            let room = datagrams.room;
            if datagrams.sender.is_detached() {
                datagrams.queue.drop_calls();
            }
            let known = &mut self.sessions.connections.get_mut(connection.0);
            let store = (&mut self.outbound.store, room);
            let outgoing = &mut self.outbound.outgoing;
            datagrams.queue.add_calls(store, |store, channel, calls| {
                if let Some(known) = known {
                    let chunks = store.add(std::iter::once(calls));
                    known.flush_own(store);
                    known.queue.push_back(QueuedChunks {
                        channel,
                        tick,
                        chunks,
                    });
                    known.list(outgoing);
                }
            });
            let count = datagrams.queue.divide(tick, &self.outbound.store, room);
            if datagrams.sender.is_stalled(now, count.into()) {
                self.detach(connection, datagrams);
                datagrams.queue.end_tick(|_, _| {});
            }
        }
        let queue = &mut datagrams.queue;
        if queue.probe && queue.parts().is_some() {
            // A datagram with messages asks for an acknowledgement too.
            queue.probe = false;
        }
        if queue.probe {
            datagrams.sender.probe_sent(now);
        }
        queue.partial |= datagrams.sender.is_detached();
        datagrams.notice.end_update(&datagrams.sender);
        if queue.parts().is_none() && !datagrams.sender.is_detached() {
            queue.probe |= datagrams.notice.needs_probe(&datagrams.sender);
        }
        let due = datagrams.receiver.due(now);
        if let Some(known) = self.sessions.connections.get_mut(connection.0) {
            let backlog = known.backlog.as_ref();
            queue.owed = !datagrams.verdicts.is_empty()
                || backlog.is_some_and(|backlog| !backlog.entries.is_empty());
            if queue.has_more() || due {
                known.list(&mut self.outbound.outgoing);
            }
        }
    }
}
