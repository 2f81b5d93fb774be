//! Limits of a peer's input: elements, memory, work and depth.

/// Limits of the input of a peer. Both servers and both clients have them as `config.limits`.
///
/// A peer chooses the bytes of a packet, and a few bytes can demand much memory or many moves. Beyond
/// a limit a read fails with a [`ReadErrorKind`](crate::ReadErrorKind) that names the limit. A server
/// then refuses the whole write or command, a client reports the object as unreadable.
///
/// ```
/// use syncvar::prelude::*;
/// use syncvar::ServerConfig;
///
/// let mut config = ServerConfig::default();
/// config.limits.max_elements = 10_000;
/// config.limits.max_memory = 1 << 20;
/// let server = NetworkServer::with_config(Prefabs::new(), config);
/// assert_eq!(server.config().limits.max_memory, 1 << 20);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
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
    /// Limit of the work of one connection between two updates, in bytes moved, copied and compared;
    /// 128 MiB by default, about 20 ms of a core. An insertion into a list counts with the elements
    /// behind it, an element with its size and 16 bytes more. Each byte of a packet
    /// adds [`work_per_byte`](Self::work_per_byte).
    pub max_work: usize,
    /// Bytes of work that each byte of a packet adds to [`max_work`](Self::max_work); 64 by default.
    pub work_per_byte: usize,
    /// Limit of nested values; 64 by default. Sequences, boxes and maps count one level each, and so does
    /// each level inside a `Postcard`.
    pub max_depth: usize,
    /// Limit of the memory that the writes of one connection add to the objects it owns, in bytes; 4 MiB
    /// by default. Beyond it the fields must not grow. Elements count with their size, and with their
    /// bytes in a snapshot; spare capacity and the overhead of the allocator may take it to four times as
    /// much.
    pub max_owner_memory: usize,
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
