//! The core of a connection without Mirror's handshake and heads: for a second dialect.

use std::time::Duration;

use super::connection::State;
use super::{KcpConnection, KcpError, inbox, millis};

/// Cookie in the heads that the dialect replaces.
const COOKIE: u32 = 1;

impl KcpConnection {
    /// Makes an end whose handshake and heads of datagrams are of a second dialect: [`establish`] ends the
    /// handshake. Its own datagrams have a constant cookie. Its window follows losses.
    ///
    /// [`establish`]: Self::establish
    pub(crate) fn embedded(now: Duration) -> Self {
        let mut connection = Self::new(State::Connecting, COOKIE, 1, now);
        connection.set_max_inbox(inbox::WINDOW);
        connection.arq.avoid_congestion();
        connection
    }

    /// Begins the exchange of messages.
    pub(crate) fn establish(&mut self, now: Duration) {
        if self.state == State::Connecting {
            self.state = State::Connected;
            self.last_ping = now;
        }
    }

    /// Handles the segments of a datagram of the second dialect.
    pub(crate) fn handle_segments(&mut self, now: Duration, body: &[u8], room: usize) {
        if self.closed().is_some() {
            return;
        }
        self.last_received = self.last_received.max(now);
        if let Err(error) = self.arq.input(millis(now), body, room) {
            self.fail(error);
        }
    }

    /// Handles an unreliable message of the second dialect. It is polled after the reliable messages that have
    /// arrived before it.
    pub(crate) fn handle_message(&mut self, now: Duration, payload: &[u8], room: usize) {
        self.last_received = self.last_received.max(now);
        if self.state == State::Connected {
            let after = self.arq.receiver().arrived();
            self.unreliable.push(after, payload, room);
        }
    }

    /// Counts an unreliable message that was not passed on.
    pub(crate) fn drop_message(&mut self) {
        self.unreliable.drop_one();
    }

    /// Handles the end of the connection by the peer.
    pub(crate) fn end(&mut self, reason: KcpError) {
        if self.closed().is_none() {
            self.state = State::Closed(reason);
        }
    }
}
