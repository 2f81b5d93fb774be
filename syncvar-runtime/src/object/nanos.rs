//! `Nanos`: times in half the size of a `Duration`.

use std::time::Duration;

/// Time or duration in nanoseconds, limited to 584 years: half the size of a `Duration`.
pub type Nanos = u64;

/// Returns a duration in nanoseconds.
pub const fn nanos(duration: Duration) -> Nanos {
    let nanos = duration.as_nanos();
    if nanos > u64::MAX as u128 {
        u64::MAX
    } else {
        #[expect(clippy::cast_possible_truncation, reason = "it was compared")]
        let nanos = nanos as u64;
        nanos
    }
}
