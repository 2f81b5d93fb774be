//! What an update has written for objects, noted for connections with a budget: they are sent it now,
//! or remember what they have missed.

use std::ops::Range;

use super::{Slot, Visit};
use crate::packet::UpdateForm;
use crate::{AudienceId, ConnectionId, NetId};

/// One message, or entry of a batch, that was written for an audience.
#[derive(Clone, Debug)]
pub struct WriteRecord {
    /// The object.
    pub net_id: NetId,
    /// The channel.
    pub channel: u8,
    /// The observers.
    pub audience: AudienceId,
    /// The changed fields of each behaviour, in [`WriteLog::masks`].
    pub masks: Range<u32>,
    /// Where the changes are in the audience's buffer for the channel, for each form of its
    /// observers. `None` if they are to be written for each connection.
    pub changes: Option<[Range<usize>; 2]>,
    /// For an object with fields that have rules: its owner, and the fields that it has missed.
    pub owner: Option<(ConnectionId, Range<u32>)>,
}

/// The log of an update, in the order of objects and channels.
#[derive(Debug, Default)]
pub struct WriteLog {
    /// The log.
    pub records: Vec<WriteRecord>,
    /// The masks of all log, one after another.
    pub masks: Vec<u64>,
}

impl WriteLog {
    /// Forgets all log.
    pub fn clear(&mut self) {
        self.records.clear();
        self.masks.clear();
    }

    /// Puts the log in order: an object that was given to another owner was written before the
    /// others.
    pub fn sort(&mut self) {
        let key = |note: &WriteRecord| (note.net_id, note.channel);
        if !self.records.is_sorted_by_key(key) {
            self.records.sort_by_key(key);
        }
    }

    /// The position of a form in [`WriteRecord::changes`].
    pub fn index(form: UpdateForm) -> usize {
        usize::from(form.batched)
    }
}

/// WriteLog which fields of the behaviours that were sent are dirty.
pub struct DirtyMasks<'a> {
    /// A bit for each behaviour that was sent.
    pub sent: u64,
    /// The masks of the log.
    pub masks: &'a mut Vec<u64>,
}

impl Visit for DirtyMasks<'_> {
    fn slot<S: Slot + ?Sized>(&mut self, index: u32, slot: &mut S) {
        let sent = self.sent >> index & 1 == 1;
        self.masks.push(if sent { slot.dirty_bits() } else { 0 });
    }
}

/// Returns the position of the next mask in a list.
pub fn mask_count(masks: &[u64]) -> u32 {
    u32::try_from(masks.len()).unwrap_or(u32::MAX)
}
