//! Access to objects without guards, for the comparison of replicas.

use syncvar_runtime::NetId;
use syncvar_runtime::object::{Behaviours, Slots};

use crate::server::NetworkServer;

impl NetworkServer {
    /// Returns the ids of all objects, ascending.
    pub(crate) fn object_ids(&self) -> impl Iterator<Item = NetId> {
        self.objects
            .world
            .objects
            .iter()
            .map(|(number, _)| NetId(number))
    }

    /// Returns a new object of an object's prefab.
    pub(crate) fn make_like(&self, id: NetId) -> Option<Behaviours> {
        Some(self.objects.world.prefab(id)?.make())
    }

    /// Returns the behaviours of an object that is not checked out.
    pub(crate) fn slots_mut(&mut self, id: NetId) -> Option<&mut dyn Slots> {
        self.objects.world.slots_mut(id)
    }

    /// Makes all behaviours on unreliable channels dirty.
    pub(crate) fn repeat_lossy(&mut self) {
        for (number, replicated) in self.objects.world.objects.iter() {
            let Some(slots) = self.objects.world.pools.slots_mut(replicated.at) else {
                continue;
            };
            slots.for_each_mut(|slot| {
                if self.context.config.is_lossy(slot.info().channel) {
                    slot.set_dirty_bit(u64::MAX);
                    self.objects.schedule.queue_dirty(NetId(number));
                }
            });
        }
    }
}
