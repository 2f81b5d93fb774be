//! The client as a [`Protocol`] on a world: check-out rules and lifecycle callbacks.

use syncvar_runtime::NetId;
use syncvar_runtime::unstable::object::Slots;
use syncvar_runtime::unstable::world::{CallbackReport, CheckOut, Departure, Protocol, World};

use crate::client::inbound::payload::report_hooks;
use crate::client::objects::entry::Replica;
use crate::client::{MirrorClient, MirrorClientEvent};

impl Protocol for MirrorClient {
    /// Boxed, so that high ids from a server cost little memory.
    type Object = Box<Replica>;

    fn world(&self) -> &World<Box<Replica>> {
        &self.objects.world
    }

    fn world_mut(&mut self) -> &mut World<Box<Replica>> {
        &mut self.objects.world
    }

    fn begin_writes(&mut self, _: NetId, slots: &mut dyn Slots) {
        slots.for_each_mut(|slot| slot.begin_change());
    }

    fn end_writes(&mut self, id: NetId, slots: &mut dyn Slots) {
        slots.for_each_mut(|slot| {
            slot.end_change();
        });
        let written = self.objects.written_components(id);
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
                self.context.events.push(event);
            }
            CallbackReport::HooksCalled {
                hooks,
                fields,
                result,
            } => report_hooks(&mut self.context.events, hooks, fields, result),
        }
    }
}
