//! Frames between a socket and the queues of its connection.

use std::io;
use std::pin::pin;
use std::time::Duration;

use bytes::Buf;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::Framing;
use super::pieces::Pieces;
use crate::frames::Frames;
use crate::link::Arrival;
use crate::tasks::{Delivery, Door, End, Outbox, Queues};

/// Task's end of a connection.
pub(crate) struct Socket {
    framing: Framing,
    frames: Frames,
    queues: Queues,
    send_timeout: Duration,
    max_linger_bytes: usize,
    max_frame: usize,
}

impl Socket {
    /// Opens the door.
    pub(crate) fn open(framing: Framing, door: Door) -> Self {
        let options = door.options();
        let (send_timeout, max_frame) = (options.send_timeout, options.max_frame);
        let max_linger_bytes = options.max_linger_bytes;
        let limits = super::limits(options);
        Self {
            framing,
            frames: framing.frames(max_frame),
            queues: door.open(limits),
            send_timeout,
            max_linger_bytes,
            max_frame,
        }
    }

    /// Runs until the peer closes, or until the connection is closed and the peer has taken the queue.
    pub(crate) async fn exchange(
        mut self,
        read: impl AsyncRead + Unpin,
        write: impl AsyncWrite + Unpin,
    ) -> io::Result<End> {
        let (framing, inbox) = (self.framing, &self.queues.inbox);
        let reading = read_frames(
            read,
            (framing, &mut self.frames),
            inbox,
            self.max_linger_bytes,
        );
        let mut reading = pin!(reading);
        let writing = write_packets(
            write,
            (framing, self.max_frame),
            &mut self.queues.outbox,
            self.send_timeout,
        );
        tokio::select! {
            result = &mut reading => result,
            result = writing => match result {
                // The queue is sent, and the peer closes next. Its input is read until then: closing
                // a socket with unread input resets the connection, and the peer might lose the last
                // packets.
                Ok(()) => reading.await,
                Err(error) => Err(error),
            },
        }
    }
}

/// Moves frames into the inbox until the peer ends the stream. After a malformed frame, or when the
/// inbox is closed, up to `max_linger_bytes` of the stream are discarded.
async fn read_frames(
    mut read: impl AsyncRead + Unpin,
    (framing, frames): (Framing, &mut Frames),
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
                if read.read_buf(frames.buffer()).await? == 0 {
                    return Ok(End::Closed);
                }
            }
            Err(error) => {
                inbox.fail(error).await;
                break;
            }
        }
    }
    let mut left = max_linger_bytes;
    loop {
        frames.buffer().clear();
        match read.read_buf(frames.buffer()).await? {
            0 => return Ok(End::Closed),
            length if length > left => return Ok(End::Flood),
            length => left -= length,
        }
    }
}

/// Moves packets from the outbox to the peer until the connection is closed.
async fn write_packets(
    mut write: impl AsyncWrite + Unpin,
    (framing, max_frame): (Framing, usize),
    outbox: &mut Outbox,
    timeout: Duration,
) -> io::Result<()> {
    let mut pieces = Pieces::default();
    while let Some(packet) = outbox.recv().await {
        pieces.push(packet, framing, max_frame);
        while !pieces.is_full()
            && let Some(packet) = outbox.try_recv()
        {
            pieces.push(packet, framing, max_frame);
        }
        while pieces.has_remaining() {
            match tokio::time::timeout(timeout, write.write_buf(&mut pieces)).await?? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                written => outbox.sent(written),
            }
        }
        // Also the packets that are too long for a frame.
        outbox.sent(usize::MAX);
    }
    write.shutdown().await
}
