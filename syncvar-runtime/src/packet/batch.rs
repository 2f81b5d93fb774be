//! Batches: one message for many objects, each with its length.
//!
//! An entry is a header and the object's contents. The header is the number
//! `(id difference - 1) * 8 + code` as a varint. The difference is to the previous entry's id, and to 0
//! for the first entry. A code of 0 to 6 is the length; after a code of 7 the length minus 7 follows as a
//! varint. WIRE.md, section 6.

use super::frame::{FRAME, long_head};
use super::{Room, Segments, UpdateForm};
use crate::{MAX_BYTES, NetId, NetworkReader, NetworkWriter, ReadError, ReadErrorKind};

/// Largest header before the contents of a batch's only entry, in the short form.
const MAX_HEADER: usize = FRAME + 6 + 3;

/// Shortest length that does not fit the code.
const LONG: usize = 7;

/// Open message of many objects.
#[derive(Debug)]
pub(super) struct Batch {
    message_type: i16,
    /// Start of the message.
    frame: usize,
    /// Id of the last complete entry.
    pub(super) last: NetId,
    /// Id of the entry in progress.
    entry: NetId,
    /// Start of its header.
    header: usize,
    /// Start of its contents.
    contents: usize,
    /// Set if the length of the last entry did not fit the code. Lengths are similar, so the entry
    /// in progress has a byte reserved for its length.
    reserved: bool,
}

impl Segments {
    /// Begins the entry of an object in a message of many objects. The caller writes its contents, then
    /// calls [`commit_entry`](Self::commit_entry) or [`give_up_entry`](Self::give_up_entry).
    #[inline]
    pub fn begin_entry(&mut self, message_type: i16, net_id: NetId) -> &mut NetworkWriter {
        self.start = self.writer.len();
        match &mut self.batch {
            Some(batch) if batch.message_type == message_type && batch.last < net_id => {
                batch.begin_entry(net_id, &mut self.writer);
            }
            _ => self.begin_batch(message_type, net_id),
        }
        &mut self.writer
    }

    /// Begins a message and its first entry.
    #[cold]
    fn begin_batch(&mut self, message_type: i16, first: NetId) {
        self.end_batch();
        let mut batch = Batch {
            message_type,
            frame: self.start,
            last: NetId::NONE,
            entry: NetId::NONE,
            header: 0,
            contents: 0,
            reserved: false,
        };
        batch.begin_message(&mut self.writer);
        batch.begin_entry(first, &mut self.writer);
        self.batch = Some(batch);
    }

    /// Ends the entry in progress and returns its length. An entry that does not fit the current packet
    /// begins the next one.
    #[inline]
    pub fn commit_entry(&mut self) -> usize {
        let limit = self.longest_batch();
        let Some(batch) = &mut self.batch else {
            return 0;
        };
        let length = self.writer.len() - batch.contents;
        let end = self.writer.len() + length_bytes(length) - usize::from(batch.reserved);
        if end - self.packet > limit {
            return self.commit_apart(length);
        }
        batch.end_entry(length, &mut self.writer);
        self.writer.len() - self.start
    }

    /// Ends an entry that does not fit the current packet, or any packet: it begins the next one. A
    /// message that exceeds the short form takes the long form and ends with this entry.
    #[inline(never)]
    fn commit_apart(&mut self, length: usize) -> usize {
        let Some(batch) = &mut self.batch else {
            return 0;
        };
        if self.start > self.packet {
            self.cuts.push(self.start);
            self.packet = self.start;
            if batch.frame != self.start {
                batch.begin_again(self.start, &mut self.writer, &mut self.moving);
            }
        }
        batch.end_entry(length, &mut self.writer);
        if self.writer.len() - batch.frame > FRAME + MAX_BYTES {
            batch.end_long_message(self.form.long, &mut self.writer);
            self.batch = None;
        }
        self.writer.len() - self.start
    }

    /// Returns the size limit of a packet with several objects, or with one in the short form.
    #[inline]
    pub(super) fn longest_batch(&self) -> usize {
        self.packet_size.min(FRAME + MAX_BYTES)
    }

    /// Discards the entry in progress.
    #[inline]
    pub fn give_up_entry(&mut self) {
        self.writer.truncate(self.start);
        self.batch.take_if(|batch| batch.last == NetId::NONE);
    }

    /// Checks that a message with only the entry in progress respects the limit. Otherwise the writer
    /// fails.
    #[inline]
    pub fn check_entry(&mut self, room: Room) {
        let Some(batch) = &self.batch else {
            return;
        };
        let contents = self.writer.len() - batch.contents;
        // Most entries fit with the largest possible header.
        if contents + MAX_HEADER > room.always_fits() {
            let payload = entry_length(batch.entry, contents);
            check_payload(&mut self.writer, payload, room, self.form);
        }
    }

    /// Ends the open message of many objects.
    pub(super) fn end_batch(&mut self) {
        if let Some(batch) = self.batch.take() {
            batch.end_message(&mut self.writer);
        }
    }
}

impl Batch {
    fn begin_message(&mut self, writer: &mut NetworkWriter) {
        let [low, high] = self.message_type.to_le_bytes();
        self.frame = writer.len();
        self.last = NetId::NONE;
        writer.write_bytes(&[0, 0, low, high]);
    }

