//! `NetworkTransformHybrid`.

use syncvar_runtime::behaviour::Frame;
use syncvar_runtime::{
    CallSchema, Delivery, NetworkReader, NetworkWriter, Quaternion, ReadResult, SyncValue,
};

use super::method::sealed::Method;
use super::pose::{Pose, Received, SnapshotReceivers, Steps};
use super::reliable::{differs, read_rotation, read_vector, rebase, write_rotation, write_vector};
use super::{NetworkTransform, calls};
use crate::components::{from_steps, read_differences, write_differences};

/// Delivery of a [`NetworkTransformHybrid`](super::NetworkTransformHybrid).
///
/// Differences are relative to a snapshot that all receivers have: that of the first observers, or a baseline. The
/// snapshot for a further observer is none; the observer waits for the next baseline.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hybrid {
    /// State of the last baseline.
    last: Pose,
    baseline: Steps,
}

#[expect(private_interfaces, reason = "the trait is sealed")]
impl Method for Hybrid {
    const NAME: &'static str = "NetworkTransformHybrid";
    const DELIVERY: Delivery = Delivery::Hybrid;
    const CALLS: &'static [CallSchema] = calls::BASE;

    fn reset(transform: &mut NetworkTransform<Self>) {
        let last = transform.pose();
        let baseline = Steps::of(&last, &transform.settings);
        transform.motion.received = baseline;
        transform.method = Self { last, baseline };
    }

    fn send(transform: &mut NetworkTransform<Self>, frame: &mut Frame<'_>) {
        let (role, settings) = (frame.role(), frame.settings());
        let writes = role.is_server || role.is_owned && role.is_ready && settings.owner_writes;
        if writes && (!transform.settings.only_sync_on_change || transform.has_changed()) {
            transform.motion.is_dirty = true;
        }
    }

    fn write(
        transform: &mut NetworkTransform<Self>,
        writer: &mut NetworkWriter,
        initial_state: bool,
    ) -> bool {
        let (pose, settings) = (transform.pose(), &transform.settings);
        let (now, base) = (Steps::of(&pose, settings), transform.method.baseline);
        if settings.sync_position {
            write_vector(
                writer,
                initial_state,
                pose.position,
                (base.position, now.position),
            );
        }
        if settings.sync_rotation {
            if initial_state {
                pose.rotation.write(writer);
            } else if settings.compress_rotation {
                write_rotation(writer, pose.rotation, true);
            } else {
                write_differences(writer, base.rotation, now.rotation);
            }
        }
        if settings.sync_scale {
            write_vector(writer, initial_state, pose.scale, (base.scale, now.scale));
        }
        if initial_state {
            let receivers = &mut transform.motion.receivers;
            if std::mem::replace(receivers, SnapshotReceivers::All)
                != SnapshotReceivers::NewObserver
            {
                transform.method = Self {
                    last: pose,
                    baseline: now,
                };
            }
        }
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
            received.rotation = Some(if initial_state || settings.compress_rotation {
                read_rotation(reader, !initial_state)?
            } else {
                let steps = read_differences(reader, base.rotation)?;
                let [x, y, z, w] =
                    steps.map(|steps| from_steps(steps, settings.rotation_precision));
                Quaternion::new(x, y, z, w)
            });
        }
        if settings.sync_scale {
            let precision = settings.scale_precision;
            let scale = read_vector(reader, initial_state, base.scale, precision)?;
            received.scale = Some(scale);
        }
        if initial_state {
            rebase(base, &received, settings);
        }
        Ok(received)
    }
}

impl NetworkTransform<Hybrid> {
    /// Returns whether the values differ from the last baseline. Mirror, `Changed`.
    pub fn has_changed(&self) -> bool {
        differs(&self.method.last, &self.pose(), &self.settings)
    }
}
