//! Check-out: the behaviours of an object leave the table, so that a callback can use the whole
//! client.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use syncvar_runtime::lend::{Lends, LentObjects};
use syncvar_runtime::object::{Slots, call_all};
use syncvar_runtime::{LifecycleCallback, NetId};

use super::{MirrorClient, MirrorClientEvent};

impl Lends for MirrorClient {
    fn lent(&mut self) -> &mut LentObjects {
        &mut self.world.checked_out
    }

    // Runs `action` with the behaviours of an object and the whole client. Callbacks and a despawn
    // for it follow at check-in. Returns `None` if the object is unknown or checked out.
    fn lend<R>(
        &mut self,
        id: NetId,
        action: impl FnOnce(&mut dyn Slots, &mut Self) -> R,
    ) -> Option<R> {
        let at = self.world.objects.get(id.0)?.at;
        let mut slots = self.world.pools.take(at)?;
        self.world.checked_out.push(id);
        slots.for_each_mut(|slot| slot.begin_change());
        // Check-in also follows a panic, which resumes afterwards.
        let result = catch_unwind(AssertUnwindSafe(|| action(&mut *slots, self)));
        self.run_waiting(id, &mut *slots);
        slots.for_each_mut(|slot| {
            slot.end_change();
        });
        let written = self.world.written_components(id);
        self.writes.collect(id, &mut *slots, written);
        self.world.pools.give_back(at, slots);
        if let Some(leaving) = self.world.checked_out.pop() {
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
