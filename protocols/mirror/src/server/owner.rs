//! Who owns an object.

use syncvar_runtime::lend::Tells;
use syncvar_runtime::{ConnectionId, NetId};

use super::MirrorServer;
use crate::SceneId;
use crate::message::{ChangeOwnerMessage, SpawnFlags};
use crate::unreliable::Unreliable;

impl MirrorServer {
    /// Gives an object to a connection, or to none: Mirror's `AssignClientAuthority` and
    /// `RemoveClientAuthority`. The former owner and the new one are told, if they observe the object; the
    /// new one is sent the components that only the owner is given. Returns whether there are such an
    /// object and such a connection.
    pub fn set_owner(&mut self, id: NetId, owner: Option<ConnectionId>) -> bool {
        let known = owner.is_none_or(|owner| self.is_connected(owner));
        let Some(object) = self.objects.get_mut(id.0).filter(|_| known) else {
            return false;
        };
        let former = object.owner;
        if former == owner {
            return true;
        }
        self.settle_changes(id, former);
        let Some(object) = self.objects.get_mut(id.0) else {
            return false;
        };
        object.owner = owner;
        // The next one has a clock of its own, and baselines of its own if it has been the owner before.
        self.unreliable.insert(id, Unreliable::of_another());
        self.hybrid.change_owner(id);
        if let Some(client) = former.and_then(|it| self.connections.get_mut(it.0)) {
            client.owned.remove(object);
            client.player = client.player.filter(|player| *player != id);
        }
        if let Some(client) = owner.and_then(|it| self.connections.get_mut(it.0)) {
            client.owned.add(id, object);
        }
        if let Some(former) = former {
            self.tell_owner(id, former, SpawnFlags::NONE);
            self.look(id, former);
        }
        if let Some(owner) = owner {
            if self.tell_owner(id, owner, SpawnFlags::IS_OWNER) {
                self.hand_over(id);
            }
            self.look(id, owner);
        }
        self.tell_ownership(id, former, owner);
        true
    }

    /// Tells a connection what an object is to it, if it observes the object. Returns whether it does.
    fn tell_owner(&mut self, id: NetId, connection: ConnectionId, flags: SpawnFlags) -> bool {
        let observes = self.is_observer(id, connection);
        if observes {
            let message = ChangeOwnerMessage { net_id: id, flags };
            self.send_about(id, connection, &message);
        }
        observes
    }

    /// The owner of an object is gone: so is the object, unless it belongs to the scene.
    pub(super) fn lose_owner(&mut self, id: NetId, connection: ConnectionId) {
        let Some(object) = self.objects.get_mut(id.0) else {
            return;
        };
        if object.owner != Some(connection) {
            return;
        }
        if object.scene_id == SceneId::NONE {
            self.despawn(id);
        } else {
            object.owner = None;
            self.tell_ownership(id, Some(connection), None);
        }
    }
}
