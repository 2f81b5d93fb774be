//! Times in buckets, added by many threads.

use std::sync::atomic::{AtomicU64, Ordering};

/// Buckets of each power of two: the error is below 1/32.
const STEPS: u64 = 32;

/// All buckets, up to 2^32 microseconds.
const BUCKETS: usize = 32 * 29;

/// Counts of times in microseconds.
pub(crate) struct Histogram([AtomicU64; BUCKETS]);

impl Histogram {
    pub(crate) const fn new() -> Self {
        Self([const { AtomicU64::new(0) }; BUCKETS])
    }

    pub(crate) fn add(&self, micros: u64) {
        if let Some(bucket) = self.0.get(bucket(micros)).or(self.0.last()) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Empties the buckets.
    pub(crate) fn clear(&self) {
        for bucket in &self.0 {
            bucket.store(0, Ordering::Relaxed);
        }
    }

    pub(crate) fn count(&self) -> u64 {
        self.0.iter().map(|it| it.load(Ordering::Relaxed)).sum()
    }

    /// Returns the time, in microseconds, that this share of all (in 1/1000) does not exceed; 0 without any.
    pub(crate) fn permille(&self, share: u64) -> u64 {
        let wanted = (self.count() * share).div_ceil(1000);
        let mut seen = 0;
        let found = self.0.iter().position(|bucket| {
            seen += bucket.load(Ordering::Relaxed);
            seen >= wanted && wanted > 0
        });
        found.map_or(0, |index| upper(index as u64))
    }
}

/// Returns the bucket of a time: linear up to 64, then 32 of each power of two.
fn bucket(micros: u64) -> usize {
    let index = match micros.checked_ilog2() {
        None | Some(0..6) => micros,
        Some(log) => {
            let shift = u64::from(log) - 5;
            shift * STEPS + (micros >> shift)
        }
    };
    usize::try_from(index).unwrap_or(usize::MAX)
}

/// Returns the least time beyond a bucket.
fn upper(bucket: u64) -> u64 {
    match (bucket / STEPS).checked_sub(1) {
        None | Some(0) => bucket + 1,
        Some(shift) => (bucket % STEPS + STEPS + 1) << shift,
    }
}
