//! Plain counters.

use std::fmt;
use std::time::Duration;

use crate::ReadErrorKind;
use crate::limits::LimitExceeded;

/// Number of messages and their bytes.
///
/// ```
/// use syncvar::prelude::*;
///
/// let mut net = MemoryNetwork::pair(Prefabs::new);
/// net.settle();
/// let sent = net.server.stats().sent;
/// println!("{} packets of {} bytes", sent.messages, sent.bytes);
/// assert!(sent.bytes > sent.messages);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// Number of messages.
    pub messages: u64,
    /// Their bytes with headers.
    pub bytes: u64,
}

/// Number of refused messages and closed connections, by limit.
///
/// ```
/// use syncvar::prelude::*;
///
/// let mut server = NetworkServer::new(Prefabs::new());
/// let connection = server.handle_connect();
/// assert!(server.handle_packet(connection, 0, &[1, 0, 99, 0, 7]).is_err());
/// assert_eq!(server.stats().refused.malformed, 1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedInput {
    /// Malformed messages, those beyond a limit of values not included.
    pub malformed: u64,
    /// Messages with too many elements ([`Limits::max_elements`](crate::Limits::max_elements)).
    pub elements: u64,
    /// Messages that need too much memory ([`Limits::max_memory`](crate::Limits::max_memory),
    /// [`Limits::max_owner_memory`](crate::Limits::max_owner_memory)).
    pub memory: u64,
    /// Messages that need too much work ([`Limits::max_work`](crate::Limits::max_work),
    /// [`Limits::max_total_work`](crate::Limits::max_total_work)).
    pub work: u64,
    /// Messages with too deeply nested values ([`Limits::max_depth`](crate::Limits::max_depth)).
    pub depth: u64,
    /// Writes of owners with a value that a `check` refused.
    pub checked_writes: u64,
    /// Packets beyond [`Limits::message_rate`](crate::Limits::message_rate) that the transport has
    /// delivered anyway.
    pub packets: u64,
    /// Messages of the program beyond
    /// [`Limits::program_message_rate`](crate::Limits::program_message_rate).
    pub program_messages: u64,
    /// Messages with inputs beyond [`Limits::input_rate`](crate::Limits::input_rate), inputs beyond
    /// [`Limits::max_input_lead`](crate::Limits::max_input_lead), and those of messages that are relative to an unknown input.
    pub inputs: u64,
    /// Updates in which requests of a connection waited for
    /// [`Limits::snapshot_rate`](crate::Limits::snapshot_rate).
    pub delayed_snapshots: u64,
    /// Connections closed for [`Limits::max_misbehaviour`](crate::Limits::max_misbehaviour).
    pub misbehaved: u64,
    /// Connections closed for [`Limits::join_timeout`](crate::Limits::join_timeout).
    pub late_joins: u64,
    /// Connections closed for [`Limits::max_join_payload`](crate::Limits::max_join_payload).
    pub join_payloads: u64,
    /// Connections closed because their session token is unknown.
    pub sessions: u64,
    /// Connections that ended with their link, for [`Limits::max_away`](crate::Limits::max_away).
    pub away: u64,
    /// Connections closed for [`Limits::max_ready`](crate::Limits::max_ready).
    pub without_place: u64,
}

impl RefusedInput {
    /// Counts a message that was not read.
    pub fn count_read(&mut self, kind: ReadErrorKind) {
        *match kind {
            ReadErrorKind::TooManyElements { .. } => &mut self.elements,
            ReadErrorKind::TooMuchMemory { .. } | ReadErrorKind::TooMuchOwnerMemory { .. } => {
                &mut self.memory
            }
            ReadErrorKind::TooMuchWork { .. } => &mut self.work,
            ReadErrorKind::TooDeep => &mut self.depth,
            _ => &mut self.malformed,
        } += 1;
    }

