//! `MovingAverage`: Mirror's `ExponentialMovingAverage`.

/// Exponential moving average of samples with its variance: older samples weigh less.
///
/// ```
/// use syncvar::mirror::components::MovingAverage;
///
/// let mut average = MovingAverage::new(3);
/// average.add(10.0);
/// average.add(20.0);
/// assert_eq!(average.value(), 15.0);
/// assert_eq!(average.standard_deviation(), 5.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingAverage {
    /// Weight of a new sample.
    weight: f64,
    /// `None` before the first sample.
    value: Option<f64>,
    variance: f64,
}

impl MovingAverage {
    /// Creates an average over about this number of samples.
    pub fn new(samples: u32) -> Self {
        Self {
            weight: 2.0 / (f64::from(samples) + 1.0),
            value: None,
            variance: 0.0,
        }
    }

    /// Adds a sample. A sample that is not finite is ignored.
    pub fn add(&mut self, sample: f64) {
        if !sample.is_finite() {
            return;
        }
        let Some(value) = &mut self.value else {
            self.value = Some(sample);
            return;
        };
        let distance = sample - *value;
        *value += self.weight * distance;
        self.variance = (1.0 - self.weight) * (self.variance + self.weight * distance * distance);
    }

    /// Returns the average; 0 before the first sample.
    pub fn value(&self) -> f64 {
        self.value.unwrap_or_default()
    }

    /// Returns the variance.
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// Returns the square root of the variance.
    pub fn standard_deviation(&self) -> f64 {
        self.variance.sqrt()
    }
}
