//! What a client counts.

/// What a client has counted since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MirrorClientStats {
    /// Batches that have come.
    pub batches_received: u64,
    /// Their bytes.
    pub bytes_received: u64,
    /// Messages that have been handled.
    pub messages_received: u64,
    /// Batches that were queued to be sent.
    pub batches_sent: u64,
    /// Their bytes.
    pub bytes_sent: u64,
    /// Messages for objects that are not there, which Mirror warns of: state, calls, owners.
    pub unknown_objects: u64,
    /// Calls of the server that no component has.
    pub unknown_calls: u64,
    /// Components that have read more or less than was written for them.
    pub mismatches: u64,
    /// Unreliable changes that came too late, or before the state that they are counted from.
    pub outdated: u64,
}

impl MirrorClientStats {
    pub(super) fn count_batch(&mut self, bytes: usize) {
        self.batches_received = self.batches_received.wrapping_add(1);
        self.bytes_received = add(self.bytes_received, bytes);
    }

    pub(super) fn count_sent(&mut self, bytes: usize) {
        self.batches_sent = self.batches_sent.wrapping_add(1);
        self.bytes_sent = add(self.bytes_sent, bytes);
    }
}

fn add(count: u64, bytes: usize) -> u64 {
    count.wrapping_add(u64::try_from(bytes).unwrap_or(u64::MAX))
}
