//! `DisconnectReason`.

use std::convert::Infallible;

use crate::limits::LimitExceeded;
use crate::prefab::text::SchemaDifference;

/// Reason for the end of a connection, or for its refusal.
///
/// ```
/// # use syncvar::DisconnectReason;
/// let reason: DisconnectReason = DisconnectReason::Requested("server restarts".into());
/// assert_eq!(reason.to_string(), "disconnected: server restarts");
/// ```
///
/// `E` is the error for which a protocol closes connections. The default is for protocols without
/// such an error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DisconnectReason<E = Infallible> {
    /// One side has ended the connection, with this text. It may be empty.
    #[error("{}", requested(.0))]
    Requested(String),
    /// The two sides have different prefabs, behaviours or fields.
    #[error("{}", mismatch(.0.as_deref()))]
    SchemaMismatch(Option<Box<SchemaDifference>>),
    /// The two sides have different versions of the handshake.
    #[error("the server speaks another version of the protocol")]
    VersionMismatch,
    /// The transport has lost the connection, or the other side has left without a message.
    #[error("the connection was lost")]
    ConnectionLost,
    /// The client has exceeded a limit of the server. The client receives the text as
    /// [`Requested`](Self::Requested), where the protocol carries texts.
    #[error("disconnected: {0}")]
    Limit(LimitExceeded),
    /// The other side has sent invalid data, or has taken too little of its queue.
    #[error("refused: {0}")]
    Refused(E),
}

fn requested(text: &str) -> String {
    if text.is_empty() {
        "disconnected".into()
    } else {
        format!("disconnected: {text}")
    }
}

fn mismatch(difference: Option<&SchemaDifference>) -> String {
    match difference {
        Some(difference) => {
            format!("the two sides are not built from the same schema: {difference}")
        }
        None => "the two sides are not built from the same schema".into(),
    }
}
