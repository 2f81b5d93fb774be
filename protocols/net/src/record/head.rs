//! Fields of a record before its items.

use syncvar_runtime::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind};

use super::RecordError;
use crate::message::Start;

/// Version of the layout, in the upper half of the byte of the flags.
const VERSION: u8 = 2;

const PARTIAL: u8 = 1;
const KEYFRAME: u8 = 2;

/// Fields of a record before its items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordHead {
    pub(crate) kind: RecordKind,
    /// Set if changes of the tick are missing.
    pub(crate) partial: bool,
    pub(crate) seq: u64,
    /// Tick of the network time.
    pub(crate) tick: u64,
    /// Time of the server, in microseconds.
    pub(crate) time: u64,
}

/// Contents of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordKind {
    /// Changes behind a keyframe with this [origin](RecordOrigin::checksum).
    Changes(u32),
    Keyframe(RecordOrigin),
}

/// Facts that all records behind a keyframe share with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordOrigin {
    pub(crate) schema_hash: u64,
    pub(crate) start: Start,
}

impl RecordHead {
    pub(super) fn write(&self, writer: &mut NetworkWriter) {
        let partial = if self.partial { PARTIAL } else { 0 };
        match &self.kind {
            RecordKind::Changes(origin) => {
                writer.write_u8(VERSION << 4 | partial);
                writer.write_u32(*origin);
            }
            RecordKind::Keyframe(RecordOrigin { schema_hash, start }) => {
                writer.write_u8(VERSION << 4 | KEYFRAME | partial);
                writer.write_u64(*schema_hash);
                writer.write_u64(start.incarnation);
                writer.write_varint(start.first_tick);
            }
        }
        writer.write_varint(self.seq);
        writer.write_varint(self.tick);
        writer.write_varint(self.time);
    }

    pub(super) fn read(reader: &mut NetworkReader<'_>) -> Result<Self, RecordError> {
        let first = reader.read_u8()?;
        let (version, flags) = (first >> 4, first & 0x0f);
        if version != VERSION {
            return Err(RecordError::Version(version));
        }
        if flags & !(PARTIAL | KEYFRAME) != 0 {
            return Err(invalid(reader, "flags of a record", flags.into()).into());
        }
        let kind = if flags & KEYFRAME == 0 {
            RecordKind::Changes(reader.read_u32()?)
        } else {
            RecordKind::Keyframe(RecordOrigin {
                schema_hash: reader.read_u64()?,
                start: Start {
                    incarnation: reader.read_u64()?,
                    first_tick: reader.read_varint()?,
                },
            })
        };
        let seq = reader.read_varint()?;
        if seq == 0 {
            return Err(invalid(reader, "number of a record", seq).into());
        }
        let tick = reader.read_varint()?;
        if let RecordKind::Keyframe(origin) = &kind
            && origin.header_tick(tick).is_none()
        {
            return Err(invalid(reader, "tick of a record", tick).into());
        }
        Ok(Self {
            kind,
            partial: flags & PARTIAL != 0,
            seq,
            tick,
            time: reader.read_varint()?,
        })
    }
}

impl RecordOrigin {
    /// Returns the checksum by which other records name this origin.
    pub(crate) fn checksum(&self) -> u32 {
        let Start {
            incarnation,
            first_tick,
        } = self.start;
        let parts = [self.schema_hash, incarnation, first_tick];
        crc32c::crc32c(parts.map(u64::to_le_bytes).as_flattened())
    }

    /// Returns a tick of the network time as one of the headers; `None` for a tick that they cannot have.
    pub(crate) fn header_tick(&self, tick: u64) -> Option<u32> {
        let since = tick.checked_sub(self.start.first_tick)?;
        u32::try_from(since).ok()?.checked_add(1)
    }
}

pub(super) fn invalid(reader: &NetworkReader<'_>, what: &'static str, value: u64) -> ReadError {
    reader.error(ReadErrorKind::InvalidValue { what, value })
}
