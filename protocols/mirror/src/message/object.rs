//! Spawns, despawns and ownership.

use std::ops::BitOr;

use syncvar_runtime::{NetId, Quaternion, Vector3};

use super::part::{messages, numbered};
use crate::{AssetId, SceneId};

/// Start of a spawn burst, which the client applies at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectSpawnStartedMessage;

/// End of a spawn burst. A client applies no spawn before the first one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectSpawnFinishedMessage;

/// Spawn of an object, from a prefab or of the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpawnMessage<'a> {
    /// The id of the object.
    pub net_id: NetId,
    /// The role of the receiver.
    pub flags: SpawnFlags,
    /// The id of a scene object; the asset id is unused then.
    pub scene_id: SceneId,
    /// The prefab.
    pub asset_id: AssetId,
    /// The position, relative to the parent.
    pub position: Vector3,
    /// The rotation.
    pub rotation: Quaternion,
    /// The scale, relative to the prefab.
    pub scale: Vector3,
    /// The snapshot of its components: `None` without components, and empty without components that
    /// the receiver may read.
    pub payload: Option<&'a [u8]>,
}

/// Role of a connection for an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpawnFlags(pub u8);

/// Change of an owner, sent to the owners before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeOwnerMessage {
    /// The object.
    pub net_id: NetId,
    /// The new role of the receiver.
    pub flags: SpawnFlags,
}

/// Despawn of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectDestroyMessage {
    /// The object.
    pub net_id: NetId,
}

/// Hide of an object. Clients treat it as a despawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectHideMessage {
    /// The object.
    pub net_id: NetId,
}

impl SpawnFlags {
    /// No role.
    pub const NONE: Self = Self(0);
    /// The receiver owns the object.
    pub const IS_OWNER: Self = Self(1);
    /// The object is the receiver's player.
    pub const IS_LOCAL_PLAYER: Self = Self(2);

    /// Returns whether all these flags are set.
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

numbered! { SpawnFlags, }

messages! {
    ObjectSpawnStartedMessage = "Mirror.ObjectSpawnStartedMessage";
    ObjectSpawnFinishedMessage = "Mirror.ObjectSpawnFinishedMessage";
}

messages! {
    'a;
    SpawnMessage<'a> = "Mirror.SpawnMessage" {
        net_id, flags, scene_id, asset_id, position, rotation, scale, payload
    }
    ChangeOwnerMessage = "Mirror.ChangeOwnerMessage" { net_id, flags }
    ObjectDestroyMessage = "Mirror.ObjectDestroyMessage" { net_id }
    ObjectHideMessage = "Mirror.ObjectHideMessage" { net_id }
}
