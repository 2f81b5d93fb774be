//! Fields written by the owner of an object, saved while its client reads a snapshot of the server.

use super::{Slot, Visit};

/// Saves the fields written by this client before a snapshot overwrites them.
pub struct SaveOwn;

/// Restores the saved fields.
pub struct RestoreOwn;

impl Visit for SaveOwn {
    fn slot<S: Slot + ?Sized>(&mut self, _: u32, slot: &mut S) {
        let (policy, dirty) = (slot.info().policy, slot.dirty_bits());
        if let Some(restricted) = slot.policy_slot().filter(|_| policy.owner_write != 0) {
            // A field that the server may write too is saved only until the server has the client's write.
            let own = policy.owner_write & (!policy.server_override | dirty);
            restricted
                .state
                .save(restricted.behaviour, own, policy.server_override);
        }
    }
}

impl Visit for RestoreOwn {
    fn slot<S: Slot + ?Sized>(&mut self, _: u32, slot: &mut S) {
        if let Some(restricted) = slot.policy_slot() {
            restricted.state.restore(restricted.behaviour);
        }
    }
}
