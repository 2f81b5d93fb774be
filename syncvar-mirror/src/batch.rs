//! Batches: what a transport carries.

/// What a transport can carry in one of its messages, and how much is gathered into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// So many bytes messages are gathered into, on either channel; one message may be longer. Mirror,
    /// `Transport.GetBatchThreshold`.
    pub batch_threshold: usize,
    /// The most bytes of a batch on the reliable channel. Mirror, `Transport.GetMaxPacketSize`.
    pub max_reliable: usize,
    /// The most bytes of a batch on the unreliable channel.
    pub max_unreliable: usize,
}

impl Limits {
    /// Those of Telepathy, as Mirror sets it up.
    pub const TELEPATHY: Self = Self {
        batch_threshold: 16_384,
        max_reliable: 16_384,
        max_unreliable: 16_384,
    };

    /// Those of KCP, as Mirror sets it up.
    pub const KCP: Self = Self {
        batch_threshold: 1194,
        max_reliable: 297_433,
        max_unreliable: 1194,
    };
}

/// Why bytes are no batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// Fewer bytes than a batch begins with.
    #[error("{length} bytes are fewer than the 8 of the time")]
    TooShort {
        /// How many there are.
        length: usize,
    },
    /// The length of a message is cut off.
    #[error("the length of a message at byte {offset} is cut off")]
    UnfinishedSize {
        /// Where it begins.
        offset: usize,
    },
    /// A message is longer than what is left.
    #[error("a message of {size} bytes at byte {offset}, and {left} are left")]
    BeyondEnd {
        /// Where its length begins.
        offset: usize,
        /// How long it is said to be.
        size: u64,
        /// How many bytes are left behind the length.
        left: usize,
    },
}
