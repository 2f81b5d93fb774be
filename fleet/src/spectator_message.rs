//! Messages of spectators on their way to the origin. WIRE.md, section 12.

use bytes::Bytes;
use syncvar_runtime::unstable::prefab::message::FIRST_MESSAGE;
use syncvar_runtime::{Encoding, NetworkReader, NetworkWriter, Prefabs, ReceivedMessage};

use crate::NodeId;
use crate::sealed::{opened, sealed};

/// Version of the layout.
const VERSION: u8 = 1;

/// A message of a spectator, as its relay forwards it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Envelope {
    /// The relay of the spectator.
    pub(crate) relay: NodeId,
    /// Number of the connection of the spectator at the relay.
    pub(crate) spectator: u32,
    /// Number of the message among those of the relay, from 1.
    pub(crate) number: u64,
    /// Number of the message of the program.
    pub(crate) message: i16,
    /// Value of the message.
    pub(crate) payload: Bytes,
}

impl Envelope {
    /// Encodes the envelope.
    pub(crate) fn to_bytes(&self) -> Bytes {
        let mut writer = NetworkWriter::new();
        writer.write_u8(VERSION);
        writer.write_u64(self.relay.0);
        writer.write_varint(self.spectator.into());
        writer.write_varint(self.number);
        writer.write_i16(self.message);
        writer.write_bytes(&self.payload);
        sealed(&writer)
    }

    /// Decodes an envelope; `None` for damaged or malformed bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut reader = NetworkReader::new(opened(bytes)?);
        if reader.read_u8().ok()? != VERSION {
            return None;
        }
        Some(Self {
            relay: NodeId(reader.read_u64().ok()?),
            spectator: u32::try_from(reader.read_varint().ok()?).ok()?,
            number: reader.read_varint().ok()?,
            message: reader.read_i16().ok().filter(|it| *it >= FIRST_MESSAGE)?,
            payload: Bytes::copy_from_slice(reader.rest()),
        })
    }

    /// Reads the value by the messages of a registry.
    pub(crate) fn read(&self, prefabs: &Prefabs) -> Option<ReceivedMessage> {
        let kind = prefabs.messages().by_number(self.message)?;
        let mut reader = NetworkReader::with_encoding(&self.payload, Encoding::Compact);
        kind.read(&mut reader).ok()
    }
}
