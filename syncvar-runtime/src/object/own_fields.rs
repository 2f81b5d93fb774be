//! Fields that the owner of an object writes, saved while a state of the server is read.

use super::{Slot, Visit};

/// Remembers what is this client's own, before something that may overwrite it.
pub struct SaveOwn;

/// Puts it back.
pub struct RestoreOwn;

impl Visit for SaveOwn {
    fn slot<S: Slot + ?Sized>(&mut self, _: u32, slot: &mut S) {
        let (policy, dirty) = (slot.info().policy, slot.dirty_bits());
        if let Some(restricted) = slot.policy_slot().filter(|_| policy.owner_write != 0) {
            // What the server may write as well is its own as long as the server does not know it.
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
