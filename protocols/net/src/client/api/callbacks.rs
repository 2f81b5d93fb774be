//! The conductor of callbacks: steps that lend the whole client to hooks, lifecycle callbacks and calls.

use crate::client::ClientEvent;
use crate::client::NetworkClient;
use crate::client::objects::ObjectChange;
use syncvar_runtime::unstable::object::DeferredHooks;
use syncvar_runtime::unstable::world::{CheckOut, Departure, Protocol};
use syncvar_runtime::{Callbacks, LifecycleCallback, NetId};

impl NetworkClient {
    /// Removes objects after their despawn callbacks. A checked-out object leaves at its check-in.
    pub(crate) fn forget(&mut self, objects: &[NetId], departure: Departure) {
        for object in objects {
            let (object, world) = (*object, &mut self.objects.world);
            let Some(replica) = world.objects.get(object.0) else {
                world.relations.forget(object);
                continue;
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
            let owned = true;
            self.report_change(ObjectChange::Owner { object, owned });
        }
    }

    /// Reports a change to the behaviours, then to the application. During a burst, the report of a new parent waits for
    /// the end of the burst.
    pub(crate) fn report_change(&mut self, change: ObjectChange) {
        match change {
            ObjectChange::Spawned(object) => self.announce(object),
            ObjectChange::Owner { object, owned } => {
                let callback = if owned {
                    LifecycleCallback::GainedOwnership
                } else {
                    LifecycleCallback::LostOwnership
                };
                self.dispatch_all(&[object], callback);
                if self.objects.world.contains(object) {
                    let event = ClientEvent::OwnerChanged { object, owned };
                    self.context.events.push(event);
                }
                if !owned {
                    let (tick, objects) = (self.inbound.tick(), &mut self.objects);
                    let reset = objects.reset_fields(object, tick, |policy| policy.owner_only);
                    self.run_received_hooks(object, reset);
                }
            }
            ObjectChange::Parent(object) => {
                if !self.objects.world.is_visible(object) {
                    return;
                }
                if self.session.is_joining() {
                    self.inbound.reparented.insert(object);
                    return;
                }
                let parent = self.objects.world.relations.parent(object);
                self.dispatch_all(&[object], LifecycleCallback::ParentChanged(parent));
                if self.objects.world.contains(object) {
                    let event = ClientEvent::ParentChanged { object, parent };
                    self.context.events.push(event);
                }
            }
            ObjectChange::SceneObjects => {
                if let Some(spawned) = self.objects.spawned_scene_objects() {
                    self.dispatch_all(&spawned, LifecycleCallback::InSceneObjectsSpawned);
                    self.context.events.push(ClientEvent::SceneObjectsSpawned);
                }
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
