//! `LogReader`: the records of a file. WIRE.md, section 10.

mod chunk;
mod fields;
mod index;
mod source;

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use std::time::Duration;

use syncvar_runtime::schema::Schema;

use crate::header::{MARKERS, PROGRAM, SYNCVAR, VERSION, nanos};
use crate::{LogEntry, LogError, LogHeader, LogKind, Marker};
use chunk::Chunk;
use index::{ChunkPlace, Index};
use source::Source;

/// Most decompressed bytes of a chunk by default.
const MAX_CHUNK: u64 = 256 * 1024 * 1024;

/// Reader of a log file, from any `Read + Seek`, without prefabs.
///
/// [`seek`](Self::seek) moves to a keyframe, [`next_entry`](Self::next_entry) reads record after record. A file that was
/// cut has its whole chunks.
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
    source: Source<R>,
    index: Index,
    header: LogHeader,
    channels: Channels,
    max_chunk: u64,
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
}

impl LogReader<File> {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LogError> {
        Self::new(File::open(path)?)
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
        let mut source = Source::new(file)?;
        let index = Index::read(&mut source)?;
        let facts = index.metadata.get(SYNCVAR);
        let facts = facts.ok_or_else(|| LogError::Foreign("its metadata is missing".into()))?;
        let version = facts.get("version").map_or("", String::as_str);
        if version != VERSION {
            return Err(LogError::Version(version.to_owned()));
        }
        let Some(first) = index.chunks.first() else {
            return Err(LogError::Foreign("it has no whole chunk".into()));
        };
        let chunk = read_chunk(&mut source, first, max_chunk)?;
        let schema = { chunk.schemas.iter() }
            .find(|schema| schema.name == SYNCVAR && schema.encoding == SYNCVAR);
        let Some(schema) = schema else {
            return Err(LogError::Foreign("its schema is missing".into()));
        };
        let text = String::from_utf8_lossy(&schema.data);
        let schema = Schema::parse(&text).map_err(LogError::Schema)?;
        let (kind, channels) = Channels::find(&chunk.channels)
            .ok_or_else(|| LogError::Foreign("its channels are missing".into()))?;
        let program = index.metadata.get(PROGRAM).cloned().unwrap_or_default();
        let header = LogHeader::from_facts(kind, schema, facts, program)?;
        let mut reader = Self {
            source,
            index,
            header,
            channels,
            max_chunk,
            next: (0, 0),
            chunk: Some((0, chunk)),
        };
        reader.complete_channels()?;
        if reader.keyframes().next().is_none() {
            return Err(LogError::Foreign("it has no whole keyframe".into()));
        }
        Ok(reader)
    }

    /// Returns the facts about the file.
    pub fn header(&self) -> &LogHeader {
        &self.header
    }

    /// Returns whether the file has its end. A file that is being written, or was cut, lacks it.
    pub fn is_whole(&self) -> bool {
        self.index.is_whole
    }

    /// Returns the times of the first and the last record.
    pub fn span(&self) -> (Duration, Duration) {
        let chunks = &self.index.chunks;
        let start = chunks.first().map_or(0, |chunk| chunk.times.0);
        let end = chunks.last().map_or(0, |chunk| chunk.times.1);
        (Duration::from_nanos(start), Duration::from_nanos(end))
    }

