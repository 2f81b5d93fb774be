//! Reasons for the end of a connection.

use crate::prefab::text::SchemaDifference;

/// Why a connection ended or was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DisconnectReason {
    /// One side asked for it, in these words.
    #[error("disconnected: {0}")]
    Requested(String),
    /// The two sides do not know the same prefabs, behaviours or fields.
    #[error("{}", describe(.0.as_deref()))]
    SchemaMismatch(Option<Box<SchemaDifference>>),
    /// The two sides speak different versions of the handshake.
    #[error("the server speaks another version of the protocol")]
    VersionMismatch,
    /// The transport lost it.
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
