//! What the behaviours of an object ask the server while they are called.

use std::time::Duration;

use syncvar_runtime::engine::{NetworkSide, Place, Relation};
use syncvar_runtime::{ConnectionId, NetId, NetworkIdentity};

use super::MirrorServer;

impl NetworkSide for MirrorServer {
    fn is_server(&self) -> bool {
        true
    }

    fn now(&self) -> Duration {
        self.now
    }

    fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        Self::identity(self, id)
    }

    fn prefab_name(&self, id: NetId) -> Option<&str> {
        let entry = self.prefabs.get(self.objects.get(id.0)?.prefab)?;
        Some(&entry.name)
    }

    fn place(&self, id: NetId) -> Place {
        let object = self.objects.get(id.0);
        object.map(|object| object.place).unwrap_or_default()
    }

    fn owner(&self, id: NetId) -> Option<ConnectionId> {
        Self::owner(self, id)
    }

    fn is_owner(&self, id: NetId) -> bool {
        Self::owner(self, id).is_none()
    }

    fn relation(&self, id: NetId) -> Relation {
        self.relations.of(id)
    }
}
