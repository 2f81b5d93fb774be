//! Prediction of bodies: a history of own states, corrected by states of the server.

use syncvar_runtime::{
    NetworkReader, NetworkWriter, Quaternion, ReadError, SyncValue, TypeSchema, Vector3,
};

use super::math::{add, lerp, product, slerp};
use crate::compression::normalized;

/// State of a body, and its differences to the state before. Mirror, `RigidbodyState`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyState {
    /// Time in seconds.
    pub timestamp: f64,
    /// Difference of the position.
    pub position_delta: Vector3,
    /// Position.
    pub position: Vector3,
    /// Rotation from the state before.
    pub rotation_delta: Quaternion,
    /// Rotation.
    pub rotation: Quaternion,
    /// Difference of the velocity.
    pub velocity_delta: Vector3,
    /// Velocity.
    pub velocity: Vector3,
    /// Difference of the angular velocity.
    pub angular_velocity_delta: Vector3,
    /// Angular velocity.
    pub angular_velocity: Vector3,
}

impl BodyState {
    /// Returns the state between two, at a fraction of the way. Time and differences are zero.
    #[must_use]
    pub fn interpolated(before: &Self, after: &Self, fraction: f64) -> Self {
        let part = part(fraction);
        Self {
            position: lerp(before.position, after.position, part),
            rotation: slerp(before.rotation, after.rotation, part.into()),
            velocity: lerp(before.velocity, after.velocity, part),
            angular_velocity: lerp(before.angular_velocity, after.angular_velocity, part),
            ..Self::default()
        }
    }
}

/// Returns a fraction from 0 to 1, as Mirror's `float`.
#[expect(clippy::cast_possible_truncation, reason = "as in Mirror")]
fn part(fraction: f64) -> f32 {
    (fraction as f32).clamp(0.0, 1.0)
}

/// Two recorded states around a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PredictionSample {
    /// State at or before the time.
    pub before: BodyState,
    /// State at or after the time.
    pub after: BodyState,
    /// Position of the later one in the history.
    pub after_index: usize,
    /// Fraction of the way between both.
    pub fraction: f64,
}

/// Recorded states of a predicted body. Mirror, `Prediction`.
///
/// ```
/// use syncvar::mirror::components::{BodyState, PredictionHistory};
/// use syncvar::values::{Quaternion, Vector3};
///
/// let at = |timestamp, x, dx| BodyState {
///     timestamp,
///     position: Vector3::new(x, 0.0, 0.0),
///     position_delta: Vector3::new(dx, 0.0, 0.0),
///     rotation: Quaternion::IDENTITY,
///     rotation_delta: Quaternion::IDENTITY,
///     ..BodyState::default()
/// };
/// let mut history = PredictionHistory::new(32);
/// for state in [at(1.0, 0.0, 0.0), at(1.1, 1.0, 1.0), at(1.2, 2.0, 1.0)] {
///     history.insert(state);
/// }
/// // The server had the body at 1.5 when it was predicted at 1.
/// let sample = history.sample(1.1).unwrap();
/// let now = history.correct(at(1.1, 1.5, 0.0), &sample).unwrap();
/// assert_eq!(now.position.x, 2.5);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PredictionHistory {
    states: Vec<BodyState>,
    limit: usize,
}

impl PredictionHistory {
    /// Creates a history of at most this number of states, at least 2.
    pub fn new(limit: usize) -> Self {
        Self {
            states: Vec::new(),
            limit: limit.max(2),
        }
    }

    /// Returns the states, oldest first.
    pub fn states(&self) -> &[BodyState] {
        &self.states
    }

    /// Adds a state at its place; one at a known time replaces that one, and one without a finite time is
    /// ignored. The oldest goes if the history is full.
    pub fn insert(&mut self, state: BodyState) {
        if !state.timestamp.is_finite() {
            return;
        }
        let time = state.timestamp;
        let place = self.states.partition_point(|known| known.timestamp < time);
        match self.states.get_mut(place) {
            Some(known) if known.timestamp <= time => *known = state,
            _ => {
                self.states.insert(place, state);
                if self.states.len() > self.limit {
                    self.states.remove(0);
                }
            }
        }
    }

