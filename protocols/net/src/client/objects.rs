//! `Objects`: the world of a client, and the facts about its objects that outlive a message.

mod bursts;
mod commands;
mod hooks;
mod lifecycle;
mod received;
mod references;
mod replica;
mod scene;

pub(super) use bursts::ObjectChange;
pub(super) use commands::CommandName;
pub(super) use received::ReceivedFields;
pub(super) use references::{References, is_unresolved};
pub use replica::Replica;
pub(super) use replica::{Fact, Health, ReplicaStage};
use scene::DormantObjects;

use syncvar_runtime::unstable::relations::Place;
use syncvar_runtime::unstable::world::World;
use syncvar_runtime::{NetId, Prefabs};

use super::ClientConfig;

/// Objects of a client. They outlive a lost link, and the messages that change them.
#[derive(Debug)]
pub(super) struct Objects {
    pub(super) world: World<Replica>,
    /// Dormant scene objects.
    pub(super) scene: DormantObjects,
    /// References to objects that have not arrived.
    pub(super) references: References,
    /// Received fields, for programs that own their data elsewhere.
    pub(super) received: ReceivedFields,
}

impl Objects {
    /// Returns a world without objects.
    pub(super) fn new(prefabs: Prefabs, config: &ClientConfig) -> Self {
        Self {
            world: World::new(prefabs).with_callbacks(config.callbacks),
            scene: DormantObjects::default(),
            references: References::default(),
            received: ReceivedFields::default(),
        }
    }
}

impl Objects {
    /// Takes the place and the parent of an object from its snapshot. Returns whether the parent is new.
    pub(super) fn refresh(&mut self, object: NetId, place: Place, parent: Option<NetId>) -> bool {
        self.world.set_place(object, place);
        if let Some(replica) = self.world.objects.get_mut(object.0) {
            replica.set(Fact::Refreshed, true);
        }
        self.world.relations.set_parent(object, parent)
    }
}

/// Returns the parent with this id; 0 stands for `None`.
pub(super) fn parent_from_wire(parent: NetId) -> Option<NetId> {
    Some(parent).filter(|parent| *parent != NetId::NONE)
}
