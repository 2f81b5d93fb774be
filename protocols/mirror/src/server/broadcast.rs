//! One frame: what has changed goes to those who observe it, and the batches of all connections are
//! completed.

use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::{Channel, ConnectionId};

use super::audience::{AudienceId, Audiences};
use super::connection::{Connection, Share};
use super::frame::{Frame, HEADER};
use super::outbox::{Exception, Outbox, header};
use super::{DisconnectReason, MirrorServer};
use crate::MirrorError;
use crate::message::{NetworkPingMessage, TimeSnapshotMessage};

/// What a frame tells about the time: batches that all connections share.
struct Times {
    snapshot: Bytes,
    ping: Bytes,
    both: Bytes,
}

/// What of that a connection is told.
struct Told<'a> {
    snapshot: bool,
    ping: bool,
    times: &'a Times,
}

impl Told<'_> {
    /// The batch that is all of it, if it is anything.
    fn batch(&self) -> Option<&Bytes> {
        match (self.snapshot, self.ping) {
            (true, true) => Some(&self.times.both),
            (true, false) => Some(&self.times.snapshot),
            (false, true) => Some(&self.times.ping),
            (false, false) => None,
        }
    }

    /// What of it stands before what a frame sends unreliably, and what behind: messages without a header.
    fn around(&self) -> [Bytes; 2] {
        let messages = |is_told: bool, batch: &Bytes| {
            let messages = is_told.then(|| batch.slice(HEADER..));
            messages.unwrap_or_default()
        };
        [
            messages(self.snapshot, &self.times.snapshot),
            messages(self.ping, &self.times.ping),
        ]
    }
}

impl MirrorServer {
    /// One frame: what `NetworkLateUpdate` does in Mirror, once for each of its send intervals. `now` is
    /// the time since any moment; one that is earlier than the last counts as that.
    ///
    /// First the interest management is asked, and what it says is done. Then the changes of all dirty
    /// objects are written, each object once for all who observe it and once more for an owner who is sent
    /// other components; of components that travel unreliably ([`SyncMethod::Hybrid`](crate::SyncMethod)), what
    /// has changed since the last baseline, and all if it is time for one. Then the batches of every connection
    /// are completed: what was queued for it since the last update, with the time of that, and what this one has
    /// to say, with `now`: `TimeSnapshotMessage`, the changes, and `NetworkPingMessage` if it is time for that.
    pub fn update(&mut self, now: Duration) {
        self.now = self.now.max(now);
        // What a call of the server on itself has called in turn.
        self.run_local_calls();
        self.follow_interest();
        self.write_changes();
        self.broadcast();
        self.audiences.tidy();
        self.stats.updates += 1;
    }

    fn broadcast(&mut self) {
        let now = self.now;
        let written = self.share_frames();
        let times = self.write_times();
        let (snapshots, interval) = (self.config.time_snapshots, self.config.ping_interval);
        let limit = self.config.max_queued_bytes;
        let mut behind = Vec::new();
        for (number, client) in self.connections.iter_mut() {
            let ping = interval != Duration::ZERO
                && client
                    .last_ping
                    .is_none_or(|last| now.saturating_sub(last) >= interval);
            if ping {
                client.last_ping = Some(now);
            }
            let told = Told {
                snapshot: snapshots && client.ready,
                ping,
                times: &times,
            };
            client.messages = 0;
            client.complete(now, &told, &mut self.audiences);
            if !client.listed && !client.outbox.is_empty() {
                client.listed = true;
                self.outgoing.push_back(ConnectionId(number));
            }
            if client.outbox.waiting() > limit {
                behind.push(ConnectionId(number));
            }
        }
        self.audiences.end_frame(written);
        for connection in behind {
            let what = "bytes that wait to be sent";
            self.drop_behind(connection, MirrorError::TooMuch { what, limit });
        }
    }

    /// Tells every connection which of the frames are for it.
    fn share_frames(&mut self) -> Vec<AudienceId> {
        let written = self.audiences.take_written();
        for id in &written {
            self.audiences.freeze(*id);
            let count = |channel| self.audiences.written(*id, channel).map(Frame::len);
            let is_empty = count(Channel::Reliable).is_none_or(|count| count == 0);
            let deltas = count(Channel::Unreliable);
            for member in self.audiences.members(*id) {
                let Some(client) = self.connections.get_mut(member.0) else {
                    continue;
                };
                client.states.add(*id, is_empty);
                if let Some(count) = deltas {
                    client.deltas.add(*id, count == 0);
                }
            }
        }
        written
    }

