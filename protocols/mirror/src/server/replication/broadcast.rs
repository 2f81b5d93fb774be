//! One frame: deltas to their observers, and complete batches for all connections.

use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::{Channel, ConnectionId, DisconnectReason};

use crate::MirrorError;
use crate::message::{NetworkPingMessage, TimeSnapshotMessage};
use crate::server::MirrorServer;
use crate::server::observers::audience::{AudienceId, Audiences};
use crate::server::outbound::outbox::{Exception, Outbox, header};
use crate::server::replication::frame::{Frame, HEADER};
use crate::server::sessions::connection::{Connection, FrameShare};

/// Time messages of a frame: batches shared by all connections.
struct TimeBatches {
    snapshot: Bytes,
    ping: Bytes,
    both: Bytes,
}

/// Time messages for one connection.
struct TimeMessages<'a> {
    snapshot: bool,
    ping: bool,
    batches: &'a TimeBatches,
}

impl TimeMessages<'_> {
    /// Returns the batch with all of them.
    fn batch(&self) -> Option<&Bytes> {
        match (self.snapshot, self.ping) {
            (true, true) => Some(&self.batches.both),
            (true, false) => Some(&self.batches.snapshot),
            (false, true) => Some(&self.batches.ping),
            (false, false) => None,
        }
    }

    /// Returns the messages before and after the unreliable deltas of a frame, without a batch
    /// header.
    fn around(&self) -> [Bytes; 2] {
        let messages = |is_sent: bool, batch: &Bytes| {
            let messages = is_sent.then(|| batch.slice(HEADER..));
            messages.unwrap_or_default()
        };
        [
            messages(self.snapshot, &self.batches.snapshot),
            messages(self.ping, &self.batches.ping),
        ]
    }
}

impl MirrorServer {
    /// Runs one frame: Mirror's `NetworkLateUpdate`, once per send interval. `now` is the time
    /// since any fixed moment. After one that is earlier than the last, the own time stands still for
    /// this update and continues from there. The same holds for a leap of more than 100 years
    /// ([`MirrorServerEvent::ClockLeap`]).
    ///
    /// First, view changes of the interest management take effect. Then dirty objects are encoded,
    /// each once for all observers and once more for an owner with other components. Hybrid
    /// components ([`SyncMethod::Hybrid`](crate::SyncMethod)) send their changes since the last
    /// baseline, and a new baseline when one is due. Finally the batches of every connection are
    /// completed: messages queued since the last update, with their time; and with `now`,
    /// `TimeSnapshotMessage`, the deltas, and a due `NetworkPingMessage`.
    ///
    /// A transport that updates the end by its own clock (`TcpServer`, `TcpClient`, `MirrorHost`,
    /// `MirrorPeer`) disables this call: it does nothing then, with one warning. A program that calls it
    /// at another rate than [`tick_rate`](crate::MirrorServerConfig::tick_rate) is warned once.
    pub fn update(&mut self, now: Duration) {
        if self.clock.admits_program() {
            self.advance(now);
            self.clock.watch_pace(self.config.tick_rate);
        }
    }

    /// Runs an update by the owner of the clock.
    pub(in crate::server) fn advance(&mut self, now: Duration) {
        self.advance_clock(now);
        self.events.release();
        self.sessions.intake.next_update();
        self.expire_joins();
        // Calls queued by a call of the server on itself.
        self.run_local_calls();
        self.run_frame();
        self.apply_interest();
        self.write_changes();
        self.report_stopped();
        self.broadcast();
        self.observers.audiences.collect_unused();
        self.stats.updates += 1;
    }

    fn broadcast(&mut self) {
        let now = self.clock.now();
        let written = self.assign_frames();
        let batches = self.write_times();
        let (snapshots, interval) = (self.config.time_snapshots, self.config.ping_interval);
        let limit = self.config.max_queued_bytes;
        let mut slow = Vec::new();
        for (connection, client) in self.sessions.iter_mut() {
            let ping = interval != Duration::ZERO
                && client
                    .last_ping
                    .is_none_or(|last| now.saturating_sub(last) >= interval);
            if ping {
                client.last_ping = Some(now);
            }
            let time = TimeMessages {
                snapshot: snapshots && client.is_ready(),
                ping,
                batches: &batches,
            };
            client.complete(now, &time, &mut self.observers.audiences);
            self.outbound.queue(connection, client);
            if client.outbox.waiting() > limit {
                slow.push(connection);
            }
        }
        self.observers.audiences.end_frame(written);
        for connection in slow {
            let what = "queued bytes";
            self.disconnect_slow(connection, MirrorError::TooMuch { what, limit });
        }
    }

