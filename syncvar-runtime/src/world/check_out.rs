//! `CheckOut`: the rules of callbacks, once for both servers and both clients.
//!
//! While a callback runs, its object is checked out of its pool, so that the callback has the object and the whole
//! server or client at hand. Events of an object that is checked out, among them its despawn, wait for the end
//! of the callback; beyond a depth of 64 objects, events wait for the end of all callbacks:
//!
//! ```text
//!   dispatch ──▶ is the object checked out? ──yes──▶ queue of the object ──▶ the callback above runs it
//!        │                    no
//!        │          64 objects checked out, or an earlier event of the object deferred?
//!        │                    │ yes ──▶ deferred queue ──▶ run_deferred, when no object is checked out
//!        │                    no
//!        └──▶ check_out: prepare ▶ take from the pool ▶ begin writes ▶ action ▶ queue of the object
//!                        ▶ end writes ▶ give back ▶ checked_in: send or remove
//! ```
//!
//! The order of these steps is the contract. The writes begin before the first callback, since a write is a
//! difference to the state before it. The queue of the object runs before the writes end: its callbacks write too. The
//! object returns to its pool before `checked_in`, which may despawn it or send it. A panic of the action is
//! caught, so that the behaviours always return, and goes on afterwards.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::{CallbackReport, Callbacks, Departure, LifecycleEvent, Protocol, WorldObject};
use crate::behaviour::Panicked;
use crate::call::{CallPlace, Called, Failure, run};
use crate::object::{DeferredHooks, Slot, Slots, call};
use crate::{
    CallbackFailure, ChangedFields, ConnectionId, LifecycleCallback, NetId, NetworkReader,
};

/// The largest number of objects that are checked out at a time. Each object takes some of the
/// thread's stack; events of further objects are deferred.
const MAX_DEPTH: usize = 64;

/// Callbacks of objects on a server or client. Each [`Protocol`] has them.
pub trait CheckOut: Protocol {
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
        check_out_for(self, id, &mut |slots, side| {
            result = action.take().map(|action| action(slots, side));
        });
        result
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
            self.report(CallbackReport::Failed(CallbackFailure {
                object,
                behaviour,
                callback,
                message,
            }));
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
                self.report(CallbackReport::HooksCalled {
                    hooks,
                    fields,
                    result,
                });
            }
        }
    }

    /// Runs a remote call on an object, or reports it with [`Callbacks::Events`]; drops a call to an absent behaviour.
    /// Returns `None` if the object does not exist or is checked out.
    fn run_call(
        &mut self,
        object: NetId,
        place: &CallPlace,
        sender: Option<ConnectionId>,
        arguments: &mut NetworkReader<'_>,
    ) -> Option<Result<(), Failure>> {
        let runs = self.world().callbacks != Callbacks::Events;
        // A program without the compiled type receives the call as an event.
        let reports = (!runs || place.is_untyped()) && !place.is_event();
        let reports = reports && self.world().is_present(object, place.behaviour);
        if !runs {
            self.world().objects.get(object.0)?;
            if reports {
                let called = Called::new(object, place, sender, arguments);
                self.report(CallbackReport::Called(called));
            }
            return Some(Ok(()));
        }
        let called = reports.then(|| Called::new(object, place, sender, arguments));
        let ran = self.check_out(object, |slots, side| {
            run(slots, object, place, side, sender, arguments)
        });
        if let (Some(called), Some(Ok(()))) = (called, &ran) {
            self.report(CallbackReport::Called(called));
        }
        ran
    }

    /// Gives an event to the behaviours of an object that have lifecycle callbacks: at once, at the end of
    /// the callback that runs on the object, or at the end of all callbacks.
    #[inline]
    fn dispatch(&mut self, id: NetId, event: LifecycleEvent) {
        if self.world().has_lifecycle(id) {
            dispatch_or_defer(self, id, event);
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

    /// Gives an event to an object at once, even beyond the depth of deferred events, or at the end of the callback that runs on it.
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

    /// Gives one callback to several objects at once: on a checked-out object it runs before the check-in.
    fn dispatch_all(&mut self, ids: &[NetId], callback: LifecycleCallback) {
        for id in ids {
            if self.world().has_lifecycle(*id) {
                self.dispatch_now(*id, LifecycleEvent::Call(callback));
            }
        }
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

impl<P: Protocol> CheckOut for P {}

/// Like `check_out`, compiled once for all actions.
fn check_out_for<P: Protocol>(
    end: &mut P,
    id: NetId,
    action: &mut dyn FnMut(&mut dyn Slots, &mut P),
) {
    end.prepare_check_out(id);
    let Some(at) = end.world().objects.get(id.0).map(WorldObject::location) else {
        return;
    };
    let world = end.world_mut();
    let Some(mut slots) = world.pools.take(at) else {
        return;
    };
    world.checked_out.push(id);
    end.begin_writes(id, &mut *slots);
    // A panic must not lose the behaviours.
    let result = catch_unwind(AssertUnwindSafe(|| action(&mut *slots, end)));
    let mut despawned = false;
    while let Some(callback) = end.world_mut().checked_out.next_callback(&mut despawned) {
        end.call_all(id, &mut *slots, callback);
    }
    end.end_writes(id, &mut *slots);
    let world = end.world_mut();
    world.pools.give_back(at, slots);
    let departure = world.checked_out.pop();
    end.checked_in(id, departure);
    if let Err(panicked) = result {
        resume_unwind(panicked);
    }
}

/// Like `dispatch`, for an object with lifecycle callbacks.
#[inline(never)]
fn dispatch_or_defer<P: Protocol>(end: &mut P, id: NetId, event: LifecycleEvent) {
    let world = end.world_mut();
    let too_deep = world.checked_out.depth() >= MAX_DEPTH && !world.checked_out.contains(id);
    // An earlier event of the object that waits keeps its place before this one.
    if too_deep || world.deferred.contains(id) {
        world.deferred.queue.push_back((id, event));
    } else {
        end.dispatch_now(id, event);
    }
}
