//! Remote calls.

use syncvar_runtime::{NetId, NetworkReader, NetworkWriter, ReadError};

use super::NetworkMessage;
use super::part::{read_net_id, read_segment, write_net_id, write_segment};

/// A client calls the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandMessage<'a> {
    /// The object that is called.
    pub net_id: NetId,
    /// The position of the component.
    pub component_index: u8,
    /// Which method: [`hash16`](crate::hash16) of its full name.
    pub function_hash: u16,
    /// The arguments, one after another.
    pub payload: Option<&'a [u8]>,
}

/// The server calls a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RpcMessage<'a> {
    /// The object that is called.
    pub net_id: NetId,
    /// The position of the component.
    pub component_index: u8,
    /// Which method: [`hash16`](crate::hash16) of its full name.
    pub function_hash: u16,
    /// The arguments, one after another.
    pub payload: Option<&'a [u8]>,
}

impl<'a> NetworkMessage<'a> for CommandMessage<'a> {
    const NAME: &'static str = "Mirror.CommandMessage";

    fn write(&self, writer: &mut NetworkWriter) {
        write_net_id(writer, self.net_id);
        writer.write_u8(self.component_index);
        writer.write_u16(self.function_hash);
        write_segment(writer, self.payload);
    }

    fn read(reader: &mut NetworkReader<'a>) -> Result<Self, ReadError> {
        Ok(Self {
            net_id: read_net_id(reader)?,
            component_index: reader.read_u8()?,
            function_hash: reader.read_u16()?,
            payload: read_segment(reader)?,
        })
    }
}

impl<'a> NetworkMessage<'a> for RpcMessage<'a> {
    const NAME: &'static str = "Mirror.RpcMessage";

    fn write(&self, writer: &mut NetworkWriter) {
        write_net_id(writer, self.net_id);
        writer.write_u8(self.component_index);
        writer.write_u16(self.function_hash);
        write_segment(writer, self.payload);
    }

    fn read(reader: &mut NetworkReader<'a>) -> Result<Self, ReadError> {
        Ok(Self {
            net_id: read_net_id(reader)?,
            component_index: reader.read_u8()?,
            function_hash: reader.read_u16()?,
            payload: read_segment(reader)?,
        })
    }
}
