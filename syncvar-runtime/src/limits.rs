//! Limits of a peer's input: elements, memory, work and depth; and of the connections of a server.

mod exceeded;

use std::time::Duration;

pub use exceeded::LimitExceeded;

/// Limits of the input of a peer. Both servers and both clients have them as `config.limits`.
///
/// A peer chooses the bytes of a packet, and a few bytes can demand much memory or many moves. Beyond
/// a limit a read fails with a [`ReadErrorKind`](crate::ReadErrorKind) that names the limit. A server
/// then refuses the whole write or command, a client reports the object as unreadable.
///
/// ```
/// use syncvar::prelude::*;
/// use syncvar::{ServerConfig, limits::Limits};
///
/// let limits = Limits {
///     max_elements: 10_000,
///     max_memory: 1 << 20,
///     ..Limits::default()
/// };
/// let config = ServerConfig { limits, ..ServerConfig::default() };
/// let server = NetworkServer::with_config(Prefabs::new(), config);
/// assert_eq!(server.config().limits.max_memory, 1 << 20);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Limit of elements in one sequence or collection; 1 048 576 by default. Byte sequences are
    /// limited by the message size only.
    pub max_elements: usize,
    /// Limit of the memory that one packet takes, in bytes; 8 MiB by default. Each byte of the packet adds
    /// [`memory_per_byte`](Self::memory_per_byte). An element counts with its size in memory, also if it
    /// has one byte on the wire.
    pub max_memory: usize,
    /// Bytes of memory that each byte of a packet adds to [`max_memory`](Self::max_memory); 32 by default.
    pub memory_per_byte: usize,
    /// Limit of the work of a connection between two updates, in bytes moved, copied and compared;
    /// 128 MiB by default, about 20 ms of a core. An insertion into a list counts with the elements
    /// behind it, an element with its size and 16 bytes more. Each byte of a packet
    /// adds [`work_per_byte`](Self::work_per_byte).
    pub max_work: usize,
    /// Bytes of work that each byte of a packet adds to [`max_work`](Self::max_work); 64 by default.
    pub work_per_byte: usize,
    /// Limit of nested values; 64 by default. Sequences, boxes and maps count one level each, and so does
    /// each level inside a `Postcard`.
    pub max_depth: usize,
    /// Limit of the memory that the writes of a connection add to the objects it owns, in bytes; 4 MiB
    /// by default. Beyond it the fields must not grow. Elements count with their size, and with their
    /// bytes in a snapshot; spare capacity and the overhead of the allocator may take it to four times as
    /// much.
    pub max_owner_memory: usize,
    /// Limit of the work of every connection of a server between two updates; 256 MiB by default, about
    /// 40 ms of a core. Beyond it, each connection has its fair share left: this limit divided by the
    /// number of connections. A client has one connection and ignores this limit and those below.
    pub max_total_work: usize,
    /// Messages per second of a connection, in the server's own time; 10 000 by default, infinity for
    /// no limit. A burst may have the messages of a second. Further packets wait in the transport
    /// ([`Endpoint::accepts_packets`](crate::Endpoint::accepts_packets)); a transport that delivers
    /// them anyway receives an error.
    pub message_rate: f64,
    /// Calls per second and connection of a command without a rate of its attribute
    /// (`#[command(rate = 5.0)]`), in the server's own time; 100 by default, infinity for no limit. A
    /// burst may have the calls of a second. Further calls are refused.
    pub command_rate: f64,
    /// Messages of the program per second, connection and type, in the server's own time; 100 by default,
    /// infinity for no limit. A burst may have the messages of a second. Further messages are
    /// ignored. Mirror's messages are exempt.
    pub program_message_rate: f64,
    /// Limit of a message of the program from a client, in bytes; 16 KiB by default.
    pub max_program_message: usize,
    /// Messages with inputs per second and connection, in the server's own time; 200 by default, infinity for no
    /// limit. A burst may have the messages of a second. Further messages are refused: the client sends their
    /// inputs again. It sends one message per tick, with at most 32 inputs.
    pub input_rate: f64,
    /// Limit of an encoded input, in bytes; 256 by default. A message with a longer input is malformed.
    pub max_input: usize,
    /// Most ticks by which an input may be ahead of the server's time; 32 by default and at most. An update refuses
    /// inputs beyond it; the client sends them again. At least 64 ticks up to the newest input are kept.
    pub max_input_lead: u64,
    /// Bytes per second of the snapshots that a connection requests for objects that it could not read,
    /// in the server's own time; 1 MiB by default, infinity for no limit. A burst may have the bytes of
    /// one second, and one object more. Further requests wait.
    pub snapshot_rate: f64,
    /// Limit of the misbehaviour of a connection, in points; 10 000 by default. Beyond it the server
    /// disconnects the client ([`LimitExceeded::Misbehaviour`]).
    ///
    /// A malformed or impossible message costs 100 points, a value beyond a limit 10. A message that
    /// is ignored costs 1: a write without ownership, a refused command, a request for an unknown object.
    pub max_misbehaviour: u32,
    /// Points of misbehaviour forgiven per second; 1 000 by default.
    pub misbehaviour_decay: f64,
    /// Time from the connection to the first ready; 60 s by default. A later connection is closed
    /// ([`LimitExceeded::JoinTime`]). The time begins with the first update. A program that holds
    /// connections in a lobby, or waits for a password, sets `Duration::MAX`.
    pub join_timeout: Duration,
    /// Limit of the payload of a join request, in bytes; 4 096 by default. A connection with a longer
    /// one is closed ([`LimitExceeded::JoinPayload`]). The server keeps the payload until the
    /// connection ends. Mirror's protocol lacks the payload.
    pub max_join_payload: usize,
    /// Limit of connections without a link that wait for their clients
    /// (`ServerConfig::reconnect_grace`); 1 000 by default. A further connection ends with its link.
    pub max_away: usize,
    /// Limit of connections that are or have been ready; no limit by default. A further connection
    /// that asks for the objects is closed ([`LimitExceeded::Places`]). The transport limits sockets.
    pub max_ready: usize,
    /// Part of [`max_ready`](Self::max_ready) reserved for returning sessions; 0 by default. A server
    /// recognises such a connection before it is ready, for example by a token in a command, and calls
    /// `set_returning`.
    pub reserved_places: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Limits {
    /// Default limits.
    pub(crate) const DEFAULT: Self = Self {
        max_elements: 1 << 20,
        max_memory: 8 << 20,
        memory_per_byte: 32,
        max_work: 128 << 20,
        work_per_byte: 64,
        max_depth: 64,
        max_owner_memory: 4 << 20,
        max_total_work: 256 << 20,
        message_rate: 10_000.0,
        command_rate: 100.0,
        program_message_rate: 100.0,
        max_program_message: 16 << 10,
        input_rate: 200.0,
        max_input: 256,
        max_input_lead: 32,
        snapshot_rate: 1_048_576.0,
        max_misbehaviour: 10_000,
        misbehaviour_decay: 1_000.0,
        join_timeout: Duration::from_mins(1),
        max_join_payload: 4096,
        max_away: 1000,
        max_ready: usize::MAX,
        reserved_places: 0,
    };

    /// Returns the budget of a packet of this length, from a connection with this much work left.
    ///
    /// ```
    /// use syncvar::limits::Limits;
    ///
    /// let limits = Limits::default();
    /// let budget = limits.budget(1000, limits.max_work);
    /// assert_eq!(budget.memory, limits.max_memory + 32_000);
    /// assert_eq!(budget.work, limits.max_work + 64_000);
    /// ```
    #[inline]
    pub const fn budget(&self, packet_length: usize, work_left: usize) -> ReadBudget {
        let mut budget = ReadBudget {
            elements: self.max_elements,
            memory: self.max_memory,
            work: work_left,
            depth: self.max_depth,
        };
        budget.add_share(self, packet_length);
        budget
    }
}

