//! Lending: the behaviours of an object, taken out so that they can be called with the whole client at
//! hand.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use syncvar_runtime::lend::{Lends, LentObjects};
use syncvar_runtime::object::{Slots, call_all};
use syncvar_runtime::{LifecycleCallback, NetId};

use super::{MirrorClient, MirrorClientEvent};

impl Lends for MirrorClient {
    fn lent(&mut self) -> &mut LentObjects {
        &mut self.lent
    }

    // Lends the behaviours of an object to something that has the whole client at hand. What comes up for
    // it meanwhile is done when they are given back. Does nothing if there is no such object, or if it is
    // lent already.
    fn lend<R>(
        &mut self,
        id: NetId,
        action: impl FnOnce(&mut dyn Slots, &mut Self) -> R,
    ) -> Option<R> {
        let mut behaviours = self.objects.get_mut(id.0)?.behaviours.take()?;
        self.lent.push(id);
        behaviours
            .slots_mut()
            .for_each_mut(|slot| slot.begin_change());
        // What is lent is given back, whatever happens.
        let result = catch_unwind(AssertUnwindSafe(|| action(behaviours.slots_mut(), self)));
        self.run_waiting(id, behaviours.slots_mut());
        behaviours.slots_mut().for_each_mut(|slot| {
            slot.end_change();
        });
        self.note_writes(id, behaviours.slots_mut());
        if let Some(object) = self.objects.get_mut(id.0) {
            object.behaviours = Some(behaviours);
        }
        if let Some(leaving) = self.lent.pop() {
            self.remove(id, leaving);
        }
        match result {
            Ok(result) => Some(result),
            Err(panicked) => resume_unwind(panicked),
        }
    }

    fn call_all(&mut self, id: NetId, slots: &mut dyn Slots, callback: LifecycleCallback) {
        let report = |client: &mut Self, failure| {
            let event = MirrorClientEvent::CallbackFailed(Box::new(failure));
            client.events.push(event);
        };
        call_all(self, (|client| client, report), (id, slots), callback);
    }
}
