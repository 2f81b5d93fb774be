//! `Source`: bounded reads of a file.

use std::io::{BufReader, Read, Seek, SeekFrom};

use crate::LogError;

/// Length of the code and the length before each record of MCAP.
pub(super) const RECORD: u64 = 9;

/// File of a known length.
#[derive(Debug)]
pub(super) struct Source<R> {
    file: BufReader<R>,
    length: u64,
}

/// A record of MCAP: its code, and the place of its content.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) code: u8,
    pub(super) offset: u64,
    pub(super) length: u64,
}

impl Place {
    /// Returns the position behind the record.
    pub(super) fn end(&self) -> u64 {
        self.offset + self.length
    }
}

impl<R: Read + Seek> Source<R> {
    pub(super) fn new(file: R) -> Result<Self, LogError> {
        let mut file = BufReader::new(file);
        let length = file.seek(SeekFrom::End(0))?;
        Ok(Self { file, length })
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Measures the file again, for a file that is being written. Returns whether its length has changed.
    pub(super) fn measure(&mut self) -> Result<bool, LogError> {
        let length = self.file.seek(SeekFrom::End(0))?;
        Ok(std::mem::replace(&mut self.length, length) != length)
    }

    /// Reads up to a number of bytes at a position; fewer at the end of the file.
    pub(super) fn read(&mut self, offset: u64, length: u64) -> Result<Vec<u8>, LogError> {
        let current = self.file.stream_position()?;
        let step = i128::from(offset) - i128::from(current);
        match i64::try_from(step) {
            // Within the buffer, if possible.
            Ok(step) => self.file.seek_relative(step)?,
            Err(_) => self.file.seek(SeekFrom::Start(offset)).map(drop)?,
        }
        let length = length.min(self.length.saturating_sub(offset));
        let mut bytes = Vec::new();
        { &mut self.file }.take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns the record of MCAP at a position; `None` if the file is cut before its end.
    pub(super) fn record(&mut self, offset: u64) -> Result<Option<Place>, LogError> {
        let head = self.read(offset, RECORD)?;
        let Some((&code, length)) = head.split_first() else {
            return Ok(None);
        };
        let Ok(length) = length.try_into().map(u64::from_le_bytes) else {
            return Ok(None);
        };
        let offset = offset + RECORD;
        let is_whole = offset
            .checked_add(length)
            .is_some_and(|end| end <= self.length);
        Ok(is_whole.then_some(Place {
            code,
            offset,
            length,
        }))
    }

    /// Reads the content of a record.
    pub(super) fn content(&mut self, place: Place, limit: u64) -> Result<Vec<u8>, LogError> {
        let Place { offset, length, .. } = place;
        if length > limit {
            return Err(LogError::TooLong {
                offset,
                length,
                limit,
            });
        }
        self.read(offset, length)
    }
}
