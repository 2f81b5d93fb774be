//! `Age`: the age of received datagrams.

use std::time::Duration;

/// Unit of the time in a datagram: a sixteenth of a second. 16 bits are 68 minutes.
const UNIT: Duration = Duration::from_micros(62_500);

/// Greatest growth of the delay since the newest datagram, which may have been as late. Both together
/// stay below the 60 s in which a sequence number is unambiguous.
const MAX_AGE: Duration = Duration::from_secs(25);

/// Age of received datagrams, relative to the newest one.
///
/// The clocks of the two sides have no common begin, so the delay of a datagram is compared with that of
/// the newest one: both sides measure the time between the two.
#[derive(Debug, Default)]
pub(super) struct Age {
    /// Sender's time of the newest datagram, and its arrival.
    newest: Option<(u16, Duration)>,
}

impl Age {
    /// Returns the time for an outgoing datagram.
    pub(super) fn time(now: Duration) -> u16 {
        let units = now.as_micros().checked_div(UNIT.as_micros());
        let low = units.unwrap_or_default() & u128::from(u16::MAX);
        u16::try_from(low).unwrap_or_default()
    }

    /// Handles the time of a datagram. Returns whether the datagram is too old.
    pub(super) fn observe(&mut self, sent: u16, now: Duration) -> bool {
        let Some((newest, arrived)) = self.newest else {
            self.newest = Some((sent, now));
            return false;
        };
        let ahead = sent.wrapping_sub(newest).cast_signed();
        let between = UNIT.saturating_mul(ahead.unsigned_abs().into());
        let waited = now.saturating_sub(arrived);
        let age = if ahead > 0 {
            self.newest = Some((sent, now));
            waited.saturating_sub(between)
        } else {
            waited.saturating_add(between)
        };
        age > MAX_AGE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    #[test]
    fn late_datagrams_are_old_after_25_seconds() {
        let mut age = Age::default();
        let start = secs(1000);
        assert!(!age.observe(Age::time(secs(3)), start));
        for second in 0..40 {
            assert!(!age.observe(Age::time(secs(3 + second)), start + secs(second)));
        }
        let now = start + secs(40);
        assert!(!age.observe(Age::time(secs(3 + 16)), now));
        assert!(age.observe(Age::time(secs(3 + 14)), now));
        // A datagram that waited alone.
        let now = start + secs(39 + 26);
        assert!(age.observe(Age::time(secs(3 + 39)), now));
    }

    #[test]
    fn clocks_may_differ_and_wrap_around() {
        let mut age = Age::default();
        // A ten-thousandth faster, a day long.
        for second in 0..86_400 {
            let sent = secs(second) + secs(second) / 10_000;
            assert!(!age.observe(Age::time(sent), secs(second)), "{second}");
        }
    }

    #[test]
    fn datagrams_after_a_stop_are_fresh_again() {
        let mut age = Age::default();
        assert!(!age.observe(Age::time(secs(0)), secs(0)));
        // The sender's clock stood still for a minute: the first datagram is the new measure.
        assert!(age.observe(Age::time(secs(1)), secs(61)));
        assert!(!age.observe(Age::time(secs(2)), secs(62)));
    }
}
