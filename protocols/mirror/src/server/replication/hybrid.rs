//! Hybrid components, Mirror's `SyncMethod.Hybrid`: changes travel unreliably, again with each update, until a reliable
//! baseline contains them.
//!
//! ```text
//! update          1         2         3         4, baselines due   5
//! value           0 -> 5    5         5 -> 8    8                  8 -> 9
//! unreliable      0: 5      0: 5      0: 8      0: 8               1: 9
//! reliable                                      baseline 1: 8
//! dirty           yes       yes       yes       cleared            yes
//! ```
//!
//! A delta begins with the number of the baseline to which it is relative; 0 stands for the snapshot of the spawn. A
//! receiver ignores a delta whose number differs from the number of its last baseline. So a late delta is never added to
//! a wrong base, a lost delta is repeated by the next update, and a delta that overtakes its baseline is dropped. Baselines
//! are due for all objects at once, at whole multiples of an interval; an object that has not changed since its last
//! baseline sends neither.
//!
//! The order within an update matters: the deltas first, with the old number, then the baseline. A delta of the
//! same moment as a baseline is contained in it, and receivers skip it.
//!
//! Owner and observers read different components, and so receive different baselines: an object has two numbers
//! ([`BaselineNumbers`](super::baselines::BaselineNumbers)). With one number, a baseline for the observers alone would make
//! the next deltas of the owner invalid.
//!
//! A snapshot for a further observer is not a base, because the present observers lack it: the new observer waits for the
//! next baseline. Three moments cannot wait, and send a baseline at once (`transfer.rs`): a new owner, a past owner who
//! missed the baselines of its own writes, and a further observer of an object without any baseline, whose present
//! observers count from their own snapshots.

use bytes::Bytes;
use syncvar_runtime::unstable::object::{Nanos, nanos};
use syncvar_runtime::{Channel, ConnectionId, NetId};

use crate::message::{EntityStateMessageUnreliableBaseline, NetworkMessage};
use crate::server::audiences::AudienceId;
use crate::server::batches::outbox::Exception;
use crate::server::encoding::{
    ComponentSelection, Encoder, HybridHead, Subject, write_framed_head,
};
use crate::server::objects::entry::mark_repeated;
use crate::server::objects::{Excess, Objects};
use crate::server::replication::baselines::BaselineReceivers;
use crate::server::replication::{Replication, write_or_report};
use crate::server::rooms::Rooms;
use crate::server::stats::count;

impl Replication {
    /// Queues all objects without a baseline, if baselines are due.
    pub(crate) fn begin_baselines(&mut self, rooms: &mut Rooms<'_>, now: Nanos) {
        let mut awaiting = self.baselines.begin_update(now);
        for id in awaiting.drain(..) {
            self.queue_dirty(rooms.objects, id);
        }
        self.baselines.return_memory(awaiting);
    }

    /// Sends the deltas of observed components whose interval is over, and a due baseline.
    pub(crate) fn write_hybrid(&mut self, rooms: &mut Rooms<'_>, id: NetId, due: u64, now: Nanos) {
        let is_sent = due == 0 || self.write_deltas(rooms, id, due, now);
        if self.baselines.is_due {
            self.write_baseline(rooms, id);
        }
        self.schedule_hybrid(rooms, id, is_sent);
    }

    /// Returns false if they cannot be sent.
    fn write_deltas(&mut self, rooms: &mut Rooms<'_>, id: NetId, due: u64, now: Nanos) -> bool {
        let (observers, owner) = hybrid_changes(rooms.objects, id);
        let (observers, owner) = (observers & due, owner & due);
        let Some(object) = rooms.objects.world.objects.get_mut(id.0) else {
            return false;
        };
        let (Some(slots), Some(entry)) = (
            rooms.objects.world.pools.slots_mut(object.at),
            rooms.objects.prefabs.get(object.prefab),
        ) else {
            return false;
        };
        // Changes of components that the owner writes and only the owner reads have no receiver.
        object.mark_sent(slots, due & !(observers | owner), now);
        let selection = ComponentSelection {
            observers,
            owner,
            initial_state: false,
            fully_dirty: object.fully_dirty,
            prefab: rooms.objects.world.prefabs.get(object.prefab),
        };
        let stats = &mut rooms.context.stats;
        let subject = Subject { id, entry, stats };
        let written = self.encoder.write_components(slots, selection, subject);
        let baseline = self.baselines.of(id);
        if let Err(unwritable) = written {
            if baseline.is_first_failure() {
                rooms.context.report_unwritable(id, &unwritable);
            }
            return false;
        }
        let (ticks, mask) = (baseline.ticks, self.encoder.mask());
        let length = self.encoder.longest_message(id);
        let limit = rooms.sessions.longest(Channel::Unreliable);
        if length > limit {
            if baseline.is_first_failure() {
                let excess = Excess { length, limit };
                rooms
                    .objects
                    .report_too_long(id, None, excess, rooms.context);
            }
            return false;
        }
        baseline.without_baseline |= mask;
        mark_repeated(slots, mask, now);
        let is_shared = observers == owner;
        let is_equal = is_shared && ticks.observers == ticks.owner;
        let message = HybridMessage {
            id,
            audience: object.view.audience,
            owner: object.owner.filter(|_| !is_equal),
            to_observers: HybridHead::delta(ticks.observers),
            to_owner: HybridHead::delta(ticks.owner),
            channel: Channel::Unreliable,
            is_shared,
        };
        self.append_hybrid(rooms, &message);
        true
    }

