//! A spawn message, read and written by the layout alone.

use syncvar::{
    NetId, NetworkIdentity, NetworkSceneId,
    values::{NetworkHash128, Quaternion, Vector3},
    wire::{NetworkReader, NetworkWriter, ReadError},
};

use super::frame::Frame;

pub(crate) struct SpawnMessage<'a> {
    pub(crate) net_id: NetId,
    pub(crate) asset_id: NetworkHash128,
    pub(crate) position: Vector3,
    /// The full state of all behaviours.
    pub(crate) state: &'a [u8],
    pub(crate) rotation: Quaternion,
}

impl<'a> SpawnMessage<'a> {
    pub(crate) const TYPE: i16 = 3;

    /// The spawn of an object with this state.
    pub(crate) fn new(identity: NetworkIdentity<'_>, state: &'a [u8]) -> Self {
        Self {
            net_id: identity.net_id(),
            asset_id: identity.asset_id(),
            position: identity.position,
            state,
            rotation: identity.rotation,
        }
    }

    /// The spawn, if the message is one and can be read.
    pub(crate) fn of(frame: &'a Frame) -> Option<Self> {
        (frame.message_type() == Self::TYPE).then(|| Self::read(frame.payload()).ok())?
    }

    pub(crate) fn read(payload: &'a [u8]) -> Result<Self, ReadError> {
        let mut reader = NetworkReader::new(payload);
        let spawn = Self {
            net_id: reader.read()?,
            asset_id: reader.read()?,
            position: reader.read()?,
            state: reader.read_bytes_and_size()?,
            rotation: reader.read()?,
        };
        reader.finish()?;
        Ok(spawn)
    }

    /// The message with its header.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut writer = NetworkWriter::new();
        let start = writer.start_message(Self::TYPE);
        writer.write(&self.net_id);
        writer.write(&self.asset_id);
        writer.write(&self.position);
        writer.write_bytes_and_size(self.state);
        writer.write(&self.rotation);
        writer.finish_message(start);
        writer.as_bytes().to_vec()
    }
}

/// The spawn of an object of the scene.
pub(crate) struct SceneSpawnMessage<'a> {
    pub(crate) net_id: NetId,
    pub(crate) scene_id: NetworkSceneId,
    pub(crate) position: Vector3,
    pub(crate) state: &'a [u8],
}

impl<'a> SceneSpawnMessage<'a> {
    pub(crate) const TYPE: i16 = 10;

    /// The spawn, if the message is one and can be read.
    pub(crate) fn of(frame: &'a Frame) -> Option<Self> {
        (frame.message_type() == Self::TYPE).then(|| Self::read(frame.payload()).ok())?
    }

    pub(crate) fn read(payload: &'a [u8]) -> Result<Self, ReadError> {
        let mut reader = NetworkReader::new(payload);
        let spawn = Self {
            net_id: reader.read()?,
            scene_id: reader.read()?,
            position: reader.read()?,
            state: reader.read_bytes_and_size()?,
        };
        reader.finish()?;
        Ok(spawn)
    }
}
