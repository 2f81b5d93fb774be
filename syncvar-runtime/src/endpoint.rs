//! Reasons for the end of a connection.

use crate::prefab::text::SchemaDifference;

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
