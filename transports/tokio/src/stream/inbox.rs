//! Queue of received frames, limited in bytes and in frames.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use tokio::sync::mpsc::error::{TryRecvError, TrySendError};
use tokio::sync::{Notify, Semaphore, mpsc};

use super::connection::Fault;
use crate::admission::Admission;
use crate::frames::FrameError;

/// Server's end of the queue.
#[derive(Debug)]
pub(super) struct Inbox {
    frames: mpsc::Receiver<Result<Bytes, FrameError>>,
    /// First frame, if it has been looked at.
    first: Option<Bytes>,
    room: Arc<Room>,
}

/// Socket's end of the queue.
#[derive(Debug)]
pub(super) struct Delivery {
    frames: mpsc::Sender<Result<Bytes, FrameError>>,
    room: Arc<Room>,
    admission: Arc<Admission>,
}

/// Bytes in the queue.
#[derive(Debug, Default)]
struct Room {
    taken: AtomicUsize,
    freed: Notify,
}

/// The server has closed the connection.
pub(super) struct Closed;

/// Makes a queue of at most `max_packets` frames and the admission's share of bytes.
pub(super) fn inbox(max_packets: usize, admission: &Arc<Admission>) -> (Delivery, Inbox) {
    let (sender, receiver) = mpsc::channel(max_packets.clamp(1, Semaphore::MAX_PERMITS));
    let room = Arc::new(Room::default());
    let delivery = Delivery {
        frames: sender,
        room: Arc::clone(&room),
        admission: Arc::clone(admission),
    };
    let inbox = Inbox {
        frames: receiver,
        first: None,
        room,
    };
    (delivery, inbox)
}

impl Inbox {
    /// Returns the length of the first frame.
    pub(super) fn first(&mut self) -> Result<Option<usize>, Fault> {
        if self.first.is_none() {
            self.first = match self.frames.try_recv() {
                Ok(frame) => Some(frame?),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => return Err(Fault::Lost),
            };
        }
        Ok(self.first.as_ref().map(Bytes::len))
    }

    /// Returns whether [`first`](Self::first) has found a frame.
    pub(super) fn waits(&self) -> bool {
        self.first.is_some()
    }

    /// Removes the first frame, after [`first`](Self::first).
    pub(super) fn pop(&mut self) -> Option<Bytes> {
        let frame = self.first.take()?;
        self.room.taken.fetch_sub(frame.len(), Ordering::Relaxed);
        self.room.freed.notify_one();
        Some(frame)
    }
}

impl Delivery {
    /// Queues a frame as soon as the queue has room. A frame longer than the queue waits for an empty
    /// one.
    pub(super) async fn send(&self, frame: Bytes) -> Result<(), Closed> {
        let length = frame.len();
        if !self.has_room(length) {
            self.count_full();
            while !self.has_room(length) {
                tokio::select! {
                    () = self.room.freed.notified() => {}
                    () = self.frames.closed() => return Err(Closed),
                }
            }
        }
        self.room.taken.fetch_add(length, Ordering::Relaxed);
        match self.frames.try_send(Ok(frame)) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(frame)) => {
                self.count_full();
                self.frames.send(frame).await.map_err(|_| Closed)
            }
            Err(TrySendError::Closed(_)) => Err(Closed),
        }
    }

    /// Queues the end of the input.
    pub(super) async fn fail(&self, error: FrameError) {
        // A closed connection needs no reason.
        let _ = self.frames.send(Err(error)).await;
    }

    fn has_room(&self, length: usize) -> bool {
        let taken = self.room.taken.load(Ordering::Relaxed);
        taken == 0 || taken.saturating_add(length) <= self.admission.inbox_share()
    }

    fn count_full(&self) {
        let counters = self.admission.counters();
        counters.count(|stats| &mut stats.inbox_full);
    }
}
