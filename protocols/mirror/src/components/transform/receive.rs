//! Received states of a transform.

use syncvar_runtime::behaviour::{FrameRole, FrameTime, MessageTime, SyncSettings};

use super::pose::{Pose, Received};
use super::schedule::{intervals, seconds};
use super::{NetworkTransform, TransformMethod};
use crate::components::Snapshot;

/// Limit of received states. Mirror, `SnapshotInterpolationSettings.bufferLimit`.
const LIMIT: usize = 32;

impl<M: TransformMethod> NetworkTransform<M> {
    /// Shows the states at the shown time, on an end that does not write them. Mirror, `Update`.
    pub(super) fn interpolate(&mut self, role: FrameRole, owner_writes: bool, time: &FrameTime) {
        let is_shown = if role.is_server {
            owner_writes && role.is_owned
        } else {
            !(owner_writes && role.is_owned)
        };
        if !is_shown {
            return;
        }
        let shown = time.shown.unwrap_or_default();
        let Some(sample) = self.buffer.step(shown) else {
            return;
        };
        let pose = Pose::interpolated(&sample, &self.settings);
        if self.settings.sync_position {
            self.position = pose.position;
        }
        if self.settings.sync_rotation {
            self.rotation = pose.rotation;
        }
        if self.settings.sync_scale {
            self.scale = pose.scale;
        }
    }

    /// Returns the newest state, or the present one.
    pub(super) fn newest(&self) -> Pose {
        self.buffer
            .newest()
            .map_or_else(|| self.pose(), |newest| newest.value)
    }

    /// Adds a state; values that were not sent are those of the newest one. Mirror, `AddSnapshot`.
    pub(super) fn add(&mut self, received: &Received, time: MessageTime, settings: &SyncSettings) {
        let newest = self.newest();
        let count = intervals(settings);
        let mut shown = time.remote + seconds(settings, count.saturating_sub(1));
        if self.settings.timeline_offset {
            shown += seconds(settings, count);
        }
        let snapshot = Snapshot {
            remote_time: shown,
            local_time: time.local,
            value: Pose {
                position: received.position.unwrap_or(newest.position),
                rotation: received.rotation.unwrap_or(newest.rotation),
                scale: received.scale.unwrap_or(newest.scale),
            },
        };
        self.buffer.insert(snapshot, LIMIT);
    }

    /// Begins a motion after a rest: from the present pose, one interval before a message. Mirror,
    /// `RewriteHistory`.
    pub(super) fn correct(&mut self, time: MessageTime, settings: &SyncSettings) {
        let [only] = self.buffer.as_slice() else {
            return;
        };
        let rest = time.remote - only.remote_time;
        let interval = seconds(settings, intervals(settings));
        if !self.settings.only_sync_on_change
            || rest < interval * f64::from(self.settings.correction_multiplier)
        {
            return;
        }
        self.buffer.clear();
        let snapshot = Snapshot {
            remote_time: time.remote - interval,
            local_time: time.local - interval,
            value: self.pose(),
        };
        self.buffer.insert(snapshot, LIMIT);
    }
}
