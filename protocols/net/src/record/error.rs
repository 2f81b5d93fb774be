//! `RecordError`: reasons why a record is not played.

use std::error::Error;
use std::fmt;

use syncvar_runtime::ReadError;

/// Reason why a [`TickRecord`](crate::TickRecord) was not decoded, or not played.
///
/// ```
/// use syncvar::records::{RecordError, TickRecord};
///
/// let error = TickRecord::from_bytes(&[0; 40]).unwrap_err();
/// assert!(matches!(error, RecordError::Checksum { expected: 0, .. }));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RecordError {
    /// The bytes were damaged.
    Checksum {
        /// Checksum in the record.
        expected: u32,
        /// Checksum of its bytes.
        computed: u32,
    },
    /// The record has a layout of another version.
    Version(u8),
    /// A field, an item or a message is malformed. Of the messages of an item, the position counts from
    /// the begin of the item's messages, or of the message itself. Earlier and later messages were handled, if
    /// the borders of all messages are valid and all of them are shared.
    Malformed(ReadError),
    /// The server has another schema than this client.
    OtherSchema {
        /// Hash in the keyframe.
        record: u64,
        /// Hash of the client's prefabs.
        client: u64,
    },
    /// The client has a connection to a server.
    Connected,
    /// The record continues a state that the client does not have: it has played no keyframe of this origin.
    NeedsKeyframe,
    /// The records from `expected` to `found - 1` are missing. This one is kept for its place, within the limits of
    /// [`handle_record`](crate::NetworkClient::handle_record). The program asks the source for the missing ones, or for a later keyframe.
    Missing {
        /// Number of the next record.
        expected: u64,
        /// Number of the first kept record.
        found: u64,
    },
    /// The record has an earlier tick than the one before.
    EarlierTick {
        /// Tick of the last record that was played.
        last: u64,
        /// Tick of this record.
        found: u64,
    },
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Checksum { expected, computed } => write!(
                f,
                "damaged record: its checksum is {expected:08x}, that of its bytes {computed:08x}"
            ),
            Self::Version(version) => {
                write!(f, "version {version} of the layout of records is unknown")
            }
            Self::Malformed(error) => write!(f, "malformed record: {error}"),
            Self::OtherSchema { record, client } => write!(
                f,
                "the record has schema {record:016x}, but the client has {client:016x}"
            ),
            Self::Connected => f.write_str("the client has a connection to a server"),
            Self::NeedsKeyframe => f.write_str("the record has no keyframe before it"),
            Self::Missing { expected, found } => {
                write!(
                    f,
                    "record {found} came, but record {expected} is the next one"
                )
            }
            Self::EarlierTick { last, found } => {
                write!(f, "the record of tick {found} came behind tick {last}")
            }
        }
    }
}

impl Error for RecordError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Malformed(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ReadError> for RecordError {
    fn from(error: ReadError) -> Self {
        Self::Malformed(error)
    }
}
