//! Fields written by the owner of an object, saved while its client reads a snapshot of the server.

use super::{Slot, Visit};
use crate::{NetworkReader, ReadError};

/// Saves the fields written by this client before a snapshot overwrites them.
#[derive(Debug)]
pub struct SaveOwn {
    work_left: usize,
    /// Work of a field that was not saved.
    missing: usize,
}

/// Restores the saved fields.
pub struct RestoreOwn;

impl SaveOwn {
    /// Begins a save within the work of a reader.
    pub fn within(reader: &NetworkReader<'_>) -> Self {
        Self {
            work_left: reader.budget().work,
            missing: 0,
        }
    }

    /// Charges the reader with the saves.
    ///
    /// # Errors
    ///
    /// [`ReadErrorKind::TooMuchWork`](crate::ReadErrorKind::TooMuchWork) if a field was not saved.
    pub fn charge(self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        let left = reader.budget().work;
        reader.take_work(left.saturating_sub(self.work_left))?;
        reader.take_work(self.missing)
    }
}

impl Visit for SaveOwn {
    fn slot<S: Slot + ?Sized>(&mut self, _: u32, slot: &mut S) {
        let (policy, dirty) = (slot.info().policy, slot.dirty_bits());
        if let Some(restricted) = slot.policy_slot().filter(|_| policy.owner_write != 0) {
            // A field that the server may write too is saved only until the server has the client's write.
            let own = policy.owner_write & (!policy.server_override | dirty);
            let fields = (own, policy.server_override);
            let state = restricted.state;
            if !state.save(restricted.behaviour, fields, &mut self.work_left) {
                self.missing = state.saved_size().work;
            }
        }
    }
}

impl Visit for RestoreOwn {
    fn slot<S: Slot + ?Sized>(&mut self, _: u32, slot: &mut S) {
        if let Some(restricted) = slot.policy_slot() {
            let restored = restricted.state.restore(restricted.behaviour);
            // Their values before and after the read are equal.
            slot.skip_hooks_of(restored);
        }
    }
}
