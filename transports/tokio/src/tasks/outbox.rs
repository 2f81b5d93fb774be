//! Queue of packets for a socket, limited in bytes.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use arrayvec::ArrayVec;
use bytes::{BufMut, Bytes, BytesMut};
use syncvar_runtime::{Channel, Transmit};

use crate::listener::Sent;

/// Longest header of a packet, in bytes: WIRE.md, section 7.
const MAX_HEADER: usize = 24;

/// Most tasks with new packets that are asleep: the first of thousands of connections does not wait for the last one.
pub(super) const MAX_ASLEEP: usize = 64;

/// Room for packets that an empty queue keeps: the next tick of a broadcast allocates none.
const MAX_SPARE: usize = 4;

/// Packet on its way to a socket.
#[derive(Debug)]
pub struct OutgoingPacket {
    /// Delivery guarantee: [`Channel::Unreliable`] is a datagram where the
    /// [limits](syncvar_runtime::PacketLimits::datagrams) of the connection say so.
    pub delivery: Channel,
    /// Number of the channel.
    pub channel: u8,
    header: ArrayVec<u8, MAX_HEADER>,
    chunks: Vec<Bytes>,
}

/// Task's end of the queue.
#[derive(Debug)]
pub struct Outbox {
    queue: Arc<PacketQueue>,
    /// Packets that have left the queue together.
    batch: VecDeque<OutgoingPacket>,
    /// Bytes that the task has taken from the queue and the socket has not taken.
    taken: usize,
}

/// Endpoint's end of the queue. Dropping it closes the connection after its packets.
#[derive(Debug)]
pub(super) struct Post {
    queue: Arc<PacketQueue>,
    max_queued: usize,
    /// Length for a slow reader.
    slow: usize,
}

/// Packets from the endpoint to the task. An empty queue frees its buffer, unless it is short.
#[derive(Debug, Default)]
struct PacketQueue {
    state: Mutex<OutboxState>,
    /// Bytes that the socket has not taken yet.
    queued: AtomicUsize,
}

#[derive(Debug, Default)]
struct OutboxState {
    packets: VecDeque<OutgoingPacket>,
    /// The task, while it waits for a packet.
    reader: Option<Waker>,
    /// One end is gone.
    is_closed: bool,
}

/// Makes a queue of at most `max_queued` bytes, for a slow reader from `slow` on.
pub(super) fn outbox(max_queued: usize, slow: usize) -> (Outbox, Post) {
    let queue = Arc::new(PacketQueue::default());
    let post = Post {
        queue: Arc::clone(&queue),
        max_queued,
        slow,
    };
    let outbox = Outbox {
        queue,
        batch: VecDeque::new(),
        taken: 0,
    };
    (outbox, post)
}

impl PacketQueue {
    fn state(&self) -> MutexGuard<'_, OutboxState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OutgoingPacket {
    /// Copies the header, and shares the chunks. `None` for a packet that is empty or has a longer
    /// header than a protocol writes.
    fn new(packet: &Transmit<'_>) -> Option<Self> {
        let mut header = ArrayVec::new();
        header.try_extend_from_slice(packet.header).ok()?;
        let outgoing = Self {
            delivery: packet.delivery,
            channel: packet.channel,
            header,
            chunks: packet.chunks.to_vec(),
        };
        (outgoing.length() > 0).then_some(outgoing)
    }

    /// Returns the length of the packet in bytes, at least 1.
    pub fn length(&self) -> usize {
        self.header.len() + self.chunks.iter().map(Bytes::len).sum::<usize>()
    }

    /// Returns the bytes that belong to this packet alone, and precede the chunks.
    pub fn header(&self) -> &[u8] {
        &self.header
    }

    /// Returns the shared bytes.
    pub fn into_chunks(self) -> Vec<Bytes> {
        self.chunks
    }

    /// Copies the packet into one buffer.
    pub fn to_bytes(&self) -> Bytes {
        self.copied(BytesMut::with_capacity(self.length()))
    }

