//! Received messages and spawns that are not applied yet.

use super::payload::Component;
use super::receive::Inbox;
use super::spawn::Burst;

/// Waiting messages, the current burst, and memory for decoding.
#[derive(Debug, Default)]
pub(super) struct Inbound {
    pub(super) burst: Burst,
    pub(super) inbox: Inbox,
    /// Reused memory for the components of one object.
    pub(super) components: Vec<Component>,
}
