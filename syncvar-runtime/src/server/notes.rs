//! Write records of an update, for connections with a budget.

use std::ops::Range;

use super::ConnectionId;
use super::audience::AudienceId;
use crate::identity::{Slot, Visit};
use crate::{Dialect, NetId};

/// One message or batch entry written for an audience.
#[derive(Clone, Debug)]
pub(super) struct WriteRecord {
    pub(super) net_id: NetId,
    pub(super) channel: u8,
    pub(super) audience: AudienceId,
    /// Changed fields of each behaviour, in [`WriteLog::masks`].
    pub(super) masks: Range<u32>,
    /// Position of the changes in the audience's buffer, for each dialect. `None` for restricted
    /// fields, which are written for each connection.
    pub(super) changes: Option<[Range<usize>; 2]>,
    /// Owner of an object with restricted fields, and the fields for it.
    pub(super) owner: Option<(ConnectionId, Range<u32>)>,
}

/// Write records of an update, in the order of objects and channels.
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

    /// Sorts the records: an ownership change writes an object ahead of the others.
    pub(super) fn sort(&mut self) {
        let key = |note: &WriteRecord| (note.net_id, note.channel);
        if !self.records.is_sorted_by_key(key) {
            self.records.sort_by_key(key);
        }
    }

    /// Returns the index of a dialect in [`WriteRecord::changes`].
    pub(super) fn index(dialect: Dialect) -> usize {
        usize::from(dialect.number())
    }
}

/// Collects the dirty fields of the behaviours that were sent.
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
