//! The full state of an object that both sides have made themselves.

use super::{begin, read_id, write_id};
use crate::{MessageType, NetId, NetworkReader, NetworkSceneId, NetworkWriter, ReadError, Vector3};

/// The full state of a scene object: packed id, packed scene id, position, the state of all behaviours
/// with its length in two bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObjectSpawnScene<'a> {
    pub(crate) net_id: NetId,
    pub(crate) scene_id: NetworkSceneId,
    pub(crate) position: Vector3,
    pub(crate) state: &'a [u8],
}

impl<'a> ObjectSpawnScene<'a> {
    /// Appends the message; `write_state` appends what the behaviours have to say.
    pub(crate) fn encode(
        writer: &mut NetworkWriter,
        (net_id, scene_id): (NetId, NetworkSceneId),
        position: Vector3,
        write_state: impl FnOnce(&mut NetworkWriter),
    ) {
        let start = begin(MessageType::ObjectSpawnScene, writer);
        write_id(writer, &net_id);
        writer.write_packed_u32(scene_id.0);
        writer.write(&position);
        let length = writer.reserve_u16();
        write_state(writer);
        writer.patch_length(length);
        writer.finish_message(start);
    }

    pub(crate) fn decode(payload: &'a [u8]) -> Result<Self, ReadError> {
        let mut reader = NetworkReader::new(payload);
        let spawn = Self {
            net_id: read_id(&mut reader)?,
            scene_id: NetworkSceneId(reader.read_packed_u32()?),
            position: reader.read()?,
            state: reader.read_bytes_and_size()?,
        };
        reader.finish()?;
        Ok(spawn)
    }
}
