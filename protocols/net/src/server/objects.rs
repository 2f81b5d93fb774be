//! Prefabs and ids of the server's world.

mod assign;
pub(super) mod callbacks;
pub(super) mod ended_ids;
pub(super) mod guard;
pub(super) mod lifecycle;
pub(super) mod owner;
pub(super) mod owner_write;
pub(super) mod parent;
pub(super) mod prefab_info;
mod raw;
pub(super) mod replicated;
pub(super) mod scene;
pub(super) mod schedule;
pub(super) mod spawn;

use syncvar_runtime::schema::PolicyBits;
use syncvar_runtime::world::World;
use syncvar_runtime::{NetId, NetworkSceneId, SpawnError};

use crate::server::NetworkServer;
use crate::server::objects::ended_ids::EndedIds;
use crate::server::objects::prefab_info::PrefabInfo;
use crate::server::objects::replicated::Replicated;
use crate::server::objects::schedule::Schedule;

/// The world of the server, below all other rooms.
#[derive(Debug)]
pub(crate) struct Objects {
    pub(crate) world: World<Replicated>,
    /// Facts about each prefab, in the order of registration.
    pub(crate) prefab_infos: Vec<PrefabInfo>,
    /// Highest lease of a removed object: an object that takes a former id begins above it.
    pub(crate) last_lease: u32,
    /// Objects that the next update visits.
    pub(crate) schedule: Schedule,
    /// Ids that wait for the end of their former objects.
    pub(crate) ended_ids: EndedIds,
}

impl NetworkServer {
    /// Returns the facts about the prefab of a pool.
    #[inline]
    pub(crate) fn prefab_info(&self, pool: u32) -> Option<&PrefabInfo> {
        self.objects
            .prefab_infos
            .get(self.objects.world.pools.prefab(pool) as usize)
    }

    /// Returns the field policies of an object's prefab.
    pub(crate) fn policy(&self, id: NetId) -> Option<PolicyBits> {
        let replicated = self.objects.world.objects.get(id.0)?;
        Some(self.prefab_info(replicated.at.pool)?.policy)
    }

    /// Returns whether the objects of a pool have restricted fields.
    pub(crate) fn is_restricted(&self, pool: u32) -> bool {
        let info = self.prefab_info(pool);
        info.is_some_and(|info| info.policy.any())
    }

    /// Returns the id of a new object: a chosen one, or the next one.
    pub(crate) fn choose_net_id(&mut self, chosen: Option<NetId>) -> Result<NetId, SpawnError> {
        let objects = &self.objects.world.objects;
        let is_taken = |id: NetId| objects.get(id.0).is_some();
        let Some(id) = chosen else {
            let next = self.objects.world.net_ids.next(is_taken);
            return next.ok_or(SpawnError::OutOfIds);
        };
        if id == NetId::NONE || is_taken(id) || self.objects.ended_ids.contain(id) {
            return Err(SpawnError::IdTaken(id));
        }
        self.objects.world.net_ids.note_chosen(id);
        Ok(id)
    }

    /// Rejects a scene id of 0 or one in use.
    pub(crate) fn check_scene_id(&self, id: Option<NetworkSceneId>) -> Result<(), SpawnError> {
        let relations = &self.objects.world.relations;
        let is_taken = |id| id == NetworkSceneId(0) || relations.scene_object(id).is_some();
        match id {
            Some(id) if is_taken(id) => Err(SpawnError::SceneIdTaken(id)),
            _ => Ok(()),
        }
    }
}