    /// Returns the times of the keyframes.
    pub fn keyframes(&self) -> impl Iterator<Item = Duration> {
        let chunks = self.index.chunks.iter();
        let chunks = chunks.filter(|chunk| self.has_keyframe(chunk));
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
        for place in &self.index.chunks {
            let own = [self.channels.keyframes, self.channels.records];
            let is_other = |channel: &u16| !own.contains(&Some(*channel));
            if !place.channels.iter().flatten().any(is_other) {
                continue;
            }
            let chunk = read_chunk(&mut self.source, place, self.max_chunk)?;
            let found = chunk.channels.iter();
            channels.extend(
                found
                    .filter(|(_, topic)| topic == MARKERS)
                    .map(|(number, _)| *number),
            );
            for message in &chunk.messages {
                if !channels.contains(&message.channel) {
                    continue;
                }
                let data = chunk.bytes.get(message.data.clone()).unwrap_or_default();
                let marker = Marker::from_message(message.log_time, data);
                let reason = "malformed marker";
                markers.push(marker.ok_or_else(|| LogError::damaged(place.place.offset, reason))?);
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
        let places = self.index.chunks.iter().enumerate();
        let keyframes = places.filter(|(_, place)| self.has_keyframe(place));
        let found = keyframes.take_while(|(_, place)| place.times.0 <= time);
        let found = found.last().map(|(number, _)| number);
        let next = (found.unwrap_or_default(), 0);
        self.next = next;
        // The index of a cut file has no checksum, and that of a chunk with markers may claim a keyframe.
        let first = self.next_entry()?.map(|entry| entry.is_keyframe);
        let is_other = |number| first.is_none() || self.next.0 != number;
        if first == Some(false) || found.is_some_and(is_other) {
            let place = self.index.chunks.get(next.0);
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
            let Some(place) = self.index.chunks.get(number) else {
                return Ok(None);
            };
            if self.index.is_whole && !self.has_records(place) {
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
        if let Some(place) = self.index.chunks.get(number) {
            let chunk = read_chunk(&mut self.source, place, self.max_chunk)?;
            self.chunk = Some((number, chunk));
        }
        Ok(())
    }

    /// Finds chunks that were written since the file was opened, behind the last whole chunk, and the end of the file. Returns
    /// whether a chunk was found.
    ///
    /// # Errors
    ///
    /// For a failure of the storage.
    pub fn refresh(&mut self) -> Result<bool, LogError> {
        if self.index.is_whole || !self.source.measure()? {
            return Ok(false);
        }
        let count = self.index.chunks.len();
        self.index.extend(&mut self.source)?;
        self.complete_channels()?;
        Ok(self.index.chunks.len() > count)
    }

    /// Returns the length in bytes of the part of the file with the whole chunks up to a time, from its begin: the part that a
    /// broadcast with a delay may show. 0 before the end of the first chunk; the length of a file with all of its chunks.
    pub fn length_until(&self, time: Duration) -> u64 {
        let chunks = &self.index.chunks;
        let count = chunks.partition_point(|chunk| chunk.times.1 <= nanos(time));
        match chunks.get(count) {
            Some(_) if count == 0 => 0,
            Some(next) => next.start(),
            None if self.index.is_whole => self.source.length(),
            None => self.index.end,
        }
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

    /// Reads the channels of the last chunk of a cut file, whose index may be cut. A chunk that is not readable, as after a
    /// loss of power, counts as cut.
    fn complete_channels(&mut self) -> Result<(), LogError> {
        let Some(last) = self
            .index
            .chunks
            .last_mut()
            .filter(|_| !self.index.is_whole)
        else {
            return Ok(());
        };
        match read_chunk(&mut self.source, last, self.max_chunk) {
            Ok(chunk) => {
                let messages = chunk.messages.iter();
                last.channels = Some(messages.map(|it| it.channel).collect());
            }
            Err(LogError::Damaged { .. }) => {
                self.index.chunks.pop();
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

impl Channels {
    /// Finds the kind of a file by its channels.
    fn find(channels: &[(u16, String)]) -> Option<(LogKind, Self)> {
        [LogKind::Recording, LogKind::Journal]
            .into_iter()
            .find_map(|kind| {
                let number = |topic| {
                    let channel = { channels.iter() }.find(|(_, own)| own == topic);
                    channel.map(|(number, _)| *number)
                };
                let channels = Self {
                    keyframes: number(kind.keyframes()),
                    records: number(kind.records()),
                };
                channels.keyframes.map(|_| (kind, channels))
            })
    }
}

fn read_chunk<R: Read + Seek>(
    source: &mut Source<R>,
    place: &ChunkPlace,
    limit: u64,
) -> Result<Chunk, LogError> {
    let content = source.content(place.place, limit.saturating_add(1024))?;
    Chunk::decode(place.place, &content, limit, place.times)
}
