//! Headers of calls. `Unet`: hash of the call, then the object. `Compact`: object, then the number of the
//! call on it. WIRE.md, section 4.

use super::{LONG_FRAME, frame_length, long_head};
use crate::{Framing, MessageType};
use syncvar_runtime::unstable::call::{CallPlace, ObjectCalls};
use syncvar_runtime::{CallKind, Encoding, NetId, NetworkReader, NetworkWriter, ReadError};

/// Address of a call in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallName {
    /// UNet's hash.
    Hash(u32),
    /// Number among the calls of the object.
    Number(u64),
}

/// Received call, read up to its arguments.
#[derive(Debug)]
pub(crate) struct Incoming<'a> {
    pub(crate) object: NetId,
    pub(crate) name: CallName,
    pub(crate) arguments: NetworkReader<'a>,
}

impl<'a> Incoming<'a> {
    pub(crate) fn decode(message_type: MessageType, payload: &'a [u8]) -> Result<Self, ReadError> {
        if message_type == MessageType::Call {
            let mut reader = NetworkReader::with_encoding(payload, Encoding::Compact);
            let object = reader.read()?;
            let name = CallName::Number(reader.read_varint()?);
            return Ok(Self {
                object,
                name,
                arguments: reader,
            });
        }
        let mut reader = NetworkReader::new(payload);
        let name = CallName::Hash(reader.read_packed_u32()?);
        let object = NetId(reader.read_packed_u32()?);
        Ok(Self {
            object,
            name,
            arguments: reader,
        })
    }
}

/// Writes the header before the arguments of a call, in the writer's encoding. Returns the type of
/// the message.
pub(crate) fn write_header(
    framing: Framing,
    writer: &mut NetworkWriter,
    object: NetId,
    place: &CallPlace,
    calls: &ObjectCalls,
) -> MessageType {
    write_address(writer, object, calls.number(place), place.schema.hash);
    match framing {
        Framing::Compact => MessageType::Call,
        Framing::Unet => match place.schema.kind {
            CallKind::Command => MessageType::Command,
            CallKind::SyncEvent => MessageType::SyncEvent,
            _ => MessageType::Rpc,
        },
    }
}

/// Writes the object and the number of a call, or its hash in UNet.
pub(crate) fn write_address(writer: &mut NetworkWriter, object: NetId, number: u64, hash: u32) {
    if writer.encoding() == Encoding::Compact {
        writer.write(&object);
        writer.write_varint(number);
    } else {
        writer.write_packed_u32(hash);
        writer.write_packed_u32(object.0);
    }
}

/// Appends a message around a payload, in the long form if necessary.
pub(crate) fn frame(writer: &mut NetworkWriter, message_type: MessageType, payload: &[u8]) {
    frame_number(writer, message_type.number(), payload);
}

/// Appends a message with any number around a payload, in the long form if necessary.
pub(crate) fn frame_number(writer: &mut NetworkWriter, number: i16, payload: &[u8]) {
    if frame_length(payload.len()) == LONG_FRAME {
        // A payload above `u32` was refused before.
        let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
        writer.write_bytes(&long_head(MessageType::Long.number(), length));
    } else {
        writer.write_u16(u16::try_from(payload.len()).unwrap_or(u16::MAX));
    }
    writer.write_i16(number);
    writer.write_bytes(payload);
}

/// Returns the call with a name in a message.
pub(crate) fn named(calls: &ObjectCalls, name: CallName) -> Option<CallPlace> {
    match name {
        CallName::Number(number) => calls.numbered(number),
        CallName::Hash(hash) => calls.hashed(hash),
    }
}
