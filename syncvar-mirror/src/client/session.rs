//! The connection to the server.

use syncvar_runtime::NetId;

/// State of the connection.
#[derive(Debug, Default)]
pub(super) struct Session {
    pub(super) connected: bool,
    /// Number of connects and disconnects so far.
    pub(super) number: u64,
    /// The server knows this client as ready.
    pub(super) ready: bool,
    /// The transport has to close the connection.
    pub(super) closing: bool,
    pub(super) local_player: Option<NetId>,
}
