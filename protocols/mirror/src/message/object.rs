//! Objects that come and go.

use std::ops::BitOr;

use syncvar_runtime::{NetId, NetworkReader, NetworkWriter, Quaternion, ReadError, Vector3};

use super::NetworkMessage;
use super::part::{read_net_id, read_segment, read_u32, write_net_id, write_segment};
use super::session::empty;
use crate::{AssetId, SceneId};

/// Objects follow that a client is to make, and to apply when they are all there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectSpawnStartedMessage;

/// All objects are there. Until it has come once, a client applies nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectSpawnFinishedMessage;

/// A client is to make an object, or to wake one of the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpawnMessage<'a> {
    /// The number of the object.
    pub net_id: NetId,
    /// What it is to the one who receives this.
    pub flags: SpawnFlags,
    /// Which object of the scene it is, if it is one: then the asset id is not looked at.
    pub scene_id: SceneId,
    /// The prefab that it is made of.
    pub asset_id: AssetId,
    /// Where it stands, seen from its parent.
    pub position: Vector3,
    /// How it is turned.
    pub rotation: Quaternion,
    /// How large it is; 1 for as it was made.
    pub scale: Vector3,
    /// The full state of its components: none if it has no components, and empty if there are none that
    /// the receiver may read.
    pub payload: Option<&'a [u8]>,
}

/// What an object is to a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpawnFlags(pub u8);

/// An object has another owner: sent to the one it was and the one it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeOwnerMessage {
    /// The object.
    pub net_id: NetId,
    /// What it is from now on to the one who receives this.
    pub flags: SpawnFlags,
}

/// An object is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectDestroyMessage {
    /// The object.
    pub net_id: NetId,
}

/// An object is out of sight. Clients do the same as if it were gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectHideMessage {
    /// The object.
    pub net_id: NetId,
}

impl SpawnFlags {
    /// Somebody else's, or nobody's.
    pub const NONE: Self = Self(0);
    /// The receiver owns it.
    pub const IS_OWNER: Self = Self(1);
    /// It is the receiver's player.
    pub const IS_LOCAL_PLAYER: Self = Self(2);

    /// Whether all these flags are set.
    pub const fn contains(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }
}

impl BitOr for SpawnFlags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

empty! {
    ObjectSpawnStartedMessage = "Mirror.ObjectSpawnStartedMessage";
    ObjectSpawnFinishedMessage = "Mirror.ObjectSpawnFinishedMessage";
}

impl<'a> NetworkMessage<'a> for SpawnMessage<'a> {
    const NAME: &'static str = "Mirror.SpawnMessage";

    fn write(&self, writer: &mut NetworkWriter) {
        write_net_id(writer, self.net_id);
        writer.write_u8(self.flags.0);
        writer.write_var_u64(self.scene_id.0);
        writer.write_var_u64(self.asset_id.0.into());
        writer.write(&self.position);
        writer.write(&self.rotation);
        writer.write(&self.scale);
        write_segment(writer, self.payload);
    }

    fn read(reader: &mut NetworkReader<'a>) -> Result<Self, ReadError> {
        Ok(Self {
            net_id: read_net_id(reader)?,
            flags: SpawnFlags(reader.read_u8()?),
            scene_id: SceneId(reader.read_var_u64()?),
            asset_id: AssetId(read_u32(reader)?),
            position: reader.read()?,
            rotation: reader.read()?,
            scale: reader.read()?,
            payload: read_segment(reader)?,
        })
    }
}

impl NetworkMessage<'_> for ChangeOwnerMessage {
    const NAME: &'static str = "Mirror.ChangeOwnerMessage";

    fn write(&self, writer: &mut NetworkWriter) {
        write_net_id(writer, self.net_id);
        writer.write_u8(self.flags.0);
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            net_id: read_net_id(reader)?,
            flags: SpawnFlags(reader.read_u8()?),
        })
    }
}

impl NetworkMessage<'_> for ObjectDestroyMessage {
    const NAME: &'static str = "Mirror.ObjectDestroyMessage";

    fn write(&self, writer: &mut NetworkWriter) {
        write_net_id(writer, self.net_id);
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let net_id = read_net_id(reader)?;
        Ok(Self { net_id })
    }
}

impl NetworkMessage<'_> for ObjectHideMessage {
    const NAME: &'static str = "Mirror.ObjectHideMessage";

    fn write(&self, writer: &mut NetworkWriter) {
        write_net_id(writer, self.net_id);
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let net_id = read_net_id(reader)?;
        Ok(Self { net_id })
    }
}