    fn write_times(&mut self) -> Times {
        let now = self.now;
        let seconds = now.as_secs_f64();
        let header = header(now);
        let scaled_time = seconds;
        let snapshot = TimeSnapshotMessage { scaled_time };
        let ping = NetworkPingMessage {
            local_time: seconds,
            predicted_time_adjusted: 0.0,
        };
        let snapshot = self.scratch.own_batch(&header, &snapshot);
        Times {
            both: self.scratch.own_batch(&snapshot, &ping),
            ping: self.scratch.own_batch(&header, &ping),
            snapshot,
        }
    }

    /// Ends a connection that takes too little of what it is sent.
    fn drop_behind(&mut self, connection: ConnectionId, error: MirrorError) {
        tracing::warn!(%connection, %error, "a client is disconnected");
        self.farewells.retain(|(gone, _)| *gone != connection);
        if let Some(client) = self.connections.get_mut(connection.0) {
            client.outbox.clear();
        }
        self.close(connection, DisconnectReason::Refused(error));
    }
}

impl Connection {
    /// Completes the batches of a connection: channel by channel, that which was used first first.
    fn complete(&mut self, now: Duration, told: &Told<'_>, audiences: &mut Audiences) {
        let used = if !told.snapshot && !self.states.frames.is_empty() {
            Some(Channel::Reliable)
        } else {
            let is_used = told.batch().is_some() || !self.deltas.frames.is_empty();
            is_used.then_some(Channel::Unreliable)
        };
        for channel in self.outbox.channels(used) {
            match (channel, told.batch()) {
                (Channel::Reliable, _) if !self.states.frames.is_empty() => {
                    let nothing = <[Bytes; 2]>::default();
                    let outbox = (&mut self.outbox, channel, now);
                    self.states.complete(outbox, nothing, audiences);
                }
                (Channel::Unreliable, _) if !self.deltas.frames.is_empty() => {
                    let outbox = (&mut self.outbox, channel, now);
                    self.deltas.complete(outbox, told.around(), audiences);
                }
                (Channel::Unreliable, Some(batch)) => {
                    self.outbox.flush_with_batch(channel, now, batch);
                }
                (channel, _) => self.outbox.flush(channel),
            }
        }
    }
}

impl Share {
    /// The frame has written for an audience that the connection is in.
    #[inline]
    fn add(&mut self, audience: AudienceId, is_empty: bool) {
        // One without messages is for owners alone.
        if !is_empty || self.exceptions.iter().any(|(of, _)| *of == audience) {
            self.frames.push(audience);
        }
    }

    /// Completes the batches of a channel, with this, and with something before and behind it.
    fn complete(
        &mut self,
        (outbox, channel, now): (&mut Outbox, Channel, Duration),
        around: [Bytes; 2],
        audiences: &mut Audiences,
    ) {
        match self.frames[..] {
            // What almost everybody gets: the very batches that others get.
            [frame] if self.exceptions.is_empty() && !outbox.is_open(channel, now) => {
                let around = around.each_ref().map(|messages| &messages[..]);
                let cut = outbox.cut(around.map(|messages| !messages.is_empty()));
                let batches = audiences.cut(frame, channel, (header(now), cut), around);
                outbox.flush_with_batches(channel, &batches);
            }
            _ => self.gather((outbox, channel, now), around, audiences),
        }
        self.frames.clear();
        self.exceptions.clear();
    }

    /// Puts batches together for this connection alone.
    fn gather(
        &mut self,
        (outbox, channel, now): (&mut Outbox, Channel, Duration),
        around: [Bytes; 2],
        audiences: &Audiences,
    ) {
        // By audience; within one they are in order already.
        self.exceptions.sort_by_key(|(audience, _)| *audience);
        let (of, exceptions): (Vec<AudienceId>, Vec<Exception>) = self.exceptions.drain(..).unzip();
        let mut parts = Vec::with_capacity(self.frames.len());
        for id in &self.frames {
            let start = of.partition_point(|it| it < id);
            let end = of.partition_point(|it| it <= id);
            if let (Some(frame), Some(exceptions)) =
                (audiences.written(*id, channel), exceptions.get(start..end))
            {
                parts.push((frame, exceptions));
            }
        }
        outbox.flush_with_frames((channel, now), parts.into_iter(), around);
    }
}
