//! Removal and announcement of an object, without its callbacks.

use super::{Fact, Objects, Replica, ReplicaStage};
use crate::client::ClientEvent;
use syncvar_runtime::events::Events;
use syncvar_runtime::unstable::object::DeferredHooks;
use syncvar_runtime::unstable::world::Departure;
use syncvar_runtime::{Callbacks, NetId};

/// What remains of an announcement.
#[derive(Debug)]
pub(crate) struct Announcement {
    /// Hooks of the initial values that may take a context.
    pub(crate) hooks: Vec<DeferredHooks>,
    /// Whether a behaviour has spawn callbacks.
    pub(crate) has_callbacks: bool,
    /// Whether this client owns the object.
    pub(crate) owned: bool,
}

impl Objects {
    /// Removes an object whose despawn callbacks have run. Returns whether it existed.
    pub(crate) fn remove(
        &mut self,
        object: NetId,
        departure: Departure,
        events: &mut Events<ClientEvent>,
    ) -> bool {
        let scene_id = self.world.relations.scene_id(object);
        self.world.relations.forget(object);
        let Some(replica) = self.world.objects.remove(object.0) else {
            return false;
        };
        match scene_id {
            Some(scene_id) => self.deactivate(replica.at, scene_id),
            None => self.world.pools.remove(replica.at),
        }
        self.world.places.remove(object.0);
        self.references.forget(object);
        if replica.is_announced() {
            let hidden = departure == Departure::Hidden;
            tracing::trace!(%object, hidden, "lost an object");
            events.push(ClientEvent::Despawned { object, hidden });
        }
        true
    }

    /// Returns the objects that lose their parent with its departure: the children of a destroyed object, ascending.
    pub(crate) fn orphans(&self, parent: NetId, departure: Departure) -> Vec<NetId> {
        let relations = &self.world.relations;
        if departure != Departure::Destroyed || !relations.has_children() {
            return Vec::new();
        }
        relations.children(parent).collect()
    }

    /// Returns the announced objects, if any prefab has lifecycle callbacks.
    pub(crate) fn with_callbacks(&self) -> Vec<NetId> {
        let mut prefabs = self.world.prefabs.entries().iter();
        if !prefabs.any(|prefab| prefab.callbacks.lifecycle) {
            return Vec::new();
        }
        self.world.ids(Replica::is_announced)
    }

    /// Announces a visible object: runs the hooks of its initial values, unless a hook takes a context.
    #[inline]
    pub(crate) fn announce(
        &mut self,
        object: NetId,
        events: &mut Events<ClientEvent>,
    ) -> Option<Announcement> {
        let replica = self.world.objects.get_mut(object.0)?;
        replica.stage = ReplicaStage::Announced;
        let (at, owned) = (replica.at, replica.is(Fact::Owned));
        let prefab = self.world.prefabs.get(self.world.pools.prefab(at.pool));
        tracing::trace!(%object, prefab = prefab.map(|it| &*it.name), owned, "received an object");
        let runs = self.world.callbacks == Callbacks::Run;
        let prefab = prefab.filter(|_| runs);
        let (initial_hooks, has_callbacks) = prefab.map_or((false, false), |prefab| {
            (prefab.callbacks.initial_hooks, prefab.callbacks.lifecycle)
        });
        self.receive_all(object);
        let mut hooks = Vec::new();
        if initial_hooks {
            hooks = self.initial_hooks(object, at);
            if !self.needs_context(object, &hooks) {
                self.call_in_pool(std::mem::take(&mut hooks), events);
            }
        }
        Some(Announcement {
            hooks,
            has_callbacks,
            owned,
        })
    }
}
