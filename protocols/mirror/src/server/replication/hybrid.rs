//! Hybrid components, Mirror's `SyncMethod.Hybrid`. Their changes are sent unreliably, again and
//! again, until a reliable baseline contains them.

use bytes::Bytes;
use rustc_hash::FxHashMap;
use syncvar_runtime::object::{Nanos, nanos};
use syncvar_runtime::{Channel, ConnectionId, NetId};

use crate::MirrorServerConfig;
use crate::message::{
    EntityStateMessageUnreliableBaseline, EntityStateMessageUnreliableDelta, NetworkMessage,
};
use crate::server::MirrorServer;
use crate::server::observers::audience::AudienceId;
use crate::server::outbound::outbox::Exception;
use crate::server::replication::encode::{Head, Scratch, Selection, write_framed_head};
use crate::server::stats::count;
use crate::server::world::object::mark_repeated;
use crate::unreliable::{BaselineSchedule, next_tick};

/// Baselines of all objects with hybrid components.
#[derive(Debug)]
pub(in crate::server) struct Hybrid {
    objects: FxHashMap<NetId, HybridState>,
    /// Objects with changes in no baseline yet, each once.
    awaiting: Vec<NetId>,
    baselines: BaselineSchedule,
    /// The current update sends baselines.
    is_due: bool,
}

/// Baselines and deltas of an object.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::server) struct HybridState {
    /// Number of the last baseline; 0 before the first one.
    last_tick: u8,
    /// Last baseline of the observers, and of the owner.
    ticks: Ticks,
    /// Components with deltas sent since the last baseline.
    without_baseline: u64,
    is_queued: bool,
    /// An unsendable delta is reported since the last baseline.
    is_reported: bool,
}

/// Base of the deltas, by receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ticks {
    observers: u8,
    owner: u8,
}

impl Hybrid {
    pub(in crate::server) fn new(config: &MirrorServerConfig) -> Self {
        Self {
            objects: FxHashMap::default(),
            awaiting: Vec::new(),
            baselines: BaselineSchedule::every(config.unreliable_baseline_interval),
            is_due: false,
        }
    }

    /// Returns the components with deltas sent since the last baseline; a late delta can still
    /// overwrite them.
    pub(in crate::server) fn without_baseline(&self, id: NetId) -> u64 {
        self.objects
            .get(&id)
            .map_or(0, |state| state.without_baseline)
    }

    /// Drops the changes of components.
    pub(in crate::server) fn drop_changes(&mut self, id: NetId, components: u64) {
        if let Some(state) = self.objects.get_mut(&id) {
            state.without_baseline &= !components;
        }
    }

    /// Sets the owner's baseline to that of the observers.
    pub(in crate::server) fn align_owner(&mut self, id: NetId) {
        if let Some(state) = self.objects.get_mut(&id) {
            state.ticks.owner = state.ticks.observers;
        }
    }

    /// Moves a former owner to the observers. Returns their baseline, if it differs from the
    /// owner's.
    pub(in crate::server) fn join_observers(&mut self, id: NetId) -> Option<u8> {
        let ticks = &mut self.objects.get_mut(&id)?.ticks;
        let is_other = std::mem::replace(&mut ticks.owner, ticks.observers) != ticks.observers;
        is_other.then_some(ticks.observers)
    }

    /// Returns whether an object had a baseline. Until then deltas are relative to the spawn.
    pub(in crate::server) fn has_baseline(&self, id: NetId) -> bool {
        let state = self.objects.get(&id);
        state.is_some_and(|state| state.last_tick != 0)
    }

    pub(in crate::server) fn forget(&mut self, id: NetId) {
        self.objects.remove(&id);
    }

    fn of(&mut self, id: NetId) -> &mut HybridState {
        self.objects.entry(id).or_default()
    }

