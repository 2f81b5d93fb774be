//! Frames of a server: the times of its clients, and the work of behaviours.

use std::time::Duration;

use syncvar_runtime::ConnectionId;
use syncvar_runtime::behaviour::{FrameRole, FrameTime};

use super::{MirrorServer, MirrorServerEvent};
use crate::frames::run_object;
use crate::interpolation::Timeline;

impl MirrorServer {
    /// Runs a frame between two sends: received times, and the work of behaviours such as
    /// [`NetworkTransform`](crate::components::NetworkTransform). Nothing is sent. For programs with
    /// more frames than sends; [`update`](Self::update) includes a frame.
    ///
    /// `now` is as in [`update`](Self::update).
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::mirror::{MirrorPrefabs, MirrorServer};
    ///
    /// let mut server = MirrorServer::new(MirrorPrefabs::new());
    /// for frame in 1..=120_u32 {
    ///     let now = Duration::from_secs(1) / 120 * frame;
    ///     if frame % 2 == 0 {
    ///         server.update(now); // 60 times a second
    ///     } else {
    ///         server.frame(now);
    ///     }
    /// }
    /// assert_eq!(server.stats().updates, 60);
    /// ```
    pub fn frame(&mut self, now: Duration) {
        if self.clock.admits_program() {
            self.advance_clock(now);
            self.run_frame();
        }
    }

    /// Returns the time of a client at which its states are shown, and its speed. `None` for an unknown
    /// connection, and while no prefab works in frames. Mirror, `remoteTimeline`.
    pub fn remote_timeline(&self, connection: ConnectionId) -> Option<&Timeline> {
        let remote = self.sessions.get(connection)?.remote_time.as_ref()?;
        Some(remote.timeline())
    }

    /// Advances the own time without a frame: messages that are handled and queued from now on have this
    /// time. For programs that handle packets and run a frame at the same time, as Unity does; otherwise
    /// messages have the time of the frame before.
    ///
    /// `now` is as in [`update`](Self::update).
    pub fn advance_time(&mut self, now: Duration) {
        if self.clock.admits_program() {
            self.advance_clock(now);
        }
    }

    /// Advances the own time.
    pub(in crate::server) fn advance_clock(&mut self, now: Duration) {
        self.clock.advance(now);
        if let Some(step) = self.clock.take_leap() {
            self.events.push(MirrorServerEvent::ClockLeap { step });
        }
    }

    /// Runs the work of behaviours at the own time.
    pub(in crate::server) fn run_frame(&mut self) {
        let now = self.clock.now();
        let delta = now.saturating_sub(std::mem::replace(&mut self.last_frame, now));
        let time = FrameTime {
            now: now.as_secs_f64(),
            // Mirror's `float`.
            delta: f64::from(delta.as_secs_f32()),
            shown: None,
            predicted: now.as_secs_f64(),
        };
        for (_, client) in self.sessions.iter_mut() {
            if let Some(remote) = &mut client.remote_time {
                remote.advance(time.now, time.delta);
            }
        }
        self.run_objects(time);
        self.carry_out_requests();
        self.run_rebuilds();
    }

    fn run_objects(&mut self, time: FrameTime) {
        let frames = &mut self.replication.frames;
        let send_interval = frames.send_interval();
        for id in &frames.objects {
            let Some(object) = self.world.objects.get_mut(id.0) else {
                continue;
            };
            let (Some(entry), Some(slots)) = (
                self.prefabs.get(object.prefab),
                self.world.pools.slots_mut(object.at),
            ) else {
                continue;
            };
            let owner = object.owner.and_then(|owner| self.sessions.get(owner));
            let shown = owner.and_then(|owner| owner.remote_time.as_ref()?.shown());
            let role = FrameRole {
                is_server: true,
                is_owned: object.owner.is_some(),
                owner: object.owner,
                is_ready: true,
            };
            let time = FrameTime { shown, ..time };
            let to = (send_interval, &mut frames.requests);
            let is_dirty = run_object((*id, entry), slots, (role, time), to);
            if is_dirty && !std::mem::replace(&mut object.queued, true) {
                self.replication.dirty.push(*id);
            }
        }
    }

    fn carry_out_requests(&mut self) {
        let mut requests = std::mem::take(&mut self.replication.frames.requests);
        for (id, place, scale) in requests.places.drain(..) {
            if let Some(object) = self.world.objects.get_mut(id.0) {
                object.scale = scale;
                // The object exists.
                let _ = self.set_transform(id, place.position, place.rotation);
            }
        }
        if !requests.calls.is_empty() {
            self.make_calls(|server| {
                for call in requests.calls.drain(..) {
                    if let Err(error) = call.send(server, true) {
                        tracing::error!(%error, "cannot send a call of a frame");
                    }
                }
            });
        }
        self.replication.frames.requests = requests;
    }
}
