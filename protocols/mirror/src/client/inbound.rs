//! Received messages and spawns that are not applied yet, and the budget that applies them.

pub(crate) mod burst;
pub(crate) mod payload;
pub(crate) mod waiting;

use syncvar_runtime::behaviour::MessageTime;
use syncvar_runtime::limits::{ReadBudget, WorkMeter};
use syncvar_runtime::unstable::object::DeferredHooks;
use syncvar_runtime::{Encoding, NetworkReader};

use super::context::Context;
use super::event::MirrorSpawnFailure;
use super::objects::Objects;
use super::objects::entry::Replica;
use super::scenes::{MadeBehaviours, Scenes};
use crate::SceneId;
use crate::message::SpawnMessage;
use burst::Burst;
use waiting::WaitingMessages;

/// Bytes of a spawn message besides its payload, at least.
const SPAWN_HEAD: usize = 48;

/// Waiting messages, the current burst, and memory for decoding.
#[derive(Debug)]
pub(crate) struct Inbound {
    pub(crate) burst: Burst,
    pub(crate) waiting: WaitingMessages,
    /// Work since the last update.
    pub(crate) work: WorkMeter,
    /// Memory and work left for the message in progress.
    pub(crate) budget: ReadBudget,
    /// Times of the message that is being read.
    pub(crate) message_time: Option<MessageTime>,
    /// Reused memory for the components of an object.
    components: Vec<DeferredHooks>,
}

impl Default for Inbound {
    fn default() -> Self {
        Self {
            burst: Burst::default(),
            waiting: WaitingMessages::default(),
            work: WorkMeter::default(),
            budget: ReadBudget::UNLIMITED,
            message_time: None,
            components: Vec::new(),
        }
    }
}

impl Inbound {
    /// Drops the messages and spawns of a connection.
    pub(crate) fn clear(&mut self) {
        self.waiting = WaitingMessages::default();
        self.burst = Burst::default();
    }

    /// Begins a budget. Each payload adds the share of its bytes when it is read: it may have waited.
    pub(crate) fn begin(&mut self, context: &Context) {
        self.budget = self.work.begin(&context.config.limits, 0);
    }

    /// Ends the budget of [`begin`](Self::begin).
    pub(crate) fn end(&mut self, context: &Context) {
        self.message_time = None;
        self.work.end(&context.config.limits, 0, self.budget);
    }

    /// Adds the share of bytes that are read now.
    pub(crate) fn add_share(&mut self, length: usize, context: &Context) {
        self.budget.add_share(&context.config.limits, length);
    }

    /// Returns a reader with the limits of this client.
    pub(crate) fn reader<'a>(&mut self, bytes: &'a [u8], context: &Context) -> NetworkReader<'a> {
        self.add_share(bytes.len(), context);
        NetworkReader::with_encoding(bytes, Encoding::Mirror).with_budget(self.budget)
    }

    /// Returns the behaviours for the object of a spawn message, within the budget of the message and the limit
    /// of all objects.
    pub(crate) fn make(
        &mut self,
        objects: &Objects,
        scenes: &mut Scenes,
        context: &mut Context,
        message: &SpawnMessage<'_>,
    ) -> Result<MadeBehaviours, MirrorSpawnFailure> {
        if message.scene_id != SceneId::NONE {
            let activated = scenes.activate(message.scene_id);
            return activated.ok_or(MirrorSpawnFailure::UnknownSceneObject);
        }
        let (entry, world) = (
            objects.prefabs.by_asset_id(message.asset_id),
            &objects.world,
        );
        let prefab = entry.and_then(|entry| world.prefabs.get(entry.index));
        let prefab = prefab.ok_or(MirrorSpawnFailure::UnknownPrefab)?;
        self.add_share(SPAWN_HEAD, context);
        let memory = prefab.facts.memory.saturating_add(size_of::<Replica>());
        let total = world.pools.memory().saturating_add(memory);
        let left = self.budget.memory.checked_sub(memory);
        let left = left.filter(|_| total <= context.config.max_object_memory);
        let Some(left) = left else {
            let refused = &mut context.stats.refused.memory;
            *refused = refused.wrapping_add(1);
            return Err(MirrorSpawnFailure::TooMuchMemory);
        };
        self.budget.memory = left;
        Ok(MadeBehaviours {
            prefab: prefab.index,
            behaviours: prefab.make(),
        })
    }
}

/// Returns whether messages wait for the end of a scene change or of a callback.
pub(crate) fn must_wait(scenes: &Scenes, objects: &Objects) -> bool {
    scenes.is_loading() || objects.world.checked_out.depth() > 0
}
