//! `NetworkServer` as seen by the behaviours that are called on it, and by references.

use std::time::Duration;

use syncvar_runtime::behaviour::NetworkSide;
use syncvar_runtime::unstable::call::CallRouter;
use syncvar_runtime::unstable::relations::{Place, Relation};
use syncvar_runtime::{
    ConnectionId, NetId, NetworkBehaviour, NetworkIdentity, NetworkObjects, NetworkObjectsMut,
    NetworkTime, ObjectError,
};

use crate::server::{BehaviourMut, NetworkServer};

impl NetworkSide for NetworkServer {
    fn is_server(&self) -> bool {
        true
    }

    fn now(&self) -> Duration {
        self.context.clock.now()
    }

    fn network_time(&self) -> Option<NetworkTime> {
        Some(self.network_time())
    }

    fn command_router(&mut self) -> Option<&mut dyn CallRouter> {
        self.host.is_some().then_some(self)
    }

    fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.identity(id)
    }

    fn prefab_name(&self, id: NetId) -> Option<&str> {
        self.objects.prefab_name(id)
    }

    fn place(&self, id: NetId) -> Place {
        self.objects.world.place(id)
    }

    fn owner(&self, id: NetId) -> Option<ConnectionId> {
        self.owner(id)
    }

    fn is_owner(&self, id: NetId) -> bool {
        let owner = self.owner(id);
        owner.is_none_or(|owner| self.is_local(owner))
    }

    fn relation(&self, id: NetId) -> Relation {
        self.objects.world.relations.of(id)
    }

    fn is_host(&self, id: NetId) -> bool {
        self.host.as_ref().is_some_and(|host| host.knows(id))
    }
}

impl NetworkObjects for NetworkServer {
    fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.identity(id)
    }
}

impl NetworkObjectsMut for NetworkServer {
    type Guard<'a, B: NetworkBehaviour> = BehaviourMut<'a, B>;

    fn behaviour_mut<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
    ) -> Result<BehaviourMut<'_, B>, ObjectError> {
        self.get_mut(id)
    }

    fn behaviour_at_mut<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
        index: usize,
    ) -> Result<BehaviourMut<'_, B>, ObjectError> {
        self.get_mut_at(id, index)
    }
}
