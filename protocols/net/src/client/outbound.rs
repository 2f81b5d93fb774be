//! `Outbound`: messages to the server, gathered into packets.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;

use super::NetworkClient;
use super::arrivals::Datagrams;
use super::writes::lossy::LossyWrites;
use crate::link::ack::Ack;
use crate::link::header::{DatagramHeader, StreamHeader};
use crate::link::header_bytes::MAX_HEADER;
use crate::link::stream::StreamTicks;
use crate::message::{Message, Resync};
use crate::recent::Recent;
use crate::{Framing, MessageType};
use syncvar_runtime::endpoint::join;
use syncvar_runtime::packet::Segments;
use syncvar_runtime::{Channel, ConnectionStats, Counter, NetId, NetworkWriter};

/// Packet for the server.
///
/// ```
/// use std::time::Duration;
/// use syncvar::prelude::*;
///
/// let mut client = NetworkClient::new(Prefabs::new());
/// client.handle_connect();
/// client.update(Duration::ZERO);
/// while let Some(packet) = client.poll_transmit() {
///     println!("{} bytes on channel {}", packet.bytes.len(), packet.channel);
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientPacket {
    /// Number of the channel.
    pub channel: u8,
    /// Delivery guarantee of the packet.
    pub delivery: Channel,
    /// Contents.
    pub bytes: Bytes,
}

/// Messages to the server and the packets cut from them.
#[derive(Debug)]
pub(super) struct Outbound {
    /// Messages not yet cut into packets.
    buffer: Segments,
    /// Channel of the messages in the buffer.
    channel: u8,
    /// Packets without headers, and their channels, oldest first.
    packets: VecDeque<(u8, Bytes)>,
    /// Ticks of the headers; `None` before the server's answer, and in [`Framing::Unet`].
    pub(super) headers: Option<StreamTicks>,
    /// Datagrams to the server; `None` without headers or datagrams.
    pub(super) lossy: Option<Box<LossyWrites>>,
    /// Last packets of the session.
    pub(super) recent: Recent,
    /// Packet that a transport polled last.
    pub(super) polled: Bytes,
}

impl Outbound {
    pub(super) fn new(packet_size: usize) -> Self {
        Self {
            buffer: Framing::Unet.segments(packet_size),
            channel: 0,
            packets: VecDeque::new(),
            headers: None,
            lossy: None,
            recent: Recent::default(),
            polled: Bytes::new(),
        }
    }

    fn is_empty(&self) -> bool {
        let has_datagrams = self.lossy.as_ref().is_some_and(|it| it.has_waiting());
        let has_packets = !self.packets.is_empty() || self.recent.is_waiting();
        self.buffer.is_empty() && !has_packets && !has_datagrams
    }

    /// Cuts the buffer into packets.
    fn pack(&mut self) {
        let channel = self.channel;
        let packets = self.buffer.drain().map(|packet| (channel, packet));
        self.packets.extend(packets);
    }

    /// Returns the buffer for messages of a channel. Messages keep their order across channels.
    pub(super) fn on_channel(&mut self, channel: u8) -> &mut Segments {
        if channel != self.channel {
            self.pack();
            self.channel = channel;
        }
        &mut self.buffer
    }

    /// Returns the channel of the next packet.
    fn next_channel(&mut self) -> Option<u8> {
        if self.packets.is_empty() {
            self.pack();
        }
        self.packets.front().map(|(channel, _)| *channel)
    }

    /// Takes the next packet of an update with this number.
    fn pop(
        &mut self,
        (now, tick): (Duration, u32),
        delivery: Channel,
        ack: Option<Ack>,
    ) -> Option<Bytes> {
        let (_, messages) = self.packets.pop_front()?;
        let Some(headers) = &mut self.headers else {
            return Some(messages);
        };
        let header = match &mut self.lossy {
            Some(lossy) if delivery == Channel::Unreliable => lossy.header((now, tick), &[], ack),
            lossy => {
                let is_last = self.packets.is_empty() && self.buffer.is_empty();
                if let Some(lossy) = lossy {
                    lossy.stream_sent(is_last);
                }
                let header = StreamHeader {
                    end: is_last,
                    ack,
                    ..StreamHeader::default()
                };
                headers.stamp(tick, header).encode()
            }
        };
        Some(join(header.as_slice(), &[messages]))
    }
}

impl NetworkClient {
    /// Returns the next packet for the transport. Poll until it returns `None`.
    pub fn poll_transmit(&mut self) -> Option<ClientPacket> {
        self.ask_for_refused();
        let (channel, bytes) = match self.outbound.recent.pop_again() {
            Some(packet) => packet,
            None => {
                let packet = self.next_packet().or_else(|| self.next_datagram());
                packet.or_else(|| self.next_ack())?
            }
        };
        self.context.stats.sent.add(bytes.len());
        let delivery = self.delivery(channel);
        Some(ClientPacket {
            channel,
            delivery,
            bytes,
        })
    }

    /// Returns the length of the longest packets, with their headers.
    pub(super) fn packet_size(&self) -> usize {
        let size = self.context.config.packet_size;
        match self.session.max_datagram {
            0 => size,
            longest => size.min(longest),
        }
    }

