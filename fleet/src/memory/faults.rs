//! Faults of the payloads between nodes.

use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::Random;

/// Faults of every payload between two nodes of a [`MemoryFleet`](super::MemoryFleet). The default has none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Faults {
    /// Shortest travel time.
    pub delay: Duration,
    /// Range of additional travel time. It reorders payloads.
    pub jitter: Duration,
    /// Share of lost payloads.
    pub loss: f64,
    /// Share of payloads that arrive twice.
    pub repetition: f64,
    /// Share of payloads with damaged bytes: a flipped bit, a missing end, or [spliced](splice) with the payload before.
    pub damage: f64,
}

/// A share of 1, in the units of [`Random::below`].
const WHOLE: u32 = 1_000_000;

/// Returns whether an event with this share happens.
pub(super) fn happens(random: &mut Random, share: f64) -> bool {
    f64::from(random.below(WHOLE)) < share * f64::from(WHOLE)
}

/// Damages bytes, whose predecessor on the way to the same node was `former`.
pub(super) fn damage(random: &mut Random, bytes: &Bytes, former: &Bytes) -> Bytes {
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    let at = random.below(length) as usize;
    match random.below(3) {
        0 => {
            let mut damaged = bytes.to_vec();
            if let Some(byte) = damaged.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
            damaged.into()
        }
        1 => bytes.slice(..at),
        _ => splice(bytes, at, former),
    }
}

/// Returns the first bytes of a payload up to `at`, the head of a batch of zenoh, and the first bytes of a second payload, as long as
/// the first payload in all: the damage that zenoh 1.10.2 makes when it closes a congested TCP link.
///
/// ```
/// use syncvar_fleet::memory::splice;
///
/// let spliced = splice(b"the record of a tick", 4, b"the next record");
/// assert_eq!(spliced.len(), 20);
/// assert!(spliced.starts_with(b"the ") && spliced.ends_with(b"the next"));
/// ```
pub fn splice(first: &[u8], at: usize, second: &[u8]) -> Bytes {
    let at = at.min(first.len());
    let (kept, rest) = first.split_at(at);
    // Length of the batch, FRAME with its sequence, PUSH with its key.
    let length = u16::try_from(second.len()).unwrap_or(u16::MAX);
    let mut spliced = kept.to_vec();
    spliced.extend(length.to_le_bytes());
    spliced.extend([0x25, 0x91, 0x04, 0x3d, 0x01, 0x00]);
    spliced.extend(second);
    // A short second payload: the batch goes on with the next one.
    spliced.extend(rest.iter().map(|byte| byte.rotate_left(3)));
    spliced.truncate(first.len());
    spliced.into()
}
