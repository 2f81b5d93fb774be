//! `LogReader`: the records of a file. WIRE.md, section 10.

mod chunk;
mod fields;
mod files;
mod index;
mod source;

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek};
use std::path::Path;
use std::time::Duration;

use syncvar_runtime::schema::Schema;

use crate::header::{DIFFERENCES, MARKERS, PROGRAM, SYNCVAR, VERSION, nanos};
use crate::{LogEntry, LogError, LogHeader, LogKind, Marker, first_file, rotated_path};
use chunk::{Chunk, ChunkChannel};
use files::Files;
use index::ChunkPlace;

/// Most decompressed bytes of a chunk by default.
const MAX_CHUNK: u64 = 256 * 1024 * 1024;

/// Reader of a log file, or of the files of a recording with a rotation, from any `Read + Seek`, without prefabs.
///
/// [`seek`](Self::seek) moves to a keyframe, [`next_entry`](Self::next_entry) reads record after record. A file that was
/// cut has its whole chunks. The files of a rotation are one recording: times, records and markers run through the files.
///
/// ```
/// # use std::io::Cursor;
/// # use std::time::Duration;
/// # use syncvar::log::{LogEntry, LogHeader, LogReader, LogWriter};
/// # use syncvar::prelude::*;
/// # let mut server = NetworkServer::new(Prefabs::new());
/// # server.start_recording();
/// # let mut writer = LogWriter::new(&LogHeader::of(&server))?;
/// # let mut last = 0;
/// # for second in 1..=4 {
/// #     server.request_keyframe();
/// #     server.update(Duration::from_secs(second));
/// #     for record in server.records_after(last) {
/// #         writer.push(&LogEntry::from(record))?;
/// #     }
/// #     last = server.keyframe().unwrap().seq();
/// # }
/// # let file = writer.finish()?;
/// let mut reader = LogReader::new(Cursor::new(file))?;
/// reader.seek(Duration::from_millis(3500))?;
/// let keyframe = reader.next_entry()?.unwrap();
/// assert_eq!((keyframe.is_keyframe, keyframe.time), (true, Duration::from_secs(3)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LogReader<R> {
    files: Files<R>,
    header: LogHeader,
    channels: Channels,
    /// The next message: number of the chunk, number of the message.
    next: (usize, usize),
    /// Decoded chunk with its number.
    chunk: Option<(usize, Chunk)>,
}

/// Numbers of the channels.
#[derive(Clone, Copy, Debug, Default)]
struct Channels {
    keyframes: Option<u16>,
    records: Option<u16>,
    /// The channel of the records, if their changes are differences.
    differences: Option<u16>,
}

impl LogReader<File> {
    /// Opens a file and the [files](rotated_path) that continue it. A path of a folder stands for its [recording](first_file).
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new), and for a folder with several recordings.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LogError> {
        let path = first_file(path.as_ref())?;
        Self::with_files(
            move |number| match File::open(rotated_path(&path, number)) {
                Err(error) if number > 0 && error.kind() == ErrorKind::NotFound => Ok(None),
                file => file.map(Some),
            },
        )
    }
}

impl<R: Read + Seek> LogReader<R> {
    /// Reads the header and the index of a file. Chunks above 256 MiB are refused.
    ///
    /// # Errors
    ///
    /// For a file that is no log file, that is damaged, or that is cut before the end of its first chunk.
    pub fn new(file: R) -> Result<Self, LogError> {
        Self::with_limit(file, MAX_CHUNK)
    }

