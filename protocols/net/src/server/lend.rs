//! Check-out: the behaviours of an object outside of their pool, for a callback with the whole
//! server.

use super::replicated::State;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::owner::{refuse, set_owned};
use super::{NetworkServer, ServerEvent};
use syncvar_runtime::lend::{Lends, LentObjects, Tells};
use syncvar_runtime::object::Slots;
use syncvar_runtime::object::call_all;
use syncvar_runtime::{CallbackFailure, LifecycleCallback};
use syncvar_runtime::{ChangedFields, NetId};

impl Lends for NetworkServer {
    fn lent(&mut self) -> &mut LentObjects {
        &mut self.world.checked_out
    }

    // Checks out the behaviours of an object for a callback. The object itself stays. Lifecycle
    // events, despawns and writes of the object wait until check-in. Returns none if the object
    // does not exist or is checked out already.
    fn lend<R>(
        &mut self,
        id: NetId,
        action: impl FnOnce(&mut dyn Slots, &mut Self) -> R,
    ) -> Option<R> {
        let replicated = self.world.objects.get(id.0)?;
        let (at, former) = (replicated.at, replicated.owner);
        let mut slots = self.world.pools.take(at)?;
        self.world.checked_out.push(id);
        self.remember_local_slots(id, &mut *slots);
        slots.for_each_mut(|slot| slot.begin_change());
        // Check-in happens even after a panic.
        let result = catch_unwind(AssertUnwindSafe(|| action(&mut *slots, self)));
        self.run_waiting(id, &mut *slots);
        slots.for_each_mut(|slot| {
            let refused = slot.end_change();
            if refused != 0 {
                let fields = ChangedFields::new(&slot.info().schema, refused);
                refuse(&mut self.events, id, fields);
            }
        });
        let owner = self
            .world
            .objects
            .get(id.0)
            .map(|replicated| replicated.owner);
        if owner != Some(former) {
            set_owned(&mut *slots, self.is_written_by(owner.flatten()));
        }
        let dirty = slots.iter().any(|slot| slot.dirty_bits() != 0);
        self.world.pools.give_back(at, slots);
        if self.world.checked_out.pop().is_some() {
            self.remove(id);
        } else if dirty
            || self
                .world
                .objects
                .get(id.0)
                .is_some_and(|replicated| replicated.is(State::SnapshotPending))
        {
            // An update during the callback skipped the object's delta and snapshots.
            self.replication.schedule.queue_dirty(id);
        }
        self.run_late();
        match result {
            Ok(result) => Some(result),
            Err(panicked) => resume_unwind(panicked),
        }
    }

    fn call_all(&mut self, object: NetId, slots: &mut dyn Slots, callback: LifecycleCallback) {
        let report = |server: &mut Self, failure: CallbackFailure| {
            server.events.push(ServerEvent::CallbackFailed {
                object: failure.object,
                behaviour: failure.behaviour,
                callback: failure.callback,
                message: failure.message,
            });
        };
        call_all(self, (|server| server, report), (object, slots), callback);
    }
}
