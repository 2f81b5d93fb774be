//! Changes of objects.

use syncvar_runtime::{NetId, NetworkReader, NetworkWriter, ReadError};

use super::NetworkMessage;
use super::part::{read_net_id, read_segment, write_net_id, write_segment};

/// What has changed of an object: from the server, and of components that the client writes from that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntityStateMessage<'a> {
    /// The object.
    pub net_id: NetId,
    /// The changes of its components.
    pub payload: Option<&'a [u8]>,
}

/// The full state of components that are otherwise sent unreliably: what
/// [`EntityStateMessageUnreliableDelta`]s are counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntityStateMessageUnreliableBaseline<'a> {
    /// Which baseline this is.
    pub baseline_tick: u8,
    /// The object.
    pub net_id: NetId,
    /// The full state of components.
    pub payload: Option<&'a [u8]>,
}

/// What has changed of components since a baseline, on an unreliable channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntityStateMessageUnreliableDelta<'a> {
    /// Which baseline it is counted from.
    pub baseline_tick: u8,
    /// The object.
    pub net_id: NetId,
    /// The changes of components.
    pub payload: Option<&'a [u8]>,
}

impl<'a> NetworkMessage<'a> for EntityStateMessage<'a> {
    const NAME: &'static str = "Mirror.EntityStateMessage";

    fn write(&self, writer: &mut NetworkWriter) {
        write_net_id(writer, self.net_id);
        write_segment(writer, self.payload);
    }

    fn read(reader: &mut NetworkReader<'a>) -> Result<Self, ReadError> {
        Ok(Self {
            net_id: read_net_id(reader)?,
            payload: read_segment(reader)?,
        })
    }
}

impl<'a> NetworkMessage<'a> for EntityStateMessageUnreliableBaseline<'a> {
    const NAME: &'static str = "Mirror.EntityStateMessageUnreliableBaseline";

    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_u8(self.baseline_tick);
        write_net_id(writer, self.net_id);
        write_segment(writer, self.payload);
    }

    fn read(reader: &mut NetworkReader<'a>) -> Result<Self, ReadError> {
        Ok(Self {
            baseline_tick: reader.read_u8()?,
            net_id: read_net_id(reader)?,
            payload: read_segment(reader)?,
        })
    }
}

impl<'a> NetworkMessage<'a> for EntityStateMessageUnreliableDelta<'a> {
    const NAME: &'static str = "Mirror.EntityStateMessageUnreliableDelta";

    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_u8(self.baseline_tick);
        write_net_id(writer, self.net_id);
        write_segment(writer, self.payload);
    }

    fn read(reader: &mut NetworkReader<'a>) -> Result<Self, ReadError> {
        Ok(Self {
            baseline_tick: reader.read_u8()?,
            net_id: read_net_id(reader)?,
            payload: read_segment(reader)?,
        })
    }
}
