//! `HelloRate`: the rate of answers to `Hello` for each source address.

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::time::Duration;

use crate::admission::network;

/// Number of entries; sources with the same hash share one.
const ENTRIES: usize = 8192;

/// Time whose answers can be sent at once, within the rate.
const BURST: Duration = Duration::from_secs(2);

/// Answers per second to the `Hello` of a source address.
///
/// The sender address of a `Hello` can be false. The memory is constant: 64 KiB.
#[derive(Debug)]
pub(super) struct HelloRate {
    random: RandomState,
    /// Time of an answer at the highest rate, in microseconds.
    interval: u64,
    /// Times at which all answers to a source are within the rate, in microseconds.
    due: Box<[u64]>,
}

impl HelloRate {
    pub(super) fn new(per_second: u32) -> Self {
        let second = Duration::from_secs(1);
        let interval = second.checked_div(per_second).unwrap_or(second);
        Self {
            random: RandomState::new(),
            interval: micros(interval),
            due: vec![0; ENTRIES].into(),
        }
    }

    /// Returns whether the rate allows an answer to a source, and counts the answer.
    pub(super) fn allows(&mut self, to: IpAddr, now: Duration) -> bool {
        let hash = self.random.hash_one(network(to.to_canonical()));
        let entry = usize::try_from(hash).unwrap_or(0) % ENTRIES;
        let Some(due) = self.due.get_mut(entry) else {
            return false;
        };
        let (now, burst) = (micros(now), micros(BURST));
        let is_allowed = due.saturating_sub(now) < burst;
        if is_allowed {
            *due = (*due).max(now).saturating_add(self.interval);
        }
        is_allowed
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    /// Returns the number of answers to hellos at one time.
    fn answers(rate: &mut HelloRate, from: &str, now: Duration) -> usize {
        let from = address(from);
        (0..1000).filter(|_| rate.allows(from, now)).count()
    }

    #[test]
    fn a_burst_has_the_answers_of_two_seconds() {
        let mut rate = HelloRate::new(32);
        let start = Duration::from_secs(5);
        assert_eq!(answers(&mut rate, "10.0.0.1", start), 64);
        assert_eq!(answers(&mut rate, "::ffff:10.0.0.1", start), 0);
        let later = start + Duration::from_millis(500);
        assert_eq!(answers(&mut rate, "10.0.0.1", later), 16);
    }

    #[test]
    fn other_sources_have_their_own_rate() {
        let mut rate = HelloRate::new(32);
        answers(&mut rate, "2001:db8::1", Duration::ZERO);
        assert_eq!(answers(&mut rate, "2001:db8::2", Duration::ZERO), 0);
        let others = (0..100_u8).filter(|&last| {
            let from = IpAddr::from([10, 0, 0, last]);
            rate.allows(from, Duration::ZERO)
        });
        assert!(others.count() >= 98, "two of them may share an entry");
    }

    #[test]
    fn half_the_rate_has_all_answers() {
        let mut rate = HelloRate::new(32);
        for number in 0..1000 {
            let now = Duration::from_millis(number * 1000 / 16);
            assert!(rate.allows(address("10.0.0.1"), now));
        }
    }
}
