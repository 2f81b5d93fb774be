//! `JournalError`: reasons why a journal is not written or recovered.

use std::error::Error;
use std::{fmt, io};

use syncvar_net::SaveError;

use crate::LogError;

/// Reason why a journal is not written or recovered.
///
/// ```
/// use syncvar::log::JournalError;
///
/// assert_eq!(JournalError::NoState.to_string(), "the file has no state of a server");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum JournalError {
    /// The storage has failed.
    Io(io::Error),
    /// The file is damaged before the end of its state, or no journal.
    Log(LogError),
    /// The state of the server cannot be saved, or the file has no such state.
    Save(SaveError),
    /// The storage has failed, and the next attempt is to come: the journal lacks the tick.
    Interrupted,
    /// The file has no record.
    NoState,
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "the storage of the journal has failed: {error}"),
            Self::Log(error) => error.fmt(f),
            Self::Save(error) => error.fmt(f),
            Self::Interrupted => {
                f.write_str("the journal waits for its next attempt behind a failure")
            }
            Self::NoState => f.write_str("the file has no state of a server"),
        }
    }
}

impl Error for JournalError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Log(error) => Some(error),
            Self::Save(error) => Some(error),
            Self::Interrupted | Self::NoState => None,
        }
    }
}

impl From<io::Error> for JournalError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<LogError> for JournalError {
    fn from(error: LogError) -> Self {
        Self::Log(error)
    }
}

impl From<SaveError> for JournalError {
    fn from(error: SaveError) -> Self {
        Self::Save(error)
    }
}
