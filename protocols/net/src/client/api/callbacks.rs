//! The conductor of callbacks: steps that lend the whole client to hooks, lifecycle callbacks and calls.

use crate::client::ClientEvent;
use crate::client::NetworkClient;
use syncvar_runtime::unstable::object::DeferredHooks;
use syncvar_runtime::unstable::world::{CheckOut, Departure, LifecycleEvent, Protocol};
use syncvar_runtime::{Callbacks, LifecycleCallback, NetId};

impl NetworkClient {
    pub(crate) fn forget_all(&mut self) {
        for id in self.objects.world.ids(|_| true) {
            self.forget(id, Departure::Destroyed);
        }
    }

    /// Removes an object after its despawn callbacks. A checked-out object leaves at its check-in.
    pub(crate) fn forget(&mut self, object: NetId, departure: Departure) {
        let world = &mut self.objects.world;
        let Some(replica) = world.objects.get(object.0) else {
            world.relations.forget(object);
            return;
        };
        if world.checked_out.contains(object) {
            world.checked_out.depart(object, departure);
        } else if replica.is_announced() && world.has_lifecycle(object) {
            self.check_out(object, |_, client| {
                client.objects.world.checked_out.depart(object, departure)
            });
        } else {
            self.checked_in(object, Some(departure));
        }
    }

    /// Announces a visible object: runs its initial hooks and spawn callbacks, then reports it to the
    /// application.
    pub(crate) fn announce(&mut self, object: NetId) {
        let events = &mut self.context.events;
        let Some(announcement) = self.objects.announce(object, events) else {
            return;
        };
        self.predictions.note_spawn(object);
        let mut hooks = announcement.hooks;
        if announcement.has_callbacks || !hooks.is_empty() {
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
        if announcement.owned {
            self.report_ownership(object, true);
        }
    }

    /// Reports a change of ownership to the behaviours, then to the application.
    pub(crate) fn report_ownership(&mut self, object: NetId, owned: bool) {
        let callback = if owned {
            LifecycleCallback::GainedOwnership
        } else {
            LifecycleCallback::LostOwnership
        };
        self.call_lifecycle(&[object], callback);
        if self.objects.world.contains(object) {
            let event = ClientEvent::OwnerChanged { object, owned };
            self.context.events.push(event);
        }
        if !owned {
            let tick = self.inbound.tick();
            let reset = self
                .objects
                .reset_fields(object, tick, |policy| policy.owner_only);
            self.run_received_hooks(object, reset);
        }
    }

    /// Reports the new parent of a visible object. During a burst the report waits for its end.
    pub(crate) fn report_parent(&mut self, child: NetId) {
        if !self.objects.world.is_visible(child) {
            return;
        }
        if self.session.is_joining() {
            self.inbound.reparented.insert(child);
            return;
        }
        let parent = self.objects.world.relations.parent(child);
        self.call_lifecycle(&[child], LifecycleCallback::ParentChanged(parent));
        if self.objects.world.contains(child) {
            let object = child;
            let event = ClientEvent::ParentChanged { object, parent };
            self.context.events.push(event);
        }
    }

    /// Reports that all scene objects for this client are spawned.
    pub(crate) fn report_scene_objects_spawned(&mut self) {
        if let Some(spawned) = self.objects.spawned_scene_objects() {
            self.call_lifecycle(&spawned, LifecycleCallback::InSceneObjectsSpawned);
            self.context.events.push(ClientEvent::SceneObjectsSpawned);
        }
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

    /// Runs the hooks with a context, after all deltas of a message.
    #[inline]
    pub(crate) fn run_deferred_hooks(&mut self) {
        if !self.inbound.waiting.list.is_empty() {
            self.run_waiting_hooks();
        }
    }

    #[inline(never)]
    fn run_waiting_hooks(&mut self) {
        let mut waiting = self.inbound.waiting.take();
        for hooks in waiting.chunk_by_mut(|one, next| one.object == next.object) {
            let Some(object) = hooks.first().map(|hooks| hooks.object) else {
                continue;
            };
            // A check-out moves the object into memory of its own.
            if self.objects.needs_context(object, hooks) {
                self.check_out(object, |slots, client| client.call_hooks(slots, hooks));
                continue;
            }
            for hooks in hooks {
                let events = &mut self.context.events;
                if self.objects.call_waiting(hooks, events) {
                    self.writes.from_hooks.push(object);
                }
            }
        }
        waiting.clear();
        self.inbound.waiting.give_back(waiting);
        if !self.writes.from_hooks.is_empty() {
            let may_write = self.session.may_write(&self.context.config);
            self.writes.take_hook_writes(&mut self.objects, may_write);
        }
    }

    /// Runs the hooks of an object, and reports its changes.
    pub(crate) fn run_received_hooks(&mut self, object: NetId, mut hooks: Vec<DeferredHooks>) {
        let tick = self.inbound.packet.network_tick;
        for hooks in &mut hooks {
            hooks.tick = tick;
        }
        let runs = self.objects.world.callbacks == Callbacks::Run;
        if runs && self.objects.needs_context(object, &hooks) {
            self.run_hooks(hooks);
        } else {
            let events = &mut self.context.events;
            self.objects.call_in_pool(hooks, events);
        }
    }
}
