//! Limits of memory and work for one input.

use std::time::Duration;

use allocation_counter::measure;
use cpu_time::ThreadTime;

/// Most bytes held at a time beyond the input's share.
const MEMORY: u64 = 24 << 20;

/// Most bytes held at a time for each byte of input.
const MEMORY_PER_BYTE: u64 = 96;

/// Most allocations beyond the input's share.
const ALLOCATIONS: u64 = 20_000;

/// Most allocations for each byte of input.
const ALLOCATIONS_PER_BYTE: u64 = 100;

/// Most CPU time.
const TIME: Duration = Duration::from_millis(500);

/// Runs a reaction to some bytes of input, and checks its memory, its allocations and its CPU time.
///
/// # Panics
///
/// When the reaction exceeds a limit.
pub fn bounded<R>(bytes: usize, reaction: impl FnOnce() -> R) -> R {
    let mut result = None;
    let start = ThreadTime::now();
    let info = measure(|| result = Some(reaction()));
    let time = start.elapsed();
    assert!(time <= TIME, "{time:?} for {bytes} bytes");
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
    let (memory, allocations) = (info.bytes_max, info.count_total);
    assert!(
        memory <= MEMORY + bytes * MEMORY_PER_BYTE,
        "{memory} bytes of memory for {bytes} bytes"
    );
    assert!(
        allocations <= ALLOCATIONS + bytes * ALLOCATIONS_PER_BYTE,
        "{allocations} allocations for {bytes} bytes"
    );
    result.expect("the reaction has run")
}
