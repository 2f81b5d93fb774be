//! Lifecycle of objects: announcement, callbacks and removal.

use super::{ClientEvent, ClientState, NetworkClient};
use crate::client::objects::{Fact, Replica, Stage};
use syncvar_runtime::world::{CheckOut, Departure, LifecycleEvent};
use syncvar_runtime::{Callbacks, LifecycleCallback, NetId};

impl NetworkClient {
    /// Removes the objects of a closed connection, as the next connection would. Their
    /// [`on_network_despawn`](syncvar_runtime::NetworkLifecycle::on_network_despawn) runs. No effect while a
    /// connection is open.
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
        if self.session.state == ClientState::Disconnected {
            self.drop_link();
            self.forget_all();
        }
    }

    pub(super) fn forget_all(&mut self) {
        for id in self.objects.world.ids(|_| true) {
            self.forget(id, Departure::Destroyed);
        }
    }

    /// Removes an object after its despawn callbacks. A checked-out object leaves at its check-in.
    pub(super) fn forget(&mut self, object: NetId, departure: Departure) {
        let Some(replica) = self.objects.world.objects.get(object.0) else {
            self.objects.world.relations.forget(object);
            return;
        };
        if self.objects.world.checked_out.contains(object) {
            self.objects.world.checked_out.depart(object, departure);
        } else if replica.is_announced() && self.objects.world.has_lifecycle(object) {
            self.check_out(object, |_, client| {
                client.objects.world.checked_out.depart(object, departure)
            });
        } else {
            self.remove(object, departure);
        }
    }

    /// Removes an object after its despawn callbacks.
    pub(super) fn remove(&mut self, object: NetId, departure: Departure) {
        let scene_id = self.objects.world.relations.scene_id(object);
        self.objects.world.relations.forget(object);
        let Some(replica) = self.objects.world.objects.remove(object.0) else {
            return;
        };
        match scene_id {
            Some(scene_id) => self.deactivate(replica.at, scene_id),
            None => self.objects.world.pools.remove(replica.at),
        }
        self.objects.world.places.remove(object.0);
        self.early.remember_gone(object);
        self.objects.references.forget(object);
        self.writes.leases.remove(object);
        if let Some(lossy) = &mut self.outbound.lossy {
            lossy.forget(object);
        }
        if replica.is_announced() {
            let hidden = departure == Departure::Hidden;
            tracing::trace!(%object, hidden, "lost an object");
            self.context
                .events
                .push(ClientEvent::Despawned { object, hidden });
        }
    }

    /// Announces a visible object: runs its initial hooks and spawn callbacks, then reports it to the
    /// application.
    pub(super) fn announce(&mut self, object: NetId) {
        let Some(replica) = self.objects.world.objects.get_mut(object.0) else {
            return;
        };
        replica.stage = Stage::Announced;
        let (at, owned) = (replica.at, replica.is(Fact::Owned));
        let runs = self.objects.world.callbacks == Callbacks::Run;
        let prefab = self
            .objects
            .world
            .prefabs
            .get(self.objects.world.pools.prefab(at.pool));
        tracing::trace!(%object, prefab = prefab.map(|it| &*it.name), owned, "received an object");
        let prefab = prefab.filter(|_| runs);
        let (initial_hooks, lifecycle) = prefab.map_or((false, false), |prefab| {
            (prefab.callbacks.initial_hooks, prefab.callbacks.lifecycle)
        });
        self.receive_all(object);
        let mut hooks = Vec::new();
        if initial_hooks {
            hooks = self.initial_hooks(object, at);
            if !self.needs_context(object, &hooks) {
                self.call_in_pool(std::mem::take(&mut hooks));
            }
        }
        self.note_spawn(object);
        if lifecycle || !hooks.is_empty() {
            self.check_out(object, |slots, client| {
                client.call_hooks(slots, &mut hooks);
                for callback in LifecycleCallback::SPAWN {
                    client.call_all(object, slots, callback);
                }
                client.context.events.push(ClientEvent::Spawned { object });
            });
        } else {
            self.context.events.push(ClientEvent::Spawned { object });
        }
        if owned {
            self.report_ownership(object, true);
        }
    }

    /// Reports a change of ownership to the behaviours, then to the application.
    pub(super) fn report_ownership(&mut self, object: NetId, owned: bool) {
        let callback = if owned {
            LifecycleCallback::GainedOwnership
        } else {
            LifecycleCallback::LostOwnership
        };
        self.call_lifecycle(&[object], callback);
        if self.objects.world.contains(object) {
            self.context
                .events
                .push(ClientEvent::OwnerChanged { object, owned });
        }
        if !owned {
            self.reset_fields(object, |policy| policy.owner_only);
        }
    }

    /// Calls the behaviours of all announced objects after the first burst.
    pub(super) fn call_session_synchronized(&mut self) {
        if !self
            .objects
            .world
            .prefabs
            .entries()
            .iter()
            .any(|prefab| prefab.callbacks.lifecycle)
        {
            return;
        }
        let announced = self.objects.world.ids(Replica::is_announced);
        self.call_lifecycle(&announced, LifecycleCallback::SessionSynchronized);
    }

    /// Runs a lifecycle callback on the given objects. On a checked-out object it runs before the
    /// check-in.
    pub(crate) fn call_lifecycle(&mut self, ids: &[NetId], callback: LifecycleCallback) {
        for id in ids {
            if self.objects.world.has_lifecycle(*id) {
                self.dispatch_now(*id, LifecycleEvent::Call(callback));
            }
        }
    }
}
