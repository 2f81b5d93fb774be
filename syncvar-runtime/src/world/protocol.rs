//! `Protocol`: the rules of callbacks, once for both servers and both clients.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::{Callbacks, Departure, LifecycleEvent, World, WorldObject};
use crate::behaviour::{NetworkSide, Panicked};
use crate::call::{CallPlace, Called, Failure, run};
use crate::object::{DeferredHooks, Slot, Slots, call};
use crate::{
    CallbackFailure, ChangedFields, ConnectionId, LifecycleCallback, NetId, NetworkReader,
};

/// The largest number of objects that are checked out at a time. Each object takes some of the
/// thread's stack; events of further objects are deferred.
const MAX_DEPTH: usize = 64;

/// A server or client on a [`World`].
///
/// The required methods answer the questions that protocols answer differently. The provided methods are
/// the rules of callbacks: while a callback runs, its object is checked out of its pool, and the callback
/// has the whole server or client at hand. Events of an object that is checked out, among them its own
/// despawn, wait for the end of the callback.
pub trait Protocol: NetworkSide + Sized {
    /// The entry for an object.
    type Object: WorldObject;

    /// Returns the world.
    fn world(&self) -> &World<Self::Object>;

    /// Returns the world for writing.
    fn world_mut(&mut self) -> &mut World<Self::Object>;

    /// Prepares an object in its pool for a check-out.
    #[inline]
    fn prepare_check_out(&mut self, id: NetId) {
        let _ = id;
    }

    /// Begins the writes of a callback. The behaviours have just left their pool.
    fn begin_writes(&mut self, id: NetId, slots: &mut dyn Slots);

    /// Ends the writes of a callback. The behaviours are about to return to their pool.
    fn end_writes(&mut self, id: NetId, slots: &mut dyn Slots);

    /// Continues after a check-in: sends or removes the object. The behaviours are in their pool.
    fn checked_in(&mut self, id: NetId, departure: Option<Departure>);

    /// Reports a callback that returned an error or panicked.
    fn report(&mut self, failure: CallbackFailure);

    /// Reports a call that the application runs.
    fn report_call(&mut self, called: Called) {
        let _ = called;
    }

    /// Reports the end of a behaviour's hooks: a panic, and then the fields, if they are
    /// `reported`.
    fn hooks_called(
        &mut self,
        hooks: &DeferredHooks,
        fields: ChangedFields,
        result: Result<(), Panicked>,
    );

    /// Checks an object out and runs an action on its behaviours. Returns `None` without running it if the
    /// object does not exist or is checked out already.
    ///
    /// # Panics
    ///
    /// With the panic of the action, after the check-in.
    fn check_out<R>(
        &mut self,
        id: NetId,
        action: impl FnOnce(&mut dyn Slots, &mut Self) -> R,
    ) -> Option<R> {
        let (mut action, mut result) = (Some(action), None);
        self.check_out_for(id, &mut |slots, side| {
            result = action.take().map(|action| action(slots, side));
        });
        result
    }

    /// Like `check_out`, compiled once for all actions.
    fn check_out_for(&mut self, id: NetId, action: &mut dyn FnMut(&mut dyn Slots, &mut Self)) {
        self.prepare_check_out(id);
        let Some(at) = self.world().objects.get(id.0).map(WorldObject::location) else {
            return;
        };
        let world = self.world_mut();
        let Some(mut slots) = world.pools.take(at) else {
            return;
        };
        world.checked_out.push(id);
        self.begin_writes(id, &mut *slots);
        // A panic must not lose the behaviours.
        let result = catch_unwind(AssertUnwindSafe(|| action(&mut *slots, self)));
        let mut despawned = false;
        while let Some(callback) = self.world_mut().checked_out.next_callback(&mut despawned) {
            self.call_all(id, &mut *slots, callback);
        }
        self.end_writes(id, &mut *slots);
        let world = self.world_mut();
        world.pools.give_back(at, slots);
        let departure = world.checked_out.pop();
        self.checked_in(id, departure);
        if let Err(panicked) = result {
            resume_unwind(panicked);
        }
    }

    /// Runs a callback of every behaviour of an object that is checked out. A failure is reported and does
    /// not keep the remaining behaviours from running.
    fn call_all(&mut self, object: NetId, slots: &mut dyn Slots, callback: LifecycleCallback) {
        for index in 0..slots.len() {
            let Some(info) = slots.slot(index).map(Slot::info) else {
                continue;
            };
            if !info.lifecycle {
                continue;
            }
            let result = call(slots, index, object, self, |slot, mut ctx| {
                slot.on_lifecycle(callback, &mut ctx)
            });
            let message = match result {
                None | Some(Ok(Ok(()))) => continue,
                Some(Ok(Err(error))) => error.to_string(),
                Some(Err(Panicked(message))) => message,
            };
            let behaviour = info.schema.name;
            tracing::error!(%object, behaviour, %callback, message, "a callback failed");
            self.report(CallbackFailure {
                object,
                behaviour,
                callback,
                message,
            });
        }
    }

