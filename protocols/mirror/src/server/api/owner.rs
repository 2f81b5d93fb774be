//! Ownership.

use syncvar_runtime::unstable::world::CheckOut;
use syncvar_runtime::{ConnectionId, NetId, ObjectError};

use crate::SceneId;
use crate::message::{ChangeOwnerMessage, SpawnFlags};
use crate::server::MirrorServer;
use crate::server::rooms::Rooms;

impl MirrorServer {
    /// Sets the owner of an object, or removes it: Mirror's `AssignClientAuthority` and
    /// `RemoveClientAuthority`. Both owners receive the change if they observe the object; the new
    /// one also receives the owner-only components.
    ///
    /// # Errors
    ///
    /// When the object does not exist, or the new owner is not connected.
    pub fn set_owner(&mut self, id: NetId, owner: Option<ConnectionId>) -> Result<(), ObjectError> {
        let former = self.objects.find(id)?.owner;
        if let Some(owner) = owner {
            self.sessions.expect(owner)?;
        }
        if former != owner {
            self.transfer(id, former, owner);
        }
        Ok(())
    }

    /// Gives an object to a new owner, and sends the change to both owners and the observers.
    pub(crate) fn transfer(
        &mut self,
        id: NetId,
        former: Option<ConnectionId>,
        owner: Option<ConnectionId>,
    ) {
        self.replicate(|replication, rooms| replication.flush_before_transfer(rooms, id, former));
        let Some(object) = self.objects.get_mut(id) else {
            return;
        };
        object.owner = owner;
        self.replication.begin_ownership(id);
        if let Some(client) = former.and_then(|it| self.sessions.get_mut(it)) {
            client.release(id, object);
        }
        if let Some(client) = owner.and_then(|it| self.sessions.get_mut(it)) {
            client.holdings.owned.add(id, object);
        }
        if let Some(former) = former {
            self.replicate(|replication, rooms| {
                send_owner(rooms, id, former, SpawnFlags::NONE);
                replication.update_observer(rooms, id, former);
            });
        }
        if let Some(owner) = owner {
            self.replicate(|replication, rooms| {
                if send_owner(rooms, id, owner, SpawnFlags::IS_OWNER) {
                    replication.send_to_new_owner(rooms, id);
                }
            });
            self.rebuild(id);
            self.replicate(|replication, rooms| replication.update_observer(rooms, id, owner));
        }
        self.dispatch_ownership(id, former, owner);
    }

    /// Handles the end of an owner: despawns the object, unless it belongs to the scene.
    pub(crate) fn release_ownership(&mut self, id: NetId, connection: ConnectionId) {
        let Some(object) = self.objects.get_mut(id) else {
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

/// Sends a connection its role for an object, if it observes the object. Returns whether it
/// does.
fn send_owner(
    rooms: &mut Rooms<'_>,
    id: NetId,
    connection: ConnectionId,
    flags: SpawnFlags,
) -> bool {
    let object = rooms.objects.get(id);
    let observes = object.is_some_and(|object| rooms.observers.contains(object, connection));
    if observes {
        let message = ChangeOwnerMessage { net_id: id, flags };
        let (objects, context) = (&mut *rooms.objects, &mut *rooms.context);
        rooms
            .sessions
            .send_object_message(id, connection, &message, objects, context);
    }
    observes
}
