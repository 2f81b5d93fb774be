//! What goes to the server.

use std::collections::VecDeque;

use bytes::Bytes;
use syncvar_runtime::{Channel, Encoding, NetworkWriter};

use super::MirrorClient;
use crate::batch::Batcher;
use crate::message::{NetworkMessage, NetworkPingMessage, TimeSnapshotMessage, encode_user};
use crate::{Limits, MirrorError, MirrorMessage};

/// If more bytes than this wait to be polled, no more answers to pings are added, nor times, nor what has
/// changed of components that travel unreliably.
const MAX_WAITING: usize = 1 << 20;

/// A message of the transport, for the server: one batch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MirrorPacket {
    /// On which channel.
    pub channel: Channel,
    /// The batch.
    pub bytes: Bytes,
}

/// What waits to be sent.
#[derive(Debug)]
pub(super) struct Outbox {
    limits: Limits,
    /// Those of the channels that have been used, in the order in which they first were.
    batchers: Vec<(Channel, Batcher)>,
    packets: VecDeque<MirrorPacket>,
    packet_bytes: usize,
    /// For messages that are being written.
    writer: NetworkWriter,
}

impl Default for Outbox {
    fn default() -> Self {
        Self::new(Limits::TELEPATHY)
    }
}

impl Outbox {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            batchers: Vec::new(),
            packets: VecDeque::new(),
            packet_bytes: 0,
            writer: NetworkWriter::with_encoding(Encoding::Mirror),
        }
    }

    /// How many bytes have not been polled.
    fn waiting_bytes(&self) -> usize {
        let open = self
            .batchers
            .iter()
            .map(|(_, batcher)| batcher.queued_bytes());
        self.packet_bytes.saturating_add(open.sum())
    }

    /// Queues what has been written, if it has been.
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
    /// A batch for the server, oldest first. What has been queued can be polled after the next
    /// [`update`](Self::update).
    pub fn poll_transmit(&mut self) -> Option<MirrorPacket> {
        let packet = self.outbox.packets.pop_front()?;
        let length = packet.bytes.len();
        self.outbox.packet_bytes = self.outbox.packet_bytes.saturating_sub(length);
        Some(packet)
    }

    /// Sends a message of the game, reliably.
    ///
    /// # Errors
    ///
    /// When there is no connection, when something in it has no form on the wire, or when it is too long for
    /// the transport.
    pub fn send<M: MirrorMessage>(&mut self, message: &M) -> Result<(), MirrorError> {
        self.send_on(Channel::Reliable, message)
    }

    /// Sends a message of the game on a channel.
    ///
    /// # Errors
    ///
    /// Those of [`send`](Self::send).
    pub fn send_on<M: MirrorMessage>(
        &mut self,
        channel: Channel,
        message: &M,
    ) -> Result<(), MirrorError> {
        if !self.connected {
            return Err(MirrorError::NoSuchConnection);
        }
        let written = encode_user(message, &mut self.outbox.writer);
        self.outbox.queue(written, channel, self.now.as_secs_f64())
    }

    /// Sends one of Mirror's messages.
    pub(super) fn send_message<'a>(
        &mut self,
        message: &impl NetworkMessage<'a>,
        channel: Channel,
    ) -> Result<(), MirrorError> {
        if !self.connected {
            return Err(MirrorError::NoSuchConnection);
        }
        let written = encode(message, &mut self.outbox.writer);
        self.outbox.queue(written, channel, self.now.as_secs_f64())
    }

    /// Sends one that is neither long nor can fail to be written.
    pub(super) fn send_own<'a>(&mut self, message: &impl NetworkMessage<'a>) {
        if let Err(error) = self.send_message(message, Channel::Reliable) {
            tracing::error!(%error, "a message of the protocol was not sent");
        }
    }

    /// The same on the unreliable channel, unless nobody takes what is sent.
    pub(super) fn send_own_unreliable<'a>(&mut self, message: &impl NetworkMessage<'a>) {
        if !self.can_queue_unreliable() {
            return;
        }
        if let Err(error) = self.send_message(message, Channel::Unreliable) {
            tracing::error!(%error, "a message of the protocol was not sent");
        }
    }

    /// Whether somebody takes what is sent, so that what may be lost can be added.
    pub(super) fn can_queue_unreliable(&self) -> bool {
        self.outbox.waiting_bytes() <= MAX_WAITING
    }

    /// Asks for the server's time, if that is due.
    pub(super) fn send_ping(&mut self) {
        if self.clock.take_ping(self.now, self.config.ping_interval) {
            self.send_own_unreliable(&NetworkPingMessage {
                local_time: self.now.as_secs_f64(),
                predicted_time_adjusted: self.clock.predicted(self.now),
            });
        }
    }

    /// Says what time it is.
    pub(super) fn send_time_snapshot(&mut self) {
        if self.config.time_snapshots {
            self.send_own_unreliable(&TimeSnapshotMessage {
                scaled_time: self.now.as_secs_f64(),
            });
        }
    }

    /// What has been queued can be polled from now on.
    pub(super) fn flush(&mut self) {
        for (channel, batcher) in &mut self.outbox.batchers {
            while let Some(bytes) = batcher.next_batch() {
                self.stats.count_sent(bytes.len());
                self.outbox.packet_bytes = self.outbox.packet_bytes.saturating_add(bytes.len());
                let channel = *channel;
                self.outbox
                    .packets
                    .push_back(MirrorPacket { channel, bytes });
            }
        }
    }
}

/// Writes one of Mirror's messages.
fn encode<'a, M: NetworkMessage<'a>>(
    message: &M,
    writer: &mut NetworkWriter,
) -> Result<(), MirrorError> {
    message.encode(writer);
    match writer.take_error() {
        None => Ok(()),
        Some(error) => Err(MirrorError::Unwritable {
            message: M::NAME,
            error,
        }),
    }
}
