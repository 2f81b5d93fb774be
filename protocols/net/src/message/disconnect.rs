//! `Disconnect`: the end of a connection, its reason as a number and a text.

use syncvar_runtime::endpoint::{Payload, Refusal};
use syncvar_runtime::{
    DisconnectReason, MAX_STRING_BYTES, NetworkReader, NetworkWriter, ReadError, ReadErrorKind,
};

use super::Message;
use crate::MessageType;

/// Number of a reason of the program, which has a payload.
const DENIED: u8 = 4;

/// Number of the reason in one byte, text; for a reason of the program its payload, to the end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Disconnect {
    reason: u8,
    text: String,
    payload: Payload,
}

impl Message for Disconnect {
    const TYPE: MessageType = MessageType::Disconnect;

    fn write_payload(&self, writer: &mut NetworkWriter) {
        writer.write_u8(self.reason);
        writer.write_string(&self.text);
        writer.write_bytes(self.payload.as_bytes());
    }

    fn read_payload(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let (reason, text) = (reader.read_u8()?, reader.read()?);
        let length = match reason {
            DENIED => reader.remaining(),
            _ => 0,
        };
        if length > Refusal::MAX_PAYLOAD {
            let (needed, left) = (length, Refusal::MAX_PAYLOAD);
            return Err(reader.error(ReadErrorKind::TooMuchMemory { needed, left }));
        }
        let payload = reader.read_bytes(length)?.to_vec().into();
        Ok(Self {
            reason,
            text,
            payload,
        })
    }
}

impl From<&DisconnectReason> for Disconnect {
    fn from(reason: &DisconnectReason) -> Self {
        let (number, text) = match reason {
            DisconnectReason::Requested(text) => (0, text.as_str()),
            DisconnectReason::Limit(limit) => return Self::of(0, &limit.to_string()),
            DisconnectReason::SchemaMismatch(_) => (1, ""),
            DisconnectReason::VersionMismatch => (2, ""),
            DisconnectReason::ConnectionLost => (3, ""),
            DisconnectReason::Denied(refusal) => {
                let mut denied = Self::of(DENIED, &refusal.text);
                if refusal.payload.as_bytes().len() <= Refusal::MAX_PAYLOAD {
                    denied.payload = refusal.payload.clone();
                }
                return denied;
            }
            _ => (0, ""),
        };
        Self::of(number, text)
    }
}

impl Disconnect {
    /// Cuts the text to its longest encoding.
    fn of(reason: u8, text: &str) -> Self {
        Self {
            reason,
            text: text[..text.floor_char_boundary(MAX_STRING_BYTES)].into(),
            payload: Payload::default(),
        }
    }

    /// Returns the reason. An unknown number counts as a request.
    pub(crate) fn into_reason(self) -> DisconnectReason {
        match self.reason {
            1 => DisconnectReason::SchemaMismatch(None),
            2 => DisconnectReason::VersionMismatch,
            3 => DisconnectReason::ConnectionLost,
            DENIED => DisconnectReason::Denied(Box::new(Refusal {
                text: self.text,
                payload: self.payload,
            })),
            _ => DisconnectReason::Requested(self.text),
        }
    }
}
