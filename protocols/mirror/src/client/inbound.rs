//! Received messages and spawns that are not applied yet.

use super::session::receive::WaitingMessages;
use super::world::payload::ReadComponent;
use super::world::spawn::Burst;

/// Waiting messages, the current burst, and memory for decoding.
#[derive(Debug, Default)]
pub(super) struct Inbound {
    pub(super) burst: Burst,
    pub(super) waiting: WaitingMessages,
    /// Reused memory for the components of one object.
    pub(super) components: Vec<ReadComponent>,
}

impl Inbound {
    /// Drops the messages and spawns of a connection.
    pub(super) fn clear(&mut self) {
        self.waiting = WaitingMessages::default();
        self.burst = Burst::default();
    }
}
