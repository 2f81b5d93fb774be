//! `LogWriter`: records into the bytes of a file. WIRE.md, section 10.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::mem::take;
use std::sync::{Arc, Mutex, PoisonError};

use mcap::records::{MessageHeader, Metadata};
use mcap::write::NoSeek;
use mcap::{Compression, McapError, WriteOptions, Writer};
use syncvar_net::RecordDifferences;

use crate::entry::lower_half;
use crate::header::{CONTINUED, DIFFERENCES, MARKER, MARKERS, PROGRAM, SYNCVAR, nanos};
use crate::marker::SCHEMA;
use crate::{LogEntry, LogHeader, LogKind, Marker};

/// Levels of zstd, of a recording and of a journal. An hour of moving objects is 3 to 4 % shorter than at the default 3, and
/// the higher levels gain less than 2 % for twice the time. A journal is written in the tick.
const LEVELS: (u32, u32) = (9, 1);

/// Bytes of messages after which a chunk ends.
const CHUNK: usize = 1024 * 1024;

/// Writer of a log file, in memory: the caller stores the bytes.
///
/// ```
/// use std::io::Cursor;
/// use std::time::Duration;
/// use syncvar::log::{LogEntry, LogHeader, LogReader, LogWriter};
/// use syncvar::prelude::*;
///
/// let mut server = NetworkServer::new(Prefabs::new());
/// server.start_recording();
/// server.update(Duration::from_millis(100));
/// let mut writer = LogWriter::new(&LogHeader::of(&server))?;
/// writer.push(&LogEntry::from(server.keyframe().unwrap()))?;
/// let file = writer.finish()?;
///
/// let mut reader = LogReader::new(Cursor::new(file))?;
/// assert_eq!(reader.next_entry()?.unwrap().time, Duration::from_millis(100));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LogWriter {
    mcap: Writer<NoSeek<Output>>,
    output: Output,
    channels: Channels,
    /// Bytes of the messages in the open chunk.
    open: usize,
    /// Records of the open chunk; `None` in a journal, which is written in the tick.
    differences: Option<RecordDifferences>,
}

/// Numbers of the channels.
#[derive(Clone, Copy, Debug)]
struct Channels {
    keyframes: u16,
    records: u16,
    /// `None` before the first marker.
    markers: Option<u16>,
}

