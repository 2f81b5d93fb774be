//! Baselines of hybrid components: their numbers, and the objects that await one.

use rustc_hash::FxHashMap;
use syncvar_runtime::NetId;
use syncvar_runtime::unstable::object::Nanos;

use crate::MirrorServerConfig;
use crate::unreliable::{BaselineSchedule, next_tick};

/// Baselines of all objects with hybrid components.
#[derive(Debug)]
pub(crate) struct Baselines {
    objects: FxHashMap<NetId, BaselineState>,
    /// Objects with changes in no baseline yet, each once.
    awaiting: Vec<NetId>,
    schedule: BaselineSchedule,
    /// The current update sends baselines.
    pub(crate) is_due: bool,
}

/// Baselines and deltas of an object.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BaselineState {
    /// Number of the last baseline; 0 before the first one.
    last_tick: u8,
    /// Last baseline of the observers, and of the owner.
    pub(crate) ticks: BaselineNumbers,
    /// Components with deltas sent since the last baseline.
    pub(crate) without_baseline: u64,
    is_queued: bool,
    /// An unsendable delta is reported since the last baseline.
    is_reported: bool,
}

/// Receivers of a baseline.
#[derive(Clone, Copy)]
pub(crate) struct BaselineReceivers {
    pub(crate) observers: bool,
    pub(crate) owner: bool,
}

impl BaselineReceivers {
    pub(crate) const ALL: Self = Self {
        observers: true,
        owner: true,
    };
    pub(crate) const OBSERVERS: Self = Self {
        observers: true,
        owner: false,
    };
    pub(crate) const OWNER: Self = Self {
        observers: false,
        owner: true,
    };
}

/// Base of the deltas, by receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BaselineNumbers {
    pub(crate) observers: u8,
    pub(crate) owner: u8,
}

impl BaselineState {
    /// Returns whether an unsendable delta is the first since the last baseline.
    pub(crate) fn is_first_failure(&mut self) -> bool {
        !std::mem::replace(&mut self.is_reported, true)
    }
}

impl Baselines {
    pub(crate) fn new(config: &MirrorServerConfig) -> Self {
        Self {
            objects: FxHashMap::default(),
            awaiting: Vec::new(),
            schedule: BaselineSchedule::every(config.unreliable_baseline_interval),
            is_due: false,
        }
    }

    /// Returns the components with deltas sent since the last baseline; a late delta can still
    /// overwrite them.
    pub(crate) fn without_baseline(&self, id: NetId) -> u64 {
        self.objects
            .get(&id)
            .map_or(0, |state| state.without_baseline)
    }

    /// Drops the changes of components.
    pub(crate) fn drop_changes(&mut self, id: NetId, components: u64) {
        if let Some(state) = self.objects.get_mut(&id) {
            state.without_baseline &= !components;
        }
    }

    /// Sets the owner's baseline to that of the observers.
    pub(crate) fn align_owner(&mut self, id: NetId) {
        if let Some(state) = self.objects.get_mut(&id) {
            state.ticks.owner = state.ticks.observers;
        }
    }

    /// Moves a past owner to the observers. Returns their baseline, if it differs from the
    /// owner's.
    pub(crate) fn join_observers(&mut self, id: NetId) -> Option<u8> {
        let ticks = &mut self.objects.get_mut(&id)?.ticks;
        let is_other = std::mem::replace(&mut ticks.owner, ticks.observers) != ticks.observers;
        is_other.then_some(ticks.observers)
    }

    /// Returns whether an object had a baseline. Until then deltas are relative to the spawn.
    pub(crate) fn has_baseline(&self, id: NetId) -> bool {
        let state = self.objects.get(&id);
        state.is_some_and(|state| state.last_tick != 0)
    }

    pub(crate) fn forget(&mut self, id: NetId) {
        self.objects.remove(&id);
    }

    pub(crate) fn of(&mut self, id: NetId) -> &mut BaselineState {
        self.objects.entry(id).or_default()
    }

    /// Begins an update. Returns the objects that get a baseline, if baselines are due; the caller returns the
    /// emptied list by [`return_memory`](Self::return_memory).
    pub(crate) fn begin_update(&mut self, now: Nanos) -> Vec<NetId> {
        self.is_due = self.schedule.is_due(now);
        if !self.is_due {
            return Vec::new();
        }
        let awaiting = std::mem::take(&mut self.awaiting);
        for id in &awaiting {
            if let Some(state) = self.objects.get_mut(id) {
                state.is_queued = false;
            }
        }
        awaiting
    }

    /// Keeps the memory of an emptied list.
    pub(crate) fn return_memory(&mut self, list: Vec<NetId>) {
        if list.capacity() > self.awaiting.capacity() && self.awaiting.is_empty() {
            self.awaiting = list;
        }
    }

    /// Queues an object for the next baseline.
    pub(crate) fn enqueue(&mut self, id: NetId) {
        if std::mem::replace(&mut self.of(id).is_queued, true) {
            return;
        }
        self.awaiting.push(id);
        // Until the next baseline many of these may be despawned.
        if self.awaiting.len() > 2 * self.objects.len() + 64 {
            let objects = &self.objects;
            self.awaiting.retain(|id| objects.contains_key(id));
        }
    }

    /// Returns the number of a new baseline of components: of the observers, of the owner, or of
    /// both.
    pub(crate) fn next_baseline(
        &mut self,
        id: NetId,
        components: u64,
        receivers: BaselineReceivers,
    ) -> u8 {
        let state = self.of(id);
        state.last_tick = next_tick(state.last_tick);
        if receivers.observers {
            state.ticks.observers = state.last_tick;
        }
        if receivers.owner {
            state.ticks.owner = state.last_tick;
        }
        state.without_baseline &= !components;
        state.is_reported = false;
        state.last_tick
    }
}
