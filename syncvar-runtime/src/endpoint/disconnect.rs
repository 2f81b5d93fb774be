//! `DisconnectReason`.

use std::convert::Infallible;
use std::error::Error;
use std::fmt;

use super::Refusal;
use crate::limits::LimitExceeded;
use crate::schema::SchemaReport;

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
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DisconnectReason<E = Infallible> {
    /// One side has ended the connection, with this text. It may be empty.
    Requested(String),
    /// The two sides have schemas that do not play together. A client knows every reason, unless the server does not
    /// describe its schema; a server knows the hash of the client's schema only, and has `None`.
    SchemaMismatch(Option<Box<SchemaReport>>),
    /// The two sides have different versions of the handshake.
    VersionMismatch,
    /// The transport has lost the connection, or the peer has left without a message.
    ConnectionLost,
    /// The client has exceeded a limit of the server. The client receives the text as
    /// [`Requested`](Self::Requested), where the protocol carries texts.
    Limit(LimitExceeded),
    /// The server's program has refused the client, or has ended its connection, for this reason.
    Denied(Box<Refusal>),
    /// The peer has sent invalid data, or has taken too little of its queue.
    Refused(E),
}

const DIFFERENT_SCHEMAS: &str = "the schemas of the two sides do not play together";

impl<E: fmt::Display> fmt::Display for DisconnectReason<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Requested(text) if text.is_empty() => f.write_str("disconnected"),
            Self::Requested(text) => write!(f, "disconnected: {text}"),
            Self::SchemaMismatch(None) => f.write_str(DIFFERENT_SCHEMAS),
            Self::SchemaMismatch(Some(report)) => {
                write!(f, "{DIFFERENT_SCHEMAS}: {report}")
            }
            Self::VersionMismatch => {
                f.write_str("the server speaks another version of the protocol")
            }
            Self::ConnectionLost => f.write_str("the connection was lost"),
            Self::Limit(limit) => write!(f, "disconnected: {limit}"),
            Self::Denied(refusal) => write!(f, "denied: {refusal}"),
            Self::Refused(error) => write!(f, "refused: {error}"),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> Error for DisconnectReason<E> {}
