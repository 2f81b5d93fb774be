//! `LogEntry`: a tick record in a file.

use std::time::Duration;

use bytes::Bytes;
use syncvar_net::TickRecord;

use crate::LogError;

/// A tick record in a log file, not decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// Set for a keyframe.
    pub is_keyframe: bool,
    /// [Number](TickRecord::seq) of the record; of an entry that was read, the lower half.
    pub seq: u64,
    /// Time of the server.
    pub time: Duration,
    /// Bytes of the record.
    pub bytes: Bytes,
}

impl From<&TickRecord> for LogEntry {
    fn from(record: &TickRecord) -> Self {
        Self {
            is_keyframe: record.is_keyframe(),
            seq: record.seq(),
            time: record.time(),
            bytes: record.to_bytes(),
        }
    }
}

impl LogEntry {
    /// Decodes the record.
    ///
    /// # Errors
    ///
    /// For a damaged record, and for one that differs from the message that holds it.
    pub fn record(&self) -> Result<TickRecord, LogError> {
        let record = TickRecord::from_bytes(&self.bytes);
        let record = record.map_err(|error| LogError::Record {
            seq: self.seq,
            error,
        })?;
        let fits = record.is_keyframe() == self.is_keyframe
            && record.time() == self.time
            && lower_half(record.seq()) == lower_half(self.seq);
        if fits {
            return Ok(record);
        }
        let reason = format!("record {} does not fit its message", self.seq);
        Err(LogError::damaged(0, reason))
    }
}

/// Returns the lower half of a number.
#[expect(clippy::cast_possible_truncation, reason = "the lower half")]
pub(crate) fn lower_half(seq: u64) -> u32 {
    seq as u32
}
