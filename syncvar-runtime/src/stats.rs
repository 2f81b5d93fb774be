//! Plain counters.

/// A number of messages and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// How many.
    pub messages: u64,
    /// Their bytes, headers included.
    pub bytes: u64,
}

/// What one behaviour of one prefab has cost a server to encode.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BehaviourStats {
    /// The prefab.
    pub prefab: String,
    /// The behaviour.
    pub behaviour: String,
    /// Full states: how many, and their bytes.
    pub full: Counter,
    /// Changes, a clean behaviour's empty mask included: how many, and their bytes.
    pub delta: Counter,
}

impl Counter {
    /// Counts a message of so many bytes.
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
    /// Counters of a behaviour that has cost nothing yet.
    pub fn new(prefab: impl Into<String>, behaviour: impl Into<String>) -> Self {
        Self {
            prefab: prefab.into(),
            behaviour: behaviour.into(),
            full: Counter::default(),
            delta: Counter::default(),
        }
    }
}