    /// Copies the number of the channel and the packet into one buffer.
    pub fn to_numbered(&self) -> Bytes {
        let mut bytes = BytesMut::with_capacity(self.length() + 1);
        bytes.put_u8(self.channel);
        self.copied(bytes)
    }

    /// Appends the packet to a buffer.
    fn copied(&self, mut bytes: BytesMut) -> Bytes {
        bytes.put_slice(&self.header);
        for chunk in &self.chunks {
            bytes.put_slice(chunk);
        }
        bytes.freeze()
    }
}

impl Outbox {
    /// Waits for a packet. `None`: the connection is closed, and this was the last one.
    ///
    /// Cancel-safe.
    pub async fn recv(&mut self) -> Option<OutgoingPacket> {
        poll_fn(|cx| self.poll_recv(cx)).await
    }

    fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<OutgoingPacket>> {
        if self.batch.is_empty() {
            let mut state = self.queue.state();
            take_packets(&mut self.batch, &mut state);
            if self.batch.is_empty() && !state.is_closed {
                state.reader = Some(cx.waker().clone());
                return Poll::Pending;
            }
        }
        Poll::Ready(self.pop())
    }

    /// Returns the next packet, if the queue has one.
    pub fn try_recv(&mut self) -> Option<OutgoingPacket> {
        if self.batch.is_empty() {
            take_packets(&mut self.batch, &mut self.queue.state());
        }
        self.pop()
    }

    fn pop(&mut self) -> Option<OutgoingPacket> {
        let packet = self.batch.pop_front()?;
        self.taken = self.taken.saturating_add(packet.length());
        Some(packet)
    }

    /// Reports bytes that the socket has taken. More than those of the received packets count as these,
    /// so that frames around packets need no sum.
    pub fn sent(&mut self, bytes: usize) {
        let bytes = bytes.min(self.taken);
        self.taken = self.taken.saturating_sub(bytes);
        self.queue.queued.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Takes all packets of a queue, which gets the empty buffer.
fn take_packets(empty: &mut VecDeque<OutgoingPacket>, state: &mut OutboxState) {
    if empty.capacity() > MAX_SPARE {
        *empty = VecDeque::new();
    }
    std::mem::swap(empty, &mut state.packets);
}

impl Drop for Outbox {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        state.is_closed = true;
        state.packets = VecDeque::new();
    }
}

impl Post {
    /// Queues a packet, without a copy of its chunks. `wake` takes the task if it waits for one.
    pub(super) fn send(&self, packet: &Transmit<'_>, wake: impl FnOnce(Waker)) -> Sent {
        let (channel, length) = (packet.channel, packet.len());
        let Some(outgoing) = OutgoingPacket::new(packet) else {
            tracing::error!(channel, length, "not sent: empty or too long");
            return Sent::Queued;
        };
        let queued = self.queued().saturating_add(length);
        if queued > self.max_queued {
            return Sent::TooSlow;
        }
        let mut state = self.queue.state();
        // The inbox reports the end of the task.
        if state.is_closed {
            return Sent::Queued;
        }
        self.queue.queued.fetch_add(length, Ordering::Relaxed);
        state.packets.push_back(outgoing);
        let reader = state.reader.take();
        drop(state);
        if let Some(reader) = reader {
            wake(reader);
        }
        if queued > self.slow {
            Sent::Slowly
        } else {
            Sent::Queued
        }
    }

    /// Returns whether a queue that was too long for a slow reader is half as long.
    pub(super) fn has_caught_up(&self) -> bool {
        self.queued() <= self.slow / 2
    }

    /// Returns the bytes that the socket has not taken.
    pub(super) fn queued(&self) -> usize {
        self.queue.queued.load(Ordering::Relaxed)
    }
}

impl Drop for Post {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        state.is_closed = true;
        let reader = state.reader.take();
        drop(state);
        if let Some(reader) = reader {
            reader.wake();
        }
    }
}
