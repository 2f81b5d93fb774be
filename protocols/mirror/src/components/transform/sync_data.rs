//! `SyncData`: the changed values of a `NetworkTransformUnreliable`.

use syncvar_runtime::{NetworkReader, NetworkWriter, Quaternion, ReadError, SyncValue, Vector3};

use super::TransformSettings;
use super::pose::{Pose, Received};
use crate::components::math::{angle, axes, euler, from_axes, from_euler, square_length, subtract};
use crate::compression::{compress, decompress};

const POSITION: [u8; 3] = [1, 2, 4];
const COMPRESSED: u8 = 8;
const ROTATION: [u8; 3] = [0x10, 0x20, 0x40];
const ALL_ROTATION: u8 = 0x70;
const SCALE: u8 = 0x80;

/// Changed values, by flags. Mirror, `SyncData`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SyncData {
    flags: u8,
    position: [f32; 3],
    /// Of 32 bits.
    rotation: Quaternion,
    /// Euler angles in degrees.
    angles: [f32; 3],
    scale: Vector3,
}

impl SyncData {
    /// Compares a pose with the last sent one. Mirror, `CompareChangedSnapshots`.
    pub(super) fn between(last: &Pose, now: &Pose, settings: &TransformSettings) -> Self {
        let mut data = Self {
            flags: 0,
            position: axes(now.position),
            rotation: now.rotation,
            angles: axes(euler(now.rotation)),
            scale: now.scale,
        };
        if settings.sync_position {
            let sensitivity = settings.position_sensitivity;
            let way = subtract(last.position, now.position);
            if square_length(way) > sensitivity * sensitivity {
                for (flag, axis) in POSITION.into_iter().zip(axes(way)) {
                    data.set_if(flag, axis.abs() > sensitivity);
                }
            }
        }
        if settings.sync_rotation {
            data.compare_rotations(last.rotation, now.rotation, settings);
        }
        if settings.sync_scale {
            let change = square_length(subtract(last.scale, now.scale));
            let sensitivity = settings.scale_sensitivity;
            data.set_if(SCALE, change > sensitivity * sensitivity);
        }
        data
    }

    fn compare_rotations(
        &mut self,
        last: Quaternion,
        now: Quaternion,
        settings: &TransformSettings,
    ) {
        let sensitivity = settings.rotation_sensitivity;
        if settings.compress_rotation {
            self.flags |= COMPRESSED;
            self.set_if(ALL_ROTATION, angle(last, now) > sensitivity);
            return;
        }
        let last = axes(euler(last));
        for ((flag, last), now) in ROTATION.into_iter().zip(last).zip(self.angles) {
            self.set_if(flag, (last - now).abs() > sensitivity);
        }
    }

    fn set_if(&mut self, flag: u8, is_set: bool) {
        if is_set {
            self.flags |= flag;
        }
    }

    fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Returns whether nothing is sent.
    pub(super) fn is_unchanged(&self) -> bool {
        self.flags == 0 || self.flags == COMPRESSED
    }

    /// Returns a pose with the sent values. Angles that were not sent are those of the pose.
    fn applied_to(&self, pose: &Pose) -> Pose {
        let mut now = *pose;
        let mut position = axes(pose.position);
        for ((flag, axis), sent) in POSITION.into_iter().zip(&mut position).zip(self.position) {
            if self.has(flag) {
                *axis = sent;
            }
        }
        now.position = from_axes(position);
        if self.has(COMPRESSED) {
            if self.has(ROTATION[0]) {
                now.rotation = self.rotation;
            }
        } else {
            let mut angles = axes(euler(pose.rotation));
            for ((flag, angle), sent) in ROTATION.into_iter().zip(&mut angles).zip(self.angles) {
                if self.has(flag) {
                    *angle = sent;
                }
            }
            now.rotation = from_euler(from_axes(angles));
        }
        if self.has(SCALE) {
            now.scale = self.scale;
        }
        now
    }

    /// Returns the last sent values after this message. Mirror, `UpdateLastSentSnapshot`.
    pub(super) fn sent_after(&self, last: &Pose) -> Pose {
        self.applied_to(last)
    }

    /// Returns the values at the receiver. Mirror, `UpdateSyncData`.
    pub(super) fn received_after(&self, newest: &Pose) -> Received {
        let pose = if self.is_unchanged() {
            *newest
        } else {
            self.applied_to(newest)
        };
        Received {
            position: Some(pose.position),
            rotation: Some(pose.rotation),
            scale: Some(pose.scale),
        }
    }

    pub(super) fn write(&self, writer: &mut NetworkWriter) {
        writer.write_u8(self.flags);
        for (flag, axis) in POSITION.into_iter().zip(self.position) {
            if self.has(flag) {
                writer.write_f32(axis);
            }
        }
        if self.has(COMPRESSED) {
            if self.has(ROTATION[0]) {
                writer.write_u32(compress(&self.rotation));
            }
        } else {
            for (flag, angle) in ROTATION.into_iter().zip(self.angles) {
                if self.has(flag) {
                    writer.write_f32(angle);
                }
            }
        }
        if self.has(SCALE) {
            self.scale.write(writer);
        }
    }

    pub(super) fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let mut data = Self {
            flags: reader.read_u8()?,
            ..Self::default()
        };
        for (flag, axis) in POSITION.into_iter().zip(&mut data.position) {
            if data.flags & flag != 0 {
                *axis = reader.read_f32()?;
            }
        }
        if data.has(COMPRESSED) {
            if data.has(ROTATION[0]) {
                data.rotation = decompress(reader.read_u32()?);
            }
        } else {
            for (flag, angle) in ROTATION.into_iter().zip(&mut data.angles) {
                if data.flags & flag != 0 {
                    *angle = reader.read_f32()?;
                }
            }
        }
        if data.has(SCALE) {
            data.scale = Vector3::read(reader)?;
        }
        Ok(data)
    }
}
