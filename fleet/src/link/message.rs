//! `LinkMessage`: messages between two nodes. WIRE.md, section 12.

use std::fmt;

use bytes::Bytes;
use syncvar_runtime::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind};

use crate::{Node, NodeId, Question, QuestionId, Role, Topic};

/// Version of the messages.
const VERSION: u8 = 1;

/// Longest key and longest address, in bytes.
const MAX_TEXT: usize = 256;

/// Introduction of a node.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hello {
    pub(super) node: Node,
    pub(super) key: String,
}

/// Message between two nodes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum LinkMessage {
    Hello(Hello),
    Alive,
    Subscribe(Topic),
    Unsubscribe(Topic),
    Record(Topic, Bytes),
    Question(QuestionId, Question),
    Answer(QuestionId, Bytes),
}

/// A packet of a node that breaks the rules of a link. The link ends.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LinkError {
    /// A message is malformed.
    Malformed(ReadError),
    /// The first message is no introduction of this version, or has a different key.
    Refused,
    /// A message is longer than 64 MiB.
    TooLong,
    /// The connection does not exist.
    UnknownConnection,
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(error) => write!(f, "malformed message of a node: {error}"),
            Self::Refused => f.write_str("a node has another version or another key"),
            Self::TooLong => f.write_str("a message of a node is longer than 64 MiB"),
            Self::UnknownConnection => f.write_str("the link of a node does not exist"),
        }
    }
}

impl std::error::Error for LinkError {}

impl From<ReadError> for LinkError {
    fn from(error: ReadError) -> Self {
        Self::Malformed(error)
    }
}

impl LinkMessage {
    /// Encodes the message: the bytes before the content, and the content, which may be shared.
    pub(super) fn encode(self) -> (Vec<u8>, Bytes) {
        let mut writer = NetworkWriter::new();
        let content = match self {
            Self::Hello(hello) => {
                hello.write(&mut writer);
                Bytes::new()
            }
            Self::Alive => {
                writer.write_u8(1);
                Bytes::new()
            }
            Self::Subscribe(topic) => numbered(&mut writer, 2, topic.0, Bytes::new()),
            Self::Unsubscribe(topic) => numbered(&mut writer, 3, topic.0, Bytes::new()),
            Self::Record(topic, bytes) => numbered(&mut writer, 4, topic.0, bytes),
            Self::Question(id, Question::Keyframe(topic)) => {
                numbered(&mut writer, 5, id.0, Bytes::new());
                writer.write_varint(topic.0);
                Bytes::new()
            }
            Self::Question(id, Question::Call(bytes)) => numbered(&mut writer, 6, id.0, bytes),
            Self::Answer(id, bytes) => numbered(&mut writer, 7, id.0, bytes),
        };
        (writer.as_bytes().to_vec(), content)
    }

    /// Decodes a message.
    pub(super) fn decode(bytes: &Bytes) -> Result<Self, LinkError> {
        let mut reader = NetworkReader::new(bytes);
        let kind = reader.read_u8()?;
        match kind {
            0 => return Hello::read(&mut reader).map(Self::Hello),
            1 => {
                reader.finish()?;
                return Ok(Self::Alive);
            }
            _ => {}
        }
        let number = reader.read_varint()?;
        let content = bytes.slice(reader.position()..);
        let message = match kind {
            2 => Self::Subscribe(Topic(number)),
            3 => Self::Unsubscribe(Topic(number)),
            4 => return Ok(Self::Record(Topic(number), content)),
            5 => {
                let topic = Topic(reader.read_varint()?);
                Self::Question(QuestionId(number), Question::Keyframe(topic))
            }
            6 => return Ok(Self::Question(QuestionId(number), Question::Call(content))),
            7 => return Ok(Self::Answer(QuestionId(number), content)),
            other => {
                let (what, value) = ("kind of a message of a node", other.into());
                return Err(reader
                    .error(ReadErrorKind::InvalidValue { what, value })
                    .into());
            }
        };
        reader.finish()?;
        Ok(message)
    }

    /// Returns whether the message may be left out for a node that reads too slowly.
    pub(super) fn is_record(&self) -> bool {
        matches!(self, Self::Record(..))
    }
}

fn numbered(writer: &mut NetworkWriter, kind: u8, number: u64, content: Bytes) -> Bytes {
    writer.write_u8(kind);
    writer.write_varint(number);
    content
}

impl Hello {
    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_u8(0);
        writer.write_u8(VERSION);
        writer.write_u64(self.node.id.0);
        writer.write_u8(match self.node.role {
            Role::Origin => 0,
            Role::Relay => 1,
            Role::Zone => 2,
            Role::Gateway => 3,
        });
        for text in [&self.key, &self.node.address] {
            let text = &text.as_bytes()[..text.len().min(MAX_TEXT)];
            writer.write_varint(text.len() as u64);
            writer.write_bytes(text);
        }
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, LinkError> {
        if reader.read_u8()? != VERSION {
            return Err(LinkError::Refused);
        }
        let id = NodeId(reader.read_u64()?);
        let role = match reader.read_u8()? {
            0 => Role::Origin,
            1 => Role::Relay,
            2 => Role::Zone,
            3 => Role::Gateway,
            other => {
                let (what, value) = ("role of a node", other.into());
                return Err(reader
                    .error(ReadErrorKind::InvalidValue { what, value })
                    .into());
            }
        };
        let key = read_text(reader)?;
        let address = read_text(reader)?;
        reader.finish()?;
        let node = Node { id, role, address };
        Ok(Self { node, key })
    }
}

fn read_text(reader: &mut NetworkReader<'_>) -> Result<String, ReadError> {
    let length = usize::try_from(reader.read_varint()?).unwrap_or(usize::MAX);
    if length > MAX_TEXT {
        let (what, value) = ("length of a text of a node", length as u64);
        return Err(reader.error(ReadErrorKind::InvalidValue { what, value }));
    }
    let text = std::str::from_utf8(reader.read_bytes(length)?);
    text.map(Into::into)
        .map_err(|_| reader.error(ReadErrorKind::InvalidUtf8))
}
