//! `Connect`: the handshake's message.

use super::{Message, PROTOCOL_VERSION};
use crate::{Framing, MessageType};
use syncvar_runtime::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind};

/// Request and acceptance of a session: packed protocol version, schema hash in 8 bytes, framing in one
/// byte. The client requests a framing; the server answers with its choice and hash 0.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Connect {
    pub(crate) version: u32,
    pub(crate) schema_hash: u64,
    pub(crate) framing: Framing,
}

impl Message for Connect {
    const TYPE: MessageType = MessageType::Connect;

    fn write_payload(&self, writer: &mut NetworkWriter) {
        writer.write_packed_u32(self.version);
        writer.write_u64(self.schema_hash);
        writer.write_u8(self.framing.number());
    }

    /// Reads the version. Of another version, the rest is skipped.
    fn read_payload(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let version = reader.read_packed_u32()?;
        if version != PROTOCOL_VERSION {
            reader.read_bytes(reader.remaining())?;
            let (schema_hash, framing) = (0, Framing::Unet);
            return Ok(Self {
                version,
                schema_hash,
                framing,
            });
        }
        Ok(Self {
            version,
            schema_hash: reader.read_u64()?,
            framing: match reader.read_u8()? {
                0 => Framing::Unet,
                1 => Framing::Compact,
                other => {
                    let (what, value) = ("framing", other.into());
                    return Err(reader.error(ReadErrorKind::InvalidValue { what, value }));
                }
            },
        })
    }
}
