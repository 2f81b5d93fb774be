//! Channel kinds and disconnect reasons.

use crate::prefab::text::SchemaDifference;

/// Delivery guarantee of a channel.
///
/// The index in [`ServerConfig::channels`](crate::ServerConfig::channels) is the channel's number. The
/// default is a reliable channel 0 and an unreliable channel 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Packets arrive once and in order, and may have any size. All reliable channels of a connection
    /// share one order: snapshots use channel 0, deltas the channels of their behaviours.
    Reliable,
    /// Packets may be lost, duplicated or reordered, and are at most as large as the packet size. A lost
    /// delta is not repeated.
    Unreliable,
}

/// Reason of a refusal or of the end of a connection.
///
/// ```
/// # use syncvar_runtime::DisconnectReason;
/// let reason = DisconnectReason::Requested("server restarts".into());
/// assert_eq!(reason.to_string(), "disconnected: server restarts");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DisconnectReason {
    /// A side has closed the connection with this text.
    #[error("disconnected: {0}")]
    Requested(String),
    /// The sides know different prefabs, behaviours or fields.
    #[error("{}", describe(.0.as_deref()))]
    SchemaMismatch(Option<Box<SchemaDifference>>),
    /// The sides speak different versions of the handshake.
    #[error("the server speaks another version of the protocol")]
    VersionMismatch,
    /// The transport has lost the connection.
    #[error("the connection was lost")]
    ConnectionLost,
}

fn describe(difference: Option<&SchemaDifference>) -> String {
    match difference {
        Some(difference) => {
            format!("the two sides are not built from the same schema: {difference}")
        }
        None => "the two sides are not built from the same schema".into(),
    }
}