    /// Removes all states.
    pub fn clear(&mut self) {
        self.states.clear();
    }

    /// Returns the states around a time; `None` for a time outside, and with less than two states.
    pub fn sample(&self, time: f64) -> Option<PredictionSample> {
        if self.states.len() < 2 {
            return None;
        }
        let after_index = self.states.partition_point(|state| state.timestamp < time);
        let after = *self.states.get(after_index)?;
        if after.timestamp <= time {
            return Some(PredictionSample {
                before: after,
                after,
                after_index,
                fraction: 0.0,
            });
        }
        let before = *self.states.get(after_index.checked_sub(1)?)?;
        let length = after.timestamp - before.timestamp;
        Some(PredictionSample {
            before,
            after,
            after_index,
            fraction: ((time - before.timestamp) / length).clamp(0.0, 1.0),
        })
    }

    /// Moves all states from the later state of a sample on, so that they follow from a state of the server.
    /// Returns the newest. The oldest state goes if the history is full; `None`, without an effect, if that
    /// is the later state of the sample, where Mirror fails.
    pub fn correct(
        &mut self,
        corrected: BodyState,
        sample: &PredictionSample,
    ) -> Option<BodyState> {
        let mut first = sample.after_index;
        if self.states.len() >= self.limit {
            first = first.checked_sub(1)?;
            self.states.remove(0);
        }
        let after = self.states.get_mut(first)?;
        let length = sample.after.timestamp - sample.before.timestamp;
        let rest = sample.after.timestamp - corrected.timestamp;
        let part = part(if length > 0.0 { rest / length } else { 0.0 });
        let shortened = |delta| lerp(Vector3::default(), delta, part);
        after.position_delta = shortened(after.position_delta);
        after.velocity_delta = shortened(after.velocity_delta);
        after.angular_velocity_delta = shortened(after.angular_velocity_delta);
        let turn = slerp(Quaternion::IDENTITY, after.rotation_delta, part.into());
        after.rotation_delta = normalized(turn);
        let mut last = corrected;
        for state in self.states.iter_mut().skip(first) {
            state.position = add(last.position, state.position_delta);
            state.velocity = add(last.velocity, state.velocity_delta);
            state.angular_velocity = add(last.angular_velocity, state.angular_velocity_delta);
            state.rotation = normalized(product(state.rotation_delta, last.rotation));
            last = *state;
        }
        Some(last)
    }
}

/// State of the server, the whole payload of Mirror's `PredictedRigidbody`: 56 bytes, for snapshots and deltas
/// alike. Mirror, `PredictedSyncData`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PredictedState {
    /// Length of the server's frame in seconds.
    pub delta_time: f32,
    /// Position.
    pub position: Vector3,
    /// Rotation.
    pub rotation: Quaternion,
    /// Velocity.
    pub velocity: Vector3,
    /// Angular velocity.
    pub angular_velocity: Vector3,
}

impl SyncValue for PredictedState {
    const SCHEMA: TypeSchema = TypeSchema::Named("PredictedSyncData");

    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_f32(self.delta_time);
        self.position.write(writer);
        self.rotation.write(writer);
        self.velocity.write(writer);
        self.angular_velocity.write(writer);
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            delta_time: reader.read_f32()?,
            position: Vector3::read(reader)?,
            rotation: Quaternion::read(reader)?,
            velocity: Vector3::read(reader)?,
            angular_velocity: Vector3::read(reader)?,
        })
    }

    fn same(&self, other: &Self) -> bool {
        self.delta_time.same(&other.delta_time)
            && self.position.same(&other.position)
            && self.rotation.same(&other.rotation)
            && self.velocity.same(&other.velocity)
            && self.angular_velocity.same(&other.angular_velocity)
    }
}
