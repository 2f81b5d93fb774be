//! `Reconnect`.

use std::time::Duration;

/// Attempts of a client to connect again after a lost connection.
///
/// A connection is lost when it fails, times out, or the server's process ends. A connection that the
/// server has ended or refused with a message stays closed. The times follow a fixed schedule; the
/// count starts anew with the first packet of a connection.
///
/// ```
/// use std::time::Duration;
/// use syncvar_runtime::endpoint::Reconnect;
///
/// let reconnect = Reconnect { max_attempts: 3, ..Reconnect::default() };
/// assert_eq!(reconnect.delay(0), Duration::from_millis(250));
/// assert_eq!(reconnect.delay(2), Duration::from_secs(1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reconnect {
    /// Time before the first attempt; each further attempt waits twice as long. 250 ms.
    pub first_delay: Duration,
    /// Longest time before an attempt. 8 s.
    pub max_delay: Duration,
    /// Most attempts in a row without a packet. 10.
    pub max_attempts: u32,
}

impl Reconnect {
    /// Returns the time before an attempt; the first has the number 0.
    pub fn delay(&self, attempt: u32) -> Duration {
        let factor = 2_u32.saturating_pow(attempt);
        self.first_delay.saturating_mul(factor).min(self.max_delay)
    }
}

impl Default for Reconnect {
    fn default() -> Self {
        Self {
            first_delay: Duration::from_millis(250),
            max_delay: Duration::from_secs(8),
            max_attempts: 10,
        }
    }
}
