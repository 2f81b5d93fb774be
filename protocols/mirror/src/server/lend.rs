//! Check-out: the behaviours of an object leave the table, so that a callback can use the whole
//! server.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use syncvar_runtime::lend::{Lends, LentObjects};
use syncvar_runtime::object::{Slots, call_all};
use syncvar_runtime::{CallbackFailure, LifecycleCallback, NetId, OperationLog};

use super::audience::Audiences;
use super::object::FormerOwner;
use super::{MirrorServer, MirrorServerEvent};

impl Lends for MirrorServer {
    fn lent(&mut self) -> &mut LentObjects {
        &mut self.world.checked_out
    }

    // Runs `action` with the behaviours of an object and the whole server. The object stays in the
    // table, without its behaviours. Callbacks, a despawn and sends for it follow at check-in.
    // Returns `None` if the object is unknown or checked out.
    fn lend<R>(
        &mut self,
        id: NetId,
        action: impl FnOnce(&mut dyn Slots, &mut Self) -> R,
    ) -> Option<R> {
        self.flush_owner_only_operations(id);
        let at = self.world.objects.get(id.0)?.at;
        let mut behaviours = self.world.pools.take(at)?;
        self.world.checked_out.push(id);
        let slots = &mut *behaviours;
        slots.for_each_mut(|slot| slot.begin_change());
        // Check-in also follows a panic, which resumes afterwards.
        let result = catch_unwind(AssertUnwindSafe(|| action(&mut *slots, self)));
        self.run_waiting(id, slots);
        let object = self.world.objects.get(id.0);
        let announced = object.map_or(0, |object| object.announced);
        slots.for_each_mut(|slot| {
            slot.end_change();
            // Collections assigned during the callback have a new log.
            slot.set_log(OperationLog::Full { pending: announced });
        });
        if let Some(object) = self.world.objects.get_mut(id.0) {
            // An observer added during the callback receives a spawn at check-in.
            if object.audience == Audiences::EMPTY {
                slots.for_each_mut(|slot| slot.set_observed(false));
            }
            self.world.pools.give_back(at, behaviours);
            if let Some(FormerOwner(former)) = object.former_owner.take() {
                self.flush_after_callback(id, former);
            }
        }
        let object = self.world.objects.get(id.0);
        let dirty = object.is_some_and(|object| {
            object.spawn_failed || object.is_dirty(self.world.pools.slots(at))
        });
        if self.world.checked_out.pop().is_some() {
            self.remove(id);
        } else {
            if dirty {
                self.queue_dirty(id);
            }
            self.spawn_deferred(id);
        }
        self.run_deferred();
        match result {
            Ok(result) => Some(result),
            Err(panicked) => resume_unwind(panicked),
        }
    }

    fn call_all(&mut self, object: NetId, slots: &mut dyn Slots, callback: LifecycleCallback) {
        let report = |server: &mut Self, failure: CallbackFailure| {
            server.events.push(MirrorServerEvent::CallbackFailed {
                object: failure.object,
                behaviour: failure.behaviour,
                callback: failure.callback,
                message: failure.message,
            });
        };
        call_all(self, (|server| server, report), (object, slots), callback);
    }
}
