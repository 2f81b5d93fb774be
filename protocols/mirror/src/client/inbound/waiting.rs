//! Messages that wait for the end of a scene change or of a callback.

use std::collections::VecDeque;

use bytes::Bytes;

/// Approximate bytes of a waiting message besides its content.
const MESSAGE_OVERHEAD: usize = 64;

/// Messages that wait for the end of a scene change or of a callback.
#[derive(Debug, Default)]
pub(crate) struct WaitingMessages {
    messages: VecDeque<(f64, Bytes)>,
    bytes: usize,
}

impl WaitingMessages {
    /// Adds a message of a time. Returns the bytes of the queue.
    pub(crate) fn push(&mut self, time: f64, message: &[u8]) -> usize {
        self.bytes = { self.bytes }
            .saturating_add(message.len())
            .saturating_add(MESSAGE_OVERHEAD);
        self.messages
            .push_back((time, Bytes::copy_from_slice(message)));
        self.bytes
    }

    pub(crate) fn pop(&mut self) -> Option<(f64, Bytes)> {
        let (time, message) = self.messages.pop_front()?;
        self.bytes = { self.bytes }
            .saturating_sub(message.len())
            .saturating_sub(MESSAGE_OVERHEAD);
        Some((time, message))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }
}