    /// Queues an object for the next baseline.
    fn enqueue(&mut self, id: NetId) {
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
    pub(in crate::server) fn next_baseline(
        &mut self,
        id: NetId,
        components: u64,
        (observers, owner): (bool, bool),
    ) -> u8 {
        let state = self.of(id);
        state.last_tick = next_tick(state.last_tick);
        if observers {
            state.ticks.observers = state.last_tick;
        }
        if owner {
            state.ticks.owner = state.last_tick;
        }
        state.without_baseline &= !components;
        state.is_reported = false;
        state.last_tick
    }
}

impl MirrorServer {
    /// Queues all objects without a baseline, if one is due.
    pub(in crate::server) fn begin_baselines(&mut self, now: Nanos) {
        self.replication.hybrid.is_due = self.replication.hybrid.baselines.is_due(now);
        if !self.replication.hybrid.is_due {
            return;
        }
        let mut awaiting = std::mem::take(&mut self.replication.hybrid.awaiting);
        for id in awaiting.drain(..) {
            if let Some(state) = self.replication.hybrid.objects.get_mut(&id) {
                state.is_queued = false;
            }
            self.queue_dirty(id);
        }
        self.replication.hybrid.awaiting = awaiting;
    }

    /// Sends the deltas of observed components whose interval is over, and a due baseline.
    pub(in crate::server) fn write_hybrid(&mut self, id: NetId, due: u64, now: Nanos) {
        let is_sent = due == 0 || self.write_deltas(id, due, now);
        if self.replication.hybrid.is_due {
            self.write_baseline(id);
        }
        self.schedule_hybrid(id, is_sent);
    }

    /// Returns the changed hybrid components for the observers, and for the owner.
    fn hybrid_changes(&self, id: NetId) -> (u64, u64) {
        let (Some(object), Some(entry)) = (self.world.objects.get(id.0), self.entry(id)) else {
            return (0, 0);
        };
        let changed = self.pending_components(id, entry.hybrid);
        let owner = !entry.client_to_server | object.transferred;
        (changed & entry.observers, changed & owner)
    }

    /// Returns false if they cannot be sent.
    fn write_deltas(&mut self, id: NetId, due: u64, now: Nanos) -> bool {
        let (observers, owner) = self.hybrid_changes(id);
        let (observers, owner) = (observers & due, owner & due);
        let Some(object) = self.world.objects.get_mut(id.0) else {
            return false;
        };
        let (Some(slots), Some(entry)) = (
            self.world.pools.slots_mut(object.at),
            self.prefabs.get(object.prefab),
        ) else {
            return false;
        };
        // Changes of components that the owner writes and only the owner reads have no receiver.
        object.mark_sent(slots, due & !(observers | owner), now);
        let selection = Selection {
            observers,
            owner,
            initial_state: false,
            fully_dirty: object.fully_dirty,
            prefab: self.world.prefabs.get(object.prefab),
        };
        let written = self.replication.scratch.write_components(
            slots,
            selection,
            (id, entry, &mut self.stats),
        );
        let state = self.replication.hybrid.of(id);
        if let Err(unwritable) = written {
            if !std::mem::replace(&mut state.is_reported, true) {
                self.report_unwritable(id, unwritable);
            }
            return false;
        }
        let (ticks, mask) = (state.ticks, self.replication.scratch.mask());
        let message = EntityStateMessageUnreliableDelta::ID;
        let heads = [ticks.observers, ticks.owner].map(|tick| (message, tick));
        let length = self.replication.scratch.longest_message(id);
        let limit = self.sessions.longest(Channel::Unreliable);
        if length > limit {
            if !std::mem::replace(&mut state.is_reported, true) {
                self.report_too_long(id, None, (length, limit));
            }
            return false;
        }
        state.without_baseline |= mask;
        mark_repeated(slots, mask, now);
        let is_shared = observers == owner;
        let is_equal = is_shared && ticks.observers == ticks.owner;
        let (audience, owner) = (object.audience, object.owner.filter(|_| !is_equal));
        self.append_hybrid((id, audience, owner), heads, (true, is_shared));
        true
    }

