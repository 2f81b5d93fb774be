//! `Chunk`: the decoded messages of a chunk.

use std::io::Read;
use std::mem::take;
use std::ops::Range;

use bytes::Bytes;
use mcap::records::op;
use syncvar_net::RecordDifferences;
use zstd::stream::Decoder;

use super::fields::Fields;
use super::source::Place;
use crate::LogError;

/// Most memory of the window of the compression, as a power of two.
const WINDOW: u32 = 24;

/// Messages, schemas and channels of a chunk, whose checksum was right.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// Decompressed bytes.
    pub(super) bytes: Bytes,
    pub(super) messages: Vec<ChunkMessage>,
    pub(super) schemas: Vec<ChunkSchema>,
    pub(super) channels: Vec<ChunkChannel>,
}

/// Channel of a chunk.
#[derive(Debug)]
pub(super) struct ChunkChannel {
    pub(super) number: u16,
    pub(super) topic: String,
    /// Encoding of its messages.
    pub(super) encoding: String,
}

/// Message of a chunk.
#[derive(Debug)]
pub(super) struct ChunkMessage {
    pub(super) channel: u16,
    pub(super) sequence: u32,
    pub(super) log_time: u64,
    /// Position of its data.
    pub(super) data: Range<usize>,
}

/// Schema of a chunk.
#[derive(Debug)]
pub(super) struct ChunkSchema {
    pub(super) name: String,
    pub(super) encoding: String,
    pub(super) data: Vec<u8>,
}

/// Fields of a chunk before its messages.
struct ChunkHeader<'a> {
    times: (u64, u64),
    length: u64,
    checksum: u32,
    compression: &'a str,
    data: &'a [u8],
}

impl<'a> ChunkHeader<'a> {
    fn read(mut fields: Fields<'a>) -> Option<Self> {
        Some(Self {
            times: (fields.u64()?, fields.u64()?),
            length: fields.u64()?,
            checksum: fields.u32()?,
            compression: fields.text()?,
            data: {
                let length = fields.u64()?;
                fields.bytes(length)?
            },
        })
    }
}

impl Chunk {
    /// Decodes a chunk. `times` are those of the index.
    pub(super) fn decode(
        place: Place,
        content: &[u8],
        limit: u64,
        times: (u64, u64),
    ) -> Result<Self, LogError> {
        let damaged = |reason: &str| LogError::damaged(place.offset, reason);
        let header = ChunkHeader::read(Fields(content));
        let header = header.ok_or_else(|| damaged("malformed chunk"))?;
        if header.times != times {
            return Err(damaged("the chunk has other times than the index"));
        }
        let bytes = decompress(place.offset, &header, limit)?;
        let chunk = Self::read(bytes).ok_or_else(|| damaged("malformed message in a chunk"))?;
        let mut log_times = { chunk.messages.iter() }.map(|message| message.log_time);
        if !log_times.clone().is_sorted() {
            return Err(damaged("times within the chunk descend"));
        }
        let found = { log_times.clone().next() }.zip(log_times.next_back());
        if found.is_some_and(|found| found != times) {
            return Err(damaged("the chunk has other times than its messages"));
        }
        Ok(chunk)
    }

    /// Puts the records of a channel in the place of their differences.
    pub(super) fn restore(&mut self, place: Place, channel: u16) -> Result<(), LogError> {
        let mut bytes = Vec::from(take(&mut self.bytes));
        let mut differences = RecordDifferences::default();
        for message in self.messages.iter().filter(|it| it.channel == channel) {
            let record = bytes.get_mut(message.data.clone()).unwrap_or_default();
            let restored = differences.restore(record);
            restored.map_err(|error| LogError::damaged(place.offset, error.to_string()))?;
        }
        self.bytes = bytes.into();
        Ok(())
    }

    /// Reads the records of MCAP in decompressed bytes.
    fn read(bytes: Bytes) -> Option<Self> {
        let mut chunk = Self::default();
        let mut fields = Fields(&bytes);
        while !fields.0.is_empty() {
            let (code, content) = fields.record()?;
            let end = bytes.len() - fields.0.len();
            match code {
                op::MESSAGE => chunk.messages.push(read_message(content, end)?),
                op::SCHEMA => chunk.schemas.push(read_schema(content)?),
                op::CHANNEL => chunk.channels.push(read_channel(content)?),
                _ => {}
            }
        }
        chunk.bytes = bytes;
        Some(chunk)
    }
}

/// Reads a message, whose data reaches to the end of its record.
fn read_message(mut fields: Fields<'_>, end: usize) -> Option<ChunkMessage> {
    let (channel, sequence) = (fields.u16()?, fields.u32()?);
    let (log_time, _publish_time) = (fields.u64()?, fields.u64()?);
    Some(ChunkMessage {
        channel,
        sequence,
        log_time,
        data: end - fields.0.len()..end,
    })
}

fn read_schema(mut fields: Fields<'_>) -> Option<ChunkSchema> {
    let _number = fields.u16()?;
    Some(ChunkSchema {
        name: fields.text()?.to_owned(),
        encoding: fields.text()?.to_owned(),
        data: fields.nested()?.0.to_vec(),
    })
}

fn read_channel(mut fields: Fields<'_>) -> Option<ChunkChannel> {
    let (number, _schema) = (fields.u16()?, fields.u16()?);
    Some(ChunkChannel {
        number,
        topic: fields.text()?.to_owned(),
        encoding: fields.text()?.to_owned(),
    })
}

/// Decompresses the records of a chunk. The memory grows with the decompressed bytes, never with the length in the file.
fn decompress(offset: u64, header: &ChunkHeader<'_>, limit: u64) -> Result<Bytes, LogError> {
    let damaged = |reason: String| LogError::damaged(offset, reason);
    let (data, length) = (header.data, header.length);
    if length > limit {
        return Err(LogError::TooLong {
            offset,
            length,
            limit,
        });
    }
    let bytes = match header.compression {
        "" => data.to_vec(),
        "zstd" => {
            let mut bytes = Vec::new();
            let read = Decoder::new(data).and_then(|mut decoder| {
                decoder.window_log_max(WINDOW)?;
                decoder.take(length + 1).read_to_end(&mut bytes)
            });
            read.map_err(|error| damaged(format!("compressed chunk: {error}")))?;
            bytes
        }
        other => {
            return Err(damaged(format!(
                "compression {other:?} of a chunk is unknown"
            )));
        }
    };
    if bytes.len() as u64 != length {
        return Err(damaged(format!("the chunk has not the length {length}")));
    }
    let (expected, computed) = (header.checksum, crc32fast::hash(&bytes));
    if expected != computed {
        let reason = format!("checksum {expected:08x} of a chunk, {computed:08x} of its bytes");
        return Err(damaged(reason));
    }
    Ok(bytes.into())
}
