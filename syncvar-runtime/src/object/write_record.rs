//! Write records of an update, for connections with a budget and for those that may lose packets.

use std::ops::Range;

use crate::packet::UpdateForm;
use crate::{AudienceId, ConnectionId, NetId};

/// One message or batch entry written for an audience.
#[derive(Clone, Debug)]
pub struct WriteRecord {
    /// The object.
    pub net_id: NetId,
    /// The channel.
    pub channel: u8,
    /// The observers.
    pub audience: AudienceId,
    /// Changed fields of every behaviour, in [`WriteLog::masks`].
    pub masks: Range<u32>,
    /// Position of the changes in the audience's buffer, for each form. `None` for restricted
    /// fields, which are written for each connection.
    pub changes: Option<[Range<usize>; 2]>,
    /// Owner of an object with restricted fields, and the fields for it.
    pub owner: Option<(ConnectionId, Range<u32>)>,
    /// Fields for the remaining observers in the object's group, if they differ from those of observers outside of the group.
    pub members: Option<Range<u32>>,
    /// Set for a part of an object with restricted fields, which a later record describes as a whole.
    pub part: bool,
}

/// Write records of an update, in the order of objects and channels.
#[derive(Debug, Default)]
pub struct WriteLog {
    /// The records.
    pub records: Vec<WriteRecord>,
    /// Masks of every record.
    pub masks: Vec<u64>,
}

impl WriteLog {
    /// Removes all records.
    #[inline]
    pub fn clear(&mut self) {
        self.records.clear();
        self.masks.clear();
    }

    /// Sorts the records: an ownership change writes an object ahead of its turn.
    pub fn sort(&mut self) {
        let key = |note: &WriteRecord| (note.net_id, note.channel);
        if !self.records.is_sorted_by_key(key) {
            self.records.sort_by_key(key);
        }
    }

    /// Returns the index of a form in [`WriteRecord::changes`].
    #[inline]
    pub fn index(form: UpdateForm) -> usize {
        usize::from(form.batched)
    }
}

/// Returns the number of masks, as the start of the next range.
#[inline]
pub fn mask_count(masks: &[u64]) -> u32 {
    u32::try_from(masks.len()).unwrap_or(u32::MAX)
}