    fn write_baseline(&mut self, id: NetId) {
        let (observers, owner) = self.hybrid_changes(id);
        if observers | owner == 0 {
            return;
        }
        let Some(object) = self.world.objects.get_mut(id.0) else {
            return;
        };
        let (Some(slots), Some(entry)) = (
            self.world.pools.slots_mut(object.at),
            self.prefabs.get(object.prefab),
        ) else {
            return;
        };
        let selection = Selection {
            observers,
            owner,
            initial_state: true,
            fully_dirty: 0,
            prefab: self.world.prefabs.get(object.prefab),
        };
        if let Err(unwritable) = self.replication.scratch.write_components(
            slots,
            selection,
            (id, entry, &mut self.stats),
        ) {
            self.report_unwritable(id, unwritable);
            return;
        }
        let length = self.replication.scratch.longest_message(id);
        let limit = self.sessions.longest(Channel::Reliable);
        if length > limit {
            self.report_too_long(id, None, (length, limit));
            return;
        }
        let receivers = (observers != 0, owner != 0);
        let tick = self
            .replication
            .hybrid
            .next_baseline(id, observers | owner, receivers);
        object.clear_changes(slots, observers | owner);
        let owner = object.owner.filter(|_| observers != owner);
        let audience = object.audience;
        let head = (EntityStateMessageUnreliableBaseline::ID, tick);
        self.append_hybrid((id, audience, owner), [head, head], (false, false));
    }

    /// Appends the written components to the frame of the audience, and to that of an owner with
    /// another head or other components. The heads are for the observers and the owner.
    fn append_hybrid(
        &mut self,
        (id, audience, owner): (NetId, AudienceId, Option<ConnectionId>),
        [to_observers, to_owner]: [Head; 2],
        (is_delta, is_shared): (bool, bool),
    ) {
        let copies = if is_delta && self.config.unreliable_redundancy {
            2
        } else {
            1
        };
        let frame = if is_delta {
            self.observers.audiences.deltas(audience)
        } else {
            self.observers.audiences.frame(audience)
        };
        let Some(frame) = frame else {
            return;
        };
        let first = frame.len();
        let (head, observers) = (
            &mut self.replication.scratch.head,
            &self.replication.scratch.observers,
        );
        if observers.mask != 0 {
            write_framed_head(head, to_observers, id, observers);
            for _ in 0..copies {
                let parts = [head.as_bytes(), observers.bytes()];
                count(&mut self.stats.states, frame.push(parts));
            }
        }
        let last = frame.len();
        let Some(owner) = owner.filter(|owner| self.observers.audiences.contains(audience, *owner))
        else {
            return;
        };
        let mut own = Bytes::new();
        let Scratch {
            head,
            observers,
            owner: owners,
            ..
        } = &mut self.replication.scratch;
        let components = if is_shared { observers } else { owners };
        if components.mask != 0 {
            write_framed_head(head, to_owner, id, components);
            own = self.replication.scratch.owner_message(is_shared);
            count(&mut self.stats.states, own.len());
        }
        let Some(owner) = self.sessions.get_mut(owner) else {
            return;
        };
        let exceptions = if is_delta {
            &mut owner.deltas.exceptions
        } else {
            &mut owner.states.exceptions
        };
        // The first copy replaces the observers' messages; the second one follows.
        for replaces in [first..last, last..last].into_iter().take(copies) {
            let own = own.clone();
            exceptions.push((audience, Exception { replaces, own }));
        }
    }

    /// Schedules the next send of changes without a baseline: at the end of the interval, and at
    /// the next baseline. Unsendable changes wait for the latter.
    fn schedule_hybrid(&mut self, id: NetId, is_sent: bool) {
        let (observers, owner) = self.hybrid_changes(id);
        let mut rest = observers | owner;
        if rest == 0 {
            return;
        }
        self.replication.hybrid.enqueue(id);
        let object = self.world.objects.get(id.0).filter(|_| is_sent);
        let Some((slots, entry)) = object.and_then(|object| {
            Some((
                self.world.pools.slots(object.at)?,
                self.prefabs.get(object.prefab)?,
            ))
        }) else {
            return;
        };
        let mut wake = Nanos::MAX;
        while rest != 0 {
            let index = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if let (Some(slot), Some(settings)) = (slots.slot(index), entry.components.get(index)) {
                let interval = nanos(settings.sync_interval);
                wake = wake.min(slot.last_send().saturating_add(interval));
            }
        }
        if wake <= nanos(self.clock.now()) {
            self.queue_dirty(id);
        } else {
            self.replication.waking.insert((wake, id));
        }
    }
}
