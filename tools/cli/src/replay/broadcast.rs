//! A recording that is being written, shown with a delay.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use syncvar::log::{LogError, LogReader, rotated_path};

/// Recording whose last records are held back.
#[derive(Debug)]
pub(super) struct Broadcast {
    /// Path of the first file.
    path: PathBuf,
    reader: LogReader<File>,
    delay: Duration,
}

impl Broadcast {
    pub(super) fn open(path: &Path, delay: Duration) -> Result<Self, LogError> {
        Ok(Self {
            path: path.to_owned(),
            reader: LogReader::open(path)?,
            delay,
        })
    }

    /// Returns the length of the part of a file that a page may see: the chunks whose last record is older than the delay.
    pub(super) fn length(&mut self, file: u32) -> Result<u64, LogError> {
        self.reader.refresh()?;
        let (_, newest) = self.reader.span();
        let last = self.reader.file_count().saturating_sub(1);
        // The newest record is at least as old as the last write. The clock of the server may be any clock, so its wall clock does
        // not count.
        let written = std::fs::metadata(rotated_path(&self.path, last))?.modified()?;
        let now = newest.saturating_add(written.elapsed().unwrap_or_default());
        let Some(shown) = now.checked_sub(self.delay) else {
            return Ok(0);
        };
        let lengths = self.reader.lengths_until(shown);
        Ok(lengths.get(file as usize).copied().unwrap_or_default())
    }
}
