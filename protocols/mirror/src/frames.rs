//! Work of behaviours in each frame, and the times of remote ends, on server and client.

use std::collections::BTreeSet;

use syncvar_runtime::NetId;
use syncvar_runtime::behaviour::{Frame, FrameRequests, FrameRole, FrameTime};
use syncvar_runtime::unstable::object::Slots;

use crate::interpolation::{InterpolationSettings, Timeline, send_interval};
use crate::prefabs::PrefabEntry;

/// Limit of received times between two frames. Mirror, `snapshotBufferSizeLimit`.
const MAX_RECEIVED: usize = 64;

/// Objects with work in each frame.
#[derive(Debug)]
pub(crate) struct FrameObjects {
    pub(crate) objects: BTreeSet<NetId>,
    pub(crate) requests: FrameRequests,
    /// Time between two sends of the end, in seconds.
    send_interval: f32,
}

impl FrameObjects {
    pub(crate) fn new(send_rate: u32) -> Self {
        Self {
            objects: BTreeSet::new(),
            requests: FrameRequests::default(),
            send_interval: send_interval(send_rate.max(1)),
        }
    }

    /// Adds a spawned object, if its prefab works in frames.
    pub(crate) fn add(&mut self, id: NetId, entry: &PrefabEntry) {
        if entry.frames != 0 {
            self.objects.insert(id);
        }
    }

    pub(crate) fn send_interval(&self) -> f32 {
        self.send_interval
    }
}

/// An object and its frame.
pub(crate) struct FrameOfObject {
    pub(crate) id: NetId,
    pub(crate) role: FrameRole,
    pub(crate) time: FrameTime,
    /// Time between two sends of the end, in seconds.
    pub(crate) send_interval: f32,
}

/// Runs the components of an object. Returns whether a component has a change to send.
pub(crate) fn run_object(
    frame: &FrameOfObject,
    entry: &PrefabEntry,
    slots: &mut dyn Slots,
    requests: &mut FrameRequests,
) -> bool {
    let (mut rest, mut is_dirty) = (entry.frames, false);
    while rest != 0 {
        let index = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        let settings = entry.sync_settings(index, frame.send_interval);
        let (Some(slot), Some(settings)) = (slots.slot_mut(index), settings) else {
            continue;
        };
        slot.on_frame(&mut Frame::new(
            frame.id, index, frame.role, settings, frame.time, requests,
        ));
        is_dirty |= slot.dirty_bits() != 0;
    }
    is_dirty
}

/// Received times of a remote end, and the time at which its states are shown.
#[derive(Debug)]
pub(crate) struct RemoteTime {
    timeline: Timeline,
    /// Received since the last frame: the times of their batches, and the scaled times.
    received: Vec<(f64, f64)>,
}

impl RemoteTime {
    pub(crate) fn new(settings: InterpolationSettings, send_rate: u32) -> Self {
        Self {
            timeline: Timeline::new(settings, send_rate),
            received: Vec::new(),
        }
    }

    /// Adds a time, which counts from the next frame on: that is the time of its receipt.
    pub(crate) fn receive(&mut self, remote_time: f64, scaled_time: f64) {
        if self.received.len() < MAX_RECEIVED {
            self.received.push((remote_time, scaled_time));
        }
    }

    pub(crate) fn advance(&mut self, now: f64, delta: f64) {
        for times in self.received.drain(..) {
            self.timeline.add(times, now);
        }
        self.timeline.advance(delta);
    }

    pub(crate) fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Returns the shown time, after the first received one.
    pub(crate) fn shown(&self) -> Option<f64> {
        (!self.timeline.snapshots().is_empty()).then(|| self.timeline.time())
    }
}
