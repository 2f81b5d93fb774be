//! `PrivateChanges`: changes of the fields that the records of a recording do not contain.

use std::collections::BTreeMap;

use syncvar_runtime::NetId;
use syncvar_runtime::schema::Role;
use syncvar_runtime::unstable::object::{SlotInfo, Slots};

use crate::server::objects::Objects;

/// Changed private fields by object and behaviour. An object without fields may have a new player.
pub(crate) type PrivateChanges = BTreeMap<NetId, Vec<u64>>;

/// Returns the private fields of a behaviour: those that only the owner or a group reads.
pub(crate) fn private_fields(info: &SlotInfo) -> u64 {
    let policy = &info.policy;
    info.schema.dirty_bits() & !policy.readable(Role::Observer) & !policy.server_only
}

impl Objects {
    /// Begins or ends the list of changes.
    pub(crate) fn track_private(&mut self, tracks: bool) {
        if tracks != self.private.is_some() {
            self.private = tracks.then(Box::default);
        }
    }

    /// Takes the changes since the last call.
    pub(crate) fn take_private_changes(&mut self) -> PrivateChanges {
        self.private
            .as_mut()
            .map(|changes| std::mem::take(&mut **changes))
            .unwrap_or_default()
    }

    /// Notes the dirty private fields of an object, which become clean.
    pub(crate) fn note_private(&mut self, id: NetId) {
        let (Some(changes), Some(slots)) = (&mut self.private, self.world.slots(id)) else {
            return;
        };
        for (index, slot) in <dyn Slots>::iter(slots).enumerate() {
            let fields = slot.dirty_bits() & private_fields(slot.info());
            if fields != 0 {
                let masks = changes.entry(id).or_default();
                masks.resize(slots.len(), 0);
                masks[index] |= fields;
            }
        }
    }
}
