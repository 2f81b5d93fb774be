//! The world of the server during callbacks: check-out of objects.
//!
//! ```text
//! World      | object in its pool                       | object in its pool
//!            |  check_out                    check_in   |
//! Callback   |      | begin_writes   end_writes |       |
//!            |      v                           |       |
//!            |   call, hook, lifecycle callback |       |
//!            |   with &mut NetworkServer        |       |
//! Effects    |                                  | checked_in: remove, queue, run deferred callbacks
//! ```
//!
//! A callback receives its own behaviours and the whole server. The behaviours therefore leave their pool for the
//! time of the callback: the object is *checked out*, and each other access to the object fails with
//! [`ObjectError::CheckedOut`](syncvar_runtime::ObjectError::CheckedOut). A callback on an object that is checked
//! out already is deferred until the check-in. A despawn of such an object takes effect at the check-in, too.
//!
//! Writes inside the callback have no guard. `begin_writes` saves the fields that only the owner may write, and
//! remembers the values for the hooks of a host; `end_writes` reverts refused writes. An update during the callback
//! skips the object, so that `checked_in` queues an object that is dirty or owes a snapshot.

use syncvar_runtime::behaviour::Panicked;
use syncvar_runtime::unstable::object::Slots;
use syncvar_runtime::unstable::world::{CallbackReport, CheckOut, Departure, Protocol, World};
use syncvar_runtime::{Callbacks, ChangedFields, HookFailure, NetId};

use crate::ClientEvent;
use crate::server::objects::owner::{refuse, set_owned};
use crate::server::objects::replicated::{Replicated, State};
use crate::server::{NetworkServer, ServerEvent};

impl Protocol for NetworkServer {
    type Object = Replicated;

    fn world(&self) -> &World<Replicated> {
        &self.objects.world
    }

    fn world_mut(&mut self) -> &mut World<Replicated> {
        &mut self.objects.world
    }

    fn begin_writes(&mut self, id: NetId, slots: &mut dyn Slots) {
        if let Some(host) = &mut self.host {
            let runs_hooks = self.objects.world.callbacks == Callbacks::Run;
            host.remember_slots(id, &mut *slots, runs_hooks);
        }
        slots.for_each_mut(|slot| slot.begin_change());
    }

    fn end_writes(&mut self, id: NetId, slots: &mut dyn Slots) {
        slots.for_each_mut(|slot| {
            let refused = slot.end_change();
            if refused != 0 {
                let fields = ChangedFields::new(slot.info().class, refused);
                refuse(&mut self.context.events, id, fields);
            }
        });
        let object = self.objects.world.objects.get_mut(id.0);
        if let Some(replicated) = object
            && replicated.take(State::OwnerChanged)
        {
            let owner = replicated.owner;
            let tick = self.context.wire_tick();
            set_owned(slots, self.sessions.writes(owner), tick);
        }
    }

    fn checked_in(&mut self, id: NetId, departure: Option<Departure>) {
        let object = self.objects.world.objects.get(id.0);
        if departure.is_some() {
            self.remove(id);
        } else if object.is_some_and(|replicated| replicated.is(State::SnapshotPending))
            || self.objects.world.is_dirty(id)
        {
            // An update during the callback skipped the object's delta and snapshots.
            self.objects.schedule.queue_dirty(id);
        }
        self.run_deferred();
    }

    /// Hooks of a server run for its local client alone, and are reported to it.
    fn report(&mut self, report: CallbackReport<'_>) {
        match report {
            CallbackReport::Called(called) => {
                self.context.events.push(ServerEvent::Called(called));
            }
            CallbackReport::Failed(failure) => {
                self.context.events.push(ServerEvent::CallbackFailed {
                    object: failure.object,
                    behaviour: failure.behaviour,
                    callback: failure.callback,
                    message: failure.message,
                });
            }
            CallbackReport::HooksCalled {
                hooks,
                fields,
                result,
            } => {
                if let (Some(host), Err(Panicked(message))) = (&mut self.host, result) {
                    let failure = HookFailure::new(hooks.object, fields, message);
                    host.push_event(ClientEvent::HookFailed(Box::new(failure)));
                }
            }
        }
    }
}
