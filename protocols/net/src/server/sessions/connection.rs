//! One connection: its state and its queue.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::Duration;

use syncvar_runtime::call::Rates;
use syncvar_runtime::clock::Bucket;
use syncvar_runtime::endpoint::{Conduct, Payload};
use syncvar_runtime::object::OwnerMemory;
use syncvar_runtime::ordered::Ids;
use syncvar_runtime::packet::Segments;
use syncvar_runtime::{Channel, ConnectionId, Counter, NetId, NetworkWriter, Vector3};

use crate::Framing;
use crate::link::stream::StreamTicks;
use crate::message::Return;
use crate::server::chunk_store::ChunkStore;
use crate::server::datagram_link::DatagramLink;
use crate::server::inputs::ConnectionInputs;
use crate::server::ledger::LossLedger;
use crate::server::rewind::{ClaimedView, StreamArrivals};
use crate::server::sessions::ping::Pings;
use crate::server::sessions::session::Session;
use crate::server::sessions::shows::Shows;

/// A connection.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) id: ConnectionId,
    pub(crate) state: ConnectionState,
    pub(crate) framing: Framing,
    /// Session that outlives the link.
    pub(crate) session: Option<Box<Session>>,
    /// Session that its join request returns to.
    pub(crate) returning: Option<Return>,
    /// Number of received packets on reliable channels.
    pub(crate) received: u64,
    /// Payload of its join request.
    pub(crate) join_payload: Payload,
    /// State that the connection has not received.
    pub(crate) ledger: LossLedger,
    /// Point that distances of objects are measured from, for their priority.
    pub(crate) viewpoint: Option<Vector3>,
    /// Objects whose snapshot the client requested.
    pub(crate) resync_requests: Ids<NetId>,
    /// Bytes of requested snapshots.
    pub(crate) resync_bytes: Bucket,
    pub(crate) ping: Pings,
    /// View of the last command or used input, if the client tells it.
    pub(crate) view: Option<ClaimedView>,
    /// Snapshots of objects with a history.
    pub(crate) shows: Shows,
    /// Packets on the stream.
    pub(crate) stream: StreamArrivals,
    /// Rate limits of commands.
    pub(crate) rates: Rates,
    /// Inputs by tick; `None` before the first ones.
    pub(crate) inputs: Option<Box<ConnectionInputs>>,
    /// Messages, work and misbehaviour.
    pub(crate) conduct: Conduct,
    /// Players by number.
    pub(crate) players: Vec<(i16, NetId)>,
    /// Objects that the connection owns.
    pub(crate) owned: Ids<NetId>,
    /// Memory that its writes have added to them.
    pub(crate) memory: OwnerMemory,
    /// Messages for this connection alone, on channel 0, not yet in the queue.
    pub(crate) own: Segments,
    /// Chunks to transmit, oldest first. All channels share one queue, so that no snapshot overtakes
    /// an earlier delta.
    pub(crate) queue: VecDeque<QueuedChunks>,
    /// Headers of the packets in both directions.
    pub(crate) headers: Headers,
    /// Datagrams, if the transport has them, from the answer to its Connect on.
    pub(crate) datagrams: Option<Box<DatagramLink>>,
    /// Packets to the transport.
    pub(crate) outgoing: Counter,
    /// Packets from the transport.
    pub(crate) incoming: Counter,
    /// Whether the server's list of outgoing connections contains it.
    pub(crate) listed: bool,
}

/// Chunks in the store that wait for a connection, and their channel.
#[derive(Clone, Debug)]
pub(crate) struct QueuedChunks {
    pub(crate) channel: u8,
    /// Tick of their update.
    pub(crate) tick: u32,
    pub(crate) chunks: Range<u64>,
}

/// Headers of a connection's packets, from the answer to its Connect on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Headers {
    /// Longest datagram of the transport; `None` if packets of unreliable channels take the stream.
    pub(crate) datagrams: Option<usize>,
    /// Number of the first chunk behind a header; `None` without headers.
    pub(crate) from: Option<u64>,
    pub(crate) sent: StreamTicks,
    pub(crate) received: StreamTicks,
    /// Whether a packet of the client on this link had a header: before it has read the answer, its farewell has none.
    pub(crate) begun: bool,
}

impl Headers {
    /// Returns the delivery of a packet on a channel of this kind.
    #[inline]
    pub(crate) fn delivery(&self, kind: Option<&Channel>) -> Channel {
        match kind {
            Some(Channel::Unreliable) if self.from.is_none() || self.datagrams.is_some() => {
                Channel::Unreliable
            }
            _ => Channel::Reliable,
        }
    }

    /// Returns whether a chunk with this number travels behind a header.
    #[inline]
    pub(crate) fn apply(&self, chunk: u64) -> bool {
        self.from.is_some_and(|from| chunk >= from)
    }
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
}

impl Connection {
    pub(crate) fn new(id: ConnectionId, packet_size: usize) -> Self {
        Self {
            id,
            state: ConnectionState::Connecting { described: false },
            framing: Framing::Unet,
            session: None,
            returning: None,
            received: 0,
            join_payload: Payload::default(),
            ledger: LossLedger::default(),
            viewpoint: None,
            resync_requests: Ids::default(),
            resync_bytes: Bucket::default(),
            ping: Pings::default(),
            view: None,
            shows: Shows::default(),
            stream: StreamArrivals::default(),
            rates: Rates::default(),
            inputs: None,
            conduct: Conduct::default(),
            players: Vec::new(),
            owned: Ids::default(),
            memory: OwnerMemory::default(),
            own: Framing::Unet.segments(packet_size),
            queue: VecDeque::new(),
            headers: Headers::default(),
            datagrams: None,
            outgoing: Counter::default(),
            incoming: Counter::default(),
            listed: false,
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

    /// Returns whether the connection is the observer of a recording.
    #[inline]
    pub(crate) fn records(&self) -> bool {
        self.state == ConnectionState::Recording
    }

    /// Returns the number of the transport's connection; none while the client is away.
    #[inline]
    pub(crate) fn link(&self) -> Option<ConnectionId> {
        match &self.session {
            Some(session) => session.link,
            None => (!self.records()).then_some(self.id),
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
        measured.or_else(|| self.ping.round_trip().measured())
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.state == ConnectionState::Ready
    }

    /// Appends the messages for this connection alone to its queue.
    #[inline]
    pub(crate) fn flush_own(&mut self, store: &mut ChunkStore) {
        if !self.own.is_empty() {
            let (channel, tick) = (0, store.tick);
            let chunks = store.add(self.own.drain());
            self.queue.push_back(QueuedChunks {
                channel,
                tick,
                chunks,
            });
        }
    }

    /// Writes messages for this connection alone, and charges its budget. Returns their length. None
    /// if a value cannot be encoded.
    pub(crate) fn write_own(&mut self, write: &dyn Fn(&mut NetworkWriter)) -> Option<usize> {
        let writer = self.own.begin();
        write(writer);
        if writer.take_error().is_some() {
            self.own.give_up();
            return None;
        }
        let length = self.own.commit();
        self.ledger.charge(length);
        Some(length)
    }

    /// Adds the connection to the outgoing ones, once.
    #[inline]
    pub(crate) fn list(&mut self, outgoing: &mut VecDeque<ConnectionId>) {
        if !self.listed {
            self.listed = true;
            outgoing.push_back(self.id);
        }
    }
}
