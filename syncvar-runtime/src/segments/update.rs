//! Deltas of single objects: one message each in the `Unet` dialect, entries of a batch in `Compact`.

use std::ops::Range;

use super::batch::{check_payload, entry_length};
use super::{Room, Segments};
use crate::message::{FRAME, LONG_FRAME};
use crate::{Dialect, MAX_BYTES, MessageType, NetId, NetworkWriter, WriteError};

impl Segments {
    /// Begins the delta of an object. The caller writes it and calls
    /// [`check_update`](Self::check_update), then [`commit_object`](Self::commit_object) or, after an
    /// error, [`give_up_object`](Self::give_up_object).
    #[inline]
    pub(crate) fn begin_update(&mut self, net_id: NetId) -> &mut NetworkWriter {
        match self.dialect() {
            Dialect::Unet => {
                let writer = self.begin();
                let [low, high] = MessageType::UpdateVars.number().to_le_bytes();
                writer.write_bytes(&[0, 0, low, high]);
                writer.write_packed_u32(net_id.0);
            }
            Dialect::Compact | Dialect::Mirror => {
                self.begin_entry(MessageType::UpdateBatch, net_id);
            }
        }
        self.contents = self.writer.len();
        &mut self.writer
    }

    /// Returns the error of the delta in progress: a write error, or a length above the channel's limit.
    #[inline]
    pub(crate) fn check_update(&mut self, room: Room) -> Option<WriteError> {
        self.changes = self.writer.len() - self.contents;
        match self.dialect() {
            Dialect::Unet => {
                let payload = self.writer.len() - self.start - FRAME;
                check_payload(&mut self.writer, payload, room);
                let size = u16::try_from(payload).unwrap_or(u16::MAX);
                self.writer.patch_u16(self.start, size);
            }
            Dialect::Compact | Dialect::Mirror => self.check_entry(room),
        }
        if self.writer.has_error() {
            let error = self.writer.take_error();
            return error.map(|error| error.since(self.contents));
        }
        None
    }

    /// Ends the delta or snapshot of an object. Returns its length.
    #[inline]
    pub(crate) fn commit_object(&mut self) -> usize {
        match self.dialect() {
            Dialect::Unet => self.commit(),
            Dialect::Compact | Dialect::Mirror => self.commit_entry(),
        }
    }

    /// Appends a delta that was encoded and checked before. Returns its length with the header.
    #[inline]
    pub(crate) fn push_update(&mut self, net_id: NetId, changes: &[u8]) -> usize {
        self.begin_update(net_id).write_bytes(changes);
        let error = self.check_update(Room::any());
        debug_assert!(error.is_none(), "checked before: {error:?}");
        self.commit_object()
    }

    /// Returns the range of the last committed delta.
    pub(crate) fn last_update(&self) -> Range<usize> {
        let end = self.writer.len();
        end.saturating_sub(self.changes)..end
    }

    /// Discards the delta or snapshot in progress.
    pub(crate) fn give_up_object(&mut self) {
        match self.dialect() {
            Dialect::Unet => self.give_up(),
            Dialect::Compact | Dialect::Mirror => self.give_up_entry(),
        }
    }
}

/// Returns the length of a delta as a message, or its largest length as an entry of a batch without the
/// batch's header.
pub(crate) fn update_length(dialect: Dialect, net_id: NetId, changes: usize) -> usize {
    match dialect {
        Dialect::Unet => FRAME + packed_length(net_id) + changes,
        Dialect::Compact | Dialect::Mirror => entry_length(net_id, changes),
    }
}

/// Returns whether a delta fits a message with no other entry.
pub(crate) fn update_fits(dialect: Dialect, net_id: NetId, changes: usize, room: Room) -> bool {
    let payload = match dialect {
        Dialect::Unet => packed_length(net_id) + changes,
        Dialect::Compact | Dialect::Mirror => entry_length(net_id, changes),
    };
    room.refusal(dialect, payload).is_none()
}

/// Returns an upper bound of the header bytes around entries, given their number and bytes. A message
/// ends with its packet, and two consecutive packets hold more than one packet size.
pub(crate) fn frames_length(
    dialect: Dialect,
    entries: (usize, usize),
    packet_size: usize,
) -> usize {
    let (count, bytes) = entries;
    match dialect {
        Dialect::Unet => 0,
        Dialect::Compact | Dialect::Mirror => {
            let longest = packet_size.min(FRAME + MAX_BYTES);
            let packets = (2 * bytes).checked_div(longest).unwrap_or(count) + 1;
            // A message in the long form holds one object above `MAX_BYTES`.
            let long = (bytes / MAX_BYTES).min(count);
            FRAME * packets.min(count) + (LONG_FRAME - FRAME) * long
        }
    }
}

/// Returns the length of an id in UNet's packed form.
pub(crate) fn packed_length(net_id: NetId) -> usize {
    match net_id.0 {
        0..=240 => 1,
        241..=2287 => 2,
        2288..=67_823 => 3,
        67_824..=0xFF_FFFF => 4,
        _ => 5,
    }
}
