//! The connection to the server.

pub(super) mod receive;
pub(super) mod scene;
pub(super) mod transmit;

use syncvar_runtime::NetId;

/// State of the connection.
#[derive(Debug, Default)]
pub(super) struct Session {
    stage: Stage,
    /// Number of connects and disconnects so far.
    number: u64,
    /// The transport has to close the connection.
    closing: bool,
    pub(super) local_player: Option<NetId>,
}

/// Progress of the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Disconnected,
    Connected,
    /// The server knows this client as ready.
    Ready,
}

impl Session {
    pub(super) fn is_connected(&self) -> bool {
        self.stage != Stage::Disconnected
    }

    pub(super) fn is_ready(&self) -> bool {
        self.stage == Stage::Ready
    }

    /// Returns a number that changes with each begin and end.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Begins a connection.
    pub(super) fn begin(&mut self) {
        self.number = self.number.wrapping_add(1);
        (self.stage, self.closing) = (Stage::Connected, false);
    }

    /// Ends the connection; the transport has to close it.
    pub(super) fn end(&mut self) {
        self.number = self.number.wrapping_add(1);
        (self.stage, self.closing) = (Stage::Disconnected, true);
    }

    /// Makes a connected client ready. Returns whether it was connected and not ready.
    pub(super) fn become_ready(&mut self) -> bool {
        let is_due = self.stage == Stage::Connected;
        if is_due {
            self.stage = Stage::Ready;
        }
        is_due
    }

    /// Makes a ready client not ready.
    pub(super) fn become_not_ready(&mut self) {
        if self.is_ready() {
            self.stage = Stage::Connected;
        }
    }

    /// Returns once whether the transport has to close the connection.
    pub(super) fn take_closing(&mut self) -> bool {
        std::mem::take(&mut self.closing)
    }
}
