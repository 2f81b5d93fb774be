//! One connection: how far it has come, and what waits to be sent to it.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use super::budget::Limit;
use super::ping::Pings;
use super::stock::Stock;
use crate::ConnectionId;
use crate::call::Rates;
use crate::packet::Segments;
use crate::{Framing, NetId, Vector3};

/// A connection.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) id: ConnectionId,
    pub(super) state: ConnectionState,
    /// Whose bytes it is sent.
    pub(super) framing: Framing,
    /// What it is sent of what changes, if that is limited.
    pub(super) limit: Option<Box<Limit>>,
    /// From where it looks.
    pub(super) viewpoint: Option<Vector3>,
    /// The objects that it has asked for again.
    pub(super) wanted: BTreeSet<NetId>,
    /// The time that it has asked with what time it is, and when that was last answered.
    pub(super) ping: Pings,
    /// How much of its share of commands it has used up.
    pub(super) rates: Rates,
    /// The objects it owns.
    pub(super) owned: BTreeSet<NetId>,
    /// Messages for this connection alone, on channel 0, not yet in the queue.
    pub(super) own: Segments,
    /// What waits in the server's stock, oldest first. There is one queue for all channels: what was
    /// written first leaves first, so that no full state overtakes a change of before.
    pub(super) queue: VecDeque<Parcel>,
    /// Whether it is in the server's list of connections with something to send.
    pub(super) listed: bool,
}

/// Pieces in stock that wait for a connection, and the channel that they are sent on.
#[derive(Clone, Debug)]
pub(super) struct Parcel {
    pub(super) channel: u8,
    pub(super) pieces: Range<u64>,
}

/// How far a connection has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConnectionState {
    /// The transport has it; it has not proved its schema yet.
    Connecting,
    /// It is in, and gets no objects.
    Connected,
    /// It has said that it is ready; the next update gives it everything.
    Joining,
    /// It gets objects and their changes.
    Ready,
    /// It is being sent off: what waits is still sent, nothing is heard any more.
    Closing,
}

impl Connection {
    pub(super) fn new(id: ConnectionId, packet_size: usize) -> Self {
        Self {
            id,
            state: ConnectionState::Connecting,
            framing: Framing::Unet,
            limit: None,
            viewpoint: None,
            wanted: BTreeSet::new(),
            ping: Pings::default(),
            rates: Rates::default(),
            owned: BTreeSet::new(),
            own: Framing::Unet.segments(packet_size),
            queue: VecDeque::new(),
            listed: false,
        }
    }

    pub(super) fn is_connected(&self) -> bool {
        !matches!(
            self.state,
            ConnectionState::Connecting | ConnectionState::Closing
        )
    }

    pub(super) fn is_ready(&self) -> bool {
        self.state == ConnectionState::Ready
    }

    /// Puts the messages for this connection alone behind whatever is already in the queue.
    #[inline]
    pub(super) fn flush_own(&mut self, stock: &mut Stock) {
        if !self.own.is_empty() {
            let pieces = stock.add(self.own.drain());
            self.queue.push_back(Parcel { channel: 0, pieces });
        }
    }

    /// Sees to it that the connection is in the server's list of those with something to send.
    #[inline]
    pub(super) fn list(&mut self, outgoing: &mut VecDeque<ConnectionId>) {
        if !self.listed {
            self.listed = true;
            outgoing.push_back(self.id);
        }
    }

    /// So many bytes are sent to it that its budget does not hold back.
    pub(super) fn charge(&mut self, bytes: usize) {
        if let Some(limit) = &mut self.limit {
            limit.charge(bytes);
        }
    }

    /// Puts pieces in stock behind whatever waits.
    #[inline]
    pub(super) fn push(&mut self, parcel: Parcel, stock: &mut Stock) {
        if parcel.pieces.is_empty() {
            return;
        }
        // What this connection alone was to be told was said before; so its pieces come first.
        self.flush_own(stock);
        self.queue.push_back(parcel);
    }
}
