//! Ownership.

use syncvar_runtime::world::CheckOut;
use syncvar_runtime::{ConnectionId, NetId, ObjectError};

use crate::SceneId;
use crate::message::{ChangeOwnerMessage, SpawnFlags};
use crate::server::MirrorServer;
use crate::unreliable::Unreliable;

impl MirrorServer {
    /// Sets the owner of an object, or removes it: Mirror's `AssignClientAuthority` and
    /// `RemoveClientAuthority`. Both owners receive the change if they observe the object; the new
    /// one also receives the owner-only components.
    ///
    /// # Errors
    ///
    /// When the object does not exist, or the new owner is not connected.
    pub fn set_owner(&mut self, id: NetId, owner: Option<ConnectionId>) -> Result<(), ObjectError> {
        let object = self.world.objects.get(id.0);
        let former = object.ok_or(ObjectError::NoSuchObject(id))?.owner;
        if let Some(owner) = owner {
            self.sessions.expect(owner)?;
        }
        if former != owner {
            self.transfer(id, former, owner);
        }
        Ok(())
    }

    /// Removes the owner of an object, if the object exists.
    pub(in crate::server) fn take_from_owner(&mut self, id: NetId) {
        let owner = self.owner(id);
        if owner.is_some() {
            self.transfer(id, owner, None);
        }
    }

    fn transfer(&mut self, id: NetId, former: Option<ConnectionId>, owner: Option<ConnectionId>) {
        self.flush_before_transfer(id, former);
        let Some(object) = self.world.objects.get_mut(id.0) else {
            return;
        };
        object.owner = owner;
        // The new owner has another clock, and unknown baselines if it owned the object before.
        self.replication
            .unreliable
            .insert(id, Unreliable::of_new_owner());
        self.replication.hybrid.align_owner(id);
        if let Some(client) = former.and_then(|it| self.sessions.get_mut(it)) {
            client.owned.remove(object);
            client.memory.remove(id);
            client.player = client.player.filter(|player| *player != id);
        }
        if let Some(client) = owner.and_then(|it| self.sessions.get_mut(it)) {
            client.owned.add(id, object);
        }
        if let Some(former) = former {
            self.send_owner(id, former, SpawnFlags::NONE);
            self.update_observer(id, former);
        }
        if let Some(owner) = owner {
            if self.send_owner(id, owner, SpawnFlags::IS_OWNER) {
                self.send_to_new_owner(id);
            }
            self.rebuild(id);
            self.update_observer(id, owner);
        }
        self.dispatch_ownership(id, former, owner);
    }

    /// Sends a connection its role for an object, if it observes the object. Returns whether it
    /// does.
    fn send_owner(&mut self, id: NetId, connection: ConnectionId, flags: SpawnFlags) -> bool {
        let observes = self.is_observer(id, connection);
        if observes {
            let message = ChangeOwnerMessage { net_id: id, flags };
            self.send_object_message(id, connection, &message);
        }
        observes
    }

    /// Handles the end of an owner: despawns the object, unless it belongs to the scene.
    pub(in crate::server) fn release_ownership(&mut self, id: NetId, connection: ConnectionId) {
        let Some(object) = self.world.objects.get_mut(id.0) else {
            return;
        };
        if object.owner != Some(connection) {
            return;
        }
        if object.scene_id == SceneId::NONE {
            self.despawn_if_present(id);
        } else {
            object.owner = None;
            self.dispatch_ownership(id, Some(connection), None);
        }
    }
}
