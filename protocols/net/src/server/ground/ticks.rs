//! Begin of a tick.

use syncvar_runtime::ConnectionId;

use crate::Framing;
use crate::server::ground::Ground;

impl Ground<'_> {
    /// Begins the tick of an update. Returns the connections to end, because the ticks begin again at 1.
    ///
    /// Before a transport has polled the last update, the update belongs to the same tick, and state on unreliable
    /// channels waits for the next one: a snapshot that left in a later tick would count for the changes of that tick.
    pub(crate) fn begin_tick(&mut self) -> Vec<ConnectionId> {
        let tick = self.context.update_tick();
        if std::mem::replace(&mut self.outbound.awaits_poll, true) && self.has_unsent_stream() {
            return Vec::new();
        }
        let closing = if let Some(number) = self.context.ticks.number(tick) {
            self.outbound.store.tick = number;
            self.objects.ended_ids.begin_tick(number);
            Vec::new()
        } else {
            self.restart_ticks(tick)
        };
        self.move_unsent();
        closing
    }

    /// Returns whether a packet on the stream of a connection with datagrams is unsent.
    fn has_unsent_stream(&self) -> bool {
        let mut outgoing = self.outbound.outgoing.iter();
        outgoing.any(|id| {
            let connection = self.sessions.connections.get(id.0);
            connection.is_some_and(|it| it.datagrams.is_some() && it.send_queue.is_unsent())
        })
    }

    /// Begins the frame of the tick. Returns whether state on unreliable channels may be written.
    pub(crate) fn begin_frame(&mut self) -> bool {
        let has_ticks = self.context.config.has_ticks();
        let tick = self.tick();
        self.outbound.records.begin(tick, has_ticks)
    }

    /// Moves the packets that no transport has polled yet into this tick. Otherwise their tick would depend on
    /// the moment at which a message became a chunk.
    fn move_unsent(&mut self) {
        let tick = self.tick();
        for id in &self.outbound.outgoing {
            if let Some(connection) = self.sessions.connections.get_mut(id.0) {
                if connection.datagrams.is_some() {
                    self.objects.ended_ids.postpone(tick);
                }
                let queue = connection.send_queue.chunks.iter_mut();
                queue.for_each(|queued| queued.tick = tick);
            }
        }
    }

    /// Begins the ticks again at 1. Returns the connections that count the former ticks. A recording begins again with
    /// a keyframe.
    #[cold]
    fn restart_ticks(&mut self, tick: u64) -> Vec<ConnectionId> {
        self.context.ticks.restart(tick);
        self.outbound.records.clear();
        self.outbound.store.tick = 1;
        self.request_keyframe();
        let world = &mut self.objects.world;
        for (_, replicated) in world.objects.iter() {
            if let Some(slots) = world.pools.slots_mut(replicated.at) {
                slots.for_each_mut(|slot| {
                    if let Some(ticks) = slot.ticks_mut() {
                        ticks.reset(1);
                    }
                });
            }
        }
        let counting = self.sessions.connections.values();
        let counting = counting.filter(|it| it.is_connected() && it.framing == Framing::Compact);
        counting.map(|it| it.id).collect()
    }

    /// Makes the next update write a keyframe. No effect without a recording.
    pub(crate) fn request_keyframe(&mut self) {
        let observer = self.outbound.recorder.observer();
        let joining = &mut self.sessions.pending.joining;
        if let Some(observer) = observer.filter(|observer| !joining.contains(observer)) {
            joining.push(observer);
        }
    }
}
