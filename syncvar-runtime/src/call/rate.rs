//! Rates of commands for each connection.

use std::any::TypeId;
use std::time::Duration;

use rustc_hash::FxHashMap;

use crate::clock::{Bucket, Rate};

/// Allowance of every called command. The number of entries is bounded by the number of declared commands.
#[derive(Debug, Default)]
pub struct Rates(FxHashMap<(TypeId, u32), Bucket>);

impl Rates {
    /// Counts a call; returns `false` if it exceeds the rate. Only a positive, finite rate is a limit.
    pub fn allow(&mut self, command: (TypeId, u32), rate: f64, now: Duration) -> bool {
        let (bucket, rate) = (self.0.entry(command).or_default(), Rate::per_second(rate));
        let allowed = bucket.has_room(rate, now);
        if allowed {
            bucket.add(1, rate, now);
        }
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, Rates, TypeId};

    fn allowed(rates: &mut Rates, rate: f64, millis: u64, calls: usize) -> usize {
        let command = (TypeId::of::<Rates>(), 0);
        let now = Duration::from_millis(millis);
        (0..calls)
            .filter(|_| rates.allow(command, rate, now))
            .count()
    }

    #[test]
    fn a_burst_of_one_second_and_then_the_rate() {
        let mut rates = Rates::default();
        assert_eq!(allowed(&mut rates, 5.0, 0, 100), 5);
        assert_eq!(allowed(&mut rates, 5.0, 199, 100), 0);
        assert_eq!(allowed(&mut rates, 5.0, 200, 100), 1);
        assert_eq!(allowed(&mut rates, 5.0, 700, 100), 2);
        assert_eq!(allowed(&mut rates, 5.0, 10_000, 100), 5);
    }

    #[test]
    fn less_than_one_a_second_and_no_limit() {
        let mut rates = Rates::default();
        assert_eq!(allowed(&mut rates, 0.5, 0, 10), 1);
        assert_eq!(allowed(&mut rates, 0.5, 1999, 10), 0);
        assert_eq!(allowed(&mut rates, 0.5, 2000, 10), 1);
        for rate in [f64::INFINITY, 0.0, -1.0, f64::NAN] {
            assert_eq!(allowed(&mut rates, rate, 2000, 10), 10);
        }
    }
}
