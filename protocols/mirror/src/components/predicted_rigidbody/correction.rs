//! Records of a client's body, and their correction by states of the server.

use syncvar_runtime::behaviour::MessageTime;
use syncvar_runtime::{Quaternion, Vector3};

use super::{PredictedRigidbody, PredictionEvent};
use crate::components::math::{angle, inverse, product, square_length, subtract};
use crate::components::{BodyState, PredictedState};
use crate::compression::normalized;

impl PredictedRigidbody {
    /// Returns the body at a time, with its differences to the state recorded last.
    fn body(&self, timestamp: f64) -> BodyState {
        let mut body = BodyState {
            timestamp,
            position: self.position,
            rotation_delta: Quaternion::IDENTITY,
            rotation: self.rotation,
            velocity: self.velocity,
            angular_velocity: self.angular_velocity,
            ..BodyState::default()
        };
        if let Some(last) = self.history().last() {
            body.position_delta = subtract(body.position, last.position);
            let turn = product(body.rotation, inverse(last.rotation));
            body.rotation_delta = normalized(turn);
            body.velocity_delta = subtract(body.velocity, last.velocity);
            body.angular_velocity_delta = subtract(body.angular_velocity, last.angular_velocity);
        }
        body
    }

    fn square_threshold(&self) -> f64 {
        self.settings.position_threshold * self.settings.position_threshold
    }

    /// Returns whether two places differ by a threshold.
    fn is_off(&self, place: (Vector3, Quaternion), other: (Vector3, Quaternion)) -> bool {
        let distance = square_length(subtract(place.0, other.0));
        f64::from(distance) >= self.square_threshold()
            || f64::from(angle(place.1, other.1)) >= self.settings.rotation_threshold
    }

    /// Records the body in a frame, unless it rests. Mirror, `FixedUpdate`.
    pub(super) fn record_motion(&mut self, shown: Option<f64>, predicted: f64) {
        let last = (self.record.last.position, self.record.last.rotation);
        if !self.settings.only_record_changes || self.is_off(last, (self.position, self.rotation)) {
            self.record(shown, predicted);
        }
    }

    /// Records the body at the predicted time. Mirror, `RecordState`.
    fn record(&mut self, shown: Option<f64>, predicted: f64) {
        let shown = shown.unwrap_or_default();
        if shown < self.record.shown + f64::from(self.settings.record_interval) {
            return;
        }
        self.record.shown = shown;
        let body = self.body(predicted);
        self.record.history.insert(body);
        self.record.last = body;
    }

    /// Compares a state of the server with the record of its time. Mirror, `OnReceivedState`.
    pub(super) fn receive(&mut self, state: &PredictedState, time: MessageTime) {
        let frame = f64::from(state.delta_time);
        let ahead = if self.settings.one_frame_ahead {
            frame
        } else {
            0.0
        };
        let timestamp = time.remote + frame + ahead;
        let place = (state.position, state.rotation);
        let is_off = self.is_off(place, (self.position, self.rotation));
        if self.settings.compare_last_first && !is_off {
            return;
        }
        self.record(time.shown, time.predicted);
        let state = BodyState {
            timestamp,
            position: state.position,
            rotation: state.rotation,
            velocity: state.velocity,
            angular_velocity: state.angular_velocity,
            ..BodyState::default()
        };
        let [oldest, .., newest] = self.history() else {
            return;
        };
        if timestamp < oldest.timestamp {
            self.apply(&state);
        } else if newest.timestamp < timestamp {
            let distance = square_length(subtract(state.position, self.position));
            if f64::from(distance) >= self.square_threshold() {
                self.apply(&state);
            }
        } else {
            self.correct(state);
        }
    }

    /// Corrects the history by a state within it, if the record of its time is off.
    fn correct(&mut self, state: BodyState) {
        let Some(sample) = self.record.history.sample(state.timestamp) else {
            // A time that is not a number.
            return;
        };
        let record = BodyState::interpolated(&sample.before, &sample.after, sample.fraction);
        let recorded = (record.position, record.rotation);
        if !self.is_off((state.position, state.rotation), recorded) {
            return;
        }
        if let Some(now) = self.record.history.correct(state, &sample) {
            self.apply(&now);
            self.add_event(PredictionEvent::Corrected);
        }
    }

    /// Sets the body to a state. Mirror, `ApplyState`.
    fn apply(&mut self, state: &BodyState) {
        let is_slow = |velocity| square_length(velocity).sqrt() <= self.settings.snap_threshold;
        let event = if is_slow(self.velocity) && is_slow(self.angular_velocity) {
            self.record.history.clear();
            self.record.history.insert(BodyState {
                timestamp: state.timestamp,
                position: state.position,
                rotation_delta: Quaternion::IDENTITY,
                rotation: state.rotation,
                velocity: state.velocity,
                angular_velocity: state.angular_velocity,
                ..BodyState::default()
            });
            PredictionEvent::SnappedIntoPlace
        } else {
            PredictionEvent::Applied
        };
        self.position = state.position;
        self.rotation = state.rotation;
        self.velocity = state.velocity;
        self.angular_velocity = state.angular_velocity;
        self.add_event(event);
    }
}
