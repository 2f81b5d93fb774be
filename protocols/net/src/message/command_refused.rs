//! `CommandRefused`: commands of a client that the server has not run.

use syncvar_runtime::{
    CommandRefusal, NetId, NetworkReader, NetworkWriter, ReadError, ReadErrorKind,
};

use super::Message;
use crate::MessageType;

/// Reason of a server for which it has not run a command, as its sender learns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RefusalReason {
    /// The object does not exist, or the client does not observe it any more.
    UnknownObject,
    /// The object lacks the command.
    UnknownCall,
    /// Only the owner of the object may call the command.
    NotOwner,
    /// The calls exceed the rate of the command.
    TooOften,
    /// The server could not read the arguments.
    Malformed,
}

/// Reasons by their numbers on the wire.
const REASONS: [RefusalReason; 5] = [
    RefusalReason::UnknownObject,
    RefusalReason::UnknownCall,
    RefusalReason::NotOwner,
    RefusalReason::TooOften,
    RefusalReason::Malformed,
];

impl From<&CommandRefusal> for RefusalReason {
    fn from(refusal: &CommandRefusal) -> Self {
        match refusal {
            CommandRefusal::NotOwner => Self::NotOwner,
            CommandRefusal::TooOften => Self::TooOften,
            CommandRefusal::Malformed(_) => Self::Malformed,
            CommandRefusal::UnknownCall | CommandRefusal::UnknownHash(_) => Self::UnknownCall,
            _ => Self::UnknownObject,
        }
    }
}

/// Object and number of the command as in a `Call`, one byte: the reason; varint: number of its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CommandRefused {
    pub(crate) object: NetId,
    pub(crate) number: u64,
    pub(crate) reason: RefusalReason,
    pub(crate) calls: u32,
}

impl Message for CommandRefused {
    const TYPE: MessageType = MessageType::CommandRefused;

    fn write_payload(&self, writer: &mut NetworkWriter) {
        writer.write_varint(self.object.0.into());
        writer.write_varint(self.number);
        writer.write_u8(self.reason as u8);
        writer.write_varint(self.calls.into());
    }

    fn read_payload(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let object = NetId(read_u32(reader)?);
        let number = reader.read_varint()?;
        let value = reader.read_u8()?;
        let reason = REASONS.get(usize::from(value));
        let reason = *reason.ok_or_else(|| {
            let (what, value) = ("reason of a refusal", value.into());
            reader.error(ReadErrorKind::InvalidValue { what, value })
        })?;
        let calls = read_u32(reader)?;
        Ok(Self {
            object,
            number,
            reason,
            calls,
        })
    }
}

fn read_u32(reader: &mut NetworkReader<'_>) -> Result<u32, ReadError> {
    let value = reader.read_varint()?;
    u32::try_from(value).map_err(|_| {
        let target = "u32";
        reader.error(ReadErrorKind::OutOfRange { value, target })
    })
}
