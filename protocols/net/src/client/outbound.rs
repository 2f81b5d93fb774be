//! `Outbound`: messages to the server, gathered into packets.

mod lossy;
mod sent_inputs;

pub(super) use lossy::{LossyWrites, MissingFields, OwnWrite};

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;

use super::ClientConfig;
use super::arrivals::Datagrams;
use super::context::Context;
use crate::link::ack::Ack;
use crate::link::header::{DatagramHeader, StreamHeader};
use crate::link::header_bytes::MAX_HEADER;
use crate::link::round_trip::RoundTrip;
use crate::link::stream::StreamTicks;
use crate::message::{Message, View};
use crate::recent::Recent;
use crate::stats::Stats;
use crate::{Framing, MessageType};
use syncvar_runtime::endpoint::join;
use syncvar_runtime::unstable::packet::Segments;
use syncvar_runtime::{Channel, Counter, NetworkWriter};

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

/// Work that keeps the link of a client busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PendingWork {
    Done,
    /// Packets wait for the rest of their tick, calls for their state, or owner writes for an acknowledgement.
    Incoming,
    /// Packets or owner writes wait for the transport.
    Outgoing,
}

/// Datagrams of the transport.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Carrier {
    /// Whether packets of unreliable channels travel as datagrams.
    pub(super) datagrams: bool,
    /// Length of the longest datagram; 0 without them.
    pub(super) longest: usize,
}

impl Carrier {
    /// Returns the length of the longest packets, with their headers.
    pub(super) fn packet_size(self, size: usize) -> usize {
        match self.longest {
            0 => size,
            longest => size.min(longest),
        }
    }

    /// Returns the length of the longest packets without their headers.
    pub(super) fn segment_size(self, size: usize) -> usize {
        let header = if self.datagrams { MAX_HEADER } else { 0 };
        self.packet_size(size).saturating_sub(header)
    }
}

/// Place of a packet among the updates of this client.
#[derive(Clone, Copy, Debug)]
pub(super) struct SendTime {
    now: Duration,
    /// Number of the update.
    update: u32,
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

    /// Gives headers to the packets from now on, if the framing has them. `handshake`: the time since the request to connect.
    pub(super) fn begin_headers(
        &mut self,
        has_headers: bool,
        carrier: Carrier,
        config: &ClientConfig,
        handshake: Duration,
    ) {
        self.headers = has_headers.then(StreamTicks::default);
        self.lossy = (has_headers && carrier.datagrams).then(|| {
            let settings = config.loss.at_rate(config.tick_rate);
            let room = carrier.packet_size(config.packet_size);
            let (room, round_trip) = (room.saturating_sub(MAX_HEADER), RoundTrip::guess(handshake));
            Box::new(LossyWrites::new(settings, room, round_trip))
        });
    }

