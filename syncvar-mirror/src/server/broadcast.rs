//! One frame: what has changed goes to those who observe it, and the batches of all connections are
//! completed.

use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::{Channel, ConnectionId};

use super::audience::{AudienceId, Audiences};
use super::connection::Connection;
use super::outbox::{Exception, header};
use super::{DisconnectReason, MirrorServer};
use crate::MirrorError;
use crate::message::{NetworkPingMessage, TimeSnapshotMessage};

/// What a frame tells about the time: batches that all connections share.
struct Times {
    snapshot: Bytes,
    ping: Bytes,
    both: Bytes,
}

impl MirrorServer {
    /// One frame: what `NetworkLateUpdate` does in Mirror, once for each of its send intervals. `now` is
    /// the time since any moment; one that is earlier than the last counts as that.
    ///
    /// First the interest management is asked, and what it says is done. Then the changes of all dirty
    /// objects are written, each object once for all who observe it and once more for an owner who is sent
    /// other components. Then the batches of every connection are completed: what was queued for it since
    /// the last update, with the time of that, and what this one has to say, with `now`:
    /// `TimeSnapshotMessage`, the changes, and `NetworkPingMessage` if it is time for one.
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
            let batch = match (snapshots && client.ready, ping) {
                (true, true) => Some(&times.both),
                (true, false) => Some(&times.snapshot),
                (false, true) => Some(&times.ping),
                (false, false) => None,
            };
            client.messages = 0;
            let snapshot = snapshots && client.ready;
            client.complete(now, (snapshot, batch), &mut self.audiences);
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
            let is_empty = self.audiences.written(*id).is_none_or(|it| it.len() == 0);
            for member in self.audiences.members(*id) {
                let Some(client) = self.connections.get_mut(member.0) else {
                    continue;
                };
                // One without messages is for owners alone.
                if !is_empty || client.exceptions.iter().any(|(of, _)| of == id) {
                    client.frames.push(*id);
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
    fn complete(
        &mut self,
        now: Duration,
        (snapshot, batch): (bool, Option<&Bytes>),
        audiences: &mut Audiences,
    ) {
        let used = if !snapshot && !self.frames.is_empty() {
            Some(Channel::Reliable)
        } else {
            batch.map(|_| Channel::Unreliable)
        };
        for channel in self.outbox.channels(used) {
            match (channel, batch) {
                (Channel::Reliable, _) => self.complete_changes(now, audiences),
                (channel, Some(batch)) => self.outbox.flush_with_batch(channel, now, batch),
                (channel, None) => self.outbox.flush(channel),
            }
        }
    }

    fn complete_changes(&mut self, now: Duration, audiences: &mut Audiences) {
        let channel = Channel::Reliable;
        match self.frames[..] {
            [] => self.outbox.flush(channel),
            // What almost everybody gets: the very batches that others get.
            [frame] if self.exceptions.is_empty() && !self.outbox.is_open(channel, now) => {
                let batches = audiences.cut(frame, header(now), self.outbox.cut());
                self.outbox.flush_with_batches(channel, &batches);
            }
            _ => self.complete_frames(now, audiences),
        }
        self.frames.clear();
        self.exceptions.clear();
    }

    fn complete_frames(&mut self, now: Duration, audiences: &Audiences) {
        // By audience; within one they are in order already.
        self.exceptions.sort_by_key(|(audience, _)| *audience);
        let (mut of, mut exceptions): (Vec<AudienceId>, Vec<Exception>) =
            self.exceptions.drain(..).unzip();
        let mut parts = Vec::with_capacity(self.frames.len());
        for id in &self.frames {
            let start = of.partition_point(|it| it < id);
            let end = of.partition_point(|it| it <= id);
            if let (Some(frame), Some(exceptions)) =
                (audiences.written(*id), exceptions.get(start..end))
            {
                parts.push((frame, exceptions));
            }
        }
        self.outbox
            .flush_with_frames(Channel::Reliable, now, parts.iter().copied());
        drop(parts);
        of.clear();
        exceptions.clear();
    }
}
