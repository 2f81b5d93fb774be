//! Batches for a single connection, assembled by reference.

use std::collections::VecDeque;
use std::ops::Range;

use bytes::Bytes;
use syncvar_runtime::Channel;

use super::{Chunks, ConnectionOutbox, QueuedBatch};
use crate::server::batches::frame::{AudienceFrame, HEADER};

/// A batch assembled from shared and single messages.
pub(super) struct Gathering<'a> {
    channel: Channel,
    header: &'a [u8; HEADER],
    threshold: usize,
    chunks: Vec<Bytes>,
    length: usize,
    ready: &'a mut VecDeque<QueuedBatch>,
    waiting: &'a mut usize,
}

impl<'a> Gathering<'a> {
    pub(super) fn new(
        outbox: &'a mut ConnectionOutbox,
        channel: Channel,
        header: &'a [u8; HEADER],
        open: Option<Bytes>,
    ) -> Self {
        Self {
            channel,
            header,
            threshold: outbox.limits.batch_threshold,
            length: open.as_ref().map_or(0, Bytes::len),
            chunks: open.into_iter().collect(),
            ready: &mut outbox.ready,
            waiting: &mut outbox.waiting,
        }
    }

    /// Returns the free bytes of the open batch.
    fn room(&self) -> usize {
        self.threshold.saturating_sub(self.length)
    }

    /// Adds messages of a frame.
    pub(super) fn add_messages(&mut self, frame: &AudienceFrame, messages: Range<usize>) {
        let mut first = messages.start;
        while first < messages.end {
            self.open();
            let mut end = frame.fitting(first..messages.end, self.room());
            if end == first {
                self.begin();
                // A message longer than a batch starts a batch alone.
                end = frame.fitting(first..messages.end, self.room());
                end = end.max(first + 1);
            }
            self.append(frame.slice(first..end));
            first = end;
        }
    }

    /// Adds messages that stay together, or none.
    pub(super) fn add(&mut self, messages: Bytes) {
        if messages.is_empty() {
            return;
        }
        self.open();
        if messages.len() > self.room() {
            self.begin();
        }
        self.append(messages);
    }

    fn append(&mut self, messages: Bytes) {
        self.length += messages.len();
        self.chunks.push(messages);
    }

    /// Opens a batch, unless one is open.
    fn open(&mut self) {
        if self.chunks.is_empty() {
            self.chunks.push(Bytes::copy_from_slice(self.header));
            self.length = HEADER;
        }
    }

    /// Begins a further batch, unless the open batch is empty.
    fn begin(&mut self) {
        if self.length > HEADER {
            self.complete();
        }
        self.open();
    }

    fn complete(&mut self) {
        *self.waiting += self.length;
        self.length = 0;
        self.ready.push_back(QueuedBatch {
            channel: self.channel,
            chunks: Chunks::Many(std::mem::take(&mut self.chunks)),
        });
    }

    pub(super) fn finish(mut self) {
        if !self.chunks.is_empty() {
            self.complete();
        }
    }
}
