//! `LogError`: reasons why a log file is not read or written.

use std::error::Error;
use std::{fmt, io};

use syncvar_net::RecordError;
use syncvar_runtime::untyped::UntypedError;
use syncvar_runtime::{SchemaError, SchemaReport};

/// Reason why a log file is not read or written.
///
/// ```
/// use std::io::Cursor;
/// use syncvar::log::{LogError, LogReader};
///
/// let error = LogReader::new(Cursor::new(b"no log")).unwrap_err();
/// assert!(matches!(error, LogError::Foreign(_)));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum LogError {
    /// The storage has failed.
    Io(io::Error),
    /// The file is not a log file, or is cut before its first whole chunk.
    Foreign(String),
    /// The file has another version of the format.
    Version(String),
    /// The schema in the file is malformed.
    Schema(SchemaError),
    /// The client has another build, which cannot read the records.
    Build(SchemaReport),
    /// The schema is beyond the limits of a client without compiled types.
    Untyped(UntypedError),
    /// Bytes of the file are damaged.
    Damaged {
        /// Position in the file of the chunk, or of the record of MCAP.
        offset: u64,
        /// Difference.
        reason: String,
    },
    /// A chunk, or a record of MCAP, is longer than the limit of the reader.
    TooLong {
        /// Position in the file.
        offset: u64,
        /// Length in bytes.
        length: u64,
        /// Limit in bytes.
        limit: u64,
    },
    /// A tick record is damaged, or does not fit its message.
    Record {
        /// Number of the record in the message.
        seq: u64,
        /// Reason.
        error: RecordError,
    },
}

impl LogError {
    pub(crate) fn damaged(offset: u64, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self::Damaged { offset, reason }
    }

    /// Returns the error with the number of a file of a recording; the first one has no number.
    pub(crate) fn in_file(self, file: usize) -> Self {
        match self {
            Self::Damaged { offset, reason } if file > 0 => {
                let reason = format!("file {file} of the recording: {reason}");
                Self::Damaged { offset, reason }
            }
            error => error,
        }
    }
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "storage of the log: {error}"),
            Self::Foreign(reason) => write!(f, "not a log file: {reason}"),
            Self::Version(version) => {
                write!(f, "version {version:?} of the log file is unknown")
            }
            Self::Schema(error) => write!(f, "schema of the log file: {error}"),
            Self::Build(report) => write!(f, "schema of the log file: {report}"),
            Self::Untyped(error) => write!(f, "schema of the log file: {error}"),
            Self::Damaged { offset, reason } => {
                write!(f, "damaged log file at byte {offset}: {reason}")
            }
            Self::TooLong {
                offset,
                length,
                limit,
            } => write!(
                f,
                "{length} bytes at byte {offset} of the log file exceed the limit of {limit}"
            ),
            Self::Record { seq, error } => write!(f, "record {seq} of the log file: {error}"),
        }
    }
}

impl Error for LogError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Schema(error) => Some(error),
            Self::Untyped(error) => Some(error),
            Self::Record { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for LogError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
