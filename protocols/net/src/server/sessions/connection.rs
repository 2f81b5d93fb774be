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
use crate::server::datagrams::Datagrams;
use crate::server::inputs::ConnectionInputs;
use crate::server::outbound::chunks::ChunkStore;
use crate::server::replication::bandwidth::backlog::Backlog;
use crate::server::sessions::ping::Pings;
use crate::server::sessions::session::Session;

/// A connection.
#[derive(Debug)]
pub(in crate::server) struct Connection {
    pub(in crate::server) id: ConnectionId,
    pub(in crate::server) state: ConnectionState,
    pub(in crate::server) framing: Framing,
    /// Session that outlives the link.
    pub(in crate::server) session: Option<Box<Session>>,
    /// Session that its join request returns to.
    pub(in crate::server) returning: Option<Return>,
    /// Number of received packets on reliable channels.
    pub(in crate::server) received: u64,
    /// Payload of its join request.
    pub(in crate::server) join_payload: Payload,
    /// Budget and backlog, if the bandwidth is limited.
    pub(in crate::server) backlog: Option<Box<Backlog>>,
    /// Point that distances of objects are measured from, for their priority.
    pub(in crate::server) viewpoint: Option<Vector3>,
    /// Objects whose snapshot the client requested.
    pub(in crate::server) resync_requests: Ids<NetId>,
    /// Bytes of requested snapshots.
    pub(in crate::server) resync_bytes: Bucket,
    pub(in crate::server) ping: Pings,
    /// Tick that the client showed at its last command, if it tells it.
    pub(in crate::server) view: Option<f64>,
    /// Rate limits of commands.
    pub(in crate::server) rates: Rates,
    /// Inputs by tick; `None` before the first ones.
    pub(in crate::server) inputs: Option<Box<ConnectionInputs>>,
    /// Messages, work and misbehaviour.
    pub(in crate::server) conduct: Conduct,
    /// Players by number.
    pub(in crate::server) players: Vec<(i16, NetId)>,
    /// Objects that the connection owns.
    pub(in crate::server) owned: Ids<NetId>,
    /// Memory that its writes have added to them.
    pub(in crate::server) memory: OwnerMemory,
    /// Messages for this connection alone, on channel 0, not yet in the queue.
    pub(in crate::server) own: Segments,
    /// Chunks to transmit, oldest first. All channels share one queue, so that no snapshot overtakes
    /// an earlier delta.
    pub(in crate::server) queue: VecDeque<QueuedChunks>,
    /// Headers of the packets in both directions.
    pub(in crate::server) headers: Headers,
    /// Datagrams, if the transport has them, from the answer to its Connect on.
    pub(in crate::server) datagrams: Option<Box<Datagrams>>,
    /// Last tick with state on unreliable channels, while the transport holds it back: a slow reader of a stream.
    pub(in crate::server) detached_since: Option<u32>,
    /// Packets to the transport.
    pub(in crate::server) outgoing: Counter,
    /// Packets from the transport.
    pub(in crate::server) incoming: Counter,
    /// Whether the server's list of outgoing connections contains it.
    pub(in crate::server) listed: bool,
}

/// Chunks in the store that wait for a connection, and their channel.
#[derive(Clone, Debug)]
pub(in crate::server) struct QueuedChunks {
    pub(in crate::server) channel: u8,
    /// Tick of their update.
    pub(in crate::server) tick: u32,
    pub(in crate::server) chunks: Range<u64>,
}

/// Headers of a connection's packets, from the answer to its Connect on.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::server) struct Headers {
    /// Longest datagram of the transport; `None` if packets of unreliable channels take the stream.
    pub(in crate::server) datagrams: Option<usize>,
    /// Number of the first chunk behind a header; `None` without headers.
    pub(in crate::server) from: Option<u64>,
    pub(in crate::server) sent: StreamTicks,
    pub(in crate::server) received: StreamTicks,
    /// Whether a packet of the client on this link had a header: before it has read the answer, its farewell has none.
    pub(in crate::server) begun: bool,
}

impl Headers {
    /// Returns the delivery of a packet on a channel of this kind.
    #[inline]
    pub(in crate::server) fn delivery(&self, kind: Option<&Channel>) -> Channel {
        match kind {
            Some(Channel::Unreliable) if self.from.is_none() || self.datagrams.is_some() => {
                Channel::Unreliable
            }
            _ => Channel::Reliable,
        }
    }

    /// Returns whether a chunk with this number travels behind a header.
    #[inline]
    pub(in crate::server) fn apply(&self, chunk: u64) -> bool {
        self.from.is_some_and(|from| chunk >= from)
    }
}

/// Progress of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::server) enum ConnectionState {
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
    pub(in crate::server) fn new(id: ConnectionId, packet_size: usize) -> Self {
        Self {
            id,
            state: ConnectionState::Connecting { described: false },
            framing: Framing::Unet,
            session: None,
            returning: None,
            received: 0,
            join_payload: Payload::default(),
            backlog: None,
            viewpoint: None,
            resync_requests: Ids::default(),
            resync_bytes: Bucket::default(),
            ping: Pings::default(),
            view: None,
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
            detached_since: None,
            outgoing: Counter::default(),
            incoming: Counter::default(),
            listed: false,
        }
    }

    pub(in crate::server) fn is_connected(&self) -> bool {
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
    pub(in crate::server) fn records(&self) -> bool {
        self.state == ConnectionState::Recording
    }

    /// Returns the number of the transport's connection; none while the client is away.
    #[inline]
    pub(in crate::server) fn link(&self) -> Option<ConnectionId> {
        match &self.session {
            Some(session) => session.link,
            None => (!self.records()).then_some(self.id),
        }
    }

    /// Returns whether a budget delays its changes.
    pub(in crate::server) fn is_limited(&self) -> bool {
        self.backlog.as_ref().is_some_and(|it| it.is_limited())
    }

    /// Returns the round trip and its deviation: measured by datagrams, or by the pings of the client. `None` before the
    /// first measurement.
    pub(in crate::server) fn round_trip(&self) -> Option<(Duration, Duration)> {
        let datagrams = self.datagrams.as_ref();
        let measured = datagrams.and_then(|it| it.sender.round_trip().measured());
        measured.or_else(|| self.ping.round_trip())
    }

    pub(in crate::server) fn is_ready(&self) -> bool {
        self.state == ConnectionState::Ready
    }

    /// Appends the messages for this connection alone to its queue.
    #[inline]
    pub(in crate::server) fn flush_own(&mut self, store: &mut ChunkStore) {
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
    pub(in crate::server) fn write_own(
        &mut self,
        write: &dyn Fn(&mut NetworkWriter),
    ) -> Option<usize> {
        let writer = self.own.begin();
        write(writer);
        if writer.take_error().is_some() {
            self.own.give_up();
            return None;
        }
        let length = self.own.commit();
        self.charge(length);
        Some(length)
    }

    /// Adds the connection to the outgoing ones, once.
    #[inline]
    pub(in crate::server) fn list(&mut self, outgoing: &mut VecDeque<ConnectionId>) {
        if !self.listed {
            self.listed = true;
            outgoing.push_back(self.id);
        }
    }

    /// Subtracts bytes from the budget, for messages that no budget delays.
    pub(in crate::server) fn charge(&mut self, bytes: usize) {
        if let Some(backlog) = self.backlog.as_mut().filter(|it| it.is_limited()) {
            backlog.charge(bytes);
        }
    }
}
