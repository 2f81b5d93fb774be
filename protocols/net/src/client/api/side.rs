//! `NetworkClient` as the context of callbacks and references.

use std::time::Duration;

use crate::client::{NetworkClient, ReplicaMut};
use syncvar_runtime::behaviour::NetworkSide;
use syncvar_runtime::unstable::call::CallRouter;
use syncvar_runtime::unstable::relations::{Place, Relation};
use syncvar_runtime::{
    ConnectionId, NetId, NetRef, NetworkBehaviour, NetworkIdentity, NetworkObjects,
    NetworkObjectsMut, NetworkTime, ObjectError,
};

impl NetworkSide for NetworkClient {
    fn is_server(&self) -> bool {
        false
    }

    fn now(&self) -> Duration {
        let network = self.network_time().map(|network| network.time);
        network.unwrap_or(self.now())
    }

    fn network_time(&self) -> Option<NetworkTime> {
        self.network_time()
    }

    fn command_router(&mut self) -> Option<&mut dyn CallRouter> {
        Some(self)
    }

    fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.identity(id)
    }

    fn prefab_name(&self, id: NetId) -> Option<&str> {
        Some(&self.objects.world.prefab(id)?.name)
    }

    fn place(&self, id: NetId) -> Place {
        self.objects.world.place(id)
    }

    fn owner(&self, _: NetId) -> Option<ConnectionId> {
        None
    }

    fn is_owner(&self, id: NetId) -> bool {
        self.is_owner(id)
    }

    fn relation(&self, id: NetId) -> Relation {
        self.objects.world.relations.of(id)
    }
}

impl NetworkObjects for NetworkClient {
    fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.identity(id)
    }
}

impl NetworkObjectsMut for NetworkClient {
    type Guard<'a, B: NetworkBehaviour> = ReplicaMut<'a, B>;

    fn behaviour_mut<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
    ) -> Result<ReplicaMut<'_, B>, ObjectError> {
        self.get_mut(id)
    }

    fn behaviour_at_mut<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
        index: usize,
    ) -> Result<ReplicaMut<'_, B>, ObjectError> {
        self.get_mut_at(id, index)
    }
}

impl NetworkClient {
    /// Returns a reference to a visible object: [`NetRef::to`].
    pub fn net_ref(&self, id: NetId) -> Option<NetRef> {
        NetRef::to(self, id)
    }
}
