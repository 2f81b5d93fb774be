//! Frames of a client: the server's time, and the work of behaviours.

use std::time::Duration;

use crate::client::MirrorClient;
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
        if !self.context.clock.own.admits_program() {
            return;
        }
        self.context.advance_clock(now);
        self.resume();
        if self.session.is_connected() {
            self.run_frame();
            self.session.send_ping(&mut self.context);
            self.session.flush(&mut self.context);
        }
    }

    /// Returns the time of the server at which received states are shown, and its speed. Mirror,
    /// `NetworkTime.unscaledTime`.
    pub fn timeline(&self) -> &Timeline {
        self.context.clock.remote.timeline()
    }

    /// Advances the own time without a frame: messages that are handled and queued from now on have this
    /// time. For programs that handle packets and run a frame at the same time, as Unity does; otherwise
    /// messages have the time of the frame before.
    ///
    /// `now` is as in [`update`](Self::update).
    pub fn advance_time(&mut self, now: Duration) {
        if self.context.clock.own.admits_program() {
            self.context.advance_clock(now);
        }
    }

    /// Runs the work of behaviours at the own time.
    pub(crate) fn run_frame(&mut self) {
        let time = self.context.clock.begin_frame();
        let is_ready = self.session.is_ready();
        self.writes.run_objects(&mut self.objects, time, is_ready);
        let mut requests = std::mem::take(&mut self.objects.frames.requests);
        for (id, place, scale) in requests.places.drain(..) {
            if let Some(object) = self.objects.get_mut(id) {
                object.scale = scale;
                self.objects.world.set_place(id, place);
            }
        }
        for call in requests.calls.drain(..) {
            if let Err(error) = call.send(self, false) {
                tracing::error!(%error, "cannot send a command of a frame");
            }
        }
        self.objects.frames.requests = requests;
    }
}
