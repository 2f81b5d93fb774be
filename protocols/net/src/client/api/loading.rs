//! Objects of a client that has played a saved state, for a server.

use syncvar_runtime::unstable::object::Slots;
use syncvar_runtime::unstable::relations::Place;
use syncvar_runtime::{Behaviours, NetId, Prefabs};

use crate::client::NetworkClient;

/// An object of a saved state.
#[derive(Debug)]
pub(crate) struct LoadedObject {
    pub(crate) id: NetId,
    /// Position of its prefab in the registry.
    pub(crate) prefab: u32,
    pub(crate) behaviours: Behaviours,
    pub(crate) place: Place,
    pub(crate) parent: Option<NetId>,
}

impl LoadedObject {
    /// Ends a client. Returns its prefabs and its objects, by ascending id.
    pub(crate) fn all_of(client: NetworkClient) -> (Prefabs, Vec<Self>) {
        let mut world = client.objects.world;
        let mut loaded = Vec::with_capacity(world.objects.len());
        for (number, replica) in world.objects.iter() {
            let (id, at) = (NetId(number), replica.at);
            let prefab = world.pools.prefab(at.pool);
            if let Some(mut behaviours) = world.pools.withdraw(at) {
                <dyn Slots>::begin_anew(behaviours.slots_mut());
                loaded.push(Self {
                    id,
                    prefab,
                    behaviours,
                    place: world.places.get(number).copied().unwrap_or_default(),
                    parent: world.relations.parent(id),
                });
            }
        }
        (world.prefabs, loaded)
    }
}
