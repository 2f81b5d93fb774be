//! What is kept for an object.

use syncvar_runtime::engine::Place;
use syncvar_runtime::{Behaviours, NetId, NetworkHash128, NetworkIdentity, Vector3};

use super::MirrorClient;
use super::write::BaselineState;
use crate::SceneId;
use crate::unreliable::Unreliable;

/// An object on the client.
#[derive(Debug)]
pub(super) struct Replica {
    /// None while it is being called.
    pub(super) behaviours: Option<Behaviours>,
    /// Which of all that were ever made it is: a number may come again.
    pub(super) serial: u64,
    /// The position of its prefab in the registry.
    pub(super) prefab: u32,
    pub(super) stage: Stage,
    /// Role by the last message of the server.
    pub(super) role: Role,
    /// Role by the last callbacks.
    pub(super) reported: Role,
    pub(super) scene_id: Option<SceneId>,
    pub(super) place: Place,
    pub(super) scale: Vector3,
    /// What has come of components that travel unreliably.
    pub(super) unreliable: Unreliable,
    /// What has been sent of those that this client writes.
    pub(super) baseline: BaselineState,
}

/// Role of this client for an object.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Role {
    pub(super) owner: bool,
    pub(super) player: bool,
}

/// How far an object has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// Its state waits until the burst is complete.
    Pending,
    /// The burst is complete, and others can see it.
    Known,
    /// Its callbacks have run, or are about to.
    Spawned,
}

impl MirrorClient {
    pub(super) fn identity_of<'a>(
        &'a self,
        id: NetId,
        object: &'a Replica,
    ) -> Option<NetworkIdentity<'a>> {
        if object.stage == Stage::Pending {
            return None;
        }
        let prefab = self.world.prefabs.get(object.prefab)?;
        let slots = object.behaviours.as_ref()?.slots();
        let asset_id = NetworkHash128::from_u32(prefab.asset_id.0);
        Some(NetworkIdentity::new(
            (id, asset_id),
            object.place,
            slots,
            &self.world.relations,
        ))
    }
}
