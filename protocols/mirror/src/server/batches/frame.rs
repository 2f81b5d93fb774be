//! Messages of a frame for one audience, and their batches.

use std::ops::Range;
use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};

/// Length-prefixed messages in sequence, as in a batch.
#[derive(Debug, Default)]
pub(crate) struct AudienceFrame {
    buffer: BytesMut,
    /// The frozen buffer.
    bytes: Bytes,
    /// Start of each message, at its length prefix.
    starts: Vec<usize>,
    begun: bool,
    /// Batches by their settings.
    cuts: Vec<(Cut, Arc<[Bytes]>)>,
    /// Memory for batches.
    spare: BytesMut,
}

/// Settings of batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Longest batch of several messages.
    pub(crate) threshold: usize,
    /// Presence of messages before and after those of the frame.
    pub(crate) around: [bool; 2],
}

pub(crate) use crate::batch::BATCH_HEADER as HEADER;

impl AudienceFrame {
    pub(crate) fn is_begun(&self) -> bool {
        self.begun
    }

    pub(crate) fn begin(&mut self) {
        self.begun = true;
    }

    /// Appends a length-prefixed message in two parts. Returns its length.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "a tenth of what a change costs, where it is called for each of them"
    )]
    pub(crate) fn push(&mut self, parts: [&[u8]; 2]) -> usize {
        let start = self.buffer.len();
        self.starts.push(start);
        for part in parts {
            self.buffer.extend_from_slice(part);
        }
        self.buffer.len() - start
    }

    /// Returns the number of messages.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Freezes the complete buffer.
    pub(crate) fn freeze(&mut self) {
        self.bytes = self.buffer.split().freeze();
    }

    /// Clears the frame and keeps its memory.
    pub(crate) fn end(&mut self) {
        self.begun = false;
        self.buffer.clear();
        self.bytes = Bytes::new();
        self.starts.clear();
        self.cuts.clear();
    }

    /// Returns the start of a message, or the end of the last one.
    pub(crate) fn start(&self, message: usize) -> usize {
        let start = self.starts.get(message).copied();
        start.unwrap_or(self.bytes.len())
    }

    /// Returns a range of messages.
    pub(crate) fn slice(&self, messages: Range<usize>) -> Bytes {
        let (start, end) = (self.start(messages.start), self.start(messages.end));
        self.bytes.slice(start..end.max(start))
    }

    /// Returns the bytes of a range of messages.
    pub(crate) fn messages(&self, messages: Range<usize>) -> &[u8] {
        let range = self.start(messages.start)..self.start(messages.end);
        self.bytes.get(range).unwrap_or_default()
    }

    /// Returns the end of the longest prefix of `messages` within `room` bytes.
    pub(crate) fn fitting(&self, messages: Range<usize>, room: usize) -> usize {
        let limit = self.start(messages.start).saturating_add(room);
        if self.start(messages.end) <= limit {
            return messages.end;
        }
        let ends = self.starts.get(messages.start + 1..messages.end);
        let fitting = ends.map_or(0, |ends| ends.partition_point(|end| *end <= limit));
        messages.start + fitting
    }

    /// Returns all messages in batches, with messages before and after them; made once per setting.
    pub(crate) fn cut(
        &mut self,
        header: [u8; HEADER],
        cut: Cut,
        [before, after]: [&[u8]; 2],
    ) -> Arc<[Bytes]> {
        if let Some((_, batches)) = self.cuts.iter().find(|(known, _)| *known == cut) {
            return batches.clone();
        }
        let (count, all) = (self.len(), before.len() + self.bytes.len() + after.len());
        let room = cut.threshold.saturating_sub(HEADER);
        let mut spare = std::mem::take(&mut self.spare);
        spare.reserve(all + HEADER * (all / room.max(1) + 4));
        let mut batches = Batches {
            threshold: cut.threshold,
            header,
            open: spare,
            complete: Vec::new(),
        };
        batches.add(before);
        let mut first = 0;
        while first < count {
            let mut end = self.fitting(first..count, batches.room());
            if end == first {
                batches.begin();
                // A message longer than a batch starts a batch alone.
                end = self.fitting(first..count, batches.room()).max(first + 1);
            }
            let (from, to) = (self.start(first), self.start(end));
            batches.append(self.bytes.get(from..to).unwrap_or_default());
            first = end;
        }
        batches.add(after);
        batches.begin();
        self.spare = batches.open;
        let batches: Arc<[Bytes]> = batches.complete.into();
        self.cuts.push((cut, batches.clone()));
        batches
    }
}

/// Batches written in sequence into one buffer.
struct Batches {
    threshold: usize,
    header: [u8; HEADER],
    open: BytesMut,
    complete: Vec<Bytes>,
}

impl Batches {
    /// Returns the free bytes of the open batch.
    fn room(&self) -> usize {
        self.threshold.saturating_sub(self.open.len().max(HEADER))
    }

    /// Adds messages that stay together, or none.
    fn add(&mut self, messages: &[u8]) {
        if messages.len() > self.room() {
            self.begin();
        }
        if !messages.is_empty() {
            self.append(messages);
        }
    }

    fn append(&mut self, messages: &[u8]) {
        if self.open.is_empty() {
            self.open.put_slice(&self.header);
        }
        self.open.put_slice(messages);
    }

    /// Completes the open batch.
    fn begin(&mut self) {
        if !self.open.is_empty() {
            self.complete.push(self.open.split().freeze());
        }
    }
}

/// Appends a message behind its length.
#[inline]
pub(crate) fn put_message(buffer: &mut BytesMut, parts: &[&[u8]]) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    put_var(buffer, length as u64);
    for part in parts {
        buffer.put_slice(part);
    }
}

/// Appends a number as Mirror's `VarULong`.
#[inline]
pub(crate) fn put_var(buffer: &mut BytesMut, value: u64) {
    if let Ok(byte) = u8::try_from(value)
        && byte <= 240
    {
        buffer.put_u8(byte);
    } else {
        put_longer_var(buffer, value);
    }
}

/// Returns the length of a number as Mirror's `VarULong`.
#[inline]
pub(crate) const fn var_length(value: u64) -> usize {
    match value {
        0..=240 => 1,
        241..=2287 => 2,
        2288..=67_823 => 3,
        _ => 9 - value.leading_zeros() as usize / 8,
    }
}

fn put_longer_var(buffer: &mut BytesMut, value: u64) {
    let mut writer = syncvar_runtime::NetworkWriter::new();
    writer.write_var_u64(value);
    buffer.put_slice(writer.as_bytes());
}
