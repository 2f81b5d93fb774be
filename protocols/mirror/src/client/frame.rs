//! Frames of a client: the server's time, and the work of behaviours.

use std::time::Duration;

use syncvar_runtime::behaviour::{FrameRole, FrameTime};

use super::world::object::Stage;
use super::{MirrorClient, MirrorClientEvent};
use crate::frames::run_object;
use crate::interpolation::Timeline;

impl MirrorClient {
    /// Runs a frame between two sends: the server's time, and the work of behaviours such as
    /// [`NetworkTransform`](crate::components::NetworkTransform). Sends queued messages, but no writes
    /// to owned objects. For render loops with more frames than sends; [`update`](Self::update) includes a
    /// frame.
    ///
    /// `now` is as in [`update`](Self::update).
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::mirror::{Limits, MirrorClient, MirrorPrefabs};
    ///
    /// let mut client = MirrorClient::new(MirrorPrefabs::new());
    /// client.handle_connect(Limits::TELEPATHY);
    /// client.update(Duration::from_millis(16));
    /// client.frame(Duration::from_millis(23));
    /// ```
    pub fn frame(&mut self, now: Duration) {
        if !self.time.own.admits_program() {
            return;
        }
        self.advance_clock(now);
        self.resume();
        if self.session.is_connected() {
            self.run_frame();
            self.send_ping();
            self.flush();
        }
    }

    /// Returns the time of the server at which received states are shown, and its speed. Mirror,
    /// `NetworkTime.unscaledTime`.
    pub fn timeline(&self) -> &Timeline {
        self.time.remote.timeline()
    }

    /// Advances the own time without a frame: messages that are handled and queued from now on have this
    /// time. For programs that handle packets and run a frame at the same time, as Unity does; otherwise
    /// messages have the time of the frame before.
    ///
    /// `now` is as in [`update`](Self::update).
    pub fn advance_time(&mut self, now: Duration) {
        if self.time.own.admits_program() {
            self.advance_clock(now);
        }
    }

    /// Advances the own time.
    pub(in crate::client) fn advance_clock(&mut self, now: Duration) {
        let now = self.time.own.advance(now);
        self.time.server.advance(now);
        if let Some(step) = self.time.own.take_leap() {
            self.events.push(MirrorClientEvent::ClockLeap { step });
        }
    }

    /// Runs the work of behaviours at the own time.
    pub(in crate::client) fn run_frame(&mut self) {
        let now = self.time.own.now();
        let delta = now.saturating_sub(std::mem::replace(&mut self.time.last_frame, now));
        let now = now.as_secs_f64();
        // Mirror's `float`.
        let delta = f64::from(delta.as_secs_f32());
        self.time.remote.advance(now, delta);
        let shown = self.time.remote.shown();
        let predicted = self.time.predicted();
        let time = FrameTime {
            now,
            delta,
            shown,
            predicted,
        };
        let send_interval = self.frames.send_interval();
        for id in &self.frames.objects {
            let object = self.world.objects.get(id.0);
            let Some(object) = object.filter(|object| object.stage == Stage::Spawned) else {
                continue;
            };
            let (Some(entry), Some(slots)) = (
                self.prefabs.get(object.prefab),
                self.world.pools.slots_mut(object.at),
            ) else {
                continue;
            };
            let role = FrameRole {
                is_server: false,
                is_owned: object.role.owner,
                owner: None,
                is_ready: self.session.is_ready(),
            };
            let to = (send_interval, &mut self.frames.requests);
            if run_object((*id, entry), slots, (role, time), to) {
                let written = if object.role.owner {
                    entry.client_to_server
                } else {
                    0
                };
                self.writes.collect(*id, slots, written);
            }
        }
        self.carry_out_requests();
    }

    fn carry_out_requests(&mut self) {
        let mut requests = std::mem::take(&mut self.frames.requests);
        for (id, place, scale) in requests.places.drain(..) {
            if let Some(object) = self.world.objects.get_mut(id.0) {
                object.scale = scale;
                self.world.set_place(id, place);
            }
        }
        for call in requests.calls.drain(..) {
            if let Err(error) = call.send(self, false) {
                tracing::error!(%error, "cannot send a command of a frame");
            }
        }
        self.frames.requests = requests;
    }
}
