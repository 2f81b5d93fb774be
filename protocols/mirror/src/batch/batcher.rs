//! Messages to batches.

use std::collections::VecDeque;

use bytes::Bytes;
use syncvar_runtime::{Encoding, NetworkWriter};

use super::{framed, header};

/// Collects the messages of a channel of a connection into batches. Mirror's `Batcher`.
///
/// Messages stay until they are taken; [`queued_bytes`](Self::queued_bytes) shows an unlimited
/// growth.
///
/// ```
/// use syncvar::mirror::batch::Batcher;
///
/// let mut batcher = Batcher::new(1194);
/// batcher.add(&[0xaa, 0xbb], 1.0);
/// batcher.add(&[0xcc], 1.0);
/// let batch = batcher.next_batch().unwrap();
/// assert_eq!(batch, b"\0\0\0\0\0\0\xf0\x3f\x02\xaa\xbb\x01\xcc"[..]);
/// assert_eq!(batcher.next_batch(), None);
/// ```
#[derive(Debug)]
pub struct Batcher {
    threshold: usize,
    /// Time of the open batch.
    time: f64,
    /// The open batch; empty if none is open.
    open: NetworkWriter,
    full: VecDeque<Bytes>,
    /// Length of all full batches.
    full_bytes: usize,
}

impl Batcher {
    /// Creates a batcher with this fill limit.
    pub fn new(threshold: usize) -> Self {
        Self {
            threshold,
            time: 0.0,
            open: NetworkWriter::with_encoding(Encoding::Mirror),
            full: VecDeque::new(),
            full_bytes: 0,
        }
    }

    /// Adds a message, its id included, queued at this time in seconds. The open batch takes it if
    /// its time is equal and the threshold allows it.
    pub fn add(&mut self, message: &[u8], time: f64) {
        let length = self.open.len().saturating_add(framed(message.len()));
        if self.time.to_bits() != time.to_bits() || length > self.threshold {
            self.close();
        }
        if self.open.is_empty() {
            self.time = time;
            self.open.write_bytes(&header(time));
        }
        let length = u64::try_from(message.len()).unwrap_or(u64::MAX);
        self.open.write_var_u64(length);
        self.open.write_bytes(message);
    }

    /// Closes the open batch.
    fn close(&mut self) {
        if !self.open.is_empty() {
            let full = self.open.take_bytes();
            self.full_bytes = self.full_bytes.saturating_add(full.len());
            self.full.push_back(full);
        }
    }

    /// Returns the next batch. Later messages begin a further batch.
    pub fn next_batch(&mut self) -> Option<Bytes> {
        if let Some(full) = self.full.pop_front() {
            self.full_bytes = self.full_bytes.saturating_sub(full.len());
            return Some(full);
        }
        let open = self.open.take_bytes();
        (!open.is_empty()).then_some(open)
    }

    /// Returns the number of bytes in the queue.
    pub fn queued_bytes(&self) -> usize {
        self.full_bytes.saturating_add(self.open.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(batcher: &mut Batcher) -> Vec<usize> {
        std::iter::from_fn(|| batcher.next_batch())
            .map(|batch| batch.len())
            .collect()
    }

    #[test]
    fn exact_fit_stays_in_the_batch() {
        let mut batcher = Batcher::new(20);
        batcher.add(&[1; 5], 1.0);
        batcher.add(&[2; 5], 1.0);
        batcher.add(&[3; 1], 1.0);
        assert_eq!(lengths(&mut batcher), [20, 10]);
    }

    #[test]
    fn a_message_beyond_the_threshold_is_alone() {
        let mut batcher = Batcher::new(20);
        for length in [1, 50, 1] {
            batcher.add(&vec![1; length], 1.0);
        }
        assert_eq!(lengths(&mut batcher), [10, 59, 10]);
    }

    #[test]
    fn taken_batch_is_not_extended() {
        let mut batcher = Batcher::new(100);
        batcher.add(&[1], 1.0);
        assert_eq!(lengths(&mut batcher), [10]);
        batcher.add(&[2], 1.0);
        assert_eq!(lengths(&mut batcher), [10]);
    }

    #[test]
    fn messages_of_another_time_begin_another_batch() {
        let mut batcher = Batcher::new(100);
        for time in [2.0, 1.0, 2.0] {
            batcher.add(&[1], time);
        }
        assert_eq!(lengths(&mut batcher), [10, 10, 10]);
    }

    #[test]
    fn queued_bytes_are_counted() {
        let mut batcher = Batcher::new(20);
        batcher.add(&[1; 30], 1.0);
        batcher.add(&[1; 2], 1.0);
        assert_eq!(batcher.queued_bytes(), 39 + 11);
        batcher.next_batch();
        assert_eq!(batcher.queued_bytes(), 11);
        batcher.next_batch();
        assert_eq!(batcher.queued_bytes(), 0);
    }
}
