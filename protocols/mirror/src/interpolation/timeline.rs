//! `Timeline`: the time at which received states are shown.

use super::{MovingAverage, Snapshot, SnapshotBuffer};

/// Settings of the interpolation. Mirror, `SnapshotInterpolationSettings`.
///
/// ```
/// use syncvar::mirror::components::InterpolationSettings;
///
/// let settings = InterpolationSettings {
///     dynamic_adjustment: false, // always two send intervals behind
///     ..InterpolationSettings::default()
/// };
/// assert_eq!(settings.buffer_time_multiplier, 2.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InterpolationSettings {
    /// Distance behind the newest state in send intervals, before the first adjustment; 2 by default.
    pub buffer_time_multiplier: f64,
    /// Limit of states; 32 by default. Further states are dropped.
    pub buffer_limit: usize,
    /// Distance ahead of the aim in send intervals from which the time slows down; -1 by default.
    pub catchup_negative_threshold: f32,
    /// Distance behind the aim in send intervals from which the time catches up; 1 by default.
    pub catchup_positive_threshold: f32,
    /// Additional speed while it catches up; 0.02 by default.
    pub catchup_speed: f64,
    /// Missing speed while it slows down; 0.04 by default.
    pub slowdown_speed: f64,
    /// Seconds of the average distance; 1 by default.
    pub drift_average: u32,
    /// Adjusts the distance to the jitter; `true` by default.
    pub dynamic_adjustment: bool,
    /// Send intervals that the dynamic adjustment adds; 1 by default.
    pub dynamic_adjustment_tolerance: f32,
    /// Seconds of the average delivery time, whose deviation is the jitter; 2 by default.
    pub delivery_average: u32,
}

impl Default for InterpolationSettings {
    fn default() -> Self {
        Self {
            buffer_time_multiplier: 2.0,
            buffer_limit: 32,
            catchup_negative_threshold: -1.0,
            catchup_positive_threshold: 1.0,
            // Mirror holds both as `float`.
            catchup_speed: 0.02_f32.into(),
            slowdown_speed: 0.04_f32.into(),
            drift_average: 1,
            dynamic_adjustment: true,
            dynamic_adjustment_tolerance: 1.0,
            delivery_average: 2,
        }
    }
}

/// Time at which received states are shown: behind the remote end's time, steady, a little faster or
/// slower where the distance drifts. Mirror's `NetworkTime.unscaledTime` on a client, and
/// `NetworkConnectionToClient.remoteTimeline` on a server.
///
/// ```
/// use syncvar::mirror::components::{InterpolationSettings, Timeline};
///
/// let mut timeline = Timeline::new(InterpolationSettings::default(), 60);
/// for tick in 0..60 {
///     let now = f64::from(tick) / 60.0;
///     timeline.add((500.0 + now, 500.0 + now), now);
///     timeline.advance(1.0 / 60.0);
/// }
/// let now = 500.0 + 59.0 / 60.0;
/// assert!((now - timeline.time() - 1.0 / 60.0).abs() < 1e-3);
/// ```
#[derive(Clone, Debug)]
pub struct Timeline {
    settings: InterpolationSettings,
    /// Send interval of the remote end in seconds, as Mirror's `float`.
    send_interval: f32,
    /// Distance behind the newest state in send intervals, and in seconds.
    multiplier: f64,
    distance: f64,
    /// Values are the scaled times.
    snapshots: SnapshotBuffer<f64>,
    time: f64,
    scaled_time: f64,
    speed: f64,
    drift: MovingAverage,
    delivery: MovingAverage,
}

impl Timeline {
    /// Creates a timeline without states, for a sender with this number of sends per second, at least 1.
    pub fn new(settings: InterpolationSettings, send_rate: u32) -> Self {
        let send_rate = send_rate.max(1);
        let send_interval = send_interval(send_rate);
        let multiplier = settings.buffer_time_multiplier;
        Self {
            settings,
            send_interval,
            multiplier,
            distance: f64::from(send_interval) * multiplier,
            snapshots: SnapshotBuffer::default(),
            time: 0.0,
            scaled_time: 0.0,
            speed: 1.0,
            drift: MovingAverage::new(send_rate.saturating_mul(settings.drift_average)),
            delivery: MovingAverage::new(send_rate.saturating_mul(settings.delivery_average)),
        }
    }

    /// Creates a timeline with a fixed distance behind the newest state and a send interval, both in
    /// seconds, and with averages over these numbers of samples: of the distance, and of the delivery
    /// time.
    pub fn with_distance(
        settings: InterpolationSettings,
        send_interval: f32,
        distance: f64,
        (drift, delivery): (u32, u32),
    ) -> Self {
        let settings = InterpolationSettings {
            dynamic_adjustment: false,
            ..settings
        };
        Self {
            send_interval,
            distance,
            drift: MovingAverage::new(drift),
            delivery: MovingAverage::new(delivery),
            ..Self::new(settings, 1)
        }
    }

