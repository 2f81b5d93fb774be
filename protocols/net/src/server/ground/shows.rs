//! Notes of objects that connections have received, for their histories.

use syncvar_runtime::{ConnectionId, NetId};

use crate::server::ground::Ground;

impl Ground<'_> {
    /// Notes that connections have received the snapshot of an object.
    pub(crate) fn note_show(&mut self, id: NetId, receivers: &[ConnectionId]) {
        let slots = self.objects.world.slots(id);
        if !slots.is_some_and(|slots| slots.iter().any(|slot| slot.info().history != 0)) {
            return;
        }
        let tick = self.tick();
        let oldest = tick.saturating_sub(self.objects.history_reach(&self.context.config));
        for receiver in receivers {
            if let Some(connection) = self.sessions.connections.get_mut(receiver.0) {
                connection.motion.shows.add(id, tick, oldest);
            }
        }
    }
}
