//! `SaveError`: reasons why a state was not saved or loaded.

use std::error::Error;
use std::fmt;

use syncvar_runtime::schema::{SchemaError, SchemaReport};
use syncvar_runtime::{NetId, ReadError, WriteError};

use crate::{RecordError, SpawnFailure};

/// Reason why a state was not saved or loaded.
///
/// ```
/// use syncvar::saving::{Save, SaveError};
///
/// assert_eq!(Save::from_bytes(b"png").unwrap_err(), SaveError::NoSave);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SaveError {
    /// The bytes are no save.
    NoSave,
    /// The save has a layout of a different version.
    Version(u8),
    /// The record has no state of a server: it belongs to a recording, or it is no keyframe.
    NoState,
    /// The text of the schema is malformed.
    Schema(SchemaError),
    /// The text of the schema is not that of the server.
    OtherSchema,
    /// This build cannot read the state, for these reasons.
    Unresolved(SchemaReport),
    /// The record was damaged or cannot be played.
    Record(RecordError),
    /// The facts of the server are malformed.
    Malformed(ReadError),
    /// The record does not continue the state.
    NoSuccessor {
        /// Number of the last record.
        last: u64,
        /// Number of this record.
        found: u64,
    },
    /// The state of an object is malformed.
    Object {
        /// The object.
        object: NetId,
        /// Error of the read.
        error: ReadError,
    },
    /// An object cannot be made.
    Spawn {
        /// The object.
        object: NetId,
        /// Reason of the failure.
        reason: SpawnFailure,
    },
    /// A fact about an object contradicts a second one: its scene id is taken, or it would be below itself.
    Contradiction(NetId),
    /// The server has objects or connections: load a state into a new server.
    NotEmpty,
    /// A field of an object has a value without a form, for example a too long text.
    Value {
        /// The object.
        object: NetId,
        /// Error of the write.
        error: WriteError,
    },
    /// The object is checked out: no callback of an object saves the server.
    CheckedOut(NetId),
    /// The id of an object is in use.
    IdTaken(NetId),
    /// An earlier save of the server takes further updates.
    InProgress,
}

impl fmt::Display for SaveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSave => f.write_str("the bytes are no save"),
            Self::Version(version) => write!(f, "version {version} of saves is unknown"),
            Self::NoState => f.write_str("the record has no state of a server"),
            Self::Schema(error) => write!(f, "malformed schema: {error}"),
            Self::OtherSchema => f.write_str("the schema is not that of the server of the save"),
            Self::Unresolved(report) => write!(f, "this build cannot read the save: {report}"),
            Self::Record(error) => error.fmt(f),
            Self::Malformed(error) => write!(f, "malformed facts of the server: {error}"),
            Self::NoSuccessor { last, found } => {
                write!(f, "record {found} does not continue record {last}")
            }
            Self::Object { object, error } => write!(f, "malformed object {object}: {error}"),
            Self::Spawn { object, reason } => {
                write!(f, "object {object} cannot be made: {reason}")
            }
            Self::Contradiction(object) => {
                write!(f, "contradictory facts about object {object}")
            }
            Self::NotEmpty => f.write_str("the server has objects or connections"),
            Self::Value { object, error } => write!(f, "object {object} has no form: {error}"),
            Self::CheckedOut(object) => {
                write!(f, "object {object} is checked out: a callback runs")
            }
            Self::IdTaken(object) => write!(f, "the id of object {object} is in use"),
            Self::InProgress => f.write_str("a save of the server is in progress"),
        }
    }
}

impl Error for SaveError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Schema(error) => Some(error),
            Self::Record(error) => Some(error),
            Self::Malformed(error) | Self::Object { error, .. } => Some(error),
            Self::Value { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl From<SchemaError> for SaveError {
    fn from(error: SchemaError) -> Self {
        Self::Schema(error)
    }
}

impl From<RecordError> for SaveError {
    fn from(error: RecordError) -> Self {
        Self::Record(error)
    }
}

impl From<ReadError> for SaveError {
    fn from(error: ReadError) -> Self {
        Self::Malformed(error)
    }
}
