//! Moving averages of times.

use std::time::Duration;

/// Weight of one sample: the window of Mirror's averages is 50 samples. Mirror,
/// `NetworkTime.PingWindowSize`.
const WEIGHT: f64 = 2.0 / 51.0;

/// Exponential moving average in seconds: older samples weigh less. Mirror,
/// `ExponentialMovingAverage`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MovingAverage {
    value: Option<f64>,
    variance: f64,
}

impl MovingAverage {
    pub(crate) fn add(&mut self, sample: f64) {
        if !sample.is_finite() {
            return;
        }
        let Some(value) = &mut self.value else {
            self.value = Some(sample);
            return;
        };
        let difference = sample - *value;
        *value += WEIGHT * difference;
        let variance = self.variance + WEIGHT * difference * difference;
        self.variance = (1.0 - WEIGHT) * variance;
    }

    /// Returns the average; `None` before the first sample.
    pub(crate) fn value(self) -> Option<f64> {
        self.value
    }

    /// Returns the average and the standard deviation of the samples; `None` before the first one.
    pub(crate) fn durations(self) -> Option<(Duration, Duration)> {
        let of = |seconds| Duration::try_from_secs_f64(seconds).ok();
        Some((of(self.value?)?, of(self.variance.sqrt())?))
    }
}

#[cfg(test)]
mod tests {
    use super::MovingAverage;

    #[test]
    fn later_samples_weigh_two_in_51() {
        let mut average = MovingAverage::default();
        assert_eq!((average.value(), average.durations()), (None, None));
        average.add(1.0);
        average.add(f64::NAN);
        average.add(2.0);
        let value = average.value().unwrap();
        assert!((value - (1.0 + 2.0 / 51.0)).abs() < 1e-12, "{value}");
    }

    #[test]
    fn deviation_of_two_values_is_half_of_their_distance() {
        let mut average = MovingAverage::default();
        for number in 0..1000_u32 {
            average.add(if number % 2 == 0 { 0.1 } else { 0.3 });
        }
        let (value, deviation) = average.durations().unwrap();
        assert!(value.as_millis().abs_diff(200) <= 5, "{value:?}");
        assert!(deviation.as_millis().abs_diff(100) <= 3, "{deviation:?}");
    }
}