/// Encoded bytes that the caller has not taken.
#[derive(Clone, Debug, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Output {
    fn take(&self) -> Vec<u8> {
        take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        output.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl LogWriter {
    /// Begins a file.
    ///
    /// # Errors
    ///
    /// For a header beyond the limits of MCAP.
    pub fn new(header: &LogHeader) -> io::Result<Self> {
        let output = Output::default();
        let options = WriteOptions::new()
            .profile(SYNCVAR)
            .library(concat!("syncvar-log/", env!("CARGO_PKG_VERSION")))
            .compression(Some(Compression::Zstd))
            .compression_level(match header.kind {
                LogKind::Recording => LEVELS.0,
                LogKind::Journal => LEVELS.1,
            })
            .compression_threads(0)
            .chunk_size(None)
            // A chunk reaches the output in one piece, behind its compression.
            .disable_seeking(true);
        let mcap = options.create(NoSeek::new(output.clone()));
        let mut mcap = mcap.map_err(to_io)?;
        let facts = metadata(SYNCVAR, header.facts());
        mcap.write_metadata(&facts).map_err(to_io)?;
        if !header.program.is_empty() {
            let program = metadata(PROGRAM, header.program.clone());
            mcap.write_metadata(&program).map_err(to_io)?;
        }
        let schema = header.schema.to_string();
        let schema = mcap.add_schema(SYNCVAR, SYNCVAR, schema.as_bytes());
        let schema = schema.map_err(to_io)?;
        let (encoding, differences) = match header.kind {
            LogKind::Recording => (DIFFERENCES, Some(RecordDifferences::default())),
            LogKind::Journal => (SYNCVAR, None),
        };
        let mut channel = |topic, encoding| {
            let channel = mcap.add_channel(schema, topic, encoding, &BTreeMap::new());
            channel.map_err(to_io)
        };
        let channels = Channels {
            keyframes: channel(header.kind.keyframes(), SYNCVAR)?,
            records: channel(header.kind.records(), encoding)?,
            markers: None,
        };
        Ok(Self {
            mcap,
            output,
            channels,
            open: 0,
            differences,
        })
    }

    /// Adds a record behind the earlier records. A keyframe begins a chunk; the first record is a keyframe.
    ///
    /// # Errors
    ///
    /// For a record beyond the limits of MCAP and of the compression, and for malformed bytes of a record.
    pub fn push(&mut self, entry: &LogEntry) -> io::Result<()> {
        if entry.is_keyframe || self.open >= CHUNK {
            self.end_chunk()?;
        }
        let (sequence, log_time) = (lower_half(entry.seq), nanos(entry.time));
        if entry.is_keyframe {
            return self.write(self.channels.keyframes, sequence, log_time, &entry.bytes);
        }
        let Some(differences) = &mut self.differences else {
            return self.write(self.channels.records, sequence, log_time, &entry.bytes);
        };
        let mut bytes = entry.bytes.to_vec();
        let subtracted = differences.subtract(&mut bytes);
        subtracted.map_err(io::Error::other)?;
        self.write(self.channels.records, sequence, log_time, &bytes)
    }

    /// Adds markers of a record before its keyframe, in a chunk of their own.
    ///
    /// # Errors
    ///
    /// As [`push`](Self::push).
    pub fn mark(&mut self, markers: &[Marker]) -> io::Result<()> {
        self.end_chunk()?;
        for marker in markers {
            let channel = self.marker_channel()?;
            let (log_time, data) = marker.to_message();
            self.write(channel, 0, log_time, data.as_bytes())?;
        }
        self.end_chunk()
    }

    fn marker_channel(&mut self) -> io::Result<u16> {
        if let Some(channel) = self.channels.markers {
            return Ok(channel);
        }
        let schema = self
            .mcap
            .add_schema(MARKER, "jsonschema", SCHEMA.as_bytes());
        let schema = schema.map_err(to_io)?;
        let channel = { &mut self.mcap }.add_channel(schema, MARKERS, "json", &BTreeMap::new());
        let channel = channel.map_err(to_io)?;
        self.channels.markers = Some(channel);
        Ok(channel)
    }

    fn write(
        &mut self,
        channel_id: u16,
        sequence: u32,
        log_time: u64,
        data: &[u8],
    ) -> io::Result<()> {
        let header = MessageHeader {
            channel_id,
            sequence,
            log_time,
            publish_time: log_time,
        };
        self.open += data.len();
        let written = self.mcap.write_to_known_channel(&header, data);
        written.map_err(to_io)
    }

    /// Ends the open chunk, so that [`take_bytes`](Self::take_bytes) has all records. No effect without records.
    ///
    /// # Errors
    ///
    /// For messages beyond the limits of the compression.
    pub fn end_chunk(&mut self) -> io::Result<()> {
        if take(&mut self.open) == 0 {
            return Ok(());
        }
        if let Some(differences) = &mut self.differences {
            differences.clear();
        }
        self.mcap.flush().map_err(to_io)
    }

    /// Takes the bytes of the file behind the bytes that were taken: whole chunks.
    #[must_use = "the bytes are not in the writer any more"]
    pub fn take_bytes(&mut self) -> Vec<u8> {
        self.output.take()
    }

    /// Ends the file as [`finish`](Self::finish) does, with the note that a further file continues the recording.
    ///
    /// # Errors
    ///
    /// As [`end_chunk`](Self::end_chunk).
    pub fn finish_continued(mut self) -> io::Result<Vec<u8>> {
        let note = metadata(CONTINUED, BTreeMap::new());
        self.mcap.write_metadata(&note).map_err(to_io)?;
        self.finish()
    }

    /// Ends the file. Returns the bytes behind the bytes that were taken, with the summary.
    ///
    /// # Errors
    ///
    /// As [`end_chunk`](Self::end_chunk).
    pub fn finish(mut self) -> io::Result<Vec<u8>> {
        self.mcap.finish().map_err(to_io)?;
        Ok(self.output.take())
    }
}

impl std::fmt::Debug for LogWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LogWriter")
            .field("open", &self.open)
            .finish_non_exhaustive()
    }
}

fn metadata(name: &str, metadata: BTreeMap<String, String>) -> Metadata {
    let name = name.to_owned();
    Metadata { name, metadata }
}

/// Returns an error of MCAP as one of the storage.
fn to_io(error: McapError) -> io::Error {
    match error {
        McapError::Io(error) => error,
        error => io::Error::other(error),
    }
}
