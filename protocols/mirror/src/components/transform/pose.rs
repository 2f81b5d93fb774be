//! Position, rotation and scale, and their steps.

use syncvar_runtime::{
    NetworkReader, NetworkWriter, Quaternion, ReadError, SyncField, SyncValue, TypeSchema, Vector3,
};

use super::TransformSettings;
use crate::components::Sample;
use crate::components::math::{axes, lerp, parts, slerp, steps};

/// Position, rotation and scale at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Position.
    pub position: Vector3,
    /// Rotation.
    pub rotation: Quaternion,
    /// Scale.
    pub scale: Vector3,
}

impl Default for Pose {
    fn default() -> Self {
        Self {
            position: Vector3::default(),
            rotation: Quaternion::IDENTITY,
            scale: Vector3::new(1.0, 1.0, 1.0),
        }
    }
}

impl Pose {
    /// Returns the pose of a sample, as Mirror's `TransformSnapshot.Interpolate` and `Apply`.
    #[expect(clippy::cast_possible_truncation, reason = "as in Mirror")]
    pub(super) fn interpolated(sample: &Sample<Self>, settings: &TransformSettings) -> Self {
        let (from, to) = (&sample.from.value, &sample.to.value);
        let fraction = sample.fraction as f32;
        let mut pose = *to;
        if settings.interpolate_position {
            pose.position = lerp(from.position, to.position, fraction);
        }
        if settings.interpolate_rotation {
            pose.rotation = slerp(from.rotation, to.rotation, fraction.into());
        }
        if settings.interpolate_scale {
            pose.scale = lerp(from.scale, to.scale, fraction);
        }
        pose
    }
}

/// A pose in whole steps: the base of differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Steps {
    pub(super) position: [i64; 3],
    pub(super) rotation: [i64; 4],
    pub(super) scale: [i64; 3],
}

impl Steps {
    pub(super) fn of(pose: &Pose, settings: &TransformSettings) -> Self {
        Self {
            position: steps(axes(pose.position), settings.position_precision),
            rotation: steps(parts(pose.rotation), settings.rotation_precision),
            scale: steps(axes(pose.scale), settings.scale_precision),
        }
    }
}

/// Values of a message, without those that are not sent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Received {
    pub(super) position: Option<Vector3>,
    pub(super) rotation: Option<Quaternion>,
    pub(super) scale: Option<Vector3>,
}

/// Receivers of snapshots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SnapshotReceivers {
    /// Nobody has received one.
    #[default]
    None,
    /// All observers have received one, and receive the next one.
    All,
    /// The next one is for a new observer.
    NewObserver,
}

/// Field of a transform: its dirty bit, and the base of the next received differences. A refused message
/// of an owner restores the base.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TransformMotion {
    pub(super) is_dirty: bool,
    pub(super) received: Steps,
    pub(super) receivers: SnapshotReceivers,
}

impl SyncField for TransformMotion {
    const SCHEMA: TypeSchema = TypeSchema::Named("Transform");
    const RESENDABLE: bool = true;

    fn is_dirty(&self) -> bool {
        self.is_dirty
    }

    fn set_dirty(&mut self) {
        self.is_dirty = true;
    }

    fn clear_dirty(&mut self) {
        self.is_dirty = false;
    }

    fn set_observed(&mut self, observed: bool) {
        self.receivers = match self.receivers {
            SnapshotReceivers::All if observed => SnapshotReceivers::NewObserver,
            receivers if observed => receivers,
            _ => SnapshotReceivers::None,
        };
    }

    fn write_full(&self, writer: &mut NetworkWriter) {
        let Steps {
            position,
            rotation,
            scale,
        } = &self.received;
        for step in position.iter().chain(rotation).chain(scale) {
            step.write(writer);
        }
    }

    fn write_delta(&self, writer: &mut NetworkWriter) {
        self.write_full(writer);
    }

    fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        let Steps {
            position,
            rotation,
            scale,
        } = &mut self.received;
        for step in position.iter_mut().chain(rotation).chain(scale) {
            *step = i64::read(reader)?;
        }
        Ok(())
    }

    fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.read_full(reader)
    }
}
