//! Deltas of single objects: one message each in the `Unet` encoding, entries of a batch in `Compact`.

use std::ops::Range;

use super::batch::{check_payload, entry_length};
use super::frame::{FRAME, LONG_FRAME};
use super::{Room, Segments, UpdateForm};
use crate::{MAX_BYTES, NetId, NetworkWriter, WriteError, WriteErrorKind};

impl Segments {
    /// Begins the delta of an object. The caller writes it and calls
    /// [`check_update`](Self::check_update), then [`commit_object`](Self::commit_object) or, after an
    /// error, [`give_up_object`](Self::give_up_object).
    #[inline]
    pub fn begin_update(&mut self, net_id: NetId) -> &mut NetworkWriter {
        let UpdateForm {
            batched, update, ..
        } = self.form;
        if batched {
            self.begin_entry(update, net_id);
        } else {
            let writer = self.begin();
            let [low, high] = update.to_le_bytes();
            writer.write_bytes(&[0, 0, low, high]);
            writer.write_packed_u32(net_id.0);
        }
        self.contents = self.writer.len();
        &mut self.writer
    }

    /// Returns the error of the delta in progress: a write error, or a length above the channel's limit.
    #[inline]
    pub fn check_update(&mut self, room: Room) -> Option<WriteError> {
        self.changes = self.writer.len() - self.contents;
        if self.form.batched {
            self.check_entry(room);
        } else {
            let payload = self.writer.len() - self.start - FRAME;
            check_payload(&mut self.writer, payload, room, self.form);
            let size = u16::try_from(payload).unwrap_or(u16::MAX);
            self.writer.patch_u16(self.start, size);
        }
        if self.writer.has_error() {
            let error = self.writer.take_error();
            return error.map(|error| error.since(self.contents));
        }
        None
    }

    /// Ends the delta or snapshot of an object. Returns its length.
    #[inline]
    pub fn commit_object(&mut self) -> usize {
        if self.form.batched {
            self.commit_entry()
        } else {
            self.commit()
        }
    }

    /// Appends a delta that was encoded and checked before. Returns its length with the header.
    #[inline]
    pub fn push_update(&mut self, net_id: NetId, changes: &[u8]) -> usize {
        self.begin_update(net_id).write_bytes(changes);
        let error = self.check_update(Room::any());
        debug_assert!(error.is_none(), "checked before: {error:?}");
        self.commit_object()
    }

    /// Returns the range of the last committed delta.
    #[inline]
    pub fn last_update(&self) -> Range<usize> {
        let end = self.writer.len();
        end.saturating_sub(self.changes)..end
    }

    /// Discards the delta or snapshot in progress.
    #[inline]
    pub fn give_up_object(&mut self) {
        if self.form.batched {
            self.give_up_entry();
        } else {
            self.give_up();
        }
    }
}

/// Returns the length of a delta as a message, or its largest length as an entry of a batch without the
/// batch's header.
#[inline]
pub fn update_length(form: UpdateForm, net_id: NetId, changes: usize) -> usize {
    if form.batched {
        entry_length(net_id, changes)
    } else {
        FRAME + packed_length(net_id) + changes
    }
}

/// Returns the error of a delta in a message without a further entry, if the message is above the limit.
#[inline]
pub fn update_refusal(
    form: UpdateForm,
    net_id: NetId,
    changes: usize,
    room: Room,
) -> Option<WriteErrorKind> {
    let payload = if form.batched {
        entry_length(net_id, changes)
    } else {
        packed_length(net_id) + changes
    };
    room.refusal(form, payload)
}

/// Returns an upper bound of the header bytes around entries, given their number and bytes. A message
/// ends with its packet, and two consecutive packets hold more than one packet size.
pub fn frames_length(form: UpdateForm, entries: (usize, usize), packet_size: usize) -> usize {
    let (count, bytes) = entries;
    if !form.batched {
        return 0;
    }
    let longest = packet_size.min(FRAME + MAX_BYTES);
    let packets = (2 * bytes).checked_div(longest).unwrap_or(count) + 1;
    // A message in the long form holds one object above `MAX_BYTES`.
    let long = (bytes / MAX_BYTES).min(count);
    FRAME * packets.min(count) + (LONG_FRAME - FRAME) * long
}

/// Returns the length of an id in UNet's packed form.
pub fn packed_length(net_id: NetId) -> usize {
    match net_id.0 {
        0..=240 => 1,
        241..=2287 => 2,
        2288..=67_823 => 3,
        67_824..=0xFF_FFFF => 4,
        _ => 5,
    }
}
