//! What an update has written for objects, noted for connections with a budget: they are sent it now,
//! or remember what they have missed.

use std::ops::Range;

use super::ConnectionId;
use super::audience::AudienceId;
use crate::identity::{Slot, Visit};
use crate::{Dialect, NetId};

/// One message, or entry of a batch, that was written for an audience.
#[derive(Clone, Debug)]
pub(super) struct WriteRecord {
    pub(super) net_id: NetId,
    pub(super) channel: u8,
    pub(super) audience: AudienceId,
    /// The changed fields of each behaviour, in [`Notes::masks`].
    pub(super) masks: Range<u32>,
    /// Where the changes are in the audience's buffer for the channel, for each dialect that is
    /// spoken in it. `None` if they are to be written for each connection.
    pub(super) changes: Option<[Range<usize>; 2]>,
    /// For an object with fields that have rules: its owner, and the fields that it has missed.
    pub(super) owner: Option<(ConnectionId, Range<u32>)>,
}

/// The notes of an update, in the order of objects and channels.
#[derive(Debug, Default)]
pub(super) struct WriteLog {
    pub(super) records: Vec<WriteRecord>,
    pub(super) masks: Vec<u64>,
}

impl WriteLog {
    pub(super) fn clear(&mut self) {
        self.records.clear();
        self.masks.clear();
    }

    /// Puts the notes in order: an object that was given to another owner was written before the
    /// others.
    pub(super) fn sort(&mut self) {
        let key = |note: &WriteRecord| (note.net_id, note.channel);
        if !self.records.is_sorted_by_key(key) {
            self.records.sort_by_key(key);
        }
    }

    /// The position of a dialect in [`Note::changes`].
    pub(super) fn index(dialect: Dialect) -> usize {
        usize::from(dialect.number())
    }
}

/// Notes which fields of the behaviours that were sent are dirty.
pub(super) struct DirtyMasks<'a> {
    pub(super) sent: u64,
    pub(super) masks: &'a mut Vec<u64>,
}

impl Visit for DirtyMasks<'_> {
    fn slot<S: Slot + ?Sized>(&mut self, index: u32, slot: &mut S) {
        let sent = self.sent >> index & 1 == 1;
        self.masks.push(if sent { slot.dirty_bits() } else { 0 });
    }
}