    /// Assigns the frames to the members of their audiences.
    fn assign_frames(&mut self) -> Vec<AudienceId> {
        let written = self.observers.audiences.take_written();
        for id in &written {
            self.observers.audiences.freeze(*id);
            let count = |channel| {
                self.observers
                    .audiences
                    .written(*id, channel)
                    .map(Frame::len)
            };
            let is_empty = count(Channel::Reliable).is_none_or(|count| count == 0);
            let deltas = count(Channel::Unreliable);
            for member in self.observers.audiences.members(*id) {
                let Some(client) = self.sessions.get_mut(*member) else {
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

    fn write_times(&mut self) -> TimeBatches {
        let now = self.clock.now();
        let seconds = now.as_secs_f64();
        let header = header(now);
        let scaled_time = seconds;
        let snapshot = TimeSnapshotMessage { scaled_time };
        let ping = NetworkPingMessage {
            local_time: seconds,
            predicted_time_adjusted: 0.0,
        };
        let snapshot = self.replication.scratch.single_batch(&header, &snapshot);
        TimeBatches {
            both: self.replication.scratch.single_batch(&snapshot, &ping),
            ping: self.replication.scratch.single_batch(&header, &ping),
            snapshot,
        }
    }

    /// Disconnects a connection whose queue is too long.
    fn disconnect_slow(&mut self, connection: ConnectionId, error: MirrorError) {
        tracing::warn!(%connection, %error, "disconnecting a client");
        if let Some(client) = self.sessions.get_mut(connection) {
            client.outbox.clear();
        }
        self.close(connection, DisconnectReason::Refused(error));
    }
}

impl Connection {
    /// Completes the batches of both channels; the first used channel goes first.
    fn complete(&mut self, now: Duration, time: &TimeMessages<'_>, audiences: &mut Audiences) {
        let used = if !time.snapshot && !self.states.frames.is_empty() {
            Some(Channel::Reliable)
        } else {
            let is_used = time.batch().is_some() || !self.deltas.frames.is_empty();
            is_used.then_some(Channel::Unreliable)
        };
        for channel in self.outbox.channels(used) {
            match (channel, time.batch()) {
                (Channel::Reliable, _) if !self.states.frames.is_empty() => {
                    let nothing = <[Bytes; 2]>::default();
                    let outbox = (&mut self.outbox, channel, now);
                    self.states.complete(outbox, nothing, audiences);
                }
                (Channel::Unreliable, _) if !self.deltas.frames.is_empty() => {
                    let outbox = (&mut self.outbox, channel, now);
                    self.deltas.complete(outbox, time.around(), audiences);
                }
                (Channel::Unreliable, Some(batch)) => {
                    self.outbox.flush_with_batch(channel, now, batch);
                }
                (channel, _) => self.outbox.flush(channel),
            }
        }
    }
}

impl FrameShare {
    /// Adds the frame of an audience.
    #[inline]
    fn add(&mut self, audience: AudienceId, is_empty: bool) {
        // A frame without messages matters to replaced owners only.
        if !is_empty || self.exceptions.iter().any(|(of, _)| *of == audience) {
            self.frames.push(audience);
        }
    }

    /// Completes the batches of a channel: the queue, `around.0`, these frames, `around.1`.
    fn complete(
        &mut self,
        (outbox, channel, now): (&mut Outbox, Channel, Duration),
        around: [Bytes; 2],
        audiences: &mut Audiences,
    ) {
        match self.frames[..] {
            // The common case: batches shared with other connections.
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

    /// Assembles batches for this connection alone.
    fn gather(
        &mut self,
        (outbox, channel, now): (&mut Outbox, Channel, Duration),
        around: [Bytes; 2],
        audiences: &Audiences,
    ) {
        // By audience; the order within one is right already.
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
