//! `SnapshotSink`: destination of the snapshots of objects of a prefab.

use super::slots::Slots;
use crate::NetId;
use crate::packet::{Room, Segments};
use crate::stats::{BehaviourStats, Counter};

/// Encodes snapshots as entries of a batch. Their state is that of an observer without a role.
#[derive(Debug)]
pub struct SnapshotSink<'a> {
    /// Buffer of the batch.
    pub segments: &'a mut Segments,
    /// Type of the batch.
    pub message_type: i16,
    /// Number before the state of every object.
    pub header: u64,
    /// Maximum length of a message.
    pub room: Room,
    /// Counters of the objects' behaviours.
    pub stats: &'a mut [BehaviourStats],
    /// Written snapshots. The caller adds them to the statistics.
    pub encoded: Counter,
}

impl SnapshotSink<'_> {
    /// Writes the snapshot of an object. Returns whether it has a form; without one it leaves no bytes.
    #[inline]
    pub(super) fn write<S: Slots>(&mut self, net_id: NetId, slots: &mut S) -> bool {
        let writer = self.segments.begin_entry(self.message_type, net_id);
        writer.write_varint(self.header);
        slots.write_full(writer, self.stats);
        self.segments.check_entry(self.room);
        if self.segments.writer().take_error().is_some() {
            self.segments.give_up_entry();
            return false;
        }
        self.encoded.add(self.segments.commit_entry());
        true
    }
}
