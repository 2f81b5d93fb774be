//! Frames between a socket and the queues of its connection.

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::time::Duration;

use bytes::Buf;
use syncvar_runtime::{Channel, PacketLimits};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};

use super::Framing;
use super::pieces::Pieces;
use crate::frames::Frames;
use crate::link::Arrival;
use crate::tasks::{Closed, Datagrams, Delivery, Door, End, Outbox, OutgoingPacket, Queues};

/// Task's end of a connection.
pub(crate) struct Socket {
    framing: Framing,
    frames: Frames,
    queues: Queues,
    stall_timeout: Duration,
    max_linger_bytes: usize,
    max_packet: usize,
    has_datagrams: bool,
}

impl Socket {
    /// Opens the door, for these packet sizes.
    pub(crate) fn open(framing: Framing, door: Door, limits: PacketLimits) -> Self {
        let options = door.options();
        let (stall_timeout, max_packet) = (options.stall_timeout, options.max_packet);
        let max_linger_bytes = options.max_linger_bytes;
        Self {
            framing,
            frames: framing.frames(max_packet),
            queues: door.open(limits),
            stall_timeout,
            max_linger_bytes,
            max_packet,
            has_datagrams: limits.datagrams,
        }
    }

    /// Runs until the peer closes, or until the connection is closed and the peer has taken the queue.
    pub(crate) async fn exchange(
        mut self,
        read: impl AsyncRead + Unpin,
        write: impl AsyncWrite + Unpin,
        datagrams: &impl Datagrams,
    ) -> io::Result<End> {
        let (framing, inbox) = (self.framing, &self.queues.inbox);
        let mut reading = pin!(read_frames(
            read,
            framing,
            &mut self.frames,
            inbox,
            self.max_linger_bytes,
        ));
        let mut receiving = pin!(read_datagrams(datagrams, inbox));
        let writer = Writer {
            framing,
            max_packet: self.max_packet,
            datagrams: self.has_datagrams.then_some((datagrams, inbox)),
            timeout: self.stall_timeout,
        };
        let mut writing = pin!(writer.run(write, &mut self.queues.outbox));
        tokio::select! {
            result = &mut reading => result,
            result = &mut writing => {
                // The queue is sent, and the peer closes next. Its input is read until then: closing
                // a socket with unread input resets the connection, and the peer might lose the last
                // packets.
                result?;
                reading.await
            }
            // The endpoint has ended the connection.
            Closed = &mut receiving => tokio::select! {
                result = &mut reading => result,
                result = &mut writing => {
                    result?;
                    reading.await
                }
            },
        }
    }
}

/// Moves datagrams into the inbox until it is closed. Malformed datagrams are dropped.
async fn read_datagrams(datagrams: &impl Datagrams, inbox: &Delivery) -> Closed {
    loop {
        let datagram = datagrams.receive().await;
        if let Some((channel, packet)) = Arrival::split_numbered(datagram)
            && let Err(closed) = inbox.offer(Arrival::by_datagram(channel, packet))
        {
            return closed;
        }
    }
}

/// Moves frames into the inbox until the peer ends the stream. After a malformed frame, or when the
/// inbox is closed, up to `max_linger_bytes` of the stream are discarded.
async fn read_frames(
    mut read: impl AsyncRead + Unpin,
    framing: Framing,
    frames: &mut Frames,
    inbox: &Delivery,
    max_linger_bytes: usize,
) -> io::Result<End> {
    loop {
        match frames.next_frame() {
            Ok(Some(frame)) => {
                let (channel, packet) = framing.split(frame);
                let packet = Arrival::by_stream(channel, packet);
                if inbox.send(packet).await.is_err() {
                    break;
                }
            }
            Ok(None) => {
                if poll_fn(|cx| super::poll_read(frames, cx, &mut read)).await? == 0 {
                    if frames.is_empty() {
                        inbox.leave();
                    }
                    return Ok(End::Closed);
                }
            }
            Err(error) => {
                inbox.fail(error).await;
                break;
            }
        }
    }
    End::after(read, max_linger_bytes).await
}

/// Way of the packets to the peer.
struct Writer<'a, D> {
    framing: Framing,
    max_packet: usize,
    /// Carrier of unreliable packets, and the counter of lost packets.
    datagrams: Option<(&'a D, &'a Delivery)>,
    timeout: Duration,
}

impl<D: Datagrams> Writer<'_, D> {
    /// Moves packets from the outbox to the peer until the connection is closed.
    async fn run(&self, mut write: impl AsyncWrite + Unpin, outbox: &mut Outbox) -> io::Result<()> {
        let mut pieces = Pieces::default();
        while let Some(packet) = outbox.recv().await {
            self.push(packet, &mut pieces);
            while !pieces.is_full()
                && let Some(packet) = outbox.try_recv()
            {
                self.push(packet, &mut pieces);
            }
            while pieces.has_remaining() {
                let write = write.write_buf(&mut pieces);
                match tokio::time::timeout(self.timeout, write).await?? {
                    0 => return Err(io::ErrorKind::WriteZero.into()),
                    written => outbox.sent(written),
                }
            }
            // Also the datagrams, and the packets that are too long for a frame.
            outbox.sent(usize::MAX);
        }
        write.shutdown().await
    }

    /// Sends a datagram, or adds the frame of a packet.
    fn push(&self, packet: OutgoingPacket, pieces: &mut Pieces) {
        match self.datagrams {
            Some((datagrams, inbox)) if packet.delivery == Channel::Unreliable => {
                if !datagrams.send(packet.to_numbered()) {
                    inbox.count_unsent();
                }
            }
            _ => pieces.push(packet, self.framing, self.max_packet),
        }
    }
}
