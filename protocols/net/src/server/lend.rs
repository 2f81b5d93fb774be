//! Lending: the behaviours of an object outside of their pool, so that they can be called with the
//! whole server at hand.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::owner::set_owned;
use super::{NetworkServer, ServerEvent};
use crate::lend::{Lends, LentObjects, Tells};
use crate::object::Slots;
use crate::object::call_all;
use crate::{CallbackFailure, LifecycleCallback};
use crate::{ChangedFields, NetId};

impl Lends for NetworkServer {
    fn lent(&mut self) -> &mut LentObjects {
        &mut self.lent
    }

    // Lends the behaviours of an object to something that has the whole server at hand. The object is
    // there meanwhile, but not its behaviours. What comes up for it is done when they are given back:
    // callbacks, to be despawned, to be written. Does nothing if there is no such object, or if it is
    // lent already.
    fn lend<R>(
        &mut self,
        id: NetId,
        action: impl FnOnce(&mut dyn Slots, &mut Self) -> R,
    ) -> Option<R> {
        let spawned = self.objects.get(id.0)?;
        let (at, former) = (spawned.at, spawned.owner);
        let mut slots = self.pools.take(at)?;
        self.lent.push(id);
        self.remember_all_for_local(id, &*slots);
        slots.for_each_mut(|slot| slot.begin_change());
        // What is lent is given back, whatever happens.
        let result = catch_unwind(AssertUnwindSafe(|| action(&mut *slots, self)));
        self.run_waiting(id, &mut *slots);
        slots.for_each_mut(|slot| {
            let refused = slot.end_change();
            if refused != 0 {
                let fields = ChangedFields::new(&slot.info().schema, refused);
                self.refuse_write(id, fields);
            }
        });
        let owner = self.objects.get(id.0).map(|spawned| spawned.owner);
        if owner != Some(former) {
            set_owned(&mut *slots, self.is_written_by(owner.flatten()));
        }
        let dirty = slots.iter().any(|slot| slot.dirty_bits() != 0);
        self.pools.give_back(at, slots);
        if self.lent.pop().is_some() {
            self.remove(id);
        } else if dirty || self.objects.get(id.0).is_some_and(|spawned| spawned.owing) {
            // An update in between could neither write its changes nor show it to anybody.
            self.schedule.queue_dirty(id);
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
