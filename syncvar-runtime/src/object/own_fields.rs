//! Fields written by the owner of an object, saved while its client reads a snapshot of the server.

use super::slot::Slot;
use super::slots::Visit;
use crate::schema::PolicyBits;
use crate::{NetworkReader, ReadError};

/// Fields of an object that a client writes as its owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OwnFields {
    /// None: this end is not the owner.
    #[default]
    None,
    /// The fields of the owner, without writes so far. Dirty bits come from received values.
    Clean,
    /// The fields of the owner. Dirty fields have unsent writes.
    Written,
}

impl OwnFields {
    /// Returns the fields that keep their values: the owner's fields, and of the fields that the server may write
    /// too the dirty fields. The server has the remaining writes, and returns them with its own.
    pub(super) fn kept(self, policy: &PolicyBits, dirty: u64) -> u64 {
        let dirty = match self {
            Self::None => return 0,
            Self::Clean => 0,
            Self::Written => dirty,
        };
        policy.owner_write & (!policy.server_override | dirty)
    }
}

/// Saves the fields written by this client before a snapshot overwrites them.
#[derive(Debug)]
pub struct SaveOwn {
    /// Clean fields that are not saved: refused writes of this client.
    pub replaced: u64,
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
            replaced: 0,
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

/// Returns the readers and writers of the fields: those of the class, or of a server of a different build.
#[inline]
fn policy_of<S: Slot + ?Sized>(slot: &S) -> PolicyBits {
    let rules = slot.state().and_then(|state| state.rules.as_deref());
    rules.map_or(slot.info().policy, |rules| rules.fields.policy)
}

impl Visit for SaveOwn {
    fn slot<S: Slot + ?Sized>(&mut self, _: u32, slot: &mut S) {
        let (policy, dirty) = (policy_of(slot), slot.dirty_bits());
        if let Some(restricted) = slot.policy_slot().filter(|_| policy.owner_write != 0) {
            let own = OwnFields::Written.kept(&policy, dirty) & !(self.replaced & !dirty);
            let (state, shared) = (restricted.state, policy.server_override);
            if !state.save(restricted.behaviour, own, shared, &mut self.work_left) {
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
