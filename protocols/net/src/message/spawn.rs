//! Snapshots of single objects in UNet's format.

use super::{begin, read_id, write_id};
use crate::MessageType;
use syncvar_runtime::{
    NetId, NetworkHash128, NetworkReader, NetworkSceneId, NetworkWriter, Quaternion, ReadError,
    Vector3,
};

/// Snapshot of an object: packed id, asset id, position, length of the state in two bytes, state of all
/// behaviours, rotation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObjectSpawn<'a> {
    pub(crate) net_id: NetId,
    pub(crate) asset_id: NetworkHash128,
    pub(crate) position: Vector3,
    pub(crate) state: &'a [u8],
    pub(crate) rotation: Quaternion,
}

impl<'a> ObjectSpawn<'a> {
    /// Appends the message; `write_state` appends the state of the behaviours.
    pub(crate) fn encode(
        writer: &mut NetworkWriter,
        net_id: NetId,
        asset_id: NetworkHash128,
        position: Vector3,
        rotation: Quaternion,
        write_state: impl FnOnce(&mut NetworkWriter),
    ) {
        let start = begin(MessageType::ObjectSpawn, writer);
        write_id(writer, &net_id);
        writer.write(&asset_id);
        writer.write(&position);
        let length = writer.reserve_u16();
        write_state(writer);
        writer.patch_length(length);
        writer.write(&rotation);
        writer.finish_message(start);
    }

    /// Decodes a payload. The rotation is optional, as in UNet.
    pub(crate) fn decode(payload: &'a [u8]) -> Result<Self, ReadError> {
        let mut reader = NetworkReader::new(payload);
        let spawn = Self {
            net_id: read_id(&mut reader)?,
            asset_id: reader.read()?,
            position: reader.read()?,
            state: reader.read_bytes_and_size()?,
            rotation: match reader.remaining() {
                0 => Quaternion::IDENTITY,
                _ => reader.read()?,
            },
        };
        reader.finish()?;
        Ok(spawn)
    }
}

/// Snapshot of a scene object: packed id, packed scene id, position, length of the state in two bytes,
/// state of all behaviours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObjectSpawnScene<'a> {
    pub(crate) net_id: NetId,
    pub(crate) scene_id: NetworkSceneId,
    pub(crate) position: Vector3,
    pub(crate) state: &'a [u8],
}

impl<'a> ObjectSpawnScene<'a> {
    /// Appends the message; `write_state` appends the state of the behaviours.
    pub(crate) fn encode(
        writer: &mut NetworkWriter,
        net_id: NetId,
        scene_id: NetworkSceneId,
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

    /// Decodes a payload.
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
