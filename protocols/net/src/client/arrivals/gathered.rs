//! `Gathered`: packets of the newest tick, until the tick is complete.

use std::ops::Range;
use std::time::Duration;

use super::arrived::Arrived;

/// Most bytes that wait for the rest of their tick. Beyond it the packets are applied as they arrive.
const MAX_BYTES: usize = 96 * 1024;

/// Packets of a tick, without their headers.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    bytes: Vec<u8>,
    /// Packets of the stream, then datagrams by index.
    waiting: Vec<WaitingPacket>,
    /// Number of the packets of the stream.
    stream: usize,
    /// Own time of the first packet.
    since: Duration,
}

/// Packet whose messages are in the buffer.
#[derive(Clone, Debug)]
struct WaitingPacket {
    origin: PacketOrigin,
    tick: u32,
    channel: u8,
    bytes: Range<usize>,
}

/// Packet that has arrived, without its header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReceivedPacket<'a> {
    pub(crate) origin: PacketOrigin,
    pub(crate) tick: u32,
    pub(crate) channel: u8,
    pub(crate) messages: &'a [u8],
}

/// Carrier of a packet, and the facts of its header.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PacketOrigin {
    Stream,
    Datagram(Arrived),
}

impl Gathered {
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Returns the number of packets of the stream.
    pub(crate) fn stream(&self) -> usize {
        self.stream
    }

    pub(crate) fn has_datagrams(&self) -> bool {
        self.waiting.len() > self.stream
    }

    /// Returns whether a datagram of this sequence waits.
    pub(crate) fn contains(&self, sequence: u64) -> bool {
        let datagrams = self.waiting.get(self.stream..).unwrap_or_default();
        datagrams.iter().any(
            |packet| matches!(packet.origin, PacketOrigin::Datagram(it) if it.sequence == sequence),
        )
    }

    /// Returns whether the first packet has waited since before a time.
    pub(crate) fn is_older(&self, time: Duration) -> bool {
        !self.is_empty() && self.since < time
    }

    /// Adds a packet. Returns whether it fits.
    pub(crate) fn push(&mut self, packet: &ReceivedPacket<'_>, now: Duration) -> bool {
        let start = self.bytes.len();
        if start + packet.messages.len() > MAX_BYTES {
            return false;
        }
        if self.is_empty() {
            self.since = now;
        }
        let at = match packet.origin {
            PacketOrigin::Stream => {
                self.stream += 1;
                self.stream - 1
            }
            PacketOrigin::Datagram(new) => {
                self.waiting.partition_point(|packet| match packet.origin {
                    PacketOrigin::Stream => true,
                    PacketOrigin::Datagram(known) => known.index <= new.index,
                })
            }
        };
        self.bytes.extend_from_slice(packet.messages);
        let waiting = WaitingPacket {
            origin: packet.origin,
            tick: packet.tick,
            channel: packet.channel,
            bytes: start..self.bytes.len(),
        };
        self.waiting.insert(at, waiting);
        true
    }

    /// Returns the packets in their order.
    pub(crate) fn packets(&self) -> impl Iterator<Item = ReceivedPacket<'_>> {
        self.waiting.iter().map(|waiting| ReceivedPacket {
            origin: waiting.origin,
            tick: waiting.tick,
            channel: waiting.channel,
            messages: self.bytes.get(waiting.bytes.clone()).unwrap_or_default(),
        })
    }

    /// Removes all packets. The memory is used again.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.waiting.clear();
        self.stream = 0;
    }
}
