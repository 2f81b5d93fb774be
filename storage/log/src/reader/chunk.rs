//! `Chunk`: the decoded messages of a chunk.

use std::io::Read;
use std::ops::Range;

use bytes::Bytes;
use mcap::parse_record;
use mcap::records::{Channel, ChunkHeader, MessageHeader, Record, SchemaHeader, op};
use zstd::stream::Decoder;

use super::source::{Place, RECORD};
use crate::LogError;

/// Most memory of the window of the compression, as a power of two.
const WINDOW: u32 = 27;

/// Messages, schemas and channels of a chunk, whose checksum was right.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// Decompressed bytes.
    pub(super) bytes: Bytes,
    pub(super) messages: Vec<ChunkMessage>,
    pub(super) schemas: Vec<(SchemaHeader, Vec<u8>)>,
    pub(super) channels: Vec<Channel>,
}

/// Message of a chunk.
#[derive(Debug)]
pub(super) struct ChunkMessage {
    pub(super) header: MessageHeader,
    /// Position of its data.
    pub(super) data: Range<usize>,
}

impl Chunk {
    /// Decodes a chunk. `times` are those of the index, if the file has one.
    pub(super) fn decode(
        place: Place,
        content: &[u8],
        limit: u64,
        times: (u64, u64),
    ) -> Result<Self, LogError> {
        let damaged = |reason: &str| LogError::damaged(place.offset, reason);
        let Ok(Record::Chunk { header, data }) = parse_record(op::CHUNK, content) else {
            return Err(damaged("malformed chunk"));
        };
        if (header.message_start_time, header.message_end_time) != times {
            return Err(damaged("the chunk has other times than the index"));
        }
        let bytes = decompress(place.offset, &header, &data, limit)?;
        let chunk = Self::read(bytes).ok_or_else(|| damaged("malformed message in a chunk"))?;
        let mut log_times = { chunk.messages.iter() }.map(|message| message.header.log_time);
        if !log_times.clone().is_sorted() {
            return Err(damaged("times within the chunk descend"));
        }
        let found = { log_times.clone().next() }.zip(log_times.next_back());
        if found.is_some_and(|found| found != times) {
            return Err(damaged("the chunk has other times than its messages"));
        }
        Ok(chunk)
    }

    /// Reads the records of MCAP in decompressed bytes.
    fn read(bytes: Bytes) -> Option<Self> {
        let mut chunk = Self::default();
        let mut start = 0;
        let record = usize::try_from(RECORD).ok()?;
        while start < bytes.len() {
            let (head, rest) = bytes.get(start..)?.split_at_checked(record)?;
            let (&code, length) = head.split_first()?;
            let length = u64::from_le_bytes(length.try_into().ok()?);
            let content = rest.get(..usize::try_from(length).ok()?)?;
            start += record + content.len();
            if !matches!(code, op::MESSAGE | op::SCHEMA | op::CHANNEL) {
                continue;
            }
            match parse_record(code, content).ok()? {
                // The data of a message reaches to the end of the record.
                Record::Message { header, data } => chunk.messages.push(ChunkMessage {
                    header,
                    data: start - data.len()..start,
                }),
                Record::Schema { header, data } => {
                    chunk.schemas.push((header, data.into_owned()));
                }
                Record::Channel(channel) => chunk.channels.push(channel),
                _ => {}
            }
        }
        chunk.bytes = bytes;
        Some(chunk)
    }
}

/// Decompresses the records of a chunk. The memory grows with the decompressed bytes, never with the length in the file.
fn decompress(
    offset: u64,
    header: &ChunkHeader,
    data: &[u8],
    limit: u64,
) -> Result<Bytes, LogError> {
    let damaged = |reason: String| LogError::damaged(offset, reason);
    let length = header.uncompressed_size;
    if length > limit {
        return Err(LogError::TooLong {
            offset,
            length,
            limit,
        });
    }
    let bytes = match header.compression.as_str() {
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
    let (expected, computed) = (header.uncompressed_crc, crc32fast::hash(&bytes));
    if expected != computed {
        let reason = format!("checksum {expected:08x} of a chunk, {computed:08x} of its bytes");
        return Err(damaged(reason));
    }
    Ok(bytes.into())
}
