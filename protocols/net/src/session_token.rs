//! `SessionToken`: the proof of a returning client.

use std::fmt;

/// Secret of a session: a client that returns with it receives its connection back.
///
/// The bytes must be unpredictable, because each client that knows them takes the session over.
/// `Debug` does not print them.
///
/// ```
/// use syncvar::join::SessionToken;
///
/// let token = SessionToken::new([7; 16]);
/// assert_eq!(token.as_bytes(), [7; 16]);
/// assert_eq!(format!("{token:?}"), "SessionToken(..)");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SessionToken([u8; 16]);

impl SessionToken {
    /// Creates a token, for example from a file of an earlier run of the client.
    pub const fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes.
    pub const fn as_bytes(self) -> [u8; 16] {
        self.0
    }
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionToken(..)")
    }
}
