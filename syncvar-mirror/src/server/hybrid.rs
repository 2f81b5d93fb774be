//! Components that travel unreliably, Mirror's `SyncMethod.Hybrid`: what has changed of them goes out again
//! and again, until a baseline, which is all of them and is sent reliably, has it.

use bytes::Bytes;
use rustc_hash::FxHashMap;
use syncvar_runtime::engine::{Nanos, nanos};
use syncvar_runtime::{ConnectionId, NetId};

use super::MirrorServer;
use super::audience::AudienceId;
use super::encode::{Head, Scratch, Selection, write_framed_head};
use super::outbox::Exception;
use super::stats::count;
use crate::MirrorServerConfig;
use crate::message::{
    EntityStateMessageUnreliableBaseline, EntityStateMessageUnreliableDelta, NetworkMessage,
};
use crate::unreliable::{BaselineSchedule, next_tick};

/// What is kept of all objects with components that travel unreliably.
#[derive(Debug)]
pub(super) struct Hybrid {
    objects: FxHashMap<NetId, HybridState>,
    /// Objects with changes that are in no baseline yet, each once.
    awaiting: Vec<NetId>,
    baselines: BaselineSchedule,
    /// Whether the update under way sends baselines.
    is_due: bool,
}

/// What has been sent of the components of an object that travel unreliably.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HybridState {
    /// The number of the last baseline; 0 before the first one.
    last_tick: u8,
    /// The number of the last one that was for all who observe the object, and of the last for its owner.
    ticks: Ticks,
    /// The components of which changes have been sent and no baseline since.
    without_baseline: u64,
    is_queued: bool,
    /// Whether it has been said since the last baseline that the changes cannot be sent.
    is_reported: bool,
}

/// Which baselines changes are counted from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ticks {
    observers: u8,
    owner: u8,
}

impl Hybrid {
    pub(super) fn new(config: &MirrorServerConfig) -> Self {
        Self {
            objects: FxHashMap::default(),
            awaiting: Vec::new(),
            baselines: BaselineSchedule::every(config.unreliable_baseline_interval),
            is_due: false,
        }
    }

    /// The components of an object whose changes have been sent to somebody, and in no baseline since: what
    /// is still on its way can make them other than they are.
    pub(super) fn without_baseline(&self, id: NetId) -> u64 {
        self.objects.get(&id).map_or(0, |state| state.without_baseline)
    }

    /// The changes of some components are nobody's any more.
    pub(super) fn drop_changes(&mut self, id: NetId, components: u64) {
        if let Some(state) = self.objects.get_mut(&id) {
            state.without_baseline &= !components;
        }
    }

    /// Whoever owns an object now has been sent what all who observe it were.
    pub(super) fn align_owner(&mut self, id: NetId) {
        if let Some(state) = self.objects.get_mut(&id) {
            state.ticks.owner = state.ticks.observers;
        }
    }

    /// The owner of an object is about to be one of those who observe it: the number of the baseline that
    /// they were sent, if it was another one.
    pub(super) fn join_observers(&mut self, id: NetId) -> Option<u8> {
        let ticks = &mut self.objects.get_mut(&id)?.ticks;
        let is_other = std::mem::replace(&mut ticks.owner, ticks.observers) != ticks.observers;
        is_other.then_some(ticks.observers)
    }

    pub(super) fn forget(&mut self, id: NetId) {
        self.objects.remove(&id);
    }

    fn of(&mut self, id: NetId) -> &mut HybridState {
        self.objects.entry(id).or_default()
    }

    /// Has the next baseline look at an object.
    fn enqueue(&mut self, id: NetId) {
        if std::mem::replace(&mut self.of(id).is_queued, true) {
            return;
        }
        self.awaiting.push(id);
        // It may be long until then, and many of them are gone.
        if self.awaiting.len() > 2 * self.objects.len() + 64 {
            let objects = &self.objects;
            self.awaiting.retain(|id| objects.contains_key(id));
        }
    }

