//! Queue of received packets, limited in bytes and in packets.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use syncvar_runtime::ConnectionId;
use tokio::sync::mpsc::error::{TryRecvError, TrySendError};
use tokio::sync::{Notify, Semaphore, mpsc};

use super::fault::Fault;
use crate::admission::Admission;
use crate::link::Arrival;

/// Packet, or the reason for which no more can be read.
/// Boxed: a queue reserves the room of 32 items.
type InboxItem = Box<Result<Arrival, String>>;

/// Endpoint's end of the queue.
#[derive(Debug)]
pub(super) struct Inbox {
    packets: mpsc::Receiver<InboxItem>,
    /// First packet, if it has been looked at.
    first: Option<Arrival>,
    room: Arc<InboxRoom>,
}

/// Task's end of the queue.
#[derive(Debug)]
pub struct Delivery {
    packets: mpsc::Sender<InboxItem>,
    // Behind the sender: its drop tells of the closed queue.
    notice: Notice,
    admission: Arc<Admission>,
}

/// Bytes in the queue, its end, and its place among the queues with input.
#[derive(Debug, Default)]
pub(super) struct InboxRoom {
    taken: AtomicUsize,
    freed: Notify,
    /// The peer has ended the connection on purpose.
    is_left: AtomicBool,
    /// Connection of the endpoint, once it has a number.
    connection: OnceLock<ConnectionId>,
    /// Set while the list of queues with input has this one.
    is_listed: AtomicBool,
}

/// Lists the queue when it has input, and when it is closed.
#[derive(Debug)]
struct Notice {
    room: Arc<InboxRoom>,
    ready: Ready,
}

/// Way to the list of queues with input: a tick looks at these queues only.
pub(super) type Ready = mpsc::UnboundedSender<Arc<InboxRoom>>;

/// The endpoint has ended the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the connection is closed")]
pub struct Closed;

/// Makes a queue of at most `max_packets` packets and the admission's share of bytes.
pub(super) fn inbox(
    max_packets: usize,
    admission: &Arc<Admission>,
    ready: Ready,
) -> (Delivery, Inbox) {
    let (sender, receiver) = mpsc::channel(max_packets.clamp(1, Semaphore::MAX_PERMITS));
    let room = Arc::new(InboxRoom::default());
    let delivery = Delivery {
        packets: sender,
        notice: Notice {
            room: Arc::clone(&room),
            ready,
        },
        admission: Arc::clone(admission),
    };
    let inbox = Inbox {
        packets: receiver,
        first: None,
        room,
    };
    (delivery, inbox)
}

impl Inbox {
    /// Returns the length of the first packet.
    pub(super) fn first(&mut self) -> Result<Option<usize>, Fault> {
        if self.first.is_none() {
            self.first = match self.packets.try_recv() {
                Ok(input) => Some(input.map_err(Fault::Malformed)?),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => return Err(self.room.end()),
            };
        }
        Ok(self.first.as_ref().map(Arrival::length))
    }

    /// Returns whether [`first`](Self::first) has found a packet.
    pub(super) fn waits(&self) -> bool {
        self.first.is_some()
    }

    /// Sets the connection of the queue, which has input from now on.
    pub(super) fn set_connection(&self, connection: ConnectionId) {
        let _ = self.room.connection.set(connection);
    }

    /// Removes the first packet, after [`first`](Self::first).
    pub(super) fn pop(&mut self) -> Option<Arrival> {
        let packet = self.first.take()?;
        self.room.free(&packet);
        Some(packet)
    }

