//! Output for the server.

use std::collections::VecDeque;

use bytes::Bytes;
use syncvar_runtime::{Channel, Encoding, NetworkWriter};

use crate::batch::Batcher;
use crate::client::{MirrorClient, MirrorClientStats};
use crate::message::{
    NetworkMessage, NetworkPingMessage, TimeSnapshotMessage, check_written, encode_user,
};
use crate::{Limits, MirrorError, MirrorMessage};

/// Limit of unpolled bytes: beyond it, no pongs, times and unreliable deltas are queued.
const MAX_WAITING: usize = 1 << 20;

/// A transport message for the server: one batch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MirrorPacket {
    /// The channel.
    pub channel: Channel,
    /// The batch.
    pub bytes: Bytes,
}

/// Queue for the server.
#[derive(Debug)]
pub(in crate::client) struct Outbox {
    limits: Limits,
    /// The used channels, in the order of their first message.
    batchers: Vec<(Channel, Batcher)>,
    packets: VecDeque<MirrorPacket>,
    packet_bytes: usize,
    /// Packet that a transport polled last.
    pub(in crate::client) polled: Bytes,
    /// Memory for messages.
    writer: NetworkWriter,
}

impl Default for Outbox {
    fn default() -> Self {
        Self::new(Limits::TELEPATHY)
    }
}

impl Outbox {
    pub(in crate::client) fn new(limits: Limits) -> Self {
        Self {
            limits,
            batchers: Vec::new(),
            packets: VecDeque::new(),
            packet_bytes: 0,
            polled: Bytes::new(),
            writer: NetworkWriter::with_encoding(Encoding::Mirror),
        }
    }

    /// Returns whether the queue has room for unreliable messages.
    fn has_room(&self) -> bool {
        let open = { self.batchers.iter() }.map(|(_, batcher)| batcher.queued_bytes());
        self.packet_bytes.saturating_add(open.sum()) <= MAX_WAITING
    }

    /// Completes the batches of all channels.
    fn flush(&mut self, stats: &mut MirrorClientStats) {
        for (channel, batcher) in &mut self.batchers {
            while let Some(bytes) = batcher.next_batch() {
                stats.count_sent(bytes.len());
                self.packet_bytes = self.packet_bytes.saturating_add(bytes.len());
                let channel = *channel;
                self.packets.push_back(MirrorPacket { channel, bytes });
            }
        }
    }

    /// Returns the next batch.
    fn poll(&mut self) -> Option<MirrorPacket> {
        let packet = self.packets.pop_front()?;
        self.packet_bytes = self.packet_bytes.saturating_sub(packet.bytes.len());
        Some(packet)
    }

    /// Queues the written message, unless writing failed.
    fn queue(
        &mut self,
        written: Result<(), MirrorError>,
        channel: Channel,
        time: f64,
    ) -> Result<(), MirrorError> {
        let message = self.writer.as_bytes();
        let length = message.len();
        let queued = if let Err(error) = written {
            Err(error)
        } else if self.limits.can_carry(channel, length) {
            let threshold = self.limits.batch_threshold;
            let known = { self.batchers.iter_mut() }.position(|(known, _)| *known == channel);
            if known.is_none() {
                self.batchers.push((channel, Batcher::new(threshold)));
            }
            let batcher = match known {
                Some(known) => self.batchers.get_mut(known),
                None => self.batchers.last_mut(),
            };
            if let Some((_, batcher)) = batcher {
                batcher.add(message, time);
            }
            Ok(())
        } else {
            let limit = self.limits.longest(channel);
            Err(MirrorError::TooLong { length, limit })
        };
        self.writer.truncate(0);
        queued
    }
}

impl MirrorClient {
    /// Returns the next batch for the server. Messages become batches with the next
    /// [`update`](Self::update).
    pub fn poll_transmit(&mut self) -> Option<MirrorPacket> {
        self.outbox.poll()
    }

    /// Sends a user message reliably.
    ///
    /// # Errors
    ///
    /// Fails without a connection, and for a message that has no encoding or is too long for the
    /// transport.
    pub fn send<M: MirrorMessage>(&mut self, message: &M) -> Result<(), MirrorError> {
        self.send_on(Channel::Reliable, message)
    }

    /// Sends a user message on a channel.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub fn send_on<M: MirrorMessage>(
        &mut self,
        channel: Channel,
        message: &M,
    ) -> Result<(), MirrorError> {
        if !self.session.is_connected() {
            return Err(MirrorError::NoSuchConnection);
        }
        let written = encode_user(message, &mut self.outbox.writer);
        self.outbox
            .queue(written, channel, self.time.own.now().as_secs_f64())
    }

    /// Sends a protocol message.
    pub(in crate::client) fn send_message<'a>(
        &mut self,
        message: &impl NetworkMessage<'a>,
        channel: Channel,
    ) -> Result<(), MirrorError> {
        if !self.session.is_connected() {
            return Err(MirrorError::NoSuchConnection);
        }
        let written = encode(message, &mut self.outbox.writer);
        self.outbox
            .queue(written, channel, self.time.own.now().as_secs_f64())
    }

    /// Sends a protocol message that is short and always has an encoding.
    pub(in crate::client) fn send_protocol<'a>(&mut self, message: &impl NetworkMessage<'a>) {
        if let Err(error) = self.send_message(message, Channel::Reliable) {
            tracing::error!(%error, "cannot send a protocol message");
        }
    }

    /// Sends it on the unreliable channel, unless the queue is full.
    pub(in crate::client) fn send_protocol_unreliable<'a>(
        &mut self,
        message: &impl NetworkMessage<'a>,
    ) {
        if !self.can_queue_unreliable() {
            return;
        }
        if let Err(error) = self.send_message(message, Channel::Unreliable) {
            tracing::error!(%error, "cannot send a protocol message");
        }
    }

    /// Returns whether the queue has room for unreliable messages.
    pub(in crate::client) fn can_queue_unreliable(&self) -> bool {
        self.outbox.has_room()
    }

    /// Sends a ping, if one is due.
    pub(in crate::client) fn send_ping(&mut self) {
        if self
            .time
            .server
            .take_ping(self.time.own.now(), self.config.ping_interval)
        {
            self.send_protocol_unreliable(&NetworkPingMessage {
                local_time: self.time.own.now().as_secs_f64(),
                predicted_time_adjusted: self.time.predicted(),
            });
        }
    }

    /// Sends the time.
    pub(in crate::client) fn send_time_snapshot(&mut self) {
        if self.config.time_snapshots {
            self.send_protocol_unreliable(&TimeSnapshotMessage {
                scaled_time: self.time.own.now().as_secs_f64(),
            });
        }
    }

    /// Completes the batches of all channels.
    pub(in crate::client) fn flush(&mut self) {
        self.outbox.flush(&mut self.stats);
    }
}

/// Writes a protocol message.
fn encode<'a, M: NetworkMessage<'a>>(
    message: &M,
    writer: &mut NetworkWriter,
) -> Result<(), MirrorError> {
    message.encode(writer);
    check_written(writer, M::NAME)
}
