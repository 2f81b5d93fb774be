//! The client as behaviours and references see it.

use std::time::Duration;

use syncvar_runtime::behaviour::{MessageTime, NetworkSide, SyncSettings};
use syncvar_runtime::unstable::call::CallRouter;
use syncvar_runtime::unstable::relations::{Place, Relation};
use syncvar_runtime::{
    ConnectionId, NetId, NetworkBehaviour, NetworkIdentity, NetworkObjects, NetworkObjectsMut,
    ObjectError,
};

use crate::client::{MirrorClient, MirrorReplicaMut};

impl NetworkSide for MirrorClient {
    fn is_server(&self) -> bool {
        false
    }

    fn now(&self) -> Duration {
        self.network_time().unwrap_or(self.context.now())
    }

    fn message_time(&self) -> Option<MessageTime> {
        self.inbound.message_time
    }

    fn sync_settings(&self, id: NetId, behaviour: usize) -> Option<SyncSettings> {
        let interval = self.objects.frames.send_interval();
        self.objects.entry(id)?.sync_settings(behaviour, interval)
    }

    fn command_router(&mut self) -> Option<&mut dyn CallRouter> {
        Some(self)
    }

    fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.identity(id)
    }

    fn prefab_name(&self, id: NetId) -> Option<&str> {
        self.prefab_name(id)
    }

    fn place(&self, id: NetId) -> Place {
        self.objects.world.place(id)
    }

    fn owner(&self, _: NetId) -> Option<ConnectionId> {
        None
    }

    fn is_owner(&self, id: NetId) -> bool {
        self.is_owned(id)
    }

    fn relation(&self, _: NetId) -> Relation {
        Relation::default()
    }
}

impl NetworkObjects for MirrorClient {
    fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.identity(id)
    }
}

impl NetworkObjectsMut for MirrorClient {
    type Guard<'a, B: NetworkBehaviour> = MirrorReplicaMut<'a, B>;

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