    /// Ready with the next packet, or with `None` when the task has ended.
    pub(super) fn poll_recv(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Arrival, String>>> {
        let input = ready!(self.packets.poll_recv(cx)).map(|input| *input);
        if let Some(Ok(packet)) = &input {
            self.room.free(packet);
        }
        Poll::Ready(input)
    }
}

impl Notice {
    fn send(&self) {
        if !self.room.is_listed.swap(true, Ordering::AcqRel) {
            // Fails at the end of the endpoint's side, and for a client, which polls its queue.
            let _ = self.ready.send(Arc::clone(&self.room));
        }
    }
}

impl Drop for Notice {
    fn drop(&mut self) {
        self.send();
    }
}

impl InboxRoom {
    /// Returns the reason for the end of the task.
    fn end(&self) -> Fault {
        if self.is_left.load(Ordering::Relaxed) {
            Fault::Left
        } else {
            Fault::Lost
        }
    }

    /// Removes the queue from the list, before a look at it. Returns its connection.
    pub(super) fn unlist(&self) -> Option<ConnectionId> {
        self.is_listed.swap(false, Ordering::AcqRel);
        self.connection.get().copied()
    }

    fn free(&self, packet: &Arrival) {
        self.taken.fetch_sub(packet.length(), Ordering::Relaxed);
        self.freed.notify_one();
    }
}

impl Delivery {
    /// Queues a packet as soon as the queue has room. A packet longer than the queue waits for an empty
    /// one.
    ///
    /// # Errors
    ///
    /// When the endpoint has ended the connection.
    pub async fn send(&self, packet: Arrival) -> Result<(), Closed> {
        let length = packet.length();
        if !self.has_room(length) {
            self.count_full();
            while !self.has_room(length) {
                tokio::select! {
                    () = self.notice.room.freed.notified() => {}
                    () = self.packets.closed() => return Err(Closed),
                }
            }
        }
        self.notice.room.taken.fetch_add(length, Ordering::Relaxed);
        match self.packets.try_send(Box::new(Ok(packet))) {
            Ok(()) => {}
            Err(TrySendError::Full(packet)) => {
                self.count_full();
                self.packets.send(packet).await.map_err(|_| Closed)?;
            }
            Err(TrySendError::Closed(_)) => return Err(Closed),
        }
        self.notice.send();
        Ok(())
    }

    /// Queues a packet that may be lost: a full queue loses it.
    ///
    /// # Errors
    ///
    /// When the endpoint has ended the connection.
    pub fn offer(&self, packet: Arrival) -> Result<(), Closed> {
        let length = packet.length();
        if self.has_room(length)
            && let Ok(place) = self.packets.try_reserve()
        {
            // Before the packet is there: the endpoint subtracts it.
            self.notice.room.taken.fetch_add(length, Ordering::Relaxed);
            place.send(Box::new(Ok(packet)));
            self.notice.send();
            return Ok(());
        }
        if self.packets.is_closed() {
            return Err(Closed);
        }
        let counters = self.admission.counters();
        counters.count(|stats| &mut stats.lost_unreliable);
        Ok(())
    }

    /// Counts a datagram to the peer that was lost here.
    pub fn count_unsent(&self) {
        let counters = self.admission.counters();
        counters.count(|stats| &mut stats.unsent_datagrams);
    }

    /// Queues the end of the input: the peer has sent malformed bytes. `error` tells it why.
    pub async fn fail(&self, error: impl Display) {
        // A closed connection needs no reason.
        let _ = self.packets.send(Box::new(Err(error.to_string()))).await;
        self.notice.send();
    }

    /// Records that the peer has ended the connection on purpose: the end of the task is not a loss.
    pub fn leave(&self) {
        self.notice.room.is_left.store(true, Ordering::Relaxed);
    }

    /// Ready when the endpoint has ended the connection.
    pub async fn closed(&self) {
        self.packets.closed().await;
    }

    fn has_room(&self, length: usize) -> bool {
        let taken = self.notice.room.taken.load(Ordering::Relaxed);
        taken == 0 || taken.saturating_add(length) <= self.admission.inbox_share()
    }

    fn count_full(&self) {
        let counters = self.admission.counters();
        counters.count(|stats| &mut stats.inbox_full);
    }
}
