//! The changes of one object: a message of its own in the `Unet` encoding, an entry of a batch in
//! `Compact`.

use std::ops::Range;

use super::batch::{check_payload, entry_length};
use super::frame::{FRAME, LONG_FRAME};
use super::{Room, Segments, UpdateForm};
use crate::{MAX_BYTES, NetId, NetworkWriter, WriteError};

impl Segments {
    /// Begins to say what has changed on an object: the caller writes it, then calls
    /// [`check_update`](Self::check_update) and, as that says, [`commit_object`](Self::commit_object)
    /// or [`give_up_object`](Self::give_up_object).
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

    /// Tells what was wrong with what has been written, if anything; `room` is that of the channel.
    #[inline]
    pub fn check_update(&mut self, room: Room) -> Option<WriteError> {
        self.changes = self.writer.len() - self.contents;
        if self.form.batched {
            self.check_entry(room);
        } else {
            let payload = self.writer.len() - self.start - FRAME;
            check_payload(&mut self.writer, payload, (room, self.form));
            let size = u16::try_from(payload).unwrap_or(u16::MAX);
            self.writer.patch_u16(self.start, size);
        }
        if self.writer.has_error() {
            let error = self.writer.take_error();
            return error.map(|error| error.since(self.contents));
        }
        None
    }

    /// Ends what is said about an object, its changes or its full state. Returns how many bytes it takes.
    #[inline]
    pub fn commit_object(&mut self) -> usize {
        if self.form.batched {
            self.commit_entry()
        } else {
            self.commit()
        }
    }

    /// Says what has changed on an object that was written and checked before. Returns how many bytes
    /// it takes.
    #[inline]
    pub fn push_update(&mut self, net_id: NetId, changes: &[u8]) -> usize {
        self.begin_update(net_id).write_bytes(changes);
        let error = self.check_update(Room::any());
        debug_assert!(error.is_none(), "it was written before: {error:?}");
        self.commit_object()
    }

    /// Where the changes are that were committed last.
    pub fn last_update(&self) -> Range<usize> {
        let end = self.writer.len();
        end.saturating_sub(self.changes)..end
    }

    /// Takes back what is under way about an object.
    pub fn give_up_object(&mut self) {
        if self.form.batched {
            self.give_up_entry();
        } else {
            self.give_up();
        }
    }
}

/// The bytes that the changes of an object take as a message, or at most as an entry of a batch, that
/// of the message around it not counted.
pub fn update_length(form: UpdateForm, net_id: NetId, changes: usize) -> usize {
    if form.batched {
        entry_length(net_id, changes)
    } else {
        FRAME + packed_length(net_id) + changes
    }
}

/// Whether there is room for changes of so many bytes as a message with nothing else.
pub fn update_fits(form: UpdateForm, net_id: NetId, changes: usize, room: Room) -> bool {
    let payload = if form.batched {
        entry_length(net_id, changes)
    } else {
        packed_length(net_id) + changes
    };
    room.refusal(form, payload).is_none()
}

/// The most bytes that messages around so many bytes of entries can take. A message ends with its
/// packet, and two packets in a row have more than one packet's worth.
pub fn frames_length(form: UpdateForm, entries: (usize, usize), packet_size: usize) -> usize {
    let (count, bytes) = entries;
    if !form.batched {
        return 0;
    }
    let longest = packet_size.min(FRAME + MAX_BYTES);
    let packets = (2 * bytes).checked_div(longest).unwrap_or(count) + 1;
    // Those in the long form are about one object each, which takes more than this.
    let long = (bytes / MAX_BYTES).min(count);
    FRAME * packets.min(count) + (LONG_FRAME - FRAME) * long
}

/// The bytes of an id in UNet's packed form.
pub fn packed_length(net_id: NetId) -> usize {
    match net_id.0 {
        0..=240 => 1,
        241..=2287 => 2,
        2288..=67_823 => 3,
        67_824..=0xFF_FFFF => 4,
        _ => 5,
    }
}