    /// Runs hooks with their context. Each object is checked out meanwhile. The hooks of a removed object
    /// do not run.
    fn run_hooks(&mut self, mut pending: Vec<DeferredHooks>) {
        for hooks in pending.chunk_by_mut(|one, next| one.object == next.object) {
            if let Some(first) = hooks.first() {
                self.check_out(first.object, |slots, side| side.call_hooks(slots, hooks));
            }
        }
    }

    /// Calls hooks of an object that is checked out, with their context.
    fn call_hooks(&mut self, slots: &mut dyn Slots, pending: &mut [DeferredHooks]) {
        for hooks in pending {
            let arguments = std::mem::take(&mut hooks.hooks);
            let called = call(
                slots,
                hooks.behaviour,
                hooks.object,
                self,
                |slot, mut ctx| {
                    let result = slot.call_hooks_with(arguments, &mut ctx);
                    (slot.info(), result)
                },
            );
            if let Some(Ok((info, result))) = called {
                let fields = ChangedFields::new(info.class, hooks.fields).in_tick(hooks.tick);
                self.hooks_called(hooks, fields, result);
            }
        }
    }

    /// Runs a remote call on an object, or reports it with [`Callbacks::Events`]. Returns `None` if the
    /// object does not exist or is checked out.
    fn run_call(
        &mut self,
        object: NetId,
        place: &CallPlace,
        sender: Option<ConnectionId>,
        arguments: &mut NetworkReader<'_>,
    ) -> Option<Result<(), Failure>> {
        if self.world().callbacks == Callbacks::Events {
            self.world().objects.get(object.0)?;
            if !place.is_event() {
                self.report_call(Called::new(object, place, sender, arguments));
            }
            return Some(Ok(()));
        }
        self.check_out(object, |slots, side| {
            run(slots, (object, place), side, sender, arguments)
        })
    }

    /// Gives an event to the behaviours of an object that have lifecycle callbacks: at once, at the end of
    /// the callback that runs on the object, or at the end of all callbacks.
    #[inline]
    fn dispatch(&mut self, id: NetId, event: LifecycleEvent) {
        if self.world().has_lifecycle(id) {
            self.dispatch_or_defer(id, event);
        }
    }

    /// Gives one callback to several objects.
    fn dispatch_to(&mut self, ids: &[NetId], callback: LifecycleCallback) {
        for id in ids {
            self.dispatch(*id, LifecycleEvent::Call(callback));
        }
    }

    /// Gives the callbacks of an ownership change to an object on a server, which owns every object that
    /// no connection owns.
    fn dispatch_ownership(
        &mut self,
        id: NetId,
        former: Option<ConnectionId>,
        owner: Option<ConnectionId>,
    ) {
        let callback = match (former, owner) {
            (None, Some(_)) => LifecycleCallback::LostOwnership,
            (Some(_), None) => LifecycleCallback::GainedOwnership,
            _ => return,
        };
        self.dispatch(id, LifecycleEvent::Call(callback));
    }

    /// Like `dispatch`, for an object with lifecycle callbacks.
    #[inline(never)]
    fn dispatch_or_defer(&mut self, id: NetId, event: LifecycleEvent) {
        let world = self.world_mut();
        let too_deep = world.checked_out.depth() >= MAX_DEPTH && !world.checked_out.contains(id);
        // An earlier event of the object that waits keeps its place before this one.
        if too_deep || world.deferred.contains(id) {
            world.deferred.queue.push_back((id, event));
        } else {
            self.dispatch_now(id, event);
        }
    }

    /// Gives an event to an object at once, or at the end of the callback that runs on it.
    fn dispatch_now(&mut self, id: NetId, event: LifecycleEvent) {
        let callbacks = event.callbacks();
        if self.world_mut().checked_out.defer(id, callbacks) {
            return;
        }
        self.check_out(id, |slots, side| {
            for callback in callbacks {
                side.call_all(id, slots, *callback);
            }
            if let LifecycleEvent::Despawn = event {
                side.world_mut()
                    .checked_out
                    .depart(id, Departure::Destroyed);
            }
        });
    }

    /// Runs the deferred events, if no object is checked out.
    fn run_deferred(&mut self) {
        let world = self.world_mut();
        let deferred = &mut world.deferred;
        if deferred.queue.is_empty() || deferred.running || world.checked_out.depth() > 0 {
            return;
        }
        deferred.running = true;
        while let Some((id, event)) = self.world_mut().deferred.queue.pop_front() {
            self.dispatch_now(id, event);
        }
        self.world_mut().deferred.running = false;
    }
}