    fn end_message(&self, writer: &mut NetworkWriter) {
        let length = writer.len() - self.frame - FRAME;
        // A longer message has taken the long form at the end of its only entry.
        writer.patch_u16(self.frame, u16::try_from(length).unwrap_or(u16::MAX));
    }

    /// Inserts the header of the long form.
    #[cold]
    fn end_long_message(&self, long: i16, writer: &mut NetworkWriter) {
        let length = writer.len() - self.frame - FRAME;
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        // The size is overwritten, the rest is inserted, and the type is in place.
        let [low, high, head @ ..] = long_head(long, length);
        writer.patch_u16(self.frame, u16::from_le_bytes([low, high]));
        writer.insert(self.frame + 2, |writer| writer.write_bytes(&head));
    }

    #[inline]
    fn begin_entry(&mut self, net_id: NetId, writer: &mut NetworkWriter) {
        self.entry = net_id;
        self.header = writer.len();
        writer.write_varint(header(self.last, net_id));
        if self.reserved {
            writer.write_u8(0);
        }
        self.contents = writer.len();
    }

    /// Moves the entry in progress, which begins at `start`, to a new message. As the first entry its id
    /// is a difference to 0.
    #[cold]
    fn begin_again(&mut self, start: usize, writer: &mut NetworkWriter, contents: &mut Vec<u8>) {
        contents.clear();
        contents.extend_from_slice(&writer.as_bytes()[self.contents..]);
        writer.truncate(start);
        self.end_message(writer);
        self.begin_message(writer);
        self.begin_entry(self.entry, writer);
        writer.write_bytes(contents);
    }

    #[inline]
    fn end_entry(&mut self, length: usize, writer: &mut NetworkWriter) {
        self.last = self.entry;
        writer.add_bits(self.header, length.min(LONG));
        let rest = length.checked_sub(LONG);
        match rest {
            Some(rest) if self.reserved => {
                writer.patch_varint(self.contents - 1, rest as u64);
            }
            Some(rest) => writer.insert_varint(self.contents, rest as u64),
            None if self.reserved => writer.remove_byte(self.contents - 1),
            None => {}
        }
        self.reserved = rest.is_some();
    }
}

/// Fails the writer for a payload above the limit.
#[inline]
pub(super) fn check_payload(
    writer: &mut NetworkWriter,
    payload: usize,
    room: Room,
    form: UpdateForm,
) {
    if FRAME + payload > room.always_fits() {
        check_long_payload(writer, payload, room, form);
    }
}

#[cold]
fn check_long_payload(writer: &mut NetworkWriter, payload: usize, room: Room, form: UpdateForm) {
    if let Some(kind) = room.refusal(form, payload) {
        // The error belongs to the whole message, not to a behaviour.
        writer.at_behaviour(None);
        writer.fail(kind);
    }
}

/// Returns the header of an entry with code 0, before its length is known.
#[inline]
fn header(last: NetId, net_id: NetId) -> u64 {
    u64::from(net_id.0.wrapping_sub(last.0).wrapping_sub(1)) << 3
}

/// Returns the largest length of an entry, which it has as the first one.
pub(super) fn entry_length(net_id: NetId, contents: usize) -> usize {
    varint_length(header(NetId::NONE, net_id)) + length_bytes(contents) + contents
}

/// Returns the bytes of a length beyond the header.
#[inline]
fn length_bytes(length: usize) -> usize {
    match length.checked_sub(LONG) {
        Some(rest) => varint_length(rest as u64),
        None => 0,
    }
}

/// Returns the bytes of a varint.
#[inline]
fn varint_length(value: u64) -> usize {
    (u64::BITS - (value | 1).leading_zeros()).div_ceil(7) as usize
}

/// Iterator over the entries of a message of many objects; ends after the first error.
#[derive(Debug)]
pub struct Entries<'a> {
    reader: NetworkReader<'a>,
    last: u32,
    failed: bool,
}

impl<'a> Entries<'a> {
    /// Returns the entries of a payload.
    #[inline]
    pub fn new(payload: &'a [u8]) -> Self {
        Self {
            reader: NetworkReader::new(payload),
            last: 0,
            failed: false,
        }
    }

    /// Returns the number of bytes read.
    #[inline]
    pub(super) fn position(&self) -> usize {
        self.reader.position()
    }

    #[expect(
        clippy::inline_always,
        reason = "as a call it takes a third of a client's time per delta"
    )]
    #[inline(always)]
    fn read(&mut self) -> Result<(NetId, &'a [u8]), ReadError> {
        let header = self.reader.read_varint()?;
        let id = u64::from(self.last) + (header >> 3) + 1;
        let Ok(id) = u32::try_from(id) else {
            let (what, value) = ("header of an entry", header);
            return Err(self
                .reader
                .error(ReadErrorKind::InvalidValue { what, value }));
        };
        self.last = id;
        let mut length = header & 7;
        if length == LONG as u64 {
            length = length.saturating_add(self.reader.read_varint()?);
        }
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        Ok((NetId(id), self.reader.read_bytes(length)?))
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<(NetId, &'a [u8]), ReadError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.reader.remaining() == 0 {
            return None;
        }
        let entry = self.read();
        self.failed = entry.is_err();
        Some(entry)
    }
}

#[cfg(test)]
mod tests;
