//! Frames of a server: the times of its clients, and the work of behaviours.

use std::collections::BTreeSet;
use std::time::Duration;

use syncvar_runtime::ConnectionId;
use syncvar_runtime::behaviour::FrameTime;

use crate::interpolation::Timeline;
use crate::server::{MirrorServer, UpperRooms};

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
        if self.context.clock.admits_program() {
            self.context.advance_clock(now);
            self.run_frame();
        }
    }

    /// Returns the time of a client at which its states are shown, and its speed. `None` for an unknown
    /// connection, and while no prefab works in frames. Mirror, `remoteTimeline`.
    pub fn remote_timeline(&self, connection: ConnectionId) -> Option<&Timeline> {
        let remote = self.sessions.get(connection)?.times.remote.as_ref()?;
        Some(remote.timeline())
    }

    /// Advances the own time without a frame: messages that are handled and queued from now on have this
    /// time. For programs that handle packets and run a frame at the same time, as Unity does; otherwise
    /// messages have the time of the frame before.
    ///
    /// `now` is as in [`update`](Self::update).
    pub fn advance_time(&mut self, now: Duration) {
        if self.context.clock.admits_program() {
            self.context.advance_clock(now);
        }
    }

    /// Runs the work of behaviours at the own time.
    pub(crate) fn run_frame(&mut self) {
        let now = self.context.now();
        let delta = now.saturating_sub(std::mem::replace(&mut self.last_frame, now));
        let time = FrameTime {
            now: now.as_secs_f64(),
            // Mirror's `float`.
            delta: f64::from(delta.as_secs_f32()),
            shown: None,
            predicted: now.as_secs_f64(),
        };
        for (_, client) in self.sessions.iter_mut() {
            if let Some(remote) = &mut client.times.remote {
                remote.advance(time.now, time.delta);
            }
        }
        self.replication
            .run_objects(&mut self.objects, &self.sessions, time);
        let mut requests = std::mem::take(&mut self.replication.frames.requests);
        for (id, place, scale) in requests.places.drain(..) {
            if let Some(object) = self.objects.get_mut(id) {
                object.scale = scale;
                // The object exists.
                let _ = self.set_transform(id, place.position, place.rotation);
            }
        }
        if !requests.calls.is_empty() {
            self.calls.open();
            for call in requests.calls.drain(..) {
                if let Err(error) = call.send(self, true) {
                    tracing::error!(%error, "cannot send a call of a frame");
                }
            }
            let UpperRooms {
                calls, mut rooms, ..
            } = self.parts();
            calls.close(&mut rooms);
        }
        self.replication.frames.requests = requests;
        if self.observers.rebuilds.is_some() {
            let mut rebuilds = BTreeSet::new();
            self.with_rebuilds(|server, interest| interest.frame(server, &mut rebuilds));
            for id in rebuilds {
                self.rebuild(id);
            }
        }
    }
}
