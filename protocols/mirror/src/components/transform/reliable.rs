//! `NetworkTransformReliable`.

use syncvar_runtime::behaviour::Frame;
use syncvar_runtime::{
    CallSchema, Delivery, NetworkReader, NetworkWriter, Quaternion, ReadResult, SyncValue, Vector3,
};

use super::method::sealed::Method;
use super::pose::{Pose, Received, Steps};
use super::schedule::intervals;
use super::{NetworkTransform, calls};
use crate::components::math::{angle, from_axes};
use crate::components::{from_steps, read_differences, write_differences};
use crate::compression::{compress, decompress};

/// Delivery of a [`NetworkTransformReliable`](super::NetworkTransformReliable).
#[derive(Clone, Copy, Debug, Default)]
pub struct Reliable {
    /// State of the last message, which its receivers have.
    last: Pose,
    sent: Steps,
    /// A message was written since the last reset.
    was_written: bool,
}

#[expect(private_interfaces, reason = "the trait is sealed")]
impl Method for Reliable {
    const NAME: &'static str = "NetworkTransformReliable";
    const DELIVERY: Delivery = Delivery::Reliable;
    const CALLS: &'static [CallSchema] = calls::BASE;

    fn reset(transform: &mut NetworkTransform<Self>) {
        let (last, settings) = (transform.pose(), &transform.settings);
        let sent = Steps::of(&last, settings);
        transform.motion.received = sent;
        transform.method = Self {
            last,
            sent,
            was_written: false,
        };
    }

    fn send(transform: &mut NetworkTransform<Self>, frame: &mut Frame<'_>) {
        let (role, settings) = (frame.role(), frame.settings());
        let writes = role.is_server || role.is_owned && role.is_ready && settings.owner_writes;
        if !writes {
            return;
        }
        let count = intervals(&settings);
        if transform.schedule.is_due(count)
            && (!transform.settings.only_sync_on_change || transform.has_changed())
        {
            transform.motion.is_dirty = true;
        }
        let now = frame.time().now;
        transform.schedule.count(now, &settings, count);
    }

    fn write(
        transform: &mut NetworkTransform<Self>,
        writer: &mut NetworkWriter,
        initial_state: bool,
    ) -> bool {
        let mut pose = transform.pose();
        let settings = &transform.settings;
        let method = &mut transform.method;
        if initial_state && method.was_written {
            // All receivers have the same base.
            pose = method.last;
        }
        let now = Steps::of(&pose, settings);
        if settings.sync_position {
            write_vector(
                writer,
                initial_state,
                pose.position,
                (method.sent.position, now.position),
            );
        }
        if settings.sync_rotation {
            write_rotation(writer, pose.rotation, settings.compress_rotation);
        }
        if settings.sync_scale {
            write_vector(
                writer,
                initial_state,
                pose.scale,
                (method.sent.scale, now.scale),
            );
        }
        *method = Self {
            last: pose,
            sent: now,
            was_written: true,
        };
        true
    }

    fn read(
        transform: &mut NetworkTransform<Self>,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> ReadResult<Received> {
        let (settings, base) = (&transform.settings, &mut transform.motion.received);
        let mut received = Received::default();
        if settings.sync_position {
            let precision = settings.position_precision;
            let position = read_vector(reader, initial_state, base.position, precision)?;
            received.position = Some(position);
        }
        if settings.sync_rotation {
            received.rotation = Some(read_rotation(reader, settings.compress_rotation)?);
        }
        if settings.sync_scale {
            let precision = settings.scale_precision;
            let scale = read_vector(reader, initial_state, base.scale, precision)?;
            received.scale = Some(scale);
        }
        rebase(base, &received, settings);
        Ok(received)
    }
}

impl NetworkTransform<Reliable> {
    /// Returns whether the values differ from the last sent values. Mirror, `Changed`.
    pub fn has_changed(&self) -> bool {
        differs(&self.method.last, &self.pose(), &self.settings)
    }
}

/// Returns whether two poses differ by a step of position or scale, or by the sensitivity of the rotation.
pub(super) fn differs(last: &Pose, now: &Pose, settings: &super::TransformSettings) -> bool {
    let (before, after) = (Steps::of(last, settings), Steps::of(now, settings));
    before.position != after.position
        || angle(last.rotation, now.rotation) > settings.rotation_sensitivity
        || before.scale != after.scale
}

/// Moves a base to received values.
pub(super) fn rebase(base: &mut Steps, received: &Received, settings: &super::TransformSettings) {
    let pose = Pose {
        position: received.position.unwrap_or_default(),
        rotation: received.rotation.unwrap_or_default(),
        scale: received.scale.unwrap_or_default(),
    };
    let now = Steps::of(&pose, settings);
    if received.position.is_some() {
        base.position = now.position;
    }
    if received.rotation.is_some() {
        base.rotation = now.rotation;
    }
    if received.scale.is_some() {
        base.scale = now.scale;
    }
}

/// Writes a vector whole, or as differences of steps.
pub(super) fn write_vector(
    writer: &mut NetworkWriter,
    whole: bool,
    vector: Vector3,
    (last, now): ([i64; 3], [i64; 3]),
) {
    if whole {
        vector.write(writer);
    } else {
        write_differences(writer, last, now);
    }
}

/// Reads a vector whole, or as differences to the steps of a base.
pub(super) fn read_vector(
    reader: &mut NetworkReader<'_>,
    whole: bool,
    base: [i64; 3],
    precision: f32,
) -> ReadResult<Vector3> {
    if whole {
        return Vector3::read(reader);
    }
    let steps = read_differences(reader, base)?;
    Ok(from_axes(steps.map(|steps| from_steps(steps, precision))))
}

/// Writes a rotation in 32 bits, or whole.
pub(super) fn write_rotation(writer: &mut NetworkWriter, rotation: Quaternion, compressed: bool) {
    if compressed {
        writer.write_u32(compress(&rotation));
    } else {
        rotation.write(writer);
    }
}

/// Reads a rotation of 32 bits, or a whole rotation.
pub(super) fn read_rotation(
    reader: &mut NetworkReader<'_>,
    compressed: bool,
) -> ReadResult<Quaternion> {
    if compressed {
        return reader.read_u32().map(decompress);
    }
    Quaternion::read(reader)
}
