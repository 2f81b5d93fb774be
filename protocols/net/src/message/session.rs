//! `Session`: the join request of a client.

use syncvar_runtime::endpoint::Payload;
use syncvar_runtime::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind};

use super::Message;
use crate::MessageType;

/// Join request, before `Connect`: flags in one byte, now 0; payload of the program, to the end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct JoinRequest {
    pub(crate) payload: Payload,
}

impl Message for JoinRequest {
    const TYPE: MessageType = MessageType::Session;

    fn write_payload(&self, writer: &mut NetworkWriter) {
        writer.write_u8(0);
        writer.write_bytes(self.payload.as_bytes());
    }

    fn read_payload(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let flags = reader.read_u8()?;
        if flags != 0 {
            let (what, value) = ("flags of a join request", flags.into());
            return Err(reader.error(ReadErrorKind::InvalidValue { what, value }));
        }
        let payload = reader.read_bytes(reader.remaining())?.to_vec().into();
        Ok(Self { payload })
    }
}
