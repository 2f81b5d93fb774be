//! `Encoder`: records into the chunks of file after file.

use std::io;
use std::time::Duration;

use super::RecorderOptions;
use super::output::Piece;
use crate::{LogEntry, LogHeader, LogWriter, Marker};

/// Work of the thread.
#[derive(Debug)]
pub(super) enum Task {
    Write(LogEntry),
    /// Markers before the keyframe that follows.
    Mark(Vec<Marker>),
}

/// Encoder of one file after the other.
#[derive(Debug)]
pub(super) struct Encoder {
    header: LogHeader,
    options: RecorderOptions,
    /// `None` before the first keyframe.
    file: Option<OpenFile>,
    /// Markers before the next keyframe.
    markers: Vec<Marker>,
}

#[derive(Debug)]
struct OpenFile {
    writer: LogWriter,
    /// Time of the first record.
    begin: Duration,
    /// Time of the first record in the open chunk.
    chunk: Duration,
    /// Bytes of the ended chunks.
    length: u64,
}

impl Encoder {
    pub(super) fn new(header: LogHeader, options: RecorderOptions) -> Self {
        Self {
            header,
            options,
            file: None,
            markers: Vec::new(),
        }
    }

    /// Encodes a task. Returns the bytes that are complete.
    pub(super) fn encode(&mut self, task: Task) -> io::Result<Vec<Piece>> {
        let mut pieces = Vec::new();
        match task {
            Task::Mark(markers) => self.markers.extend(markers),
            Task::Write(entry) => self.write(&entry, &mut pieces)?,
        }
        Ok(pieces)
    }

    fn write(&mut self, entry: &LogEntry, pieces: &mut Vec<Piece>) -> io::Result<()> {
        let is_full = self.file.as_ref().is_some_and(|file| {
            let time = entry.time.saturating_sub(file.begin);
            file.length >= self.options.max_file_size || time >= self.options.max_file_time
        });
        if entry.is_keyframe && is_full {
            pieces.extend(self.end(LogWriter::finish_continued)?);
        }
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(OpenFile {
                writer: LogWriter::new(&self.header)?,
                begin: entry.time,
                chunk: entry.time,
                length: 0,
            }),
        };
        if entry.is_keyframe && !self.markers.is_empty() {
            let markers = std::mem::take(&mut self.markers);
            file.writer.mark(&markers)?;
        }
        let open = entry.time.saturating_sub(file.chunk);
        // A record at the interval may be that of a keyframe: alone it would be a chunk of its own.
        if entry.is_keyframe || open > self.options.chunk_interval {
            file.writer.end_chunk()?;
            file.chunk = entry.time;
        }
        file.writer.push(entry)?;
        let bytes = file.writer.take_bytes();
        if !bytes.is_empty() {
            file.length += bytes.len() as u64;
            pieces.push(Piece::Bytes(bytes));
        }
        Ok(())
    }

    /// Ends the recording.
    pub(super) fn finish(&mut self) -> io::Result<Vec<Piece>> {
        self.end(LogWriter::finish)
    }

    /// Ends the file.
    fn end(
        &mut self,
        finish: impl FnOnce(LogWriter) -> io::Result<Vec<u8>>,
    ) -> io::Result<Vec<Piece>> {
        let Some(file) = self.file.take() else {
            return Ok(Vec::new());
        };
        let bytes = finish(file.writer)?;
        let length = file.length + bytes.len() as u64;
        Ok(vec![Piece::Bytes(bytes), Piece::End { length }])
    }
}
