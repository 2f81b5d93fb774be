//! Connection of a client whose socket belongs to a task.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use syncvar_runtime::{PacketLimits, Transmit};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::End;
use super::door::{Door, Opened};
use super::fault::Fault;
use super::inbox::Inbox;
use super::outbox::Post;
use crate::admission::Admission;
use crate::link::{Arrival, ServerLink};
use crate::{PeerAddrs, TransportCounters, TransportOptions};

/// Size of a full queue, in bytes.
const MAX_PENDING: usize = 256 * 1024;

/// Client's end of a connection. Dropping it cuts the connection.
#[derive(Debug)]
pub(crate) struct TaskLink {
    /// `None` after the close.
    queues: Option<(Inbox, Post)>,
    limits: PacketLimits,
    peer: Option<SocketAddr>,
    task: JoinSet<io::Result<End>>,
}

impl TaskLink {
    /// Starts the task of a connection, and waits until its door is open.
    pub(crate) async fn connect<F>(
        connect: impl FnOnce(Door) -> F,
        options: TransportOptions,
    ) -> io::Result<Self>
    where
        F: Future<Output = io::Result<End>> + Send + 'static,
    {
        let (counters, peers) = (TransportCounters::default(), PeerAddrs::default());
        let admission = Admission::new(&options, counters, peers);
        let (open, mut opened) = mpsc::unbounded_channel();
        // The client's own rule limits its queue: see `is_full`.
        let options = TransportOptions {
            max_queued_bytes: usize::MAX,
            ..options
        };
        // The peer polls its one queue.
        let (ready, _) = mpsc::unbounded_channel();
        let door = Door::new(&Arc::new(options), &admission, open, ready);
        let mut task = JoinSet::new();
        task.spawn(connect(door));
        let Some(opened) = opened.recv().await else {
            return Err(match joined(task.join_next().await) {
                Ok(End::Closed | End::Flood) => io::ErrorKind::ConnectionRefused.into(),
                Err(error) => error,
            });
        };
        let Opened {
            peer,
            limits,
            inbox,
            post,
            ..
        } = opened;
        Ok(Self {
            queues: Some((inbox, post)),
            limits,
            peer: peer.map(|peer| peer.addr),
            task,
        })
    }

    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ended = ready!(self.task.poll_join_next(cx));
        Poll::Ready(joined(ended).map(drop))
    }
}

impl ServerLink for TaskLink {
    fn limits(&self) -> PacketLimits {
        self.limits
    }

    fn peer_addr(&self) -> Option<SocketAddr> {
        self.peer
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<Arrival>>> {
        if let Some((inbox, _)) = &mut self.queues {
            match ready!(inbox.poll_recv(cx)) {
                Some(Ok(packet)) => return Poll::Ready(Ok(Some(packet))),
                Some(Err(text)) => {
                    let fault = Fault::Malformed(text);
                    let error = io::Error::new(io::ErrorKind::InvalidData, fault);
                    return Poll::Ready(Err(error));
                }
                None => {}
            }
        }
        self.poll_end(cx).map_ok(|()| None)
    }

    fn is_full(&self) -> bool {
        let post = self.queues.as_ref().map(|(_, post)| post);
        post.is_some_and(|post| post.queued() >= MAX_PENDING)
    }

    fn send(&mut self, packet: &Transmit<'_>) {
        if let Some((_, post)) = &self.queues {
            post.send(packet, Waker::wake);
        }
    }

    /// The task sends without a call.
    fn flush(&mut self, _: &mut Context<'_>) {}

    fn close(&mut self, _: Duration) {
        self.queues = None;
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_end(cx)
    }
}

/// Returns the result of a task.
fn joined(task: Option<Result<io::Result<End>, tokio::task::JoinError>>) -> io::Result<End> {
    match task {
        Some(Ok(result)) => result,
        Some(Err(error)) => Err(io::Error::other(error)),
        None => Ok(End::Closed),
    }
}
