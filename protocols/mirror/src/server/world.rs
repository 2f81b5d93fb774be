//! The server as a [`Protocol`] on a world: check-out rules and lifecycle callbacks.

pub(super) mod guard;
mod iterate;
pub(super) mod object;
pub(super) mod owner;
pub(super) mod scene;
pub(super) mod spawn;

use syncvar_runtime::behaviour::Panicked;
use syncvar_runtime::object::Slots;
use syncvar_runtime::world::{CallbackReport, CheckOut, Departure, Protocol, World};
use syncvar_runtime::{NetId, OperationLog};

use super::observers::audience::Audiences;
use super::{MirrorServer, MirrorServerEvent};
use crate::prefabs::Entry;
use object::{FormerOwner, Observed};

impl Protocol for MirrorServer {
    type Object = Observed;

    #[inline]
    fn world(&self) -> &World<Observed> {
        &self.world
    }

    #[inline]
    fn world_mut(&mut self) -> &mut World<Observed> {
        &mut self.world
    }

    fn prepare_check_out(&mut self, id: NetId) {
        self.flush_owner_only_operations(id);
    }

    fn begin_writes(&mut self, _: NetId, slots: &mut dyn Slots) {
        slots.for_each_mut(|slot| slot.begin_change());
    }

    fn end_writes(&mut self, id: NetId, slots: &mut dyn Slots) {
        let object = self.world.objects.get(id.0);
        let announced = object.map_or(0, |object| object.announced);
        // An observer added during the callback receives a spawn at check-in.
        let is_observed = object.is_none_or(|object| object.audience != Audiences::EMPTY);
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
        let object = self.world.objects.get_mut(id.0);
        let former = object.and_then(|object| object.former_owner.take());
        if let Some(FormerOwner(former)) = former {
            self.flush_after_callback(id, former);
        }
        if departure.is_some() {
            self.remove(id);
        } else {
            if let Some(rebuilds) = &mut self.observers.rebuilds {
                rebuilds.written.insert(id);
            }
            let object = self.world.objects.get(id.0);
            let is_dirty = object.is_some_and(|object| {
                object.spawn_failed || object.is_dirty(self.world.pools.slots(object.at))
            });
            if is_dirty {
                self.queue_dirty(id);
            }
            self.spawn_deferred(id);
        }
        self.run_local_calls();
        self.run_deferred();
    }

    fn report(&mut self, report: CallbackReport<'_>) {
        match report {
            CallbackReport::Called(_) => {}
            CallbackReport::Failed(failure) => {
                self.events.push(MirrorServerEvent::CallbackFailed {
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
                if let Err(Panicked(message)) = result {
                    let (object, behaviour) = (hooks.object, fields.behaviour());
                    tracing::error!(%object, behaviour, message, "a hook panicked");
                    self.events.push(MirrorServerEvent::HookFailed {
                        object,
                        behaviour,
                        message,
                    });
                }
            }
        }
    }
}

impl MirrorServer {
    /// Returns Mirror's settings of an object's prefab.
    pub(super) fn entry(&self, id: NetId) -> Option<&Entry> {
        self.prefabs.get(self.world.objects.get(id.0)?.prefab)
    }
}
