//! A file that is being written, shown with a delay.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use syncvar::log::{LogError, LogReader};

/// File whose last records are held back.
#[derive(Debug)]
pub(super) struct Broadcast {
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

    /// Returns the length of the part that a page may see: the chunks whose last record is older than the delay.
    pub(super) fn length(&mut self) -> Result<u64, LogError> {
        self.reader.refresh()?;
        // The newest record is at least as old as the last write. The clock of the server may be any clock, so its wall clock does
        // not count.
        let written = std::fs::metadata(&self.path)?.modified()?;
        let (_, newest) = self.reader.span();
        let now = newest.saturating_add(written.elapsed().unwrap_or_default());
        let shown = now.checked_sub(self.delay);
        Ok(shown.map_or(0, |time| self.reader.length_until(time)))
    }
}
