//! The client as a [`Protocol`] on a world: check-out rules and lifecycle callbacks.

pub(super) mod guard;
mod iterate;
pub(super) mod lifecycle;
pub(super) mod object;
pub(super) mod order;
pub(super) mod payload;
pub(super) mod spawn;
pub(super) mod write;

use syncvar_runtime::NetId;
use syncvar_runtime::object::Slots;
use syncvar_runtime::world::{CallbackReport, CheckOut, Departure, Protocol, World};

use super::{MirrorClient, MirrorClientEvent};
use crate::prefabs::Entry;
use object::{Replica, Stage};

impl Protocol for MirrorClient {
    /// Boxed, so that high ids from a server cost little memory.
    type Object = Box<Replica>;

    fn world(&self) -> &World<Box<Replica>> {
        &self.world
    }

    fn world_mut(&mut self) -> &mut World<Box<Replica>> {
        &mut self.world
    }

    fn begin_writes(&mut self, _: NetId, slots: &mut dyn Slots) {
        slots.for_each_mut(|slot| slot.begin_change());
    }

    fn end_writes(&mut self, id: NetId, slots: &mut dyn Slots) {
        slots.for_each_mut(|slot| {
            slot.end_change();
        });
        let written = self.written_components(id);
        self.writes.collect(id, slots, written);
    }

    fn checked_in(&mut self, id: NetId, departure: Option<Departure>) {
        if let Some(departure) = departure {
            self.remove(id, departure);
        }
        self.run_deferred();
    }

    fn report(&mut self, report: CallbackReport<'_>) {
        match report {
            CallbackReport::Called(_) => {}
            CallbackReport::Failed(failure) => {
                let event = MirrorClientEvent::CallbackFailed(Box::new(failure));
                self.events.push(event);
            }
            CallbackReport::HooksCalled {
                hooks,
                fields,
                result,
            } => payload::report(&mut self.events, hooks, fields, result),
        }
    }
}

impl MirrorClient {
    /// Returns Mirror's settings of an object's prefab.
    pub(super) fn entry(&self, id: NetId) -> Option<&Entry> {
        self.prefabs.get(self.world.objects.get(id.0)?.prefab)
    }

    /// Returns the bits of the components that this client writes.
    pub(super) fn written_components(&self, id: NetId) -> u64 {
        let object = self.world.objects.get(id.0);
        let object = object.filter(|object| object.role.owner);
        let prefab = object.and_then(|object| self.prefabs.get(object.prefab));
        prefab.map_or(0, |prefab| prefab.client_to_server)
    }

    /// Makes an object visible.
    pub(super) fn reveal(&mut self, id: NetId) {
        if let Some(object) = self.world.objects.get_mut(id.0) {
            object.stage = object.stage.max(Stage::Known);
        }
    }
}
