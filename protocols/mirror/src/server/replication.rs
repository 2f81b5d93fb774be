//! Replication: spawns, changes and hybrid components on their way to observers, and the writes of owners.

mod baselines;
pub(crate) mod changes;
mod frames;
mod hybrid;
pub(crate) mod owner_state;
pub(crate) mod spawns;
mod transfer;
mod undo;
pub(crate) mod unsent;
mod views;

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use syncvar_runtime::NetId;
use syncvar_runtime::unstable::object::{Nanos, Slots};

use super::context::Context;
use super::encoding::{ComponentSelection, Encoder, Subject};
use super::objects::Objects;
use crate::MirrorServerConfig;
use crate::frames::FrameObjects;
use crate::prefabs::PrefabEntry;
use crate::unreliable::ReceivedBaseline;
use baselines::Baselines;
use spawns::Spawns;

/// Dirty objects, their schedule, and the buffers that encode them.
#[derive(Debug)]
pub(crate) struct Replication {
    /// Objects with possible changes, each once.
    pub(crate) dirty: Vec<NetId>,
    /// Memory for the list that the current update visits.
    visiting: Vec<NetId>,
    /// Objects whose sync interval is running, by its end.
    waking: BTreeSet<(Nanos, NetId)>,
    /// Baselines sent for hybrid components.
    baselines: Baselines,
    /// Baselines received from owners, by object.
    unreliable: FxHashMap<NetId, ReceivedBaseline>,
    pub(crate) encoder: Encoder,
    spawns: Spawns,
    /// Objects with work in each frame.
    pub(crate) frames: FrameObjects,
    /// Memory for the objects of a spawn burst.
    burst: Vec<NetId>,
}

impl Replication {
    pub(crate) fn new(config: &MirrorServerConfig) -> Self {
        Self {
            dirty: Vec::new(),
            visiting: Vec::new(),
            waking: BTreeSet::new(),
            baselines: Baselines::new(config),
            unreliable: FxHashMap::default(),
            encoder: Encoder::default(),
            spawns: Spawns::default(),
            frames: FrameObjects::new(config.tick_rate),
            burst: Vec::new(),
        }
    }

    /// Queues an object for the next update.
    #[inline]
    pub(crate) fn queue_dirty(&mut self, objects: &mut Objects, id: NetId) {
        if let Some(object) = objects.get_mut(id)
            && !std::mem::replace(&mut object.queued, true)
        {
            self.dirty.push(id);
        }
    }

    /// Forgets the received baselines: a new owner has a clock of its own, and unknown baselines if it owned the
    /// object before.
    pub(crate) fn begin_ownership(&mut self, id: NetId) {
        self.unreliable.insert(id, ReceivedBaseline::of_new_owner());
        self.baselines.align_owner(id);
    }

    /// Drops a despawned object.
    pub(crate) fn remove_object(&mut self, id: NetId) {
        self.unreliable.remove(&id);
        self.baselines.forget(id);
        self.frames.objects.remove(&id);
    }
}

/// Writes components of an object, or reports the value that has no form. Returns whether the components are written.
fn write_or_report(
    encoder: &mut Encoder,
    slots: &mut dyn Slots,
    selection: ComponentSelection<'_>,
    id: NetId,
    entry: &PrefabEntry,
    context: &mut Context,
) -> bool {
    let stats = &mut context.stats;
    let subject = Subject { id, entry, stats };
    match encoder.write_components(slots, selection, subject) {
        Ok(()) => true,
        Err(unwritable) => {
            context.report_unwritable(id, &unwritable);
            false
        }
    }
}
