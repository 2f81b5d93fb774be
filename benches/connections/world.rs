//! Objects of the server, and the measurement of a client.

use std::time::SystemTime;

use crate::histogram::Histogram;

/// Number of objects.
pub(crate) const OBJECTS: u32 = 1000;

/// Groups of objects and clients.
pub(crate) const GROUPS: u32 = 20;

/// Objects that a client sees.
pub(crate) const SEEN: u32 = OBJECTS / GROUPS;

/// Objects that change in a tick.
pub(crate) const CHANGES: u32 = OBJECTS / 10;

/// Ticks per second.
pub(crate) const TICK_RATE: u32 = 20;

/// Times from `set` to the hook of a client, of all clients.
pub(crate) static DELAYS: Histogram = Histogram::new();

/// Returns the time since 1970 in microseconds.
pub(crate) fn micros() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_micros()).unwrap_or(0))
}
