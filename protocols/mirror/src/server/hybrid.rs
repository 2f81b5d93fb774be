//! Components that travel unreliably, Mirror's `SyncMethod.Hybrid`: what has changed of them goes out again
//! and again, until a baseline, which is all of them and is sent reliably, has it.

use bytes::Bytes;
use rustc_hash::FxHashMap;
use syncvar_runtime::object::{Nanos, nanos};
use syncvar_runtime::{ConnectionId, NetId};

use super::MirrorServer;
use super::audience::AudienceId;
use super::encode::{Head, Scratch, Wanted, write_framed_head};
use super::outbox::Exception;
use super::stats::count;
use crate::MirrorServerConfig;
use crate::message::{
    EntityStateMessageUnreliableBaseline, EntityStateMessageUnreliableDelta, NetworkMessage,
};
use crate::unreliable::{Baselines, next_tick};

/// What is kept of all objects with components that travel unreliably.
#[derive(Debug)]
pub(super) struct Hybrid {
    objects: FxHashMap<NetId, Sent>,
    /// Objects with changes that are in no baseline yet, each once.
    unsettled: Vec<NetId>,
    baselines: Baselines,
    /// Whether the update under way sends baselines.
    is_due: bool,
}

/// What has been sent of the components of an object that travel unreliably.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sent {
    /// The number of the last baseline; 0 before the first one.
    last: u8,
    /// The number of the last one that was for all who observe the object, and of the last for its owner.
    ticks: Ticks,
    /// The components of which changes have been sent and no baseline since.
    since: u64,
    is_listed: bool,
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
            unsettled: Vec::new(),
            baselines: Baselines::every(config.unreliable_baseline_interval),
            is_due: false,
        }
    }

    /// The components of an object whose changes have been sent to somebody, and in no baseline since: what
    /// is still on its way can make them other than they are.
    pub(super) fn since(&self, id: NetId) -> u64 {
        self.objects.get(&id).map_or(0, |sent| sent.since)
    }

    /// The changes of some components are nobody's any more.
    pub(super) fn forget_changes(&mut self, id: NetId, components: u64) {
        if let Some(sent) = self.objects.get_mut(&id) {
            sent.since &= !components;
        }
    }

    /// Whoever owns an object now has been sent what all who observe it were.
    pub(super) fn change_owner(&mut self, id: NetId) {
        if let Some(sent) = self.objects.get_mut(&id) {
            sent.ticks.owner = sent.ticks.observers;
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

    fn of(&mut self, id: NetId) -> &mut Sent {
        self.objects.entry(id).or_default()
    }

    /// Has the next baseline look at an object.
    fn list(&mut self, id: NetId) {
        if std::mem::replace(&mut self.of(id).is_listed, true) {
            return;
        }
        self.unsettled.push(id);
        // It may be long until then, and many of them are gone.
        if self.unsettled.len() > 2 * self.objects.len() + 64 {
            let objects = &self.objects;
            self.unsettled.retain(|id| objects.contains_key(id));
        }
    }

    /// Gives a baseline of these components its number; it is one of all who observe the object, of its owner,
    /// or of both.
    pub(super) fn begin(
        &mut self,
        id: NetId,
        components: u64,
        (observers, owner): (bool, bool),
    ) -> u8 {
        let sent = self.of(id);
        sent.last = next_tick(sent.last);
        if observers {
            sent.ticks.observers = sent.last;
        }
        if owner {
            sent.ticks.owner = sent.last;
        }
        sent.since &= !components;
        sent.is_reported = false;
        sent.last
    }
}

impl MirrorServer {
    /// Has this update look at all that is in no baseline yet, if it is time for one.
    pub(super) fn begin_baselines(&mut self, now: Nanos) {
        self.hybrid.is_due = self.hybrid.baselines.elapsed(now);
        if !self.hybrid.is_due {
            return;
        }
        let mut unsettled = std::mem::take(&mut self.hybrid.unsettled);
        for id in unsettled.drain(..) {
            if let Some(sent) = self.hybrid.objects.get_mut(&id) {
                sent.is_listed = false;
            }
            self.queue_dirty(id);
        }
        self.hybrid.unsettled = unsettled;
    }

    /// Sends what has changed of the components whose interval is over, and then, if it is time for that,
    /// all of those that have changed. The object is observed.
    pub(super) fn write_hybrid(&mut self, id: NetId, due: u64, now: Nanos) {
        let are_sent = due == 0 || self.write_deltas(id, due, now);
        if self.hybrid.is_due {
            self.write_baseline(id);
        }
        self.schedule_hybrid(id, are_sent);
    }

    /// The components that travel unreliably and have changed, by whom they are for: all who observe the
    /// object, and its owner.
    fn hybrid_changes(&self, id: NetId) -> (u64, u64) {
        let (Some(object), Some(entry)) = (self.objects.get(id.0), self.entry(id)) else {
            return (0, 0);
        };
        let changed = self.pending(id, entry.hybrid);
        let owner = !entry.client_to_server | object.handed_over;
        (changed & entry.observers, changed & owner)
    }

    /// Returns whether they could be sent.
    fn write_deltas(&mut self, id: NetId, due: u64, now: Nanos) -> bool {
        let (observers, owner) = self.hybrid_changes(id);
        let (observers, owner) = (observers & due, owner & due);
        let Some(object) = self.objects.get_mut(id.0) else {
            return false;
        };
        // What the owner writes and only the owner is given need not be kept.
        object.note_sent(due & !(observers | owner), now);
        let wanted = Wanted {
            observers,
            owner,
            initial_state: false,
            everything_dirty: object.everything_dirty,
        };
        let Some(behaviours) = object.behaviours.as_mut() else {
            return false;
        };
        let written = self
            .scratch
            .write_components(behaviours.slots_mut(), wanted);
        let sent = self.hybrid.of(id);
        if let Err(unwritable) = written {
            if !std::mem::replace(&mut sent.is_reported, true) {
                self.report_unwritable(id, unwritable);
            }
            return false;
        }
        let (ticks, mask) = (sent.ticks, self.scratch.mask());
        let message = EntityStateMessageUnreliableDelta::ID;
        let heads = [ticks.observers, ticks.owner].map(|tick| (message, tick));
        let length = self.scratch.longest_message(id);
        if length > self.longest_delta {
            if !std::mem::replace(&mut sent.is_reported, true) {
                self.report_too_long(id, None, (length, self.longest_delta));
            }
            return false;
        }
        sent.since |= mask;
        object.note_repeated(mask, now);
        let is_shared = observers == owner;
        let is_one = is_shared && ticks.observers == ticks.owner;
        let (audience, owner) = (object.audience, object.owner.filter(|_| !is_one));
        self.put_hybrid((id, audience, owner), heads, (true, is_shared));
        true
    }

    fn write_baseline(&mut self, id: NetId) {
        let (observers, owner) = self.hybrid_changes(id);
        if observers | owner == 0 {
            return;
        }
        let Some(object) = self.objects.get_mut(id.0) else {
            return;
        };
        let Some(behaviours) = object.behaviours.as_mut() else {
            return;
        };
        let wanted = Wanted {
            observers,
            owner,
            initial_state: true,
            everything_dirty: 0,
        };
        if let Err(unwritable) = self
            .scratch
            .write_components(behaviours.slots_mut(), wanted)
        {
            self.report_unwritable(id, unwritable);
            return;
        }
        let length = self.scratch.longest_message(id);
        if length > self.longest_state {
            self.report_too_long(id, None, (length, self.longest_state));
            return;
        }
        let receivers = (observers != 0, owner != 0);
        let tick = self.hybrid.begin(id, observers | owner, receivers);
        object.note_settled(observers | owner);
        let owner = object.owner.filter(|_| observers != owner);
        let audience = object.audience;
        let head = (EntityStateMessageUnreliableBaseline::ID, tick);
        self.put_hybrid((id, audience, owner), [head, head], (false, false));
    }

    /// Puts what has been written of an object into the frame of those who observe it, and of an owner who is
    /// sent something else: the heads are theirs, in this order, and the components may be the same.
    fn put_hybrid(
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
            self.audiences.deltas(audience)
        } else {
            self.audiences.frame(audience)
        };
        let Some(frame) = frame else {
            return;
        };
        let first = frame.len();
        let (head, observers) = (&mut self.scratch.head, &self.scratch.observers);
        if observers.mask != 0 {
            write_framed_head(head, to_observers, id, observers);
            for _ in 0..times {
                let parts = [head.as_bytes(), observers.bytes()];
                count(&mut self.stats.states, frame.push(parts));
            }
        }
        let last = frame.len();
        let Some(owner) = owner.filter(|owner| self.audiences.contains(audience, *owner)) else {
            return;
        };
        let mut own = Bytes::new();
        let Scratch {
            head,
            observers,
            owner: owners,
            ..
        } = &mut self.scratch;
        let components = if is_shared { observers } else { owners };
        if components.mask != 0 {
            write_framed_head(head, to_owner, id, components);
            own = self.scratch.own_state(is_shared);
            count(&mut self.stats.states, own.len());
        }
        let Some(owner) = self.connections.get_mut(owner.0) else {
            return;
        };
        let exceptions = if is_delta {
            &mut owner.deltas.exceptions
        } else {
            &mut owner.states.exceptions
        };
        // The first one in place of what the others are sent, and each other one behind it.
        for instead_of in [first..last, last..last].into_iter().take(times) {
            let own = own.clone();
            exceptions.push((audience, Exception { instead_of, own }));
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
        self.hybrid.list(id);
        let object = self.objects.get(id.0).filter(|_| are_sent);
        let Some((behaviours, entry)) = object.and_then(|object| {
            Some((
                object.behaviours.as_ref()?,
                self.prefabs.get(object.prefab)?,
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
            self.waking.insert((wake, id));
        }
    }
}
