//! Messages of a connection in batches.

use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};

use super::header;
use crate::batch::framed;
use crate::server::batches::frame::{AudienceFrame, HEADER, put_message};

/// Messages in batches, in sequence in one buffer.
#[derive(Debug, Default)]
pub(super) struct Batcher {
    pub(super) bytes: BytesMut,
    /// Start of each batch except the first.
    splits: Vec<usize>,
    /// Start of the last batch.
    start: usize,
    /// Time of the last batch.
    pub(super) time: Duration,
}

impl Batcher {
    /// Adds a message: to the last batch, unless it has a different time or is full.
    pub(super) fn add(&mut self, time: Duration, threshold: usize, parts: &[&[u8]], length: usize) {
        let used = self.bytes.len() - self.start;
        let room = threshold.saturating_sub(used);
        if self.bytes.is_empty() {
            self.begin(time);
        } else if self.time != time || framed(length) > room {
            self.split(time);
        }
        put_message(&mut self.bytes, parts);
    }

    /// Adds the messages of a frame, in their order.
    pub(super) fn add_frame(&mut self, time: Duration, threshold: usize, frame: &AudienceFrame) {
        let (mut first, all) = (0, frame.len());
        if all == 0 {
            return;
        }
        if self.bytes.is_empty() {
            self.begin(time);
        } else if self.time != time {
            self.split(time);
        }
        while first < all {
            let used = self.bytes.len() - self.start;
            let mut end = frame.fitting(first..all, threshold.saturating_sub(used));
            if end == first {
                if used > HEADER {
                    self.split(time);
                    continue;
                }
                // A message longer than a batch stands in one alone.
                end += 1;
            }
            self.bytes.put_slice(frame.messages(first..end));
            first = end;
        }
    }

    /// Begins a further batch.
    fn split(&mut self, time: Duration) {
        self.start = self.bytes.len();
        self.splits.push(self.start);
        self.begin(time);
    }

    fn begin(&mut self, time: Duration) {
        self.time = time;
        self.bytes.put_slice(&header(time));
    }

    /// Takes all batches, each as one slice.
    pub(super) fn take(&mut self) -> Vec<Bytes> {
        if self.bytes.is_empty() {
            return Vec::new();
        }
        let mut rest = self.bytes.split().freeze();
        let mut batches = Vec::with_capacity(self.splits.len() + 1);
        let mut taken = 0;
        for split in self.splits.drain(..) {
            batches.push(rest.split_to(split - taken));
            taken = split;
        }
        batches.push(rest);
        self.start = 0;
        batches
    }
}
