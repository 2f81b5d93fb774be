//! Lending: the behaviours of an object outside of the table, so that they can be called with the whole
//! server at hand.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use syncvar_runtime::NetId;
use syncvar_runtime::engine::Slots;

use super::MirrorServer;
use super::audience::Audiences;
use super::object::Former;

impl MirrorServer {
    /// Lends the behaviours of an object to something that has the whole server at hand. The object is
    /// there meanwhile, but not its behaviours. What comes up for it is done when they are given back:
    /// callbacks, to be despawned, to be sent. Does nothing if there is no such object, or if it is lent
    /// already.
    pub(super) fn lend<R>(
        &mut self,
        id: NetId,
        action: impl FnOnce(&mut dyn Slots, &mut Self) -> R,
    ) -> Option<R> {
        let object = self.objects.get_mut(id.0)?;
        let mut behaviours = object.behaviours.take()?;
        self.lent.push(id);
        let slots = behaviours.slots_mut();
        slots.for_each_mut(|slot| slot.begin_change());
        // What is lent is given back, whatever happens.
        let result = catch_unwind(AssertUnwindSafe(|| action(&mut *slots, self)));
        self.run_waiting(id, slots);
        slots.for_each_mut(|slot| {
            slot.end_change();
            // Those that have taken the place of others.
            slot.set_verbatim(true);
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
        self.run_late();
        match result {
            Ok(result) => Some(result),
            Err(panicked) => resume_unwind(panicked),
        }
    }
}
