//! `WorldState`: a keyframe with the facts that a node without prefabs needs. WIRE.md, section 12.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use syncvar_net::{NetworkServer, RecordError, TickRecord};
use syncvar_runtime::schema::{MAX_SCHEMA_TEXT, Schema, SchemaError};
use syncvar_runtime::time::{micros, send_interval};
use syncvar_runtime::{Channel, NetworkReader, NetworkWriter, ReadError, ReadErrorKind};

use crate::sealed::{opened, sealed};

/// Version of the layout.
const VERSION: u8 = 1;

/// Most channels of a server.
const MAX_CHANNELS: u64 = 64;

/// State of a world for a node that begins to follow it: the keyframe, and the facts of its server. The answer to
/// [`Question::Keyframe`](crate::Question::Keyframe).
#[derive(Clone, Debug, PartialEq)]
pub struct WorldState {
    /// Ticks per second of the origin, not 0.
    pub tick_rate: u32,
    /// Send interval of behaviours without one.
    pub send_interval: Duration,
    /// Kinds of the channels of the origin, 1 to 64.
    pub channels: Vec<Channel>,
    /// Canonical text of the schema of the origin.
    pub schema: Arc<str>,
    /// State of the objects.
    pub keyframe: TickRecord,
}

impl WorldState {
    /// Returns the state of a server, with a keyframe of this server.
    pub fn of_server(server: &NetworkServer, keyframe: TickRecord) -> Self {
        let config = server.config();
        Self {
            tick_rate: config.tick_rate,
            send_interval: send_interval(config.send_interval, config.tick_rate),
            channels: config.channels.clone(),
            schema: server.prefabs().schema_text().clone(),
            keyframe,
        }
    }

    /// Encodes the state.
    pub fn to_bytes(&self) -> Bytes {
        let mut writer = NetworkWriter::new();
        writer.write_u8(VERSION);
        writer.write_varint(self.tick_rate.into());
        writer.write_varint(micros(self.send_interval));
        writer.write_varint(self.channels.len() as u64);
        for channel in &self.channels {
            writer.write_u8(u8::from(*channel == Channel::Unreliable));
        }
        writer.write_varint(self.schema.len() as u64);
        writer.write_bytes(self.schema.as_bytes());
        writer.write_bytes(self.keyframe.as_bytes());
        sealed(&writer)
    }

    /// Decodes a state.
    ///
    /// # Errors
    ///
    /// For a wrong checksum, a different version, a malformed field or schema, a record without a keyframe, and a keyframe of
    /// a different schema.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WorldStateError> {
        let content = opened(bytes).ok_or(WorldStateError::Checksum)?;
        let mut reader = NetworkReader::new(content);
        let version = reader.read_u8()?;
        if version != VERSION {
            return Err(WorldStateError::Version(version));
        }
        let tick_rate = reader.read_varint()?;
        let tick_rate = u32::try_from(tick_rate).ok().filter(|rate| *rate > 0);
        let tick_rate = tick_rate.ok_or_else(|| invalid(&reader, "ticks per second"))?;
        let send_interval = Duration::from_micros(reader.read_varint()?);
        let count = reader.read_varint()?;
        if !(1..=MAX_CHANNELS).contains(&count) {
            return Err(invalid(&reader, "number of channels").into());
        }
        let mut channels = Vec::new();
        for _ in 0..count {
            channels.push(match reader.read_u8()? {
                0 => Channel::Reliable,
                1 => Channel::Unreliable,
                _ => return Err(invalid(&reader, "kind of a channel").into()),
            });
        }
        let length = usize::try_from(reader.read_varint()?).ok();
        let length = length.filter(|length| *length <= MAX_SCHEMA_TEXT);
        let length = length.ok_or_else(|| invalid(&reader, "length of a schema"))?;
        let text = std::str::from_utf8(reader.read_bytes(length)?);
        let schema = text.map_err(|_| invalid(&reader, "text of a schema"))?;
        let keyframe = TickRecord::from_bytes(reader.rest())?;
        if keyframe.schema_hash() != Some(Schema::parse(schema)?.hash()) {
            return Err(WorldStateError::OtherSchema);
        }
        Ok(Self {
            tick_rate,
            send_interval,
            channels,
            schema: schema.into(),
            keyframe,
        })
    }
}

#[cold]
fn invalid(reader: &NetworkReader<'_>, what: &'static str) -> ReadError {
    reader.error(ReadErrorKind::Custom(what))
}

/// Reason why bytes are refused as a [`WorldState`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum WorldStateError {
    /// The bytes are damaged.
    Checksum,
    /// The layout has a different version.
    Version(u8),
    /// A field is malformed.
    Field(ReadError),
    /// The text of the schema is malformed.
    Schema(SchemaError),
    /// The record is malformed.
    Record(RecordError),
    /// The record belongs to a different schema, or is not a keyframe.
    OtherSchema,
}

impl fmt::Display for WorldStateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Checksum => f.write_str("the checksum of the state of a world is wrong"),
            Self::Version(version) => write!(f, "the state of a world has version {version}"),
            Self::Field(error) => write!(f, "the state of a world: {error}"),
            Self::Schema(error) => write!(f, "the schema of a world: {error}"),
            Self::Record(error) => write!(f, "the keyframe of a world: {error}"),
            Self::OtherSchema => f.write_str("the record is no keyframe of the schema"),
        }
    }
}

impl std::error::Error for WorldStateError {}

impl From<ReadError> for WorldStateError {
    fn from(error: ReadError) -> Self {
        Self::Field(error)
    }
}

impl From<RecordError> for WorldStateError {
    fn from(error: RecordError) -> Self {
        Self::Record(error)
    }
}

impl From<SchemaError> for WorldStateError {
    fn from(error: SchemaError) -> Self {
        Self::Schema(error)
    }
}
