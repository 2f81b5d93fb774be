//! The server as a [`Protocol`] on a world: check-out rules and lifecycle callbacks.

use syncvar_runtime::unstable::object::Slots;
use syncvar_runtime::unstable::world::{CallbackReport, CheckOut, Departure, Protocol, World};
use syncvar_runtime::{NetId, OperationLog};

use crate::server::audiences::Audiences;
use crate::server::objects::entry::{FormerOwner, Observed};
use crate::server::{MirrorServer, MirrorServerEvent};

impl Protocol for MirrorServer {
    type Object = Observed;

    #[inline]
    fn world(&self) -> &World<Observed> {
        &self.objects.world
    }

    #[inline]
    fn world_mut(&mut self) -> &mut World<Observed> {
        &mut self.objects.world
    }

    fn prepare_check_out(&mut self, id: NetId) {
        self.replicate(|replication, rooms| replication.flush_owner_only_operations(rooms, id));
    }

    fn begin_writes(&mut self, _: NetId, slots: &mut dyn Slots) {
        slots.for_each_mut(|slot| slot.begin_change());
    }

    fn end_writes(&mut self, id: NetId, slots: &mut dyn Slots) {
        let object = self.objects.get(id);
        let announced = object.map_or(0, |object| object.announced);
        // An observer added during the callback receives a spawn at check-in.
        let is_observed = object.is_none_or(|object| object.view.audience != Audiences::EMPTY);
        slots.for_each_mut(|slot| {
            slot.end_change();
            // Collections assigned during the callback have a new log.
            slot.set_log(OperationLog::Full { pending: announced });
            if !is_observed {
                slot.set_observed(false);
            }
        });
    }

    fn checked_in(&mut self, id: NetId, departure: Option<Departure>) {
        let object = self.objects.get_mut(id);
        let former = object.and_then(|object| object.ownership.former.take());
        if let Some(FormerOwner(former)) = former {
            self.replicate(|replication, rooms| {
                replication.flush_after_callback(rooms, id, former);
            });
        }
        if departure.is_some() {
            self.remove(id);
        } else {
            self.observers.note_write(id);
            let object = self.objects.get(id);
            let is_dirty = object.is_some_and(|object| {
                object.view.spawn_failed
                    || object.is_dirty(self.objects.world.pools.slots(object.at))
            });
            self.replicate(|replication, rooms| {
                if is_dirty {
                    replication.queue_dirty(rooms.objects, id);
                }
                replication.spawn_deferred(rooms, id);
            });
        }
        self.run_local_calls();
        self.run_deferred();
    }

    fn report(&mut self, report: CallbackReport<'_>) {
        match report {
            CallbackReport::Called(_) => {}
            CallbackReport::Failed(failure) => {
                let event = MirrorServerEvent::CallbackFailed {
                    object: failure.object,
                    behaviour: failure.behaviour,
                    callback: failure.callback,
                    message: failure.message,
                };
                self.context.events.push(event);
            }
            CallbackReport::HooksCalled {
                hooks,
                fields,
                result,
            } => self.context.report_hook(hooks, fields, result),
        }
    }
}
