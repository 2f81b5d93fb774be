//! Lag compensation: where an object was when a client saw it.

use std::collections::VecDeque;

use syncvar_runtime::Vector3;

use super::math::{axes, from_axes, lerp};

/// A state at a time in seconds.
pub type Captured<T> = (f64, T);

/// Two captured states around a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LagSample<T> {
    /// State before the time.
    pub before: Captured<T>,
    /// State after the time.
    pub after: Captured<T>,
    /// Fraction of the way between both; above 1 shortly after the newest state.
    pub fraction: f64,
}

/// Last states of an object, captured at an interval. Mirror, `LagCompensation`.
///
/// ```
/// use syncvar::mirror::components::{Capture, LagHistory};
/// use syncvar::values::Vector3;
///
/// let mut history = LagHistory::new(6, 0.1);
/// for (time, x) in [(1.0, 0.0), (1.1, 2.0)] {
///     let position = Vector3::new(x, 0.0, 0.0);
///     history.insert(time, Capture { position, size: Vector3::new(1.0, 1.0, 1.0) });
/// }
/// let sample = history.sample(1.05).unwrap();
/// assert!((Capture::interpolated(&sample).position.x - 1.0).abs() < 1e-3);
/// assert_eq!(history.sample(0.5), None); // too long ago
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LagHistory<T> {
    states: VecDeque<Captured<T>>,
    limit: usize,
    /// Capture interval in seconds.
    interval: f64,
}

impl<T: Copy> LagHistory<T> {
    /// Creates a history of at most this number of states, at least 1, captured at an interval in seconds.
    pub fn new(limit: usize, interval: f64) -> Self {
        Self {
            states: VecDeque::new(),
            limit: limit.max(1),
            interval,
        }
    }

    /// Adds the present state; the oldest one goes if the history is full. The time must not go back.
    pub fn insert(&mut self, time: f64, state: T) {
        if self.states.len() >= self.limit {
            self.states.pop_front();
        }
        self.states.push_back((time, state));
    }

    /// Returns the number of states.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns whether the history is empty.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Returns the states around a time. For up to one interval after the newest one, they are the last
    /// two. `None` for times outside, and with less than two states.
    pub fn sample(&self, time: f64) -> Option<LagSample<T>> {
        let mut earlier = None;
        let (mut last, mut before_last) = (None, None);
        if self.states.len() < 2 {
            return None;
        }
        for state in &self.states {
            let (key, _) = *state;
            if key.total_cmp(&time).is_eq() {
                return Some(LagSample {
                    before: *state,
                    after: *state,
                    fraction: 0.0,
                });
            }
            if let Some(before) = earlier
                && key > time
            {
                return Some(LagSample {
                    before,
                    after: *state,
                    fraction: fraction(before.0, key, time),
                });
            }
            if key < time {
                earlier = Some(*state);
            }
            before_last = last.replace(*state);
        }
        let (before, after) = (before_last?, last?);
        let is_near = time > after.0 && time <= after.0 + self.interval;
        is_near.then(|| LagSample {
            before,
            after,
            fraction: 1.0 + fraction(after.0, after.0 + self.interval, time),
        })
    }
}

/// Returns the fraction of the way from `from` to `to`, from 0 to 1.
fn fraction(from: f64, to: f64, value: f64) -> f64 {
    let length = to - from;
    if length > 0.0 {
        ((value - from) / length).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

/// Returns the time of the server that a client saw, when a message from it arrives: all in seconds. The
/// buffer is the distance of the client's [`Timeline`](super::Timeline) behind the newest state. Mirror,
/// `LagCompensation.EstimateTime`.
///
/// ```
/// use syncvar::mirror::components::estimated_view;
///
/// assert_eq!(estimated_view(10.0, 0.5, 0.25), 9.5);
/// ```
pub fn estimated_view(now: f64, round_trip: f64, buffer: f64) -> f64 {
    now - round_trip / 2.0 - buffer
}

/// Box of an object. Mirror, `Capture3D`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Capture {
    /// Centre.
    pub position: Vector3,
    /// Length of each edge.
    pub size: Vector3,
}

impl Capture {
    /// Returns the box at the time of a sample.
    #[expect(clippy::cast_possible_truncation, reason = "as in Mirror")]
    pub fn interpolated(sample: &LagSample<Self>) -> Self {
        let ((_, before), (_, after)) = (sample.before, sample.after);
        let fraction = sample.fraction as f32;
        Self {
            position: lerp(before.position, after.position, fraction),
            size: lerp(before.size, after.size, fraction),
        }
    }
}

/// Corners of a box.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// Corner with the smallest coordinates.
    pub min: Vector3,
    /// Corner with the largest coordinates.
    pub max: Vector3,
}

impl Bounds {
    /// Returns the smallest box around two.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        let of = |a: Vector3, b: Vector3, choose: fn(f32, f32) -> f32| {
            let ([ax, ay, az], [bx, by, bz]) = (axes(a), axes(b));
            from_axes([choose(ax, bx), choose(ay, by), choose(az, bz)])
        };
        Self {
            min: of(self.min, other.min, f32::min),
            max: of(self.max, other.max, f32::max),
        }
    }
}

/// Box around the last boxes of an object, for a first and cheap test of a hit. Mirror, `HistoryBounds`.
///
/// As in Mirror, a bucket is the first of its boxes: after the oldest bucket has gone, the box may be too
/// small for the clients behind it.
///
/// ```
/// use syncvar::mirror::components::{Bounds, HistoryBounds};
/// use syncvar::values::Vector3;
///
/// let mut history = HistoryBounds::new(8, 2);
/// for x in [0.0, 5.0] {
///     history.insert(Bounds { min: Vector3::new(x, 0.0, 0.0), max: Vector3::new(x + 1.0, 1.0, 1.0) });
/// }
/// let total = history.total().unwrap();
/// assert_eq!((total.min.x, total.max.x), (0.0, 6.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryBounds {
    buckets: VecDeque<Bounds>,
    /// Limit of full buckets.
    limit: usize,
    per_bucket: usize,
    /// First box of the bucket that fills, and its number of boxes.
    current: Option<(Bounds, usize)>,
    count: usize,
    total: Option<Bounds>,
}

impl HistoryBounds {
    /// Creates a history of about this number of boxes, in buckets of `per_bucket`.
    pub fn new(limit: usize, per_bucket: usize) -> Self {
        let per_bucket = per_bucket.max(1);
        Self {
            buckets: VecDeque::new(),
            limit: limit / per_bucket,
            per_bucket,
            current: None,
            count: 0,
            total: None,
        }
    }

    /// Adds a box.
    pub fn insert(&mut self, bounds: Bounds) {
        let (first, length) = self.current.take().unwrap_or((bounds, 0));
        let length = length + 1;
        let total = self.total.filter(|_| self.count > 0);
        self.total = Some(total.map_or(bounds, |total| total.union(bounds)));
        self.count += 1;
        if length < self.per_bucket {
            self.current = Some((first, length));
            return;
        }
        self.buckets.push_back(first);
        if self.buckets.len() > self.limit {
            self.buckets.pop_front();
            self.count -= self.per_bucket;
            let total = self.buckets.iter().copied().fold(bounds, Bounds::union);
            self.total = Some(total);
        }
    }

    /// Removes all boxes.
    pub fn clear(&mut self) {
        *self = Self {
            limit: self.limit,
            ..Self::new(0, self.per_bucket)
        };
    }

    /// Returns the number of boxes.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the box around them; `None` without a box.
    pub fn total(&self) -> Option<Bounds> {
        self.total
    }
}
