//! Lifecycle callbacks of the server's objects.

use super::NetworkServer;
use super::full_state::PrefabInfo;
use crate::NetId;
use crate::identity::Place;
use crate::lifecycle::{Errand, Late, LifecycleCallback, Tells};

impl NetworkServer {
    /// The kind of an object.
    fn prefab_info(&self, id: NetId) -> Option<&PrefabInfo> {
        let prefab = self
            .world
            .pools
            .prefab(self.world.objects.get(id.0)?.at.pool);
        self.world.prefab_infos.get(prefab as usize)
    }

    /// Returns the name of an object's prefab.
    pub(crate) fn prefab_name(&self, id: NetId) -> Option<&str> {
        let prefab = self
            .world
            .pools
            .prefab(self.world.objects.get(id.0)?.at.pool);
        Some(&self.world.prefabs.get(prefab)?.name)
    }

    /// Returns the position and rotation of an object.
    pub(crate) fn place(&self, id: NetId) -> Place {
        self.world.places.get(id.0).copied().unwrap_or_default()
    }

    /// Returns the objects with lifecycle callbacks among these.
    pub(super) fn with_lifecycle(&self, ids: &[NetId]) -> Vec<NetId> {
        let told = ids.iter().filter(|id| self.has_lifecycle(**id));
        told.copied().collect()
    }

    /// Runs a lifecycle callback of these objects.
    pub(crate) fn call_lifecycle(&mut self, ids: &[NetId], callback: LifecycleCallback) {
        for id in ids {
            self.tell(*id, Errand::Call(callback));
        }
    }

    /// Queues an object whose `on_synchronize` changed a field while a snapshot was written.
    #[inline]
    pub(super) fn requeue_if_dirty(&mut self, id: NetId, info: PrefabInfo) {
        if info.synchronize {
            self.queue_changed(id);
        }
    }

    #[inline(never)]
    fn queue_changed(&mut self, id: NetId) {
        let at = self.world.objects.get(id.0).map(|replicated| replicated.at);
        let slots = at.and_then(|at| self.world.pools.slots(at));
        if slots.is_some_and(|slots| slots.iter().any(|slot| slot.dirty_bits() != 0)) {
            self.replication.schedule.queue_dirty(id);
        }
    }
}

impl Tells for NetworkServer {
    fn has_lifecycle(&self, id: NetId) -> bool {
        self.prefab_info(id).is_some_and(|info| info.lifecycle)
    }

    fn late(&mut self) -> &mut Late {
        &mut self.world.deferred
    }
}
