//! `LimitExceeded`.

/// Limit of a server that ends a connection.
///
/// ```
/// use syncvar::DisconnectReason;
/// use syncvar::limits::LimitExceeded;
///
/// let reason: DisconnectReason = DisconnectReason::Limit(LimitExceeded::Places);
/// assert_eq!(reason.to_string(), "disconnected: the server is full");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LimitExceeded {
    /// Too many invalid or ignored messages:
    /// [`Limits::max_misbehaviour`](crate::Limits::max_misbehaviour).
    #[error("too many invalid or ignored messages")]
    Misbehaviour,
    /// Not ready in time: [`Limits::join_timeout`](crate::Limits::join_timeout).
    #[error("not ready in time")]
    JoinTime,
    /// No free place: [`Limits::max_ready`](crate::Limits::max_ready).
    #[error("the server is full")]
    Places,
}
