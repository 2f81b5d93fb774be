//! Begin of a tick.

use syncvar_runtime::DisconnectReason;

use crate::Framing;
use crate::server::NetworkServer;

impl NetworkServer {
    /// Begins the tick of an update.
    pub(in crate::server) fn begin_tick(&mut self) {
        let tick = self.network_time().tick;
        if let Some(number) = self.context.ticks.number(tick) {
            self.outbound.store.tick = number;
            self.objects.ended_ids.begin_tick(number);
        } else {
            self.restart_ticks(tick);
        }
        self.move_unsent();
    }

    /// Moves the packets that no transport has polled yet into this tick. Otherwise their tick would depend on
    /// the moment at which a message became a chunk.
    fn move_unsent(&mut self) {
        let outbound = &self.outbound;
        for id in &outbound.outgoing {
            if let Some(connection) = self.sessions.connections.get_mut(id.0) {
                if connection.datagrams.is_some() {
                    self.objects.ended_ids.postpone(outbound.store.tick);
                }
                let queue = connection.queue.iter_mut();
                queue.for_each(|queued| queued.tick = outbound.store.tick);
            }
        }
    }

    /// Begins the ticks again at 1, and ends the connections that count the former ticks. A recording begins
    /// again with a keyframe.
    #[cold]
    fn restart_ticks(&mut self, tick: u64) {
        self.context.ticks.restart(tick);
        self.replication.frames.clear();
        self.outbound.store.tick = 1;
        self.request_keyframe();
        for (_, replicated) in self.objects.world.objects.iter() {
            if let Some(slots) = self.objects.world.pools.slots_mut(replicated.at) {
                slots.for_each_mut(|slot| {
                    if let Some(ticks) = slot.ticks_mut() {
                        ticks.reset(1);
                    }
                });
            }
        }
        let counting = self.sessions.connections.values();
        let counting = counting.filter(|it| it.is_connected() && it.framing == Framing::Compact);
        for connection in counting.map(|it| it.id).collect::<Vec<_>>() {
            let reason = "the ticks of the server begin again".into();
            self.send_off(connection, DisconnectReason::Requested(reason));
        }
    }
}