    /// Like [`new`](Self::new), with a limit for the decompressed bytes of a chunk.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_limit(file: R, max_chunk: u64) -> Result<Self, LogError> {
        Self::of(Files::new(file, None, max_chunk)?)
    }

    /// Like [`new`](Self::new), with the files of a function, as of
    /// [`Recorder::with_storage`](crate::Recorder::with_storage): numbers count from 0, `None` is a missing file.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new), and without the first file.
    pub fn with_files(
        mut open: impl FnMut(u32) -> io::Result<Option<R>> + Send + 'static,
    ) -> Result<Self, LogError> {
        let first = open(0)?.ok_or(ErrorKind::NotFound);
        let first = first.map_err(io::Error::from)?;
        Self::of(Files::new(first, Some(Box::new(open)), MAX_CHUNK)?)
    }

    fn of(mut files: Files<R>) -> Result<Self, LogError> {
        let metadata = files.first().map(|index| &index.metadata);
        let metadata = metadata.cloned().unwrap_or_default();
        let facts = metadata.get(SYNCVAR);
        let facts = facts.ok_or_else(|| LogError::Foreign("its metadata is missing".into()))?;
        let version = facts.get("version").map_or("", String::as_str);
        if version != VERSION {
            return Err(LogError::Version(version.to_owned()));
        }
        let Some(chunk) = files.read_chunk(0)? else {
            return Err(LogError::Foreign("it has no whole chunk".into()));
        };
        let schema = { chunk.schemas.iter() }
            .find(|schema| schema.name == SYNCVAR && schema.encoding == SYNCVAR);
        let Some(schema) = schema else {
            return Err(LogError::Foreign("its schema is missing".into()));
        };
        let text = String::from_utf8_lossy(&schema.data);
        let schema = Schema::parse(&text).map_err(LogError::Schema)?;
        let (kind, channels) = Channels::find(&chunk.channels)
            .ok_or_else(|| LogError::Foreign("its channels are missing".into()))?;
        let program = metadata.get(PROGRAM).cloned().unwrap_or_default();
        let header = LogHeader::from_facts(kind, schema, facts, program)?;
        files.complete()?;
        let reader = Self {
            files,
            header,
            channels,
            next: (0, 0),
            chunk: None,
        };
        if reader.keyframes().next().is_none() {
            return Err(LogError::Foreign("it has no whole keyframe".into()));
        }
        Ok(reader)
    }

    /// Returns the facts about the file.
    pub fn header(&self) -> &LogHeader {
        &self.header
    }

    /// Returns whether the recording has its end. It lacks the end while it is being written, after a cut, and without the
    /// next file of a rotation.
    pub fn is_whole(&self) -> bool {
        self.files.is_whole()
    }

    /// Returns the number of files of the recording, 1 without a rotation.
    pub fn file_count(&self) -> u32 {
        self.files.count()
    }

    /// Returns the times of the first and the last record.
    pub fn span(&self) -> (Duration, Duration) {
        let last = self.files.chunks().next_back();
        let end = last.map_or(0, |chunk| chunk.times.1);
        let start = self.files.chunk(0).map_or(0, |chunk| chunk.times.0);
        (Duration::from_nanos(start), Duration::from_nanos(end))
    }

    /// Returns the times of the keyframes.
    pub fn keyframes(&self) -> impl Iterator<Item = Duration> {
        let chunks = { self.files.chunks() }.filter(|chunk| self.has_keyframe(chunk));
        chunks.map(|chunk| Duration::from_nanos(chunk.times.0))
    }

    /// Reads all markers.
    ///
    /// # Errors
    ///
    /// For a damaged chunk with markers.
    pub fn markers(&mut self) -> Result<Vec<Marker>, LogError> {
        let mut markers = Vec::new();
        let mut channels = Vec::new();
        for number in 0.. {
            let Some(place) = self.files.chunk(number) else {
                break;
            };
            let offset = place.place.offset;
            let own = [self.channels.keyframes, self.channels.records];
            let is_other = |channel: &u16| !own.contains(&Some(*channel));
            if !place.channels.iter().flatten().any(is_other) {
                continue;
            }
            let Some(chunk) = self.files.read_chunk(number)? else {
                break;
            };
            let found = { chunk.channels.iter() }.filter(|it| it.topic == MARKERS);
            channels.extend(found.map(|it| it.number));
            for message in &chunk.messages {
                if !channels.contains(&message.channel) {
                    continue;
                }
                let data = chunk.bytes.get(message.data.clone()).unwrap_or_default();
                let marker = Marker::from_message(message.log_time, data);
                let reason = "malformed marker";
                markers.push(marker.ok_or_else(|| LogError::damaged(offset, reason))?);
            }
        }
        Ok(markers)
    }

    /// Moves before the last keyframe up to a time; before the first one for an earlier time.
    ///
    /// # Errors
    ///
    /// For a damaged chunk.
    pub fn seek(&mut self, time: Duration) -> Result<(), LogError> {
        let time = nanos(time);
        let places = self.files.chunks().enumerate();
        let keyframes = places.filter(|(_, place)| self.has_keyframe(place));
        let found = keyframes.take_while(|(_, place)| place.times.0 <= time);
        let found = found.last().map(|(number, _)| number);
        let next = (found.unwrap_or_default(), 0);
        self.next = next;
        // The index of a cut file has no checksum, and that of a chunk with markers may claim a keyframe.
        let first = self.next_entry()?.map(|entry| entry.is_keyframe);
        let is_other = |number| first.is_none() || self.next.0 != number;
        if first == Some(false) || found.is_some_and(is_other) {
            let place = self.files.chunk(next.0);
            let offset = place.map_or(0, |place| place.place.offset);
            return Err(LogError::damaged(offset, "the chunk lacks its keyframe"));
        }
        self.next = next;
        Ok(())
    }

    /// Reads the next record.
    ///
    /// # Errors
    ///
    /// For a damaged chunk; each call returns the error again, until [`seek`](Self::seek) moves elsewhere.
    pub fn next_entry(&mut self) -> Result<Option<LogEntry>, LogError> {
        loop {
            let (number, message) = self.next;
            let Some(place) = self.files.chunk(number) else {
                return Ok(None);
            };
            if self.files.is_checked(number) && !self.has_records(place) {
                self.next = (number + 1, 0);
                continue;
            }
            self.load(number)?;
            let Some((_, chunk)) = &self.chunk else {
                return Ok(None);
            };
            let Some(found) = chunk.messages.get(message) else {
                self.next = (number + 1, 0);
                continue;
            };
            self.next.1 += 1;
            let channel = Some(found.channel);
            if channel == self.channels.keyframes || channel == self.channels.records {
                return Ok(Some(LogEntry {
                    is_keyframe: channel == self.channels.keyframes,
                    seq: found.sequence.into(),
                    time: Duration::from_nanos(found.log_time),
                    bytes: chunk.bytes.slice(found.data.clone()),
                }));
            }
        }
    }

    /// Decodes a chunk, unless it is decoded.
    fn load(&mut self, number: usize) -> Result<(), LogError> {
        if self
            .chunk
            .as_ref()
            .is_some_and(|(loaded, _)| *loaded == number)
        {
            return Ok(());
        }
        self.chunk = None;
        let place = self.files.chunk(number).map(|chunk| chunk.place);
        if let Some((place, mut chunk)) = place.zip(self.files.read_chunk(number)?) {
            if let Some(channel) = self.channels.differences {
                chunk.restore(place, channel)?;
            }
            self.chunk = Some((number, chunk));
        }
        Ok(())
    }

    /// Finds chunks that were written since the file was opened, behind the last whole chunk, the end of the file, and the
    /// files that continue it. Returns whether a chunk was found.
    ///
    /// # Errors
    ///
    /// For a failure of the storage, and for a damaged file.
    pub fn refresh(&mut self) -> Result<bool, LogError> {
        if self.is_whole() {
            return Ok(false);
        }
        let count = self.files.chunks().count();
        self.files.extend()?;
        Ok(self.files.chunks().count() > count)
    }

    /// Returns the length in bytes of the part of each file with the whole chunks up to a time, from its begin: the part that a
    /// broadcast with a delay may show. 0 before the end of the first chunk; the length of a file with all of its chunks.
    pub fn lengths_until(&self, time: Duration) -> Vec<u64> {
        self.files.lengths_until(time)
    }

    fn has_keyframe(&self, place: &ChunkPlace) -> bool {
        let channels = place.channels.as_ref();
        channels.is_some_and(|it| self.channels.keyframes.is_some_and(|own| it.contains(&own)))
    }

    fn has_records(&self, place: &ChunkPlace) -> bool {
        let own = [self.channels.keyframes, self.channels.records];
        let channels = place.channels.as_ref();
        channels.is_some_and(|it| own.iter().flatten().any(|own| it.contains(own)))
    }
}

impl Channels {
    /// Finds the kind of a file by its channels.
    fn find(channels: &[ChunkChannel]) -> Option<(LogKind, Self)> {
        [LogKind::Recording, LogKind::Journal]
            .into_iter()
            .find_map(|kind| {
                let find = |topic| { channels.iter() }.find(|own| own.topic == topic);
                let records = find(kind.records());
                let differences = records.filter(|it| it.encoding == DIFFERENCES);
                let channels = Self {
                    keyframes: find(kind.keyframes()).map(|it| it.number),
                    records: records.map(|it| it.number),
                    differences: differences.map(|it| it.number),
                };
                channels.keyframes.map(|_| (kind, channels))
            })
    }
}
