//! State of the update loop: dirty objects, intervals, and encode buffers.

pub(super) mod broadcast;
pub(super) mod changes;
pub(super) mod encode;
pub(super) mod entity_state;
pub(super) mod frame;
pub(super) mod hybrid;
pub(super) mod spawn_message;
mod stopped;
pub(super) mod transfer;
mod undo;
mod unsent;

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use syncvar_runtime::NetId;
use syncvar_runtime::object::Nanos;

use super::world::object::Observed;
use crate::MirrorServerConfig;
use crate::frames::Frames;
use crate::unreliable::Unreliable;
use encode::Scratch;
use hybrid::Hybrid;

/// Dirty objects, their schedule, and the buffers that encode them.
#[derive(Debug)]
pub(super) struct Replication {
    /// Objects with possible changes, each once.
    pub(super) dirty: Vec<NetId>,
    /// Memory for the list that the current update visits.
    pub(super) visiting: Vec<NetId>,
    /// Objects whose sync interval is running, by its end.
    pub(super) waking: BTreeSet<(Nanos, NetId)>,
    /// Baselines sent for hybrid components.
    pub(super) hybrid: Hybrid,
    /// Baselines received from owners, by object.
    pub(super) unreliable: FxHashMap<NetId, Unreliable>,
    pub(super) scratch: Scratch,
    /// Objects with work in each frame.
    pub(super) frames: Frames,
}

impl Replication {
    pub(super) fn new(config: &MirrorServerConfig) -> Self {
        Self {
            dirty: Vec::new(),
            visiting: Vec::new(),
            waking: BTreeSet::new(),
            hybrid: Hybrid::new(config),
            unreliable: FxHashMap::default(),
            scratch: Scratch::default(),
            frames: Frames::new(config.tick_rate),
        }
    }

    /// Queues an object for the next update.
    #[inline]
    pub(super) fn queue(&mut self, id: NetId, object: &mut Observed) {
        if !std::mem::replace(&mut object.queued, true) {
            self.dirty.push(id);
        }
    }

    /// Drops a despawned object.
    pub(super) fn remove_object(&mut self, id: NetId) {
        self.unreliable.remove(&id);
        self.hybrid.forget(id);
        self.frames.objects.remove(&id);
    }
}
