//! `Index`: the places of the chunks, by the summary or by a scan of the file.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Seek};

use mcap::MAGIC;
use mcap::records::op;

use super::fields::Fields;
use super::source::{Place, RECORD, Source};
use crate::LogError;
use crate::header::{CONTINUED, SYNCVAR};

/// Most bytes of a record of MCAP outside of chunks that the reader reads.
const RECORD_LIMIT: u64 = 1024 * 1024;

/// Most bytes of the summary.
const SUMMARY_LIMIT: u64 = 64 * 1024 * 1024;

/// Length of the footer with its code and length.
const FOOTER: u64 = RECORD + 20;

/// Length of the times at the begin of a chunk.
const TIMES: usize = 16;

/// Place of a chunk.
#[derive(Clone, Debug)]
pub(super) struct ChunkPlace {
    /// Position and length of its content.
    pub(super) place: Place,
    /// Times of its first and its last message, in nanoseconds.
    pub(super) times: (u64, u64),
    /// Channels of its messages; `None` if the file is cut before their index.
    pub(super) channels: Option<BTreeSet<u16>>,
}

impl ChunkPlace {
    /// Returns the position of its record of MCAP.
    pub(super) fn start(&self) -> u64 {
        self.place.offset - RECORD
    }
}

/// Facts about a file before its chunks are read.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) metadata: BTreeMap<String, BTreeMap<String, String>>,
    pub(super) chunks: Vec<ChunkPlace>,
    /// Position behind the last record that was found.
    pub(super) end: u64,
    /// Set if the file has its end: it is not cut.
    pub(super) is_whole: bool,
    /// Set if a further file continues the recording.
    pub(super) is_continued: bool,
}

/// Facts of a summary.
#[derive(Debug, Default)]
struct Summary {
    chunks: Vec<ChunkPlace>,
    is_continued: bool,
}

impl Index {
    /// Reads the begin of a file up to the first chunk, then the summary, or else the head of each chunk.
    pub(super) fn read<R: Read + Seek>(source: &mut Source<R>) -> Result<Self, LogError> {
        let magic = source.read(0, MAGIC.len() as u64)?;
        if magic != MAGIC {
            return Err(LogError::Foreign("it is no MCAP file".into()));
        }
        let mut index = Self {
            end: magic.len() as u64,
            ..Self::default()
        };
        let head = source.record(index.end)?;
        let head = head.filter(|place| place.code == op::HEADER);
        let head = head.ok_or_else(|| LogError::Foreign("it is cut before its header".into()))?;
        let content = source.content(head, RECORD_LIMIT)?;
        let Some(profile) = Fields(&content).text() else {
            return Err(LogError::damaged(head.offset, "malformed header"));
        };
        if profile != SYNCVAR {
            let reason = format!("its profile is {profile:?}");
            return Err(LogError::Foreign(reason));
        }
        index.end = head.end();
        index.scan(source, true)?;
        match Self::summary(source)? {
            Some(summary) => {
                index.chunks = summary.chunks;
                index.is_continued = summary.is_continued;
                index.is_whole = true;
            }
            None => index.scan(source, false)?,
        }
        index.check_order()?;
        Ok(index)
    }

    /// Reads the chunks that were written since the file was read, and its end.
    pub(super) fn extend<R: Read + Seek>(
        &mut self,
        source: &mut Source<R>,
    ) -> Result<(), LogError> {
        self.scan(source, false)?;
        if let Some(summary) = Self::summary(source)? {
            self.is_whole = true;
            self.is_continued = summary.is_continued;
        }
        self.check_order()
    }

    /// Reads on behind the last record that was found, up to the end of the file, its cut, or the first chunk.
    pub(super) fn scan<R: Read + Seek>(
        &mut self,
        source: &mut Source<R>,
        to_first_chunk: bool,
    ) -> Result<(), LogError> {
        while let Some(place) = source.record(self.end)? {
            match place.code {
                op::CHUNK if to_first_chunk => return Ok(()),
                op::CHUNK => {
                    let head = source.read(place.offset, TIMES as u64)?;
                    let Some(times) = times(&head) else {
                        return Err(LogError::damaged(place.offset, "malformed chunk"));
                    };
                    self.chunks.push(ChunkPlace {
                        place,
                        times,
                        channels: None,
                    });
                }
                op::MESSAGE_INDEX => {
                    let head = source.read(place.offset, 6.min(place.length))?;
                    let (Some(channel), Some(chunk)) =
                        (indexed_channel(&head, place.length), self.chunks.last_mut())
                    else {
                        return Err(LogError::damaged(place.offset, "malformed index"));
                    };
                    let channels = chunk.channels.get_or_insert_default();
                    channels.insert(channel);
                }
                op::METADATA => {
                    let content = source.content(place, RECORD_LIMIT)?;
                    let Some((name, pairs)) = metadata(&content) else {
                        return Err(LogError::damaged(place.offset, "malformed metadata"));
                    };
                    self.metadata.entry(name).or_insert(pairs);
                }
                // The end of the chunks, or bytes that no writer has written: the file ends before them.
                _ => return Ok(()),
            }
            self.end = place.end();
        }
        Ok(())
    }

