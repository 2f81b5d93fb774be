//! Plain counters.

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

/// Encoding cost of one behaviour of one prefab on a server.
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

    /// Counts the messages of another counter.
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