    /// Returns the length of the longest packets without their headers.
    pub(super) fn segment_size(&self) -> usize {
        let header = if self.session.datagrams {
            MAX_HEADER
        } else {
            0
        };
        self.packet_size().saturating_sub(header)
    }

    /// Returns the delivery of the packets on a channel.
    fn delivery(&self, channel: u8) -> Channel {
        let kind = self.context.config.channels.get(usize::from(channel));
        match kind {
            Some(Channel::Unreliable) if self.arrivals.is_none() || self.session.datagrams => {
                Channel::Unreliable
            }
            _ => Channel::Reliable,
        }
    }

    /// Returns the traffic and the delay of the connection. The counters run since the creation of the
    /// client.
    pub fn connection_stats(&self) -> ConnectionStats {
        let (mut stats, mut queued) = (ConnectionStats::default(), Counter::default());
        let packets = self.outbound.packets.iter();
        packets.for_each(|(_, packet)| queued.add(packet.len()));
        if !self.outbound.buffer.is_empty() {
            queued.add(self.outbound.buffer.as_bytes().len());
        }
        (stats.sent, stats.received) = (self.context.stats.sent, self.context.stats.received);
        stats.queued = queued;
        (stats.round_trip, stats.jitter) = (self.round_trip_time(), self.round_trip_deviation());
        stats
    }

    /// Takes a packet and counts it in the session.
    fn next_packet(&mut self) -> Option<(u8, Bytes)> {
        let channel = self.outbound.next_channel()?;
        let (tick, delivery) = (self.context.clock.updates, self.delivery(channel));
        let ack = self.datagrams().and_then(Datagrams::owed_ack);
        let now = self.context.now();
        let bytes = self.outbound.pop((now, tick), delivery, ack)?;
        if delivery == Channel::Reliable {
            let recent = &mut self.outbound.recent;
            if self.session.has_token() {
                recent.keep(channel, bytes.clone(), self.context.config.resume_bytes);
            } else {
                recent.count();
            }
        }
        Some((channel, bytes))
    }

    /// Returns the received datagrams, if the server's packets have headers and may be datagrams.
    fn datagrams(&mut self) -> Option<&mut Datagrams> {
        let arrivals = self.arrivals.as_mut();
        let arrivals = arrivals.filter(|_| self.session.datagrams && self.session.is_connected());
        arrivals?.datagrams.as_deref_mut()
    }

    /// Takes a datagram with owner writes.
    fn next_datagram(&mut self) -> Option<(u8, Bytes)> {
        let now = self.context.now();
        if !self.outbound.lossy.as_ref()?.has_waiting() {
            return None;
        }
        let ack = self.datagrams().and_then(Datagrams::owed_ack);
        let (channel, header, messages) = self.outbound.lossy.as_mut()?.pop(now, ack)?;
        Some((channel, join(header.as_slice(), &[messages])))
    }

    /// Returns an acknowledgement that no other packet has taken with it in time.
    fn next_ack(&mut self) -> Option<(u8, Bytes)> {
        let now = self.context.now();
        let channels = &self.context.config.channels;
        let channel = channels
            .iter()
            .position(|kind| *kind == Channel::Unreliable);
        let channel = u8::try_from(channel?).ok()?;
        let ack = self.datagrams()?.due_ack(now)?;
        let header = DatagramHeader::new(None, Some(ack)).encode();
        Some((channel, Bytes::copy_from_slice(header.as_slice())))
    }

    /// Returns whether packets or owner writes are pending.
    pub(crate) fn has_outgoing(&self) -> bool {
        let datagrams = self.arrivals.as_ref().and_then(|it| it.datagrams.as_ref());
        let has_ack = datagrams.is_some_and(|datagrams| datagrams.has_urgent_ack());
        !self.writes.is_empty() || !self.outbound.is_empty() || has_ack
    }

    /// Appends a message on channel 0, if a server receives it.
    pub(super) fn send_own<M: Message>(&mut self, message: &M) {
        if !self.session.is_heard() {
            return;
        }
        let buffer = self.outbound.on_channel(0);
        let writer = buffer.begin();
        message.encode(writer);
        if writer.take_error().is_some() {
            buffer.give_up();
        } else {
            self.context.stats.count_encoded(M::TYPE, buffer.commit());
        }
    }

    /// Appends a message that refers to the view, behind the view in the same packet. Returns its length.
    pub(super) fn send_with_view(
        &mut self,
        channel: u8,
        write: impl FnOnce(&mut NetworkWriter),
    ) -> usize {
        let view = self.view_message();
        let writer = self.outbound.on_channel(channel).begin();
        let start = writer.len();
        if let Some(view) = view {
            view.encode(writer);
        }
        let length = writer.len() - start;
        write(writer);
        let whole = self.outbound.on_channel(channel).commit();
        if length > 0 {
            self.context.stats.count_encoded(MessageType::View, length);
        }
        whole - length
    }

    /// Asks the server for a snapshot.
    pub(super) fn request_snapshot(&mut self, id: NetId) {
        self.send_own(&Resync { net_id: id });
    }
}