/// Memory and work that reads may still take, and their limits of elements and depth.
///
/// A [`NetworkReader`](crate::NetworkReader) receives it by value and returns the rest: the budget of a
/// packet passes from reader to reader.
///
/// ```
/// use syncvar::limits::ReadBudget;
/// use syncvar::wire::{NetworkReader, ReadErrorKind};
///
/// let mut budget = ReadBudget::UNLIMITED;
/// budget.memory = 1000;
/// let mut reader = NetworkReader::new(&[100, 0]).with_budget(budget);
/// let error = reader.read::<Vec<[u64; 4]>>().unwrap_err();
/// assert_eq!(error.kind(), ReadErrorKind::TooMuchMemory { needed: 3200, left: 1000 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadBudget {
    /// Limit of elements in one sequence or collection.
    pub elements: usize,
    /// Remaining bytes of memory.
    pub memory: usize,
    /// Remaining work, in bytes moved, copied and compared.
    pub work: usize,
    /// Remaining levels of nested values.
    pub depth: usize,
}

impl ReadBudget {
    /// Budget for bytes of this process.
    pub const UNLIMITED: Self = Self {
        elements: usize::MAX,
        memory: usize::MAX,
        work: usize::MAX,
        depth: usize::MAX,
    };

    /// Adds the share of bytes that came with an earlier packet and are read now.
    #[inline]
    pub const fn add_share(&mut self, limits: &Limits, length: usize) {
        let memory = length.saturating_mul(limits.memory_per_byte);
        let work = length.saturating_mul(limits.work_per_byte);
        self.memory = self.memory.saturating_add(memory);
        self.work = self.work.saturating_add(work);
    }
}

/// Work of a connection since the last update, beyond the share that its bytes add.
///
/// ```
/// use syncvar::limits::{Limits, WorkMeter};
///
/// let (limits, mut meter) = (Limits::default(), WorkMeter::default());
/// let begun = meter.begin(&limits, 10);
/// let mut left = begun;
/// left.work -= 1000;
/// meter.end(&limits, 10, left);
/// assert_eq!(meter.used(), 1000 - 10 * limits.work_per_byte);
/// meter.reset();
/// assert_eq!(meter.used(), 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkMeter {
    used: usize,
}

impl WorkMeter {
    /// Returns the budget of a packet.
    #[inline]
    pub const fn begin(&self, limits: &Limits, packet_length: usize) -> ReadBudget {
        limits.budget(packet_length, limits.max_work.saturating_sub(self.used))
    }

    /// Records the rest of a packet's budget.
    #[inline]
    pub const fn end(&mut self, limits: &Limits, packet_length: usize, left: ReadBudget) {
        let used = self
            .begin(limits, packet_length)
            .work
            .saturating_sub(left.work);
        let share = packet_length.saturating_mul(limits.work_per_byte);
        self.used = self.used.saturating_add(used.saturating_sub(share));
    }

    /// Returns the work since the last reset.
    #[inline]
    pub const fn used(&self) -> usize {
        self.used
    }

    /// Begins a new update.
    #[inline]
    pub const fn reset(&mut self) {
        self.used = 0;
    }
}
