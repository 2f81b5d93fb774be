//! Ids of new objects.

use syncvar_runtime::{NetId, NetworkSceneId, SpawnError};

use crate::server::objects::Objects;

impl Objects {
    /// Returns the id of a new object: a chosen id, or the next id.
    pub(crate) fn choose_net_id(&mut self, chosen: Option<NetId>) -> Result<NetId, SpawnError> {
        let objects = &self.world.objects;
        let is_taken = |id: NetId| objects.get(id.0).is_some();
        let Some(id) = chosen else {
            let next = self.world.net_ids.next(is_taken);
            return next.ok_or(SpawnError::OutOfIds);
        };
        if id == NetId::NONE || is_taken(id) || self.ended_ids.contain(id) {
            return Err(SpawnError::IdTaken(id));
        }
        self.world.net_ids.note_chosen(id);
        Ok(id)
    }

    /// Rejects a scene id of 0 or one in use.
    pub(crate) fn check_scene_id(&self, id: Option<NetworkSceneId>) -> Result<(), SpawnError> {
        let relations = &self.world.relations;
        let is_taken = |id| id == NetworkSceneId(0) || relations.scene_object(id).is_some();
        match id {
            Some(id) if is_taken(id) => Err(SpawnError::SceneIdTaken(id)),
            _ => Ok(()),
        }
    }
}