    /// Adds a time of the remote end, and its scaled time (Unity's `Time.timeScale`), received now.
    pub fn add(&mut self, (remote_time, scaled_time): (f64, f64), now: f64) {
        if !remote_time.is_finite() || !scaled_time.is_finite() {
            return;
        }
        if self.settings.dynamic_adjustment {
            let jitter = self.delivery.standard_deviation();
            let tolerance = self.settings.dynamic_adjustment_tolerance;
            let send_interval = f64::from(self.send_interval);
            self.multiplier = adjusted_multiplier(send_interval, jitter, tolerance.into());
            self.distance = send_interval * self.multiplier;
        }
        let distance = self.distance;
        if self.snapshots.is_empty() {
            self.time = remote_time - distance;
        }
        let snapshot = Snapshot {
            remote_time,
            local_time: now,
            value: scaled_time,
        };
        if !self.snapshots.insert(snapshot, self.settings.buffer_limit) {
            return;
        }
        if let [.., before, last] = self.snapshots.as_slice() {
            self.delivery.add(last.local_time - before.local_time);
        }
        self.time = clamped_time(self.time, distance, remote_time);
        self.drift.add(remote_time - self.time);
        let settings = &self.settings;
        let slow = self.send_interval * settings.catchup_negative_threshold;
        let fast = self.send_interval * settings.catchup_positive_threshold;
        let speeds = (settings.slowdown_speed, settings.catchup_speed);
        let drift = self.drift.value() - distance;
        self.speed = adjusted_speed(drift, speeds, (slow.into(), fast.into()));
    }

    /// Advances by a frame of this number of seconds.
    pub fn advance(&mut self, delta: f64) {
        if self.snapshots.is_empty() {
            return;
        }
        self.time += delta * self.speed;
        if let Some(sample) = self.snapshots.step(self.time) {
            let (from, to) = (sample.from.value, sample.to.value);
            self.scaled_time = from + (to - from) * sample.fraction;
        }
    }

    /// Returns the time of the remote end that is shown; 0 before its first time.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Returns the shown scaled time.
    pub fn scaled_time(&self) -> f64 {
        self.scaled_time
    }

    /// Returns the speed: 1, or a little more or less.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Returns the distance behind the newest state, in send intervals.
    pub fn multiplier(&self) -> f64 {
        self.multiplier
    }

    /// Returns the distance behind the newest state, in seconds. Mirror, `bufferTime`.
    pub fn distance(&self) -> f64 {
        self.distance
    }

    /// Returns the received times, oldest first; the values are the scaled times.
    pub fn snapshots(&self) -> &[Snapshot<f64>] {
        self.snapshots.as_slice()
    }

    /// Returns the average distance of the shown time to received times.
    pub fn drift(&self) -> &MovingAverage {
        &self.drift
    }

    /// Returns the average time between two receipts. Its deviation is the jitter.
    pub fn delivery(&self) -> &MovingAverage {
        &self.delivery
    }
}

/// Returns the interval of sends in seconds. Mirror, `NetworkServer.sendInterval`.
#[expect(clippy::cast_precision_loss, reason = "as in Mirror")]
pub(crate) fn send_interval(send_rate: u32) -> f32 {
    1.0 / send_rate as f32
}

/// Returns the distance in send intervals that a jitter in seconds needs. Mirror,
/// `SnapshotInterpolation.DynamicAdjustment`.
///
/// ```
/// use syncvar::mirror::components::adjusted_multiplier;
///
/// assert_eq!(adjusted_multiplier(0.05, 0.0, 1.0), 2.0);
/// assert_eq!(adjusted_multiplier(0.05, 0.05, 1.0), 3.0);
/// ```
pub fn adjusted_multiplier(send_interval: f64, jitter: f64, tolerance: f64) -> f64 {
    (send_interval + jitter) / send_interval + tolerance
}

/// Returns a shown time, brought to at most twice the distance behind a received time. Mirror,
/// `SnapshotInterpolation.TimelineClamp`.
///
/// ```
/// use syncvar::mirror::components::clamped_time;
///
/// assert_eq!(clamped_time(5.0, 0.5, 10.0), 9.0);
/// assert_eq!(clamped_time(11.0, 0.5, 10.0), 10.0);
/// ```
pub fn clamped_time(time: f64, distance: f64, newest: f64) -> f64 {
    // In Mirror's order, which decides the last bit.
    let aim = newest - distance;
    time.max(aim - distance).min(aim + distance)
}

/// Returns the speed of the shown time for a drift behind the aim: less by the first of `speeds` below
/// the first threshold, more by the second above the second one. Mirror,
/// `SnapshotInterpolation.Timescale`.
///
/// ```
/// use syncvar::mirror::components::adjusted_speed;
///
/// assert_eq!(adjusted_speed(0.3, (0.04, 0.02), (-0.1, 0.1)), 1.02);
/// assert_eq!(adjusted_speed(0.0, (0.04, 0.02), (-0.1, 0.1)), 1.0);
/// ```
pub fn adjusted_speed(drift: f64, speeds: (f64, f64), thresholds: (f64, f64)) -> f64 {
    if drift > thresholds.1 {
        1.0 + speeds.1
    } else if drift < thresholds.0 {
        1.0 - speeds.0
    } else {
        1.0
    }
}
