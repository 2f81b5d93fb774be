//! One frame: deltas to their observers, and complete batches for all connections.

use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::{Channel, ConnectionId};

use crate::message::{NetworkMessage, NetworkPingMessage, TimeSnapshotMessage};
use crate::server::audiences::{AudienceId, Audiences};
use crate::server::batches::frame::{AudienceFrame, HEADER};
use crate::server::batches::outbox::{ConnectionOutbox, Exception, header};
use crate::server::context::Context;
use crate::server::outbound::Outbound;
use crate::server::sessions::Sessions;
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
    /// Returns the batch with the due messages.
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

impl Outbound {
    /// Completes the batches of all connections, with the messages of this frame. Returns the connections whose
    /// queue is longer than the limit.
    pub(crate) fn broadcast(
        &mut self,
        sessions: &mut Sessions,
        audiences: &mut Audiences,
        context: &Context,
    ) -> Vec<ConnectionId> {
        let (now, config) = (context.now(), &context.config);
        let written = assign_frames(sessions, audiences);
        let batches = self.write_times(now);
        let mut slow = Vec::new();
        for (connection, client) in sessions.iter_mut() {
            let time = TimeMessages {
                snapshot: config.time_snapshots && client.is_ready(),
                ping: client.times.take_ping(now, config.ping_interval),
                batches: &batches,
            };
            client.complete(now, &time, audiences);
            self.queue(connection, client);
            if client.outbox.waiting() > config.max_queued_bytes {
                slow.push(connection);
            }
        }
        audiences.end_frame(written);
        slow
    }

    fn write_times(&mut self, now: Duration) -> TimeBatches {
        let seconds = now.as_secs_f64();
        let header = header(now);
        let snapshot = TimeSnapshotMessage {
            scaled_time: seconds,
        };
        let ping = NetworkPingMessage {
            local_time: seconds,
            predicted_time_adjusted: 0.0,
        };
        let snapshot = self.batch(&header, &snapshot);
        TimeBatches {
            both: self.batch(&snapshot, &ping),
            ping: self.batch(&header, &ping),
            snapshot,
        }
    }

    /// Returns the bytes of a batch with a further message.
    fn batch<'a, M: NetworkMessage<'a>>(&mut self, before: &[u8], message: &M) -> Bytes {
        self.written.truncate(0);
        message.encode(&mut self.written);
        self.chunk.batch(before, self.written.as_bytes())
    }
}

/// Assigns the frames to the members of their audiences.
fn assign_frames(sessions: &mut Sessions, audiences: &mut Audiences) -> Vec<AudienceId> {
    let written = audiences.take_written();
    for id in &written {
        audiences.freeze(*id);
        let count = |channel| audiences.written(*id, channel).map(AudienceFrame::len);
        let is_empty = count(Channel::Reliable).is_none_or(|count| count == 0);
        let deltas = count(Channel::Unreliable);
        for member in audiences.members(*id) {
            let Some(client) = sessions.get_mut(*member) else {
                continue;
            };
            client.shares.states.add(*id, is_empty);
            if let Some(count) = deltas {
                client.shares.deltas.add(*id, count == 0);
            }
        }
    }
    written
}

impl Connection {
    /// Completes the batches of both channels; the first used channel goes first.
    fn complete(&mut self, now: Duration, time: &TimeMessages<'_>, audiences: &mut Audiences) {
        let used = if !time.snapshot && !self.shares.states.frames.is_empty() {
            Some(Channel::Reliable)
        } else {
            let is_used = time.batch().is_some() || !self.shares.deltas.frames.is_empty();
            is_used.then_some(Channel::Unreliable)
        };
        for channel in self.outbox.channels(used) {
            match (channel, time.batch()) {
                (Channel::Reliable, _) if !self.shares.states.frames.is_empty() => {
                    let outlet = Outlet::new(&mut self.outbox, channel, now);
                    let nothing = <[Bytes; 2]>::default();
                    self.shares.states.complete(outlet, nothing, audiences);
                }
                (Channel::Unreliable, _) if !self.shares.deltas.frames.is_empty() => {
                    let outlet = Outlet::new(&mut self.outbox, channel, now);
                    let shares = &mut self.shares.deltas;
                    shares.complete(outlet, time.around(), audiences);
                }
                (Channel::Unreliable, Some(batch)) => {
                    self.outbox.flush_with_batch(channel, now, batch);
                }
                (channel, _) => self.outbox.flush(channel),
            }
        }
    }
}

/// Outbox of a connection, and the channel and time of the batches.
struct Outlet<'a> {
    outbox: &'a mut ConnectionOutbox,
    channel: Channel,
    now: Duration,
}

impl<'a> Outlet<'a> {
    fn new(outbox: &'a mut ConnectionOutbox, channel: Channel, now: Duration) -> Self {
        Self {
            outbox,
            channel,
            now,
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
    fn complete(&mut self, outlet: Outlet<'_>, around: [Bytes; 2], audiences: &mut Audiences) {
        let Outlet {
            outbox,
            channel,
            now,
        } = outlet;
        match self.frames[..] {
            // The common case: batches shared with other connections.
            [frame] if self.exceptions.is_empty() && !outbox.is_open(channel, now) => {
                let around = around.each_ref().map(|messages| &messages[..]);
                let cut = outbox.cut(around.map(|messages| !messages.is_empty()));
                let batches = audiences.cut(frame, channel, header(now), cut, around);
                outbox.flush_with_batches(channel, &batches);
            }
            _ => self.gather(Outlet::new(outbox, channel, now), around, audiences),
        }
        self.frames.clear();
        self.exceptions.clear();
    }

    /// Assembles batches for this connection alone.
    fn gather(&mut self, outlet: Outlet<'_>, around: [Bytes; 2], audiences: &Audiences) {
        // By audience; the order within one is right already.
        self.exceptions.sort_by_key(|(audience, _)| *audience);
        let (of, exceptions): (Vec<AudienceId>, Vec<Exception>) = self.exceptions.drain(..).unzip();
        let mut parts = Vec::with_capacity(self.frames.len());
        for id in &self.frames {
            let start = of.partition_point(|it| it < id);
            let end = of.partition_point(|it| it <= id);
            if let (Some(frame), Some(exceptions)) = (
                audiences.written(*id, outlet.channel),
                exceptions.get(start..end),
            ) {
                parts.push((frame, exceptions));
            }
        }
        let Outlet {
            outbox,
            channel,
            now,
        } = outlet;
        outbox.flush_with_frames(channel, now, parts.into_iter(), around);
    }
}
