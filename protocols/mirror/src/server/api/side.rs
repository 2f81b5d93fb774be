//! The server as behaviours and references see it.

use std::time::Duration;

use syncvar_runtime::behaviour::{MessageTime, NetworkSide, SyncSettings};
use syncvar_runtime::unstable::relations::{Place, Relation};
use syncvar_runtime::{
    ConnectionId, NetId, NetworkBehaviour, NetworkIdentity, NetworkObjects, NetworkObjectsMut,
    ObjectError,
};

use crate::server::{MirrorBehaviourMut, MirrorServer};

impl NetworkSide for MirrorServer {
    fn is_server(&self) -> bool {
        true
    }

    fn now(&self) -> Duration {
        self.context.now()
    }

    fn message_time(&self) -> Option<MessageTime> {
        self.sessions.message_time
    }

    fn sync_settings(&self, id: NetId, behaviour: usize) -> Option<SyncSettings> {
        let interval = self.replication.frames.send_interval();
        self.objects.entry(id)?.sync_settings(behaviour, interval)
    }

    fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.objects.world.identity(id)
    }

    fn prefab_name(&self, id: NetId) -> Option<&str> {
        Some(&self.objects.entry(id)?.name)
    }

    fn place(&self, id: NetId) -> Place {
        self.objects.world.place(id)
    }

    fn owner(&self, id: NetId) -> Option<ConnectionId> {
        Self::owner(self, id)
    }

    fn is_owner(&self, id: NetId) -> bool {
        Self::owner(self, id).is_none()
    }

    fn relation(&self, id: NetId) -> Relation {
        self.objects.world.relations.of(id)
    }
}

impl NetworkObjects for MirrorServer {
    fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.objects.world.identity(id)
    }
}

impl NetworkObjectsMut for MirrorServer {
    type Guard<'a, B: NetworkBehaviour> = MirrorBehaviourMut<'a, B>;

    fn behaviour_mut<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
    ) -> Result<Self::Guard<'_, B>, ObjectError> {
        self.get_mut(id)
    }

    fn behaviour_at_mut<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
        index: usize,
    ) -> Result<Self::Guard<'_, B>, ObjectError> {
        self.get_mut_at(id, index)
    }
}
