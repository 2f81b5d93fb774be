//! What behaviours are told of the life of their objects.

use super::NetworkServer;
use super::full_state::Kind;
use crate::LifecycleCallback;
use crate::NetId;
use crate::lend::{Errand, Late, Tells};
use crate::relations::Place;

impl NetworkServer {
    /// The kind of an object.
    fn kind_of(&self, id: NetId) -> Option<&Kind> {
        let prefab = self.pools.prefab(self.objects.get(id.0)?.at.pool);
        self.kinds.get(prefab as usize)
    }

    /// The name of the prefab that an object was made from.
    pub(crate) fn prefab_name(&self, id: NetId) -> Option<&str> {
        let prefab = self.pools.prefab(self.objects.get(id.0)?.at.pool);
        Some(&self.prefabs.get(prefab)?.name)
    }

    /// Where an object stands.
    pub(crate) fn place(&self, id: NetId) -> Place {
        self.places.get(id.0).copied().unwrap_or_default()
    }

    /// Those of some objects that are told of their life.
    pub(super) fn with_lifecycle(&self, ids: &[NetId]) -> Vec<NetId> {
        let told = ids.iter().filter(|id| self.has_lifecycle(**id));
        told.copied().collect()
    }

    /// Runs a callback of each of these objects that has one.
    pub(crate) fn call_lifecycle(&mut self, ids: &[NetId], callback: LifecycleCallback) {
        for id in ids {
            self.tell(*id, Errand::Call(callback));
        }
    }

    /// The full state of an object has been written: if that has changed it, by its `on_synchronize`,
    /// the next update looks at it.
    #[inline]
    pub(super) fn look_again(&mut self, id: NetId, kind: Kind) {
        if kind.synchronize {
            self.queue_changed(id);
        }
    }

    #[inline(never)]
    fn queue_changed(&mut self, id: NetId) {
        let at = self.objects.get(id.0).map(|spawned| spawned.at);
        let slots = at.and_then(|at| self.pools.slots(at));
        if slots.is_some_and(|slots| slots.iter().any(|slot| slot.dirty_bits() != 0)) {
            self.schedule.queue_dirty(id);
        }
    }
}

impl Tells for NetworkServer {
    fn has_lifecycle(&self, id: NetId) -> bool {
        self.kind_of(id).is_some_and(|kind| kind.lifecycle)
    }

    fn late(&mut self) -> &mut Late {
        &mut self.late
    }
}
