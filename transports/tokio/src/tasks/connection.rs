//! One connection of a server: its queues and their limits.

use std::task::Waker;
use std::time::Duration;

use syncvar_runtime::{ConnectionId, Endpoint, Transmit};
use tokio::task::AbortHandle;

use super::fault::Fault;
use super::inbox::Inbox;
use super::outbox::Post;
use crate::TransportOptions;
use crate::listener::Sent;
use crate::silence::Silence;
use crate::turn::{PACKET_COST, Turn};

/// Server's end of a connection. Its task runs until the connection is closed or the peer is gone.
#[derive(Debug)]
pub(super) struct Connection {
    inbox: Inbox,
    post: Post,
    /// About how many bytes of the client a server handles in one tick.
    share: usize,
    silence: Silence,
    left: Allowance,
    task: AbortHandle,
}

/// Input that a connection may still have handled in a tick.
#[derive(Clone, Copy, Debug, Default)]
struct Allowance {
    packets: usize,
    /// The last packet can exceed it.
    bytes: usize,
}

impl Connection {
    pub(super) fn new(inbox: Inbox, post: Post, share: usize, task: AbortHandle) -> Self {
        Self {
            inbox,
            post,
            share,
            silence: Silence::default(),
            left: Allowance::default(),
            task,
        }
    }

    /// Ends a tick, `elapsed` after the last one. Fails for a silent client.
    pub(super) fn end(
        &mut self,
        connection: ConnectionId,
        server: &impl Endpoint,
        elapsed: Duration,
        options: &TransportOptions,
    ) -> Result<(), Fault> {
        if self.inbox.waits() {
            return Ok(());
        }
        let silent = self.silence.add(elapsed);
        if self.silence.is_first() {
            return if silent < options.handshake_timeout {
                Ok(())
            } else {
                Err(Fault::Mute)
            };
        }
        if silent < options.idle_timeout {
            return Ok(());
        }
        if server.expects_packets(connection) {
            return Err(Fault::Idle);
        }
        self.silence.end();
        Ok(())
    }

    /// Queues a packet, without a copy. `wake` takes the task if it waits for one.
    pub(super) fn send(&self, packet: &Transmit<'_>, wake: impl FnOnce(Waker)) -> Sent {
        self.post.send(packet, wake)
    }

    /// Returns whether a look at the inbox has left input, or was not the last of the tick.
    pub(super) fn has_more(&self) -> bool {
        self.left.packets == 0 || self.inbox.waits()
    }

    /// Returns whether the queue is short again.
    pub(super) fn has_caught_up(&self) -> bool {
        self.post.has_caught_up()
    }

    /// Closes the queues: the task sends the outbox, and ends.
    pub(super) fn close(self) -> AbortHandle {
        self.task
    }
}

impl Turn for Connection {
    type Fault = Fault;

    fn begin(&mut self, options: &TransportOptions) -> Result<bool, Fault> {
        self.left = Allowance {
            packets: options.max_queued_packets.max(1),
            bytes: self.share,
        };
        Ok(self.inbox.first()?.is_some())
    }

    fn has_input(&mut self) -> bool {
        self.left.packets > 0 && self.inbox.waits()
    }

    fn receive(
        &mut self,
        connection: ConnectionId,
        server: &mut impl Endpoint,
        limit: usize,
    ) -> Result<Option<usize>, Fault> {
        if self.left.packets == 0 {
            return Ok(None);
        }
        let Some(length) = self.inbox.first()? else {
            return Ok(None);
        };
        let cost = length.saturating_add(PACKET_COST);
        if cost > limit || !server.accepts_packets(connection) {
            return Ok(None);
        }
        let Some(packet) = self.inbox.pop() else {
            return Ok(None);
        };
        self.left = match self.left.bytes.checked_sub(length) {
            Some(bytes) => Allowance {
                packets: self.left.packets - 1,
                bytes,
            },
            None => Allowance::default(),
        };
        match packet.handle(server, connection) {
            Ok(()) => self.silence.end(),
            Err(error) if server.is_connected(connection) => {
                return Err(Fault::Packet(error.to_string()));
            }
            Err(error) => {
                tracing::info!(%connection, %error, "the server has ended the connection");
                self.left = Allowance::default();
            }
        }
        Ok(Some(cost))
    }
}

#[cfg(all(test, feature = "tcp"))]
mod tests;
