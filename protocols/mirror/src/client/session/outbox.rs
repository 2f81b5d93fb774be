//! Output for the server: messages, batches, and the packets that the transport polls.

use std::collections::VecDeque;

use bytes::Bytes;
use syncvar_runtime::{Channel, Encoding, NetworkWriter};

use crate::batch::Batcher;
use crate::client::stats::MirrorClientStats;
use crate::message::{NetworkMessage, check_written, encode_user};
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
pub(crate) struct SessionOutbox {
    limits: Limits,
    /// The used channels, in the order of their first message.
    batchers: Vec<(Channel, Batcher)>,
    packets: VecDeque<MirrorPacket>,
    packet_bytes: usize,
    /// Packet that a transport polled last.
    pub(crate) polled: Bytes,
    /// Memory for messages.
    writer: NetworkWriter,
}

impl Default for SessionOutbox {
    fn default() -> Self {
        Self::new(Limits::TELEPATHY)
    }
}

impl SessionOutbox {
    pub(crate) fn new(limits: Limits) -> Self {
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
    pub(crate) fn has_room(&self) -> bool {
        let open = { self.batchers.iter() }.map(|(_, batcher)| batcher.queued_bytes());
        self.packet_bytes.saturating_add(open.sum()) <= MAX_WAITING
    }

    /// Completes the batches of all channels.
    pub(crate) fn flush(&mut self, stats: &mut MirrorClientStats) {
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
    pub(crate) fn poll(&mut self) -> Option<MirrorPacket> {
        let packet = self.packets.pop_front()?;
        self.packet_bytes = self.packet_bytes.saturating_sub(packet.bytes.len());
        Some(packet)
    }

    /// Queues a user message.
    pub(crate) fn send_user<M: MirrorMessage>(
        &mut self,
        message: &M,
        channel: Channel,
        time: f64,
    ) -> Result<(), MirrorError> {
        let written = encode_user(message, &mut self.writer);
        self.queue(written, channel, time)
    }

    /// Queues a message of the protocol.
    pub(crate) fn send<'a, M: NetworkMessage<'a>>(
        &mut self,
        message: &M,
        channel: Channel,
        time: f64,
    ) -> Result<(), MirrorError> {
        message.encode(&mut self.writer);
        let written = check_written(&mut self.writer, M::NAME);
        self.queue(written, channel, time)
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
