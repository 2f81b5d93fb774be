//! What is kept for an object.

use syncvar_runtime::relations::Place;
use syncvar_runtime::{Behaviours, NetId, NetworkHash128, NetworkIdentity, Vector3};

use super::MirrorClient;
use super::write::Sent;
use crate::SceneId;
use crate::unreliable::Unreliable;

/// An object on the client.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts that hold independently"
)]
pub(super) struct Object {
    /// None while it is being called.
    pub(super) behaviours: Option<Behaviours>,
    /// Which of all that were ever made it is: a number may come again.
    pub(super) serial: u64,
    /// The position of its prefab in the registry.
    pub(super) prefab: u32,
    pub(super) stage: Stage,
    /// What the server says.
    pub(super) owned: bool,
    pub(super) is_player: bool,
    /// What its behaviours have been told.
    pub(super) told_owned: bool,
    pub(super) told_player: bool,
    pub(super) scene_id: Option<SceneId>,
    pub(super) place: Place,
    pub(super) scale: Vector3,
    /// What has come of components that travel unreliably.
    pub(super) unreliable: Unreliable,
    /// What has been sent of those that this client writes.
    pub(super) sent: Sent,
}

/// How far an object has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// Its state waits until the burst is complete.
    Parked,
    /// The burst is complete, and others can see it.
    Known,
    /// Its callbacks have run, or are about to.
    Spawned,
}

impl MirrorClient {
    pub(super) fn identity_of<'a>(
        &'a self,
        id: NetId,
        object: &'a Object,
    ) -> Option<NetworkIdentity<'a>> {
        if object.stage == Stage::Parked {
            return None;
        }
        let prefab = self.prefabs.get(object.prefab)?;
        let slots = object.behaviours.as_ref()?.slots();
        let asset_id = NetworkHash128::from_u32(prefab.asset_id.0);
        Some(NetworkIdentity::new(
            (id, asset_id),
            object.place,
            slots,
            &self.relations,
        ))
    }
}
