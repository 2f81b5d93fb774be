//! The bytes that name a call. In `Unet` the hash, then the object; in `Compact` the object, then the
//! number of the call on it. WIRE.md, section 4.

use super::place::{CallPlace, ObjectCalls};
use super::schema::CallKind;
use crate::message::{LONG_FRAME, frame_length, long_head};
use crate::{Dialect, MessageType, NetId, NetworkReader, NetworkWriter, ReadError};

/// Address of a call in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// UNet's hash.
    Hash(u32),
    /// The number among the calls of the object.
    Number(u64),
}

/// A call that has been received, up to its arguments.
#[derive(Debug)]
pub(crate) struct Incoming<'a> {
    pub(crate) object: NetId,
    pub(crate) name: Name,
    pub(crate) arguments: NetworkReader<'a>,
}

impl<'a> Incoming<'a> {
    pub(crate) fn decode(message_type: MessageType, payload: &'a [u8]) -> Result<Self, ReadError> {
        if message_type == MessageType::Call {
            let mut reader = NetworkReader::with_dialect(payload, Dialect::Compact);
            let object = reader.read()?;
            let name = Name::Number(reader.read_varint()?);
            return Ok(Self {
                object,
                name,
                arguments: reader,
            });
        }
        let mut reader = NetworkReader::new(payload);
        let name = Name::Hash(reader.read_packed_u32()?);
        let object = NetId(reader.read_packed_u32()?);
        Ok(Self {
            object,
            name,
            arguments: reader,
        })
    }
}

/// Writes the header before the arguments of a call, in the writer's dialect. Returns the type of
/// the message.
pub(crate) fn write_header(
    writer: &mut NetworkWriter,
    object: NetId,
    place: &CallPlace,
    calls: &ObjectCalls,
) -> MessageType {
    match writer.dialect() {
        Dialect::Compact | Dialect::Mirror => {
            writer.write(&object);
            writer.write_varint(calls.number(place));
            MessageType::Call
        }
        Dialect::Unet => {
            writer.write_packed_u32(place.schema.hash);
            writer.write_packed_u32(object.0);
            match place.schema.kind {
                CallKind::Command => MessageType::Command,
                CallKind::ClientRpc | CallKind::TargetRpc => MessageType::Rpc,
                CallKind::SyncEvent => MessageType::SyncEvent,
            }
        }
    }
}

/// Appends a message around a payload, in the long form if it has to be.
pub(crate) fn frame(writer: &mut NetworkWriter, message_type: MessageType, payload: &[u8]) {
    if frame_length(payload.len()) == LONG_FRAME {
        // Longer than `u32` can say is refused before.
        let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
        writer.write_bytes(&long_head(length));
    } else {
        writer.write_u16(u16::try_from(payload.len()).unwrap_or(u16::MAX));
    }
    writer.write_i16(message_type.number());
    writer.write_bytes(payload);
}
