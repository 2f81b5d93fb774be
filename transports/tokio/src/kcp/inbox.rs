//! Memory for received messages that are not handled yet.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;

use super::MAX_FRAGMENTS;
use super::segment::MAX_FRAGMENT;

/// Memory of a message or a fragment besides its data, estimated, in bytes.
pub(super) const OVERHEAD: usize = 128;

/// Memory of a full segment, estimated, in bytes.
pub(super) const SEGMENT: usize = MAX_FRAGMENT + OVERHEAD;

/// Least room for reliable messages: the longest one. In bytes.
pub(super) const MESSAGE: usize = MAX_FRAGMENTS * SEGMENT;

/// Room for a full window. In bytes.
#[expect(clippy::as_conversions, reason = "u16 fits into usize")]
pub(super) const WINDOW: usize = super::WINDOW as usize * SEGMENT;

/// Returns the memory of a message or a fragment, estimated, in bytes.
pub(super) fn memory(length: usize) -> usize {
    length.saturating_add(OVERHEAD)
}

/// Memory for the received messages of a listener's connections.
///
/// One half is shared. Each connection has a part of the second half besides, so that connections that
/// fill the shared half stop nobody else.
#[derive(Debug)]
pub(crate) struct Pool {
    /// Memory in use, in bytes.
    pub(crate) used: usize,
    /// Size of the shared half, and of the part of a connection.
    shared: usize,
    part: usize,
}

impl Pool {
    pub(crate) fn new(max_bytes: usize, max_connections: usize) -> Self {
        let shared = max_bytes / 2;
        let part = shared.checked_div(max_connections).unwrap_or_default();
        Self {
            used: 0,
            shared,
            // Below this a connection could receive no message.
            part: part.max(4 * SEGMENT),
        }
    }

    /// Returns the bytes that a connection may use besides those in use.
    pub(crate) fn room(&self, in_use: usize) -> usize {
        let shared = self.shared.saturating_sub(self.used);
        shared.max(self.part.saturating_sub(in_use))
    }
}

/// Longest time between two updates that counts for a [`Gap`]: a stopped process misses segments, too.
const MAX_STEP: Duration = Duration::from_secs(1);

/// Missing segment that later segments wait for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    number: u32,
    pub(super) waited: Duration,
    updated: Duration,
}

impl Gap {
    /// Returns the gap at `now`, where segment `number` is missing.
    pub(super) fn next(before: Option<Self>, number: u32, now: Duration) -> Self {
        let same = before.filter(|gap| gap.number == number);
        let waited = same.map_or(Duration::ZERO, |gap| {
            let step = now.saturating_sub(gap.updated).min(MAX_STEP);
            gap.waited.saturating_add(step)
        });
        Self {
            number,
            waited,
            updated: now,
        }
    }
}

/// Unpolled unreliable messages.
#[derive(Debug)]
pub(super) struct Unreliable {
    /// Messages, each with the number of reliable messages that arrived before it.
    messages: VecDeque<(u64, Bytes)>,
    bytes: usize,
    /// Limits of `messages`: beyond them the oldest are lost.
    pub(super) max_messages: usize,
    pub(super) max_bytes: usize,
    dropped: u64,
}

impl Default for Unreliable {
    fn default() -> Self {
        Self {
            messages: VecDeque::new(),
            bytes: 0,
            max_messages: 256,
            max_bytes: usize::MAX,
            dropped: 0,
        }
    }
}

impl Unreliable {
    /// Adds a message that follows `after` reliable messages, as far as `room` bytes and the limits allow.
    pub(super) fn push(&mut self, after: u64, payload: &[u8], room: usize) {
        let bytes = memory(payload.len());
        let room = self.bytes.saturating_add(room).min(self.max_bytes);
        while self.messages.len() >= self.max_messages || self.bytes.saturating_add(bytes) > room {
            self.drop_one();
            if self.pop().is_none() {
                return;
            }
        }
        self.bytes = self.bytes.saturating_add(bytes);
        let payload = Bytes::copy_from_slice(payload);
        self.messages.push_back((after, payload));
    }

    pub(super) fn pop(&mut self) -> Option<Bytes> {
        let (_, message) = self.messages.pop_front()?;
        self.bytes = self.bytes.saturating_sub(memory(message.len()));
        Some(message)
    }

    /// Counts a lost message.
    pub(super) fn drop_one(&mut self) {
        self.dropped = self.dropped.saturating_add(1);
    }

    /// Returns the length of the next message, if it follows at most `taken` reliable messages.
    pub(super) fn next_length(&self, taken: u64) -> Option<usize> {
        let (after, message) = self.messages.front()?;
        (*after <= taken).then_some(message.len())
    }

    pub(super) fn clear(&mut self) {
        self.messages.clear();
        self.bytes = 0;
    }

    /// Returns the memory of the messages, estimated.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the number of lost messages.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }
}
