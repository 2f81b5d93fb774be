//! Access to objects without guards, for the comparison of replicas.

use syncvar_runtime::Behaviours;
use syncvar_runtime::NetId;

use crate::server::ServerConfig;
use crate::server::objects::Objects;

impl Objects {
    /// Returns the ids of all objects, ascending.
    pub(crate) fn ids(&self) -> impl Iterator<Item = NetId> {
        self.world.objects.iter().map(|(number, _)| NetId(number))
    }

    /// Returns the ids of the objects behind an id, ascending.
    pub(crate) fn ids_behind(&self, id: NetId) -> impl Iterator<Item = NetId> {
        let behind = self.world.objects.iter_from(id.0.saturating_add(1));
        behind.map(|(number, _)| NetId(number))
    }

    /// Returns the name of an object's prefab.
    pub(crate) fn prefab_name(&self, id: NetId) -> Option<&str> {
        Some(&self.world.prefab(id)?.name)
    }

    /// Returns a new object of an object's prefab.
    pub(crate) fn make_like(&self, id: NetId) -> Option<Behaviours> {
        Some(self.world.prefab(id)?.make())
    }

    /// Makes all behaviours on unreliable channels dirty.
    pub(crate) fn repeat_lossy(&mut self, config: &ServerConfig) {
        for (number, replicated) in self.world.objects.iter() {
            let Some(slots) = self.world.pools.slots_mut(replicated.at) else {
                continue;
            };
            slots.for_each_mut(|slot| {
                if config.is_lossy(slot.info().channel) {
                    slot.set_dirty_bit(u64::MAX);
                    self.schedule.queue_dirty(NetId(number));
                }
            });
        }
    }
}