    /// Reads the summary. Returns `None` for a file without its end, or with a damaged one.
    fn summary<R: Read + Seek>(source: &mut Source<R>) -> Result<Option<Summary>, LogError> {
        let magic = MAGIC.len() as u64;
        let Some(start) = source.length().checked_sub(FOOTER + magic) else {
            return Ok(None);
        };
        let footer = source.read(start, FOOTER + magic)?;
        let Some((footer, MAGIC)) = footer
            .split_last_chunk::<8>()
            .map(|(it, end)| (it, &end[..]))
        else {
            return Ok(None);
        };
        let Some((start_of_summary, expected)) = footer_fields(footer) else {
            return Ok(None);
        };
        let length = start.checked_sub(start_of_summary);
        let Some(length) = length.filter(|it| (1..=SUMMARY_LIMIT).contains(it)) else {
            return Ok(None);
        };
        let summary = source.read(start_of_summary, length)?;
        // The checksum covers the footer up to itself.
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&summary);
        checksum.update(&footer[..footer.len() - 4]);
        if checksum.finalize() != expected {
            return Ok(None);
        }
        Ok(read_summary(&summary, source.length()))
    }

    fn check_order(&self) -> Result<(), LogError> {
        let mut last = 0;
        for chunk in &self.chunks {
            if chunk.times.0 > chunk.times.1 || chunk.times.0 < last {
                let reason = "times of the chunks descend";
                return Err(LogError::damaged(chunk.place.offset, reason));
            }
            last = chunk.times.1;
        }
        Ok(())
    }
}

/// Reads the channel of a message index.
fn indexed_channel(head: &[u8], length: u64) -> Option<u16> {
    let (channel, entries) = head.split_first_chunk()?;
    let entries = u32::from_le_bytes(entries.try_into().ok()?);
    (u64::from(entries) + 6 == length).then(|| u16::from_le_bytes(*channel))
}

/// Reads the times of a chunk.
fn times(head: &[u8]) -> Option<(u64, u64)> {
    let mut fields = Fields(head);
    Some((fields.u64()?, fields.u64()?))
}

/// Reads the name and the pairs of metadata.
fn metadata(content: &[u8]) -> Option<(String, BTreeMap<String, String>)> {
    let mut fields = Fields(content);
    Some((fields.text()?.to_owned(), fields.texts()?))
}

/// Reads the start of the summary and its checksum in a footer.
fn footer_fields(footer: &[u8]) -> Option<(u64, u32)> {
    let (op::FOOTER, mut fields) = Fields(footer).record()? else {
        return None;
    };
    let (start, _start_of_offsets) = (fields.u64()?, fields.u64()?);
    Some((start, fields.u32()?))
}

/// Reads the facts of a summary; `None` if a record is malformed or outside of the file.
fn read_summary(bytes: &[u8], length: u64) -> Option<Summary> {
    let (mut summary, mut fields) = (Summary::default(), Fields(bytes));
    while !fields.0.is_empty() {
        let (code, mut content) = fields.record()?;
        if code == op::CHUNK_INDEX {
            summary.chunks.push(chunk_place(content, length)?);
        } else if code == op::METADATA_INDEX {
            let (_offset, _length) = (content.u64()?, content.u64()?);
            summary.is_continued |= content.text()? == CONTINUED;
        }
    }
    Some(summary)
}

fn chunk_place(mut fields: Fields<'_>, length: u64) -> Option<ChunkPlace> {
    let times = (fields.u64()?, fields.u64()?);
    let place = Place {
        code: op::CHUNK,
        offset: fields.u64()?.checked_add(RECORD)?,
        length: fields.u64()?.checked_sub(RECORD)?,
    };
    let (mut channels, mut offsets) = (BTreeSet::new(), fields.nested()?);
    while !offsets.0.is_empty() {
        channels.insert(offsets.u16()?);
        offsets.u64()?;
    }
    let end = place.offset.checked_add(place.length)?;
    (end <= length).then_some(ChunkPlace {
        place,
        times,
        channels: Some(channels),
    })
}
