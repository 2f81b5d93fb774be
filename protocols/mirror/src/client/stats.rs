//! Counters of the client.

use syncvar_runtime::RefusedInput;

/// Counters of a client since its creation.
///
/// ```
/// use syncvar::mirror::{MirrorClient, MirrorPrefabs};
///
/// let client = MirrorClient::new(MirrorPrefabs::new());
/// assert_eq!(client.stats().messages_received, 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MirrorClientStats {
    /// Batches received.
    pub batches_received: u64,
    /// Their bytes.
    pub bytes_received: u64,
    /// Messages handled.
    pub messages_received: u64,
    /// Batches queued for the transport.
    pub batches_sent: u64,
    /// Their bytes.
    pub bytes_sent: u64,
    /// Messages refused, by limit.
    pub refused: RefusedInput,
    /// Messages for unknown objects (deltas, calls, owners), for which Mirror logs warnings.
    pub unknown_objects: u64,
    /// Calls of the server that match no component.
    pub unknown_calls: u64,
    /// Components whose read length differs from the written length.
    pub mismatches: u64,
    /// Unreliable deltas that came too late, or before their baseline.
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