    fn write_baseline(&mut self, rooms: &mut Rooms<'_>, id: NetId) {
        let (observers, owner) = hybrid_changes(rooms.objects, id);
        if observers | owner == 0 {
            return;
        }
        let Some(object) = rooms.objects.world.objects.get_mut(id.0) else {
            return;
        };
        let (Some(slots), Some(entry)) = (
            rooms.objects.world.pools.slots_mut(object.at),
            rooms.objects.prefabs.get(object.prefab),
        ) else {
            return;
        };
        let selection = ComponentSelection {
            observers,
            owner,
            initial_state: true,
            fully_dirty: 0,
            prefab: rooms.objects.world.prefabs.get(object.prefab),
        };
        let (encoder, context) = (&mut self.encoder, &mut *rooms.context);
        if !write_or_report(encoder, slots, selection, id, entry, context) {
            return;
        }
        let length = self.encoder.longest_message(id);
        let limit = rooms.sessions.longest(Channel::Reliable);
        if length > limit {
            let excess = Excess { length, limit };
            rooms
                .objects
                .report_too_long(id, None, excess, rooms.context);
            return;
        }
        let receivers = BaselineReceivers {
            observers: observers != 0,
            owner: owner != 0,
        };
        let tick = self
            .baselines
            .next_baseline(id, observers | owner, receivers);
        object.clear_changes(slots, observers | owner);
        let head = HybridHead {
            message: EntityStateMessageUnreliableBaseline::ID,
            tick,
        };
        let message = HybridMessage {
            id,
            audience: object.view.audience,
            owner: object.owner.filter(|_| observers != owner),
            to_observers: head,
            to_owner: head,
            channel: Channel::Reliable,
            is_shared: false,
        };
        self.append_hybrid(rooms, &message);
    }

    /// Appends the written components to the frame of the audience, and to the frame of an owner with
    /// a head or components that differ.
    fn append_hybrid(&mut self, rooms: &mut Rooms<'_>, message: &HybridMessage) {
        let HybridMessage { id, audience, .. } = *message;
        let is_delta = message.channel == Channel::Unreliable;
        let is_repeated = is_delta && rooms.context.config.unreliable_redundancy;
        let copies = if is_repeated { 2 } else { 1 };
        let frame = if is_delta {
            rooms.observers.audiences.deltas(audience)
        } else {
            rooms.observers.audiences.frame(audience)
        };
        let Some(frame) = frame else {
            return;
        };
        let first = frame.len();
        let (head, observers) = (&mut self.encoder.head, &self.encoder.observers);
        if observers.mask != 0 {
            write_framed_head(head, message.to_observers, id, observers);
            for _ in 0..copies {
                let parts = [head.as_bytes(), observers.bytes()];
                count(&mut rooms.context.stats.states, frame.push(parts));
            }
        }
        let last = frame.len();
        let is_observer =
            |owner: &ConnectionId| rooms.observers.audiences.contains(audience, *owner);
        let Some(owner) = message.owner.filter(is_observer) else {
            return;
        };
        let own = self.owner_message(rooms, message);
        let Some(owner) = rooms.sessions.get_mut(owner) else {
            return;
        };
        let exceptions = if is_delta {
            &mut owner.shares.deltas.exceptions
        } else {
            &mut owner.shares.states.exceptions
        };
        // The first copy replaces the observers' messages; the second one follows.
        for replaces in [first..last, last..last].into_iter().take(copies) {
            let own = own.clone();
            exceptions.push((audience, Exception { replaces, own }));
        }
    }

    /// Returns the message of an owner whose head or components differ; no bytes without components.
    fn owner_message(&mut self, rooms: &mut Rooms<'_>, message: &HybridMessage) -> Bytes {
        let Encoder {
            head,
            observers,
            owner,
            ..
        } = &mut self.encoder;
        let components = if message.is_shared { observers } else { owner };
        if components.mask == 0 {
            return Bytes::new();
        }
        write_framed_head(head, message.to_owner, message.id, components);
        let own = self.encoder.owner_message(message.is_shared);
        count(&mut rooms.context.stats.states, own.len());
        own
    }

    /// Schedules the next send of changes without a baseline: at the end of the interval, and at
    /// the next baseline. Unsendable changes wait for the baseline.
    fn schedule_hybrid(&mut self, rooms: &mut Rooms<'_>, id: NetId, is_sent: bool) {
        let (observers, owner) = hybrid_changes(rooms.objects, id);
        let mut rest = observers | owner;
        if rest == 0 {
            return;
        }
        self.baselines.enqueue(id);
        let object = rooms.objects.world.objects.get(id.0).filter(|_| is_sent);
        let Some((slots, entry)) = object.and_then(|object| {
            Some((
                rooms.objects.world.pools.slots(object.at)?,
                rooms.objects.prefabs.get(object.prefab)?,
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
        if wake <= nanos(rooms.context.now()) {
            self.queue_dirty(rooms.objects, id);
        } else {
            self.waking.insert((wake, id));
        }
    }
}

/// A written message with hybrid components.
struct HybridMessage {
    id: NetId,
    audience: AudienceId,
    /// Owner whose message differs from the message of the observers.
    owner: Option<ConnectionId>,
    to_observers: HybridHead,
    to_owner: HybridHead,
    /// Unreliable for deltas, reliable for baselines.
    channel: Channel,
    /// The owner receives the components of the observers.
    is_shared: bool,
}

/// Returns the changed hybrid components for the observers, and for the owner.
fn hybrid_changes(objects: &Objects, id: NetId) -> (u64, u64) {
    let (Some(object), Some(entry)) = (objects.get(id), objects.entry(id)) else {
        return (0, 0);
    };
    let changed = objects.pending_components(id, entry.hybrid);
    let owner = !entry.client_to_server | object.ownership.transferred;
    (changed & entry.observers, changed & owner)
}
