//! Lifecycle callbacks of the server's objects.

#[cfg(test)]
mod tests;

use syncvar_runtime::NetId;
use syncvar_runtime::relations::Place;

use crate::server::NetworkServer;

impl NetworkServer {
    /// Returns the name of an object's prefab.
    pub(crate) fn prefab_name(&self, id: NetId) -> Option<&str> {
        Some(&self.objects.world.prefab(id)?.name)
    }

    /// Returns the position and rotation of an object.
    pub(crate) fn place(&self, id: NetId) -> Place {
        self.objects.world.place(id)
    }

    /// Returns the objects with lifecycle callbacks among these.
    pub(crate) fn with_lifecycle(&self, ids: &[NetId]) -> Vec<NetId> {
        let ids = ids.iter().copied();
        ids.filter(|id| self.objects.world.has_lifecycle(*id))
            .collect()
    }

    /// Queues an object whose `on_synchronize` changed a field while a snapshot was written.
    #[inline]
    pub(crate) fn requeue_if_dirty(&mut self, id: NetId, synchronize: bool) {
        if synchronize && self.objects.world.is_dirty(id) {
            self.objects.schedule.queue_dirty(id);
        }
    }
}
