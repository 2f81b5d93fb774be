//! Lending: the behaviours of an object outside of the table, so that they can be called with the whole
//! server at hand.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use syncvar_runtime::lend::{Lends, LentObjects};
use syncvar_runtime::object::{Slots, call_all};
use syncvar_runtime::{CallbackFailure, LifecycleCallback, NetId};

use super::audience::Audiences;
use super::object::Former;
use super::{MirrorServer, MirrorServerEvent};

impl Lends for MirrorServer {
    fn lent(&mut self) -> &mut LentObjects {
        &mut self.lent
    }

    // Lends the behaviours of an object to something that has the whole server at hand. The object is
    // there meanwhile, but not its behaviours. What comes up for it is done when they are given back:
    // callbacks, to be despawned, to be sent. Does nothing if there is no such object, or if it is lent
    // already.
    fn lend<R>(
        &mut self,
        id: NetId,
        action: impl FnOnce(&mut dyn Slots, &mut Self) -> R,
    ) -> Option<R> {
        self.settle_promised(id);
        let object = self.objects.get_mut(id.0)?;
        let mut behaviours = object.behaviours.take()?;
        self.lent.push(id);
        let slots = behaviours.slots_mut();
        slots.for_each_mut(|slot| slot.begin_change());
        // What is lent is given back, whatever happens.
        let result = catch_unwind(AssertUnwindSafe(|| action(&mut *slots, self)));
        self.run_waiting(id, slots);
        let object = self.objects.get(id.0);
        let promised = object.map_or(0, |object| object.promised);
        slots.for_each_mut(|slot| {
            slot.end_change();
            // Those that have taken the place of others.
            slot.set_verbatim(true, promised);
        });
        if let Some(object) = self.objects.get_mut(id.0) {
            // Whoever begins to observe it meanwhile is owed that.
            if object.audience == Audiences::NOBODY {
                slots.for_each_mut(|slot| slot.set_observed(false));
            }
            object.behaviours = Some(behaviours);
            if let Some(Former(former)) = object.former_owner.take() {
                self.settle_late(id, former);
            }
        }
        let object = self.objects.get(id.0);
        let dirty = object.is_some_and(|object| object.unshown || object.is_dirty());
        if self.lent.pop().is_some() {
            self.remove(id);
        } else {
            if dirty {
                self.queue_dirty(id);
            }
            self.settle_owed(id);
        }
        self.run_waiting_calls();
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
