//! What the transports need of a server and of a client.

use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::{Channel, ConnectionId};

use crate::{Limits, MirrorError};

/// A message to one client.
#[derive(Debug)]
pub(crate) struct Outgoing<'a> {
    pub(crate) connection: ConnectionId,
    pub(crate) channel: Channel,
    /// What it is made of, one piece after the other.
    pub(crate) chunks: &'a [Bytes],
}

/// The server in a [`Host`](super::host::Host).
pub(crate) trait Game {
    fn handle_connect(&mut self, limits: Limits) -> ConnectionId;

    /// An error means that the server closes the connection.
    fn handle_packet(
        &mut self,
        connection: ConnectionId,
        channel: Channel,
        message: &[u8],
    ) -> Result<(), MirrorError>;

    /// The connection is over, and not by [`poll_close`](Self::poll_close).
    fn handle_disconnect(&mut self, connection: ConnectionId);

    /// All connections are to end: what has been queued for them can be polled, and then they are to be
    /// closed.
    fn disconnect_all(&mut self);

    fn update(&mut self, now: Duration);

    fn poll_transmit(&mut self) -> Option<Outgoing<'_>>;

    /// A connection that is to be closed, after what was polled before.
    fn poll_close(&mut self) -> Option<ConnectionId>;

    /// Whether a connection is one of the server's.
    fn is_connected(&self, connection: ConnectionId) -> bool;

    /// How many events there have been.
    fn event_count(&self) -> u64;

    /// Forgets those of the first `count` that nobody has polled.
    fn forget_events(&mut self, count: u64);
}

/// The client in a [`Peer`](super::peer::Peer).
pub(crate) trait Player {
    type Event;

    fn handle_connect(&mut self, limits: Limits);

    /// An error means that the client closes the connection.
    fn handle_packet(&mut self, channel: Channel, message: &[u8]) -> Result<(), MirrorError>;

    /// The connection is over. Nothing if the client knows it.
    fn handle_disconnect(&mut self);

    /// The connection is to end: what has been queued can be polled, and then it is to be closed.
    fn disconnect(&mut self);

    fn update(&mut self, now: Duration);

    fn poll_transmit(&mut self) -> Option<(Channel, Bytes)>;

    /// Whether the connection is to be closed, after what was polled before.
    fn poll_close(&mut self) -> bool;

    fn poll_event(&mut self) -> Option<Self::Event>;
}