    /// Returns whether neither messages nor packets wait for the transport.
    pub(super) fn is_empty(&self) -> bool {
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

    /// Appends a message on channel 0.
    pub(super) fn send<M: Message>(&mut self, message: &M, stats: &mut Stats) {
        let buffer = self.on_channel(0);
        let writer = buffer.begin();
        message.encode(writer);
        if writer.take_error().is_some() {
            buffer.give_up();
        } else {
            stats.count_encoded(M::TYPE, buffer.commit());
        }
    }

    /// Returns the channel of the next packet.
    fn next_channel(&mut self) -> Option<u8> {
        if self.packets.is_empty() {
            self.pack();
        }
        self.packets.front().map(|(channel, _)| *channel)
    }

    /// Takes the next packet for the transport: a packet of a resumed session, messages, owner writes, or an acknowledgement
    /// that is overdue. `acks`: the received datagrams, if the server waits for acknowledgements.
    /// `keeps`: packets on reliable channels are kept for the return to the session.
    pub(super) fn poll(
        &mut self,
        carrier: Carrier,
        mut acks: Option<&mut Datagrams>,
        keeps: bool,
        context: &Context,
    ) -> Option<ClientPacket> {
        let at = SendTime {
            now: context.now(),
            update: context.clock.updates,
        };
        let mut next = self.recent.pop_again();
        if next.is_none()
            && let Some(channel) = self.next_channel()
        {
            let delivery = self.delivery(channel, carrier, context);
            let ack = acks.as_deref_mut().and_then(Datagrams::owed_ack);
            let bytes = self.pop(at, delivery, ack)?;
            if delivery == Channel::Reliable {
                if keeps {
                    let limit = context.config.resume_bytes;
                    let chunks = std::slice::from_ref(&bytes);
                    self.recent.keep(channel, &[], chunks, limit);
                } else {
                    self.recent.count();
                }
            }
            next = Some((channel, bytes));
        }
        if next.is_none()
            && let Some(lossy) = self.lossy.as_mut().filter(|lossy| lossy.has_waiting())
        {
            let ack = acks.as_deref_mut().and_then(Datagrams::owed_ack);
            let (channel, header, messages) = lossy.pop(at.now, ack)?;
            next = Some((channel, join(header.as_slice(), &[messages])));
        }
        let (channel, bytes) = match next {
            Some(packet) => packet,
            None => lone_ack(acks?, context)?,
        };
        let delivery = self.delivery(channel, carrier, context);
        Some(ClientPacket {
            channel,
            delivery,
            bytes,
        })
    }

    /// Returns the delivery of the packets on a channel.
    fn delivery(&self, channel: u8, carrier: Carrier, context: &Context) -> Channel {
        match context.config.channels.get(usize::from(channel)) {
            Some(Channel::Unreliable) if self.headers.is_none() || carrier.datagrams => {
                Channel::Unreliable
            }
            _ => Channel::Reliable,
        }
    }

    /// Takes the next packet of an update.
    fn pop(&mut self, at: SendTime, delivery: Channel, ack: Option<Ack>) -> Option<Bytes> {
        let (_, messages) = self.packets.pop_front()?;
        let Some(headers) = &mut self.headers else {
            return Some(messages);
        };
        let header = match &mut self.lossy {
            Some(lossy) if delivery == Channel::Unreliable => {
                lossy.header(at.now, at.update, &[], ack)
            }
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
                headers.stamp(at.update, header).encode()
            }
        };
        Some(join(header.as_slice(), &[messages]))
    }

    /// Returns the packets and messages that wait for the transport.
    pub(super) fn queued(&self) -> Counter {
        let mut queued = Counter::default();
        let packets = self.packets.iter();
        packets.for_each(|(_, packet)| queued.add(packet.len()));
        if !self.buffer.is_empty() {
            queued.add(self.buffer.as_bytes().len());
        }
        queued
    }

    /// Appends a message that refers to the view, behind the view in the same packet. Returns the length of the message.
    pub(super) fn send_with_view(
        &mut self,
        channel: u8,
        view: Option<&View>,
        stats: &mut Stats,
        write: impl FnOnce(&mut NetworkWriter),
    ) -> usize {
        let writer = self.on_channel(channel).begin();
        let start = writer.len();
        if let Some(view) = view {
            view.encode(writer);
        }
        let length = writer.len() - start;
        write(writer);
        let whole = self.on_channel(channel).commit();
        if length > 0 {
            stats.count_encoded(MessageType::View, length);
        }
        whole - length
    }
}

/// Returns an acknowledgement that must be sent alone, on the first unreliable channel.
fn lone_ack(datagrams: &mut Datagrams, context: &Context) -> Option<(u8, Bytes)> {
    let mut channels = context.config.channels.iter();
    let channel = channels.position(|kind| *kind == Channel::Unreliable);
    let channel = u8::try_from(channel?).ok()?;
    let ack = datagrams.due_ack(context.now())?;
    let header = DatagramHeader::new(None, Some(ack)).encode();
    Some((channel, Bytes::copy_from_slice(header.as_slice())))
}
