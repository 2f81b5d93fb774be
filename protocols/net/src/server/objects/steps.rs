//! Steps of objects by the inputs of their owners: writes without a guard.

use syncvar_runtime::{ChangedFields, NetId, NetworkWriter, ObjectError};

use crate::server::context::Context;
use crate::server::objects::Objects;
use crate::server::objects::owner::refuse;

impl Objects {
    /// Returns an error unless an object exists and is not checked out.
    pub(crate) fn expect_checked_in(&self, id: NetId) -> Result<(), ObjectError> {
        let replicated = self.world.objects.get(id.0);
        let at = replicated.ok_or(ObjectError::NoSuchObject(id))?.at;
        let slots = self.world.pools.slots(at);
        slots.map(|_| ()).ok_or(ObjectError::CheckedOut(id))
    }

    /// Begins a step of an object.
    pub(crate) fn begin_step(&mut self, id: NetId) {
        if let Some(slots) = self.world.slots_mut(id) {
            slots.for_each_mut(|slot| slot.begin_change());
        }
    }

    /// Ends a step of an object: the values with a codec become those that travel, writes to fields
    /// of the owner are reverted, and changes are queued.
    pub(crate) fn end_step(&mut self, context: &mut Context, id: NetId) {
        let Some(slots) = self.world.slots_mut(id) else {
            return;
        };
        let (events, mut is_dirty) = (&mut context.events, false);
        let mut writer = NetworkWriter::with_encoding(context.config.framing.encoding());
        slots.for_each_mut(|slot| {
            slot.round(&mut writer);
            let refused = slot.end_change();
            if refused != 0 {
                refuse(events, id, ChangedFields::new(slot.info().class, refused));
            }
            is_dirty |= slot.dirty_bits() != 0;
        });
        if is_dirty {
            self.schedule.queue_dirty(id);
        }
    }
}
