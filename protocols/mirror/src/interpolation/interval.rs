//! `AccurateInterval`: a schedule on whole multiples of its interval.

/// Schedule at whole multiples of an interval: a late frame does not shift it, and missed times are not
/// made up. Mirror, `AccurateInterval`.
///
/// ```
/// use syncvar::mirror::components::AccurateInterval;
///
/// let mut interval = AccurateInterval::default();
/// let mut elapsed = [0.04, 0.11, 0.14, 0.16].map(|now| interval.elapsed(now, 0.05));
/// assert_eq!(elapsed, [false, true, false, true]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AccurateInterval {
    last: f64,
}

impl AccurateInterval {
    /// Creates a schedule that is over at any time.
    #[cfg(feature = "components")]
    pub(crate) const fn overdue() -> Self {
        Self { last: f64::MIN }
    }

    /// Returns whether the interval is over at a time, both in seconds, and begins the next one then.
    pub fn elapsed(&mut self, now: f64, interval: f64) -> bool {
        if now < self.last + interval {
            return false;
        }
        self.last = if interval > 0.0 {
            (now / interval).trunc() * interval
        } else {
            now
        };
        true
    }

    /// Returns the begin of the present interval.
    pub fn last(&self) -> f64 {
        self.last
    }
}
