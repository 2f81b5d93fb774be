//! `RemoteMessage`: message for a client at a gateway.

use bytes::Bytes;
use syncvar_runtime::ConnectionId;

/// Message of the program, or call of one client, for a [remote](crate::NetworkServer::connect_remote) connection.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RemoteMessage {
    /// The connection.
    pub connection: ConnectionId,
    /// Number of the channel.
    pub channel: u8,
    /// Whole message in the framing `Compact`.
    pub message: Bytes,
}
