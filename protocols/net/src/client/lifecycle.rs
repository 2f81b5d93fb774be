//! What behaviours and the application are told of the life of objects.

use super::{ClientEvent, ClientState, NetworkClient};
use crate::LifecycleCallback;
use crate::NetId;
use crate::behaviour::{Panicked, contain};
use crate::lend::{Leaving, Lends};
use crate::object::Location;
use crate::relations::Place;
use crate::{ChangedFields, HookFailure};

impl NetworkClient {
    /// Forgets the objects of a connection that is over, as the next connection would; their
    /// [`on_network_despawn`](crate::NetworkLifecycle::on_network_despawn) runs. Does nothing while
    /// there is a connection.
    ///
    /// ```
    /// # use syncvar::*;
    /// # let mut client = NetworkClient::new(Prefabs::new());
    /// while let Some(event) = client.poll_event() {
    ///     if let ClientEvent::Disconnected { .. } = event {
    ///         client.forget_objects();
    ///     }
    /// }
    /// ```
    pub fn forget_objects(&mut self) {
        if self.state == ClientState::Disconnected {
            self.forget_all();
        }
    }

    pub(super) fn forget_all(&mut self) {
        for id in self.ids(|_| true) {
            self.forget(id, false);
        }
    }

    /// An object is gone. If it is being called at the time, it goes when that is done.
    pub(super) fn forget(&mut self, object: NetId, hidden: bool) {
        let Some(replica) = self.objects.get(object.0) else {
            self.relations.forget(object);
            return;
        };
        let leaving = if hidden {
            Leaving::Hidden
        } else {
            Leaving::Destroyed
        };
        if self.lent.contains(object) {
            self.lent.let_go(object, leaving);
        } else if replica.told && self.has_lifecycle(replica.at) {
            self.lend(object, |_, client| client.lent.let_go(object, leaving));
        } else {
            self.remove(object, leaving);
        }
    }

    /// Takes an object away, when its behaviours have been told.
    pub(super) fn remove(&mut self, object: NetId, leaving: Leaving) {
        let scene_id = self.relations.scene_id(object);
        self.relations.forget(object);
        let Some(replica) = self.objects.remove(object.0) else {
            return;
        };
        match scene_id {
            Some(scene_id) => self.put_to_sleep(replica.at, scene_id),
            None => self.pools.remove(replica.at),
        }
        self.places.remove(&object);
        self.late.remember_gone(object);
        self.references.forget(object);
        if replica.told {
            let hidden = leaving == Leaving::Hidden;
            self.events.push(ClientEvent::Despawned { object, hidden });
        }
    }

    /// Whether this is still the connection that was under way.
    pub(super) fn is_in(&self, session: u64) -> bool {
        self.session == session && self.is_connected()
    }

    /// The name of the prefab that an object was made from.
    pub(crate) fn prefab_name(&self, id: NetId) -> Option<&str> {
        let prefab = self.pools.prefab(self.objects.get(id.0)?.at.pool);
        Some(&self.prefabs.get(prefab)?.name)
    }

    /// Where an object stands.
    pub(crate) fn place(&self, id: NetId) -> Place {
        self.places.get(&id).copied().unwrap_or_default()
    }

    /// Whether any behaviour of an object is told of its life.
    fn has_lifecycle(&self, at: Location) -> bool {
        let prefab = self.prefabs.get(self.pools.prefab(at.pool));
        prefab.is_some_and(|prefab| prefab.lifecycle)
    }

    /// Calls the hooks that want to be told of what an object is like when it is met.
    #[cold]
    fn call_initial_hooks(&mut self, object: NetId, at: Location) {
        let prefab = self.prefabs.get(self.pools.prefab(at.pool));
        let slots = self.pools.slots_mut(at);
        if let (Some(prefab), Some(slots)) = (prefab, slots) {
            let made = prefab.make();
            for index in 0..slots.len() {
                let told = slots.initial_changes(index, made.slots());
                if let (Some(told), Some(slot)) = (told, slots.slot_mut(index)) {
                    let called = contain(|| slot.call_hooks_with(told));
                    if let Err(Panicked(message)) = called {
                        let schema = &slot.info().schema;
                        let fields = ChangedFields::new(schema, schema.dirty_bits());
                        let failure = HookFailure::new(object, fields, message);
                        self.events.push(ClientEvent::HookFailed(Box::new(failure)));
                    }
                }
            }
        }
    }

    /// Tells the hooks that want to be told, the behaviours and then the application of an object that can
    /// be seen from now on.
    pub(super) fn announce(&mut self, object: NetId) {
        let Some(replica) = self.objects.get_mut(object.0) else {
            return;
        };
        (replica.announced, replica.told) = (true, true);
        let (at, owned) = (replica.at, replica.owned);
        if self.tells {
            self.announce_to_behaviours(object, at);
        } else {
            self.events.push(ClientEvent::Spawned { object });
        }
        if owned {
            self.tell_ownership(object, true);
        }
    }

    /// The same for an object whose behaviours may want to be told.
    fn announce_to_behaviours(&mut self, object: NetId, at: Location) {
        let prefab = self.prefabs.get(self.pools.prefab(at.pool));
        let (initial_hooks, lifecycle) = prefab.map_or((false, false), |prefab| {
            (prefab.initial_hooks, prefab.lifecycle)
        });
        if initial_hooks {
            self.call_initial_hooks(object, at);
        }
        if lifecycle {
            self.lend(object, |slots, client| {
                for callback in LifecycleCallback::SPAWN {
                    client.call_all(object, slots, callback);
                }
                client.events.push(ClientEvent::Spawned { object });
            });
        } else {
            self.events.push(ClientEvent::Spawned { object });
        }
    }

    /// Tells the behaviours and then the application whether this client owns an object.
    pub(super) fn tell_ownership(&mut self, object: NetId, owned: bool) {
        let callback = if owned {
            LifecycleCallback::GainedOwnership
        } else {
            LifecycleCallback::LostOwnership
        };
        self.call_lifecycle(&[object], callback);
        if self.objects.get(object.0).is_some() {
            self.events
                .push(ClientEvent::OwnerChanged { object, owned });
        }
    }

    /// Everything that this client may see has been spawned.
    pub(super) fn tell_synchronized(&mut self) {
        if !self.tells {
            return;
        }
        let told = self.ids(|replica| replica.told && self.has_lifecycle(replica.at));
        self.call_lifecycle(&told, LifecycleCallback::SessionSynchronized);
    }

    /// Runs a callback of each of these objects that has one.
    pub(crate) fn call_lifecycle(&mut self, ids: &[NetId], callback: LifecycleCallback) {
        for id in ids {
            let at = self.objects.get(id.0).map(|replica| replica.at);
            if at.is_none_or(|at| !self.has_lifecycle(at)) || self.lent.leave(*id, &[callback]) {
                continue;
            }
            self.lend(*id, |slots, client| client.call_all(*id, slots, callback));
        }
    }
}