    /// Counts a closed connection.
    pub fn count_closed(&mut self, limit: LimitExceeded) {
        *match limit {
            LimitExceeded::Misbehaviour => &mut self.misbehaved,
            LimitExceeded::JoinTime => &mut self.late_joins,
            LimitExceeded::JoinPayload => &mut self.join_payloads,
            LimitExceeded::Places => &mut self.without_place,
        } += 1;
    }
}

/// Traffic and delay of a connection, as an end sees it.
///
/// ```
/// use syncvar::prelude::*;
///
/// let mut net = MemoryNetwork::pair(Prefabs::new);
/// for _ in 0..20 {
///     net.step();
/// }
/// let stats = net.server.connection_stats(net.connection(0)).unwrap();
/// assert_eq!(stats.sent, net.client(0).connection_stats().received);
/// assert!(stats.round_trip.is_some());
/// println!("{stats}"); // sent 9 packets (103 bytes), received 8 packets (97 bytes), ...
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConnectionStats {
    /// Packets passed to the transport.
    pub sent: Counter,
    /// Packets received from the transport.
    pub received: Counter,
    /// Messages that the transport has not taken yet; several may share a packet.
    pub queued: Counter,
    /// Objects with changes that a budget delays. Each channel of an object counts.
    pub backlog: usize,
    /// Smoothed round-trip time. On a server of UNet or Compact the client reports it: base no rule on it.
    pub round_trip: Option<Duration>,
    /// Smoothed deviation of single round trips; with Mirror their standard deviation.
    pub jitter: Option<Duration>,
}

impl fmt::Display for ConnectionStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counter { messages, bytes } = self.sent;
        write!(f, "sent {messages} packets ({bytes} bytes), ")?;
        let Counter { messages, bytes } = self.received;
        write!(f, "received {messages} packets ({bytes} bytes), ")?;
        let Counter { messages, bytes } = self.queued;
        write!(f, "queued {messages} messages ({bytes} bytes), ")?;
        write!(f, "backlog of {} objects", self.backlog)?;
        if let Some(round_trip) = self.round_trip {
            write!(f, ", round trip {round_trip:.1?}")?;
        }
        if let Some(jitter) = self.jitter {
            write!(f, ", jitter {jitter:.1?}")?;
        }
        Ok(())
    }
}

/// Encoding cost of a behaviour of a prefab on a server.
///
/// ```
/// use syncvar::prelude::*;
///
/// # #[derive(NetworkBehaviour, Default)]
/// # struct Door {
/// #     #[sync_var]
/// #     open: SyncVar<bool>,
/// # }
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
/// let door = net.server.spawn(Door::default());
/// net.settle();
/// net.server.get_mut::<Door>(door).unwrap().open.set(true);
/// net.settle();
/// let stats = &net.server.stats().behaviours[0];
/// assert_eq!((&*stats.behaviour, stats.delta.messages), ("Door", 1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BehaviourStats {
    /// Name of the prefab.
    pub prefab: String,
    /// Name of the behaviour.
    pub behaviour: String,
    /// Snapshots.
    pub full: Counter,
    /// Deltas, including the empty masks of clean behaviours.
    pub delta: Counter,
}

impl Counter {
    /// Counts a message of this length in bytes.
    #[inline]
    pub fn add(&mut self, bytes: usize) {
        self.messages += 1;
        self.bytes += bytes as u64;
    }

    /// Writes a row of a table with this name, unless the counter is 0.
    ///
    /// # Errors
    ///
    /// When the formatter fails.
    pub fn write_row(self, f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
        if self == Self::default() {
            return Ok(());
        }
        writeln!(f, "{name:44}{:>10}{:>12}", self.messages, self.bytes)
    }

    /// Adds the messages of a second counter.
    pub fn add_all(&mut self, other: Self) {
        self.messages += other.messages;
        self.bytes += other.bytes;
    }
}

impl BehaviourStats {
    /// Creates counters with value 0.
    pub fn new(prefab: impl Into<String>, behaviour: impl Into<String>) -> Self {
        Self {
            prefab: prefab.into(),
            behaviour: behaviour.into(),
            full: Counter::default(),
            delta: Counter::default(),
        }
    }
}
