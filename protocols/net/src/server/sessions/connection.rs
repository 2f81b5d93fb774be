//! One connection: its state and its queue.

use std::collections::VecDeque;
use std::time::Duration;

use syncvar_runtime::{ConnectionId, NetworkWriter};

use crate::Framing;
use crate::server::datagram_link::DatagramLink;
use crate::server::ledger::LossLedger;
use crate::server::motion::ConnectionMotion;
use crate::server::sessions::client_requests::ClientRequests;
use crate::server::sessions::headers::Headers;
use crate::server::sessions::intake::ConnectionIntake;
use crate::server::sessions::ownership::Ownership;
use crate::server::sessions::send_queue::SendQueue;
use crate::server::sessions::session::Session;

/// A connection.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) id: ConnectionId,
    pub(crate) state: ConnectionState,
    pub(crate) framing: Framing,
    /// Session that outlives the link.
    pub(crate) session: Option<Box<Session>>,
    /// Requests of the client.
    pub(crate) requests: ClientRequests,
    /// Packets from the transport.
    pub(crate) intake: ConnectionIntake,
    /// State that the connection has not received.
    pub(crate) ledger: LossLedger,
    /// Inputs and views.
    pub(crate) motion: ConnectionMotion,
    /// Objects that the connection owns.
    pub(crate) ownership: Ownership,
    /// Packets to the transport.
    pub(crate) send_queue: SendQueue,
    /// Headers of the packets in both directions.
    pub(crate) headers: Headers,
    /// Datagrams, if the transport has them, from the answer to its Connect on.
    pub(crate) datagrams: Option<Box<DatagramLink>>,
}

/// Progress of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionState {
    /// Not accepted: its schema is not verified yet.
    Connecting {
        /// Whether it has received the schema.
        described: bool,
    },
    /// Its schema matches; the program decides.
    Requested {
        /// Whether it has asked for the objects.
        ready: bool,
    },
    /// Accepted, without objects.
    Connected,
    /// Ready: the next update sends it all visible objects.
    Joining,
    /// Receives objects and their changes.
    Ready,
    /// The queue is still sent; received packets are ignored.
    Closing,
    /// No client: the observer of a recording. The program does not know it.
    Recording,
    /// Its client has joined a gateway: it has no link, and observes nothing.
    Remote,
}

impl Connection {
    pub(crate) fn new(id: ConnectionId, packet_size: usize) -> Self {
        Self {
            id,
            state: ConnectionState::Connecting { described: false },
            framing: Framing::Unet,
            session: None,
            requests: ClientRequests::default(),
            intake: ConnectionIntake::default(),
            ledger: LossLedger::default(),
            motion: ConnectionMotion::default(),
            ownership: Ownership::default(),
            send_queue: SendQueue::new(packet_size),
            headers: Headers::default(),
            datagrams: None,
        }
    }

    pub(crate) fn is_connected(&self) -> bool {
        !matches!(
            self.state,
            ConnectionState::Connecting { .. }
                | ConnectionState::Requested { .. }
                | ConnectionState::Closing
                | ConnectionState::Recording
        )
    }

    /// Returns whether the client has joined a gateway.
    #[inline]
    pub(crate) fn is_remote(&self) -> bool {
        self.state == ConnectionState::Remote
    }

    /// Returns whether the connection is the observer of a recording.
    #[inline]
    pub(crate) fn records(&self) -> bool {
        self.state == ConnectionState::Recording
    }

    /// Returns whether the transport knows the connection.
    fn has_link(&self) -> bool {
        !matches!(
            self.state,
            ConnectionState::Recording | ConnectionState::Remote
        )
    }

    /// Returns the number of the transport's connection; none while the client is away.
    #[inline]
    pub(crate) fn link(&self) -> Option<ConnectionId> {
        match &self.session {
            Some(session) => session.link,
            None => self.has_link().then_some(self.id),
        }
    }

    /// Returns whether the connection is sent no state on unreliable channels for the time being.
    pub(crate) fn is_detached(&self) -> bool {
        let link = self.datagrams.as_ref();
        self.ledger.detached_since.is_some() || link.is_some_and(|link| link.sender.is_detached())
    }

    /// Returns whether a budget delays its changes.
    pub(crate) fn is_limited(&self) -> bool {
        self.ledger.is_limited()
    }

    /// Returns the round trip and its deviation, by the server's own clock: of the datagrams and their acknowledgements, or of
    /// the answers to pings and their echoes. `None` before the first measurement.
    pub(crate) fn round_trip(&self) -> Option<(Duration, Duration)> {
        let datagrams = self.datagrams.as_ref();
        let measured = datagrams.and_then(|it| it.sender.average().measured());
        measured.or_else(|| self.requests.pings.round_trip().measured())
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.state == ConnectionState::Ready
    }

    /// Writes messages for this connection alone, and charges its budget. Returns their length. `None`
    /// if a value cannot be encoded.
    pub(crate) fn write_direct(&mut self, write: &dyn Fn(&mut NetworkWriter)) -> Option<usize> {
        let length = self.send_queue.write(write)?;
        self.ledger.charge(length);
        Some(length)
    }

    /// Adds the connection to the outgoing ones, once.
    #[inline]
    pub(crate) fn list(&mut self, outgoing: &mut VecDeque<ConnectionId>) {
        if !self.send_queue.listed {
            self.send_queue.listed = true;
            outgoing.push_back(self.id);
        }
    }
}
