//! The shown place of a moving body.

use syncvar_runtime::{Quaternion, Vector3};

use super::{PredictedRigidbody, PredictionEvent, PredictionMode};
use crate::components::math::{lerp, slerp, square_length, subtract};

/// Motion of a client's body, and the place that follows it.
#[derive(Debug, Default)]
pub(super) struct Smoothing {
    /// Own time at which the body was last seen moving, during a motion.
    moved: Option<f64>,
    /// Frames since the last check.
    frames: u32,
    /// `None` without a motion, and where the shown place is that of the body.
    shown: Option<(Vector3, Quaternion)>,
}

impl Smoothing {
    pub(super) fn shown(&self) -> Option<(Vector3, Quaternion)> {
        self.shown
    }
}

impl PredictedRigidbody {
    /// Begins and ends the motion, and moves the shown place. Mirror, `UpdateGhosting` and
    /// `SmoothFollowPhysicsCopy`.
    pub(super) fn follow(&mut self, now: f64, delta: f64) {
        self.smoothing.frames = self.smoothing.frames.saturating_add(1);
        if self.smoothing.frames >= self.settings.motion_check_frames {
            self.smoothing.frames = 0;
            self.check_motion(now);
        }
        let Some((position, rotation)) = self.smoothing.shown else {
            return;
        };
        let distance = square_length(subtract(self.position, position)).sqrt();
        self.smoothing.shown = Some(if distance > self.settings.teleport_distance {
            (self.position, self.rotation)
        } else {
            let turned = (f64::from(self.settings.rotation_speed) * delta).clamp(0.0, 1.0);
            (
                lerp(position, self.position, self.covered(delta)),
                slerp(rotation, self.rotation, turned),
            )
        });
    }

    /// Returns the part of the distance to the body that the shown position covers in a time.
    #[expect(clippy::cast_possible_truncation, reason = "as in Mirror")]
    fn covered(&self, delta: f64) -> f32 {
        (self.settings.position_speed * delta as f32).clamp(0.0, 1.0)
    }

    fn check_motion(&mut self, now: f64) {
        if self.is_moving() {
            if self.smoothing.moved.replace(now).is_none() {
                let is_smooth = self.settings.mode == PredictionMode::Smooth;
                self.smoothing.shown = is_smooth.then_some((self.position, self.rotation));
                self.add_event(PredictionEvent::Began);
            }
        } else if let Some(moved) = self.smoothing.moved
            && now >= moved + f64::from(self.settings.motion_rest)
        {
            self.smoothing.moved = None;
            self.smoothing.shown = None;
            self.add_event(PredictionEvent::Ended);
        }
    }
}