    /// Gives a baseline of these components its number; it is one of all who observe the object, of its owner,
    /// or of both.
    pub(super) fn next_baseline(
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
    /// Has this update look at all that is in no baseline yet, if it is time for one.
    pub(super) fn begin_baselines(&mut self, now: Nanos) {
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

    /// Sends what has changed of the components whose interval is over, and then, if it is time for that,
    /// all of those that have changed. The object is observed.
    pub(super) fn write_hybrid(&mut self, id: NetId, due: u64, now: Nanos) {
        let are_sent = due == 0 || self.write_deltas(id, due, now);
        if self.replication.hybrid.is_due {
            self.write_baseline(id);
        }
        self.schedule_hybrid(id, are_sent);
    }

    /// The components that travel unreliably and have changed, by whom they are for: all who observe the
    /// object, and its owner.
    fn hybrid_changes(&self, id: NetId) -> (u64, u64) {
        let (Some(object), Some(entry)) = (self.world.objects.get(id.0), self.entry(id)) else {
            return (0, 0);
        };
        let changed = self.pending_components(id, entry.hybrid);
        let owner = !entry.client_to_server | object.transferred;
        (changed & entry.observers, changed & owner)
    }

    /// Returns whether they could be sent.
    fn write_deltas(&mut self, id: NetId, due: u64, now: Nanos) -> bool {
        let (observers, owner) = self.hybrid_changes(id);
        let (observers, owner) = (observers & due, owner & due);
        let Some(object) = self.world.objects.get_mut(id.0) else {
            return false;
        };
        // What the owner writes and only the owner is given need not be kept.
        object.mark_sent(due & !(observers | owner), now);
        let selection = Selection {
            observers,
            owner,
            initial_state: false,
            fully_dirty: object.fully_dirty,
        };
        let Some(behaviours) = object.behaviours.as_mut() else {
            return false;
        };
        let written = self
            .replication
            .scratch
            .write_components(behaviours.slots_mut(), selection);
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
        if length > self.replication.longest_delta {
            if !std::mem::replace(&mut state.is_reported, true) {
                self.report_too_long(id, None, (length, self.replication.longest_delta));
            }
            return false;
        }
        state.without_baseline |= mask;
        object.mark_repeated(mask, now);
        let is_shared = observers == owner;
        let is_one = is_shared && ticks.observers == ticks.owner;
        let (audience, owner) = (object.audience, object.owner.filter(|_| !is_one));
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
        let Some(behaviours) = object.behaviours.as_mut() else {
            return;
        };
        let selection = Selection {
            observers,
            owner,
            initial_state: true,
            fully_dirty: 0,
        };
        if let Err(unwritable) = self
            .replication
            .scratch
            .write_components(behaviours.slots_mut(), selection)
        {
            self.report_unwritable(id, unwritable);
            return;
        }
        let length = self.replication.scratch.longest_message(id);
        if length > self.replication.longest_state {
            self.report_too_long(id, None, (length, self.replication.longest_state));
            return;
        }
        let receivers = (observers != 0, owner != 0);
        let tick = self
            .replication
            .hybrid
            .next_baseline(id, observers | owner, receivers);
        object.clear_changes(observers | owner);
        let owner = object.owner.filter(|_| observers != owner);
        let audience = object.audience;
        let head = (EntityStateMessageUnreliableBaseline::ID, tick);
        self.append_hybrid((id, audience, owner), [head, head], (false, false));
    }

    /// Puts what has been written of an object into the frame of those who observe it, and of an owner who is
    /// sent something else: the heads are theirs, in this order, and the components may be the same.
    fn append_hybrid(
        &mut self,
        (id, audience, owner): (NetId, AudienceId, Option<ConnectionId>),
        [to_observers, to_owner]: [Head; 2],
        (is_delta, is_shared): (bool, bool),
    ) {
        let times = if is_delta && self.config.unreliable_redundancy {
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
            for _ in 0..times {
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
        let Some(owner) = self.sessions.connections.get_mut(owner.0) else {
            return;
        };
        let exceptions = if is_delta {
            &mut owner.deltas.exceptions
        } else {
            &mut owner.states.exceptions
        };
        // The first one in place of what the others are sent, and each other one behind it.
        for replaces in [first..last, last..last].into_iter().take(times) {
            let own = own.clone();
            exceptions.push((audience, Exception { replaces, own }));
        }
    }

    /// Sees to it that what is in no baseline yet is sent again: when the interval is over, and at the next
    /// baseline. What could not be sent waits for the latter.
    fn schedule_hybrid(&mut self, id: NetId, are_sent: bool) {
        let (observers, owner) = self.hybrid_changes(id);
        let mut rest = observers | owner;
        if rest == 0 {
            return;
        }
        self.replication.hybrid.enqueue(id);
        let object = self.world.objects.get(id.0).filter(|_| are_sent);
        let Some((behaviours, entry)) = object.and_then(|object| {
            Some((
                object.behaviours.as_ref()?,
                self.world.prefabs.get(object.prefab)?,
            ))
        }) else {
            return;
        };
        let mut wake = Nanos::MAX;
        while rest != 0 {
            let index = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if let (Some(slot), Some(settings)) =
                (behaviours.slots().slot(index), entry.components.get(index))
            {
                let interval = nanos(settings.sync_interval);
                wake = wake.min(slot.last_send().saturating_add(interval));
            }
        }
        if wake <= nanos(self.now) {
            self.queue_dirty(id);
        } else {
            self.replication.waking.insert((wake, id));
        }
    }
}
