//! `Channel`: delivery guarantees of a transport.

/// Delivery guarantee of a channel.
///
/// The index in the configured list of channels is the channel's number. By default channel 0 is reliable
/// and channel 1 unreliable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Packets arrive once and in order, and may have any size. All reliable channels of a connection
    /// share one order: snapshots use channel 0, deltas the channels of their behaviours.
    Reliable,
    /// Packets may be lost, duplicated or reordered, and are at most as large as the packet size. A lost
    /// delta is not repeated.
    Unreliable,
}
