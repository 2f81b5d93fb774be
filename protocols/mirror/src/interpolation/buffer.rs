//! `SnapshotBuffer`: received states by the time of their sender.

/// A state of the remote end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snapshot<T> {
    /// Time of the sender in seconds.
    pub remote_time: f64,
    /// Own time of the receipt in seconds.
    pub local_time: f64,
    /// The state.
    pub value: T,
}

/// Two neighbours around a time, and the fraction of the way from the first to the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample<T> {
    /// Last state at or before the time.
    pub from: Snapshot<T>,
    /// First state at or after the time.
    pub to: Snapshot<T>,
    /// 0 to 1.
    pub fraction: f64,
}

/// States by the time of their sender, oldest first. Mirror, `SnapshotInterpolation`.
///
/// ```
/// use syncvar::mirror::components::{Snapshot, SnapshotBuffer};
///
/// let mut buffer = SnapshotBuffer::default();
/// for (remote_time, value) in [(1.0, 'a'), (2.0, 'b')] {
///     assert!(buffer.insert(Snapshot { remote_time, local_time: 0.0, value }, 32));
/// }
/// let sample = buffer.sample(1.25).unwrap();
/// assert_eq!((sample.from.value, sample.to.value, sample.fraction), ('a', 'b', 0.25));
/// assert_eq!(buffer.sample(9.0).unwrap().from.value, 'b'); // no extrapolation
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SnapshotBuffer<T>(Vec<Snapshot<T>>);

impl<T> Default for SnapshotBuffer<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Copy> SnapshotBuffer<T> {
    /// Returns the states, oldest first.
    pub fn as_slice(&self) -> &[Snapshot<T>] {
        &self.0
    }

    /// Returns the number of states.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the buffer is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the newest state.
    pub fn newest(&self) -> Option<&Snapshot<T>> {
        self.0.last()
    }

    /// Removes all states.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Inserts a state at its place. Returns whether there is one more: a state with a known time replaces
    /// that one, a state without a finite time is ignored, and so is each beyond `limit`.
    pub fn insert(&mut self, snapshot: Snapshot<T>, limit: usize) -> bool {
        let time = snapshot.remote_time;
        if self.0.len() >= limit || !time.is_finite() {
            return false;
        }
        let place = self.0.partition_point(|known| known.remote_time < time);
        match self.0.get_mut(place) {
            Some(known) if known.remote_time <= time => {
                *known = snapshot;
                false
            }
            _ => {
                self.0.insert(place, snapshot);
                true
            }
        }
    }

    /// Returns the neighbours of a time: before the first state the first one twice, behind the last one
    /// the last one twice. `None` without states.
    pub fn sample(&self, time: f64) -> Option<Sample<T>> {
        self.find(time).map(|(_, sample)| sample)
    }

    /// Returns the neighbours of a time, and drops older states.
    ///
    /// As in Mirror, of the older states only the first half may go: the loop there compares with a
    /// length that shrinks meanwhile. The rest goes with the next steps.
    pub fn step(&mut self, time: f64) -> Option<Sample<T>> {
        let (from, sample) = self.find(time)?;
        let removed = from.min(self.0.len().div_ceil(2));
        self.0.drain(..removed);
        Some(sample)
    }

    fn find(&self, time: f64) -> Option<(usize, Sample<T>)> {
        let (first, last) = (*self.0.first()?, *self.0.last()?);
        for (index, pair) in self.0.windows(2).enumerate() {
            let [from, to] = *pair else { continue };
            if (from.remote_time..=to.remote_time).contains(&time) {
                let length = to.remote_time - from.remote_time;
                let fraction = ((time - from.remote_time) / length).clamp(0.0, 1.0);
                return Some((index, Sample { from, to, fraction }));
            }
        }
        let (index, end) = if first.remote_time > time {
            (0, first)
        } else {
            (self.0.len().saturating_sub(1), last)
        };
        let sample = Sample {
            from: end,
            to: end,
            fraction: 0.0,
        };
        Some((index, sample))
    }
}
