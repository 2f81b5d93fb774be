//! `Objects`: the world of a client, and the facts about its objects that outlive a message.

mod received;
mod references;
mod replica;
mod scene;

pub(super) use received::Received;
pub(super) use references::{References, is_unresolved};
pub use replica::Replica;
pub(super) use replica::{Fact, Health, LocalWrites, Stage};
pub(super) use scene::Scene;

use syncvar_runtime::Prefabs;
use syncvar_runtime::world::World;

use super::ClientConfig;

/// Objects of a client. They outlive a lost link, and the messages that change them.
#[derive(Debug)]
pub(super) struct Objects {
    pub(super) world: World<Replica>,
    /// Dormant scene objects.
    pub(super) scene: Scene,
    /// References to objects that have not arrived.
    pub(super) references: References,
    /// Received fields, for programs that own their data elsewhere.
    pub(super) received: Received,
}

impl Objects {
    /// Returns a world without objects.
    pub(super) fn new(prefabs: Prefabs, config: &ClientConfig) -> Self {
        Self {
            world: World::new(prefabs).with_callbacks(config.callbacks),
            scene: Scene::default(),
            references: References::default(),
            received: Received::default(),
        }
    }
}
