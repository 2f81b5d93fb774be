//! `LimitExceeded`.

use std::fmt;

/// Limit of a server that ends a connection.
///
/// ```
/// use syncvar::DisconnectReason;
/// use syncvar::limits::LimitExceeded;
///
/// let reason: DisconnectReason = DisconnectReason::Limit(LimitExceeded::Places);
/// assert_eq!(reason.to_string(), "disconnected: the server is full");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LimitExceeded {
    /// Too many invalid or ignored messages:
    /// [`Limits::max_misbehaviour`](crate::Limits::max_misbehaviour).
    Misbehaviour,
    /// Not ready in time: [`Limits::join_timeout`](crate::Limits::join_timeout).
    JoinTime,
    /// Too long join payload: [`Limits::max_join_payload`](crate::Limits::max_join_payload).
    JoinPayload,
    /// No free place: [`Limits::max_ready`](crate::Limits::max_ready).
    Places,
}

impl fmt::Display for LimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Misbehaviour => "too many invalid or ignored messages",
            Self::JoinTime => "not ready in time",
            Self::JoinPayload => "the join payload is too long",
            Self::Places => "the server is full",
        })
    }
}

impl std::error::Error for LimitExceeded {}
