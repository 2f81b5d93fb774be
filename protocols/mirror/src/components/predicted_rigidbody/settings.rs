//! Settings of predicted bodies, as in Unity's inspector.

/// Drawing of a moving body. Mirror, `PredictionMode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PredictionMode {
    /// The [shown](super::PredictedRigidbody::shown) place follows the body smoothly.
    #[default]
    Smooth,
    /// The shown place is that of the body.
    Fast,
}

/// Settings of a [`PredictedRigidbody`](super::PredictedRigidbody).
///
/// ```
/// use syncvar::mirror::components::{PredictedRigidbody, PredictionMode, PredictionSettings};
///
/// let settings = PredictionSettings {
///     mode: PredictionMode::Fast,
///     record_interval: 0.02,
///     ..PredictionSettings::default()
/// };
/// let body = PredictedRigidbody::new(settings);
/// assert_eq!(body.settings().history_limit, 32);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "as in Unity's inspector")]
pub struct PredictionSettings {
    /// Drawing of a moving body.
    pub mode: PredictionMode,
    /// Velocity from which a body moves, per second; 0.1 by default.
    pub motion_velocity: f32,
    /// Angular velocity from which a body moves, in radians per second; 5 by default.
    pub motion_angular_velocity: f32,
    /// Rest after which a motion is over, in seconds; 0.5 by default.
    pub motion_rest: f32,
    /// Frames from one check for a motion to the next; 4 by default.
    pub motion_check_frames: u32,
    /// Limit of recorded states, at least 2; 32 by default.
    pub history_limit: usize,
    /// Shortest time between two recorded states, in seconds; 0.05 by default.
    pub record_interval: f32,
    /// Records only a body that has moved by a threshold since the last record; `true` by default.
    pub only_record_changes: bool,
    /// Ignores a state of the server that is within both thresholds of the present body; `true` by default.
    pub compare_last_first: bool,
    /// Distance from which a body is corrected; 0.1 by default.
    pub position_threshold: f64,
    /// Angle in degrees from which a body is corrected; 5 by default.
    pub rotation_threshold: f64,
    /// Takes a state of the server as a state of the frame after; `true` by default.
    pub one_frame_ahead: bool,
    /// Velocity and angular velocity up to which a correction sets the body in its place and drops the history;
    /// 2 by default.
    pub snap_threshold: f32,
    /// Part of the distance to the body that the shown position covers in a second; 15 by default.
    pub position_speed: f32,
    /// Part of the angle to the body that the shown rotation covers in a second; 10 by default.
    pub rotation_speed: f32,
    /// Distance from which the shown place jumps to the body; 10 by default. Mirror's
    /// `teleportDistanceMultiplier` times the size of the collider.
    pub teleport_distance: f32,
    /// Sends a state per second while the body rests, instead of a state per frame; `true` by default.
    pub reduce_sends_while_idle: bool,
}

impl Default for PredictionSettings {
    fn default() -> Self {
        Self {
            mode: PredictionMode::default(),
            motion_velocity: 0.1,
            motion_angular_velocity: 5.0,
            motion_rest: 0.5,
            motion_check_frames: 4,
            history_limit: 32,
            record_interval: 0.05,
            only_record_changes: true,
            compare_last_first: true,
            position_threshold: 0.1,
            rotation_threshold: 5.0,
            one_frame_ahead: true,
            snap_threshold: 2.0,
            position_speed: 15.0,
            rotation_speed: 10.0,
            teleport_distance: 10.0,
            reduce_sends_while_idle: true,
        }
    }
}
