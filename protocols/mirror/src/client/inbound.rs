//! Received messages and spawns that are not applied yet.

use syncvar_runtime::behaviour::MessageTime;
use syncvar_runtime::limits::{ReadBudget, WorkMeter};
use syncvar_runtime::object::DeferredHooks;

use super::session::receive::WaitingMessages;
use super::world::spawn::Burst;

/// Waiting messages, the current burst, and memory for decoding.
#[derive(Debug)]
pub(super) struct Inbound {
    pub(super) burst: Burst,
    pub(super) waiting: WaitingMessages,
    /// Work since the last update.
    pub(super) work: WorkMeter,
    /// Memory and work left for the message in progress.
    pub(super) budget: ReadBudget,
    /// Times of the message that is being read.
    pub(super) message_time: Option<MessageTime>,
    /// Reused memory for the components of one object.
    pub(super) components: Vec<DeferredHooks>,
}

impl Default for Inbound {
    fn default() -> Self {
        Self {
            burst: Burst::default(),
            waiting: WaitingMessages::default(),
            work: WorkMeter::default(),
            budget: ReadBudget::UNLIMITED,
            message_time: None,
            components: Vec::new(),
        }
    }
}

impl Inbound {
    /// Drops the messages and spawns of a connection.
    pub(super) fn clear(&mut self) {
        self.waiting = WaitingMessages::default();
        self.burst = Burst::default();
    }
}
