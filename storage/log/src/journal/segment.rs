//! `Segment`: a file of a journal. `Directory`: its files by number.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::{LogEntry, LogHeader, LogWriter};

/// Begin of the names of files.
const PREFIX: &str = "journal-";

/// End of the names of files.
const SUFFIX: &str = ".mcap";

/// End of the names of files that do not yet count.
const DRAFT: &str = ".mcap.draft";

/// Directory of a journal.
#[derive(Clone, Debug)]
pub(super) struct Directory(PathBuf);

impl Directory {
    /// Makes the directory, and removes drafts of a process that has ended.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        fs::create_dir_all(path)?;
        let directory = Self(path.to_owned());
        directory.remove_before(u32::MAX, DRAFT)?;
        Ok(directory)
    }

    /// Returns the files of a directory, by number.
    pub(super) fn files(path: &Path) -> io::Result<Vec<(u32, PathBuf)>> {
        files(path, SUFFIX)
    }

    /// Returns the number of the last file; 0 without files.
    pub(super) fn last_number(&self) -> io::Result<u32> {
        let files = Self::files(&self.0)?;
        Ok(files.last().map_or(0, |(number, _)| *number))
    }

    /// Gives a draft its name, and removes the files before it.
    pub(super) fn publish(&self, number: u32, file: &File) -> io::Result<()> {
        file.sync_all()?;
        fs::rename(self.path(number, DRAFT), self.path(number, SUFFIX))?;
        // The name of the file.
        File::open(&self.0)?.sync_all()?;
        self.remove_before(number, SUFFIX)?;
        self.remove_before(number, DRAFT)
    }

    fn remove_before(&self, number: u32, suffix: &str) -> io::Result<()> {
        let files = files(&self.0, suffix)?;
        let mut former = files.iter().filter(|(it, _)| *it < number);
        former.try_for_each(|(_, path)| fs::remove_file(path))
    }

    fn path(&self, number: u32, suffix: &str) -> PathBuf {
        self.0.join(format!("{PREFIX}{number:08}{suffix}"))
    }
}

fn files(path: &Path, suffix: &str) -> io::Result<Vec<(u32, PathBuf)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let number = name.and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(suffix));
        if let Some(number) = number.and_then(|number| number.parse().ok()) {
            files.push((number, path));
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// File of a journal that is being written.
#[derive(Debug)]
pub(super) struct Segment {
    number: u32,
    file: File,
    writer: Box<LogWriter>,
}

impl Segment {
    /// Writes a state into a draft, and waits for the storage. A failure removes the draft.
    pub(super) fn create(
        directory: &Directory,
        number: u32,
        header: &LogHeader,
        state: &LogEntry,
    ) -> io::Result<Self> {
        let path = directory.path(number, DRAFT);
        let write = || {
            let mut writer = LogWriter::new(header)?;
            writer.push(state)?;
            writer.end_chunk()?;
            let mut file = File::create(&path)?;
            file.write_all(&writer.take_bytes())?;
            file.sync_all()?;
            Ok(Self {
                number,
                file,
                writer: Box::new(writer),
            })
        };
        write().inspect_err(|_| {
            // The space is free again.
            let _ = fs::remove_file(&path);
        })
    }

    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// Returns the file, for a sync elsewhere.
    pub(super) fn file(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Appends records in a chunk.
    pub(super) fn append(&mut self, entries: &[LogEntry]) -> io::Result<()> {
        for entry in entries {
            self.writer.push(entry)?;
        }
        self.writer.end_chunk()?;
        self.file.write_all(&self.writer.take_bytes())
    }
}
