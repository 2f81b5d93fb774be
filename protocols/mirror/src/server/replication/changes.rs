//! Deltas of dirty objects: written once for all observers, and once more for an owner with more
//! components.

use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::unstable::object::{Nanos, Slots, nanos};
use syncvar_runtime::{Channel, ConnectionId, NetId};

use crate::prefabs::PrefabEntry;
use crate::server::audiences::{AudienceId, Audiences};
use crate::server::batches::outbox::Exception;
use crate::server::encoding::{ComponentSelection, write_state_head};
use crate::server::objects::Excess;
use crate::server::replication::{Replication, write_or_report};
use crate::server::rooms::Rooms;
use crate::server::stats::count;

/// Components to send now, and the next end of an interval.
struct DueComponents {
    components: u64,
    wake: Option<Nanos>,
}

impl DueComponents {
    fn of(entry: &PrefabEntry, slots: &dyn Slots, fully_dirty: u64, now: Nanos) -> Self {
        let mut due = Self {
            components: 0,
            wake: None,
        };
        for (index, settings) in entry.components.iter().enumerate() {
            let Some(slot) = slots.slot(index) else {
                break;
            };
            let bit = 1 << index;
            if slot.dirty_bits() == 0 && fully_dirty & bit == 0 {
                continue;
            }
            if settings.sync_interval == Duration::ZERO {
                due.components |= bit;
                continue;
            }
            let next = slot
                .last_send()
                .saturating_add(nanos(settings.sync_interval));
            if next <= now {
                due.components |= bit;
            } else {
                due.wake = Some(due.wake.map_or(next, |wake| wake.min(next)));
            }
        }
        due
    }
}

impl Replication {
    /// Writes the deltas of all dirty, observed objects, by ascending id.
    pub(crate) fn write_changes(&mut self, rooms: &mut Rooms<'_>) {
        let now = nanos(rooms.context.now());
        while let Some((due, id)) = self.waking.first().copied()
            && due <= now
        {
            self.waking.pop_first();
            self.queue_dirty(rooms.objects, id);
        }
        self.begin_baselines(rooms, now);
        let free = std::mem::take(&mut self.visiting);
        // Objects queued during this loop belong to the next update.
        let mut dirty = std::mem::replace(&mut self.dirty, free);
        dirty.sort_unstable();
        for id in dirty.drain(..) {
            if let Some(hybrid) = self.write_reliable(rooms, id, now) {
                self.write_hybrid(rooms, id, hybrid, now);
            }
        }
        self.visiting = dirty;
    }

    /// Reports the values that were left out since the last call.
    pub(crate) fn report_stopped(&mut self, rooms: &mut Rooms<'_>) {
        for (id, unwritable) in self.encoder.stopped.drain(..) {
            rooms.context.report_unwritable(id, &unwritable);
        }
    }

    /// Writes the reliable delta of an object. For an observed object with hybrid components,
    /// returns the components whose interval is over.
    #[inline]
    fn write_reliable(&mut self, rooms: &mut Rooms<'_>, id: NetId, now: Nanos) -> Option<u64> {
        let object = rooms.objects.world.objects.get_mut(id.0)?;
        object.queued = false;
        if std::mem::take(&mut object.view.spawn_failed) {
            self.update_observers(rooms, id);
        }
        let object = rooms.objects.world.objects.get_mut(id.0)?;
        let entry = rooms.objects.prefabs.get(object.prefab)?;
        if object.view.audience == Audiences::EMPTY {
            return None;
        }
        // A checked-out object follows at check-in.
        let slots = rooms.objects.world.pools.slots_mut(object.at)?;
        let due = DueComponents::of(entry, slots, object.fully_dirty, now);
        if let Some(wake) = due.wake {
            self.waking.insert((wake, id));
        }
        let hybrid = (entry.hybrid != 0).then_some(due.components & entry.hybrid);
        let reliable = due.components & !entry.hybrid;
        let selection = ComponentSelection {
            observers: reliable & entry.observers,
            owner: reliable & (!entry.client_to_server | object.ownership.transferred),
            initial_state: false,
            fully_dirty: object.fully_dirty,
            prefab: rooms.objects.world.prefabs.get(object.prefab),
        };
        // Changes of components that the owner writes and only the owner reads have no receiver.
        let unwanted = reliable & !(selection.observers | selection.owner);
        object.mark_sent(slots, unwanted, now);
        if selection.observers | selection.owner == 0 {
            return hybrid;
        }
        let (encoder, context) = (&mut self.encoder, &mut *rooms.context);
        if !write_or_report(encoder, slots, selection, id, entry, context) {
            return hybrid;
        }
        let (observers, owner) = (&self.encoder.observers, &self.encoder.owner);
        let longest = observers.len().max(owner.len()) + MAX_HEAD;
        let limit = rooms.sessions.longest(Channel::Reliable);
        if longest > limit {
            let excess = Excess {
                length: longest,
                limit,
            };
            rooms
                .objects
                .report_too_long(id, None, excess, rooms.context);
            return hybrid;
        }
        object.mark_sent(slots, observers.mask | owner.mask, now);
        let owner = object
            .owner
            .filter(|_| selection.observers != selection.owner);
        let audience = object.view.audience;
        self.append_state(rooms, id, audience, owner);
        hybrid
    }

    /// Appends the written components to the frame of the audience, and to the frame of an owner with
    /// more components.
    #[inline]
    fn append_state(
        &mut self,
        rooms: &mut Rooms<'_>,
        id: NetId,
        audience: AudienceId,
        owner: Option<ConnectionId>,
    ) {
        let Some(frame) = rooms.observers.audiences.frame(audience) else {
            return;
        };
        let head = &mut self.encoder.head;
        let (observers, owners) = (&self.encoder.observers, &self.encoder.owner);
        let first = frame.len();
        if observers.mask != 0 {
            write_state_head(head, id, observers);
            let length = frame.push([head.as_bytes(), observers.bytes()]);
            count(&mut rooms.context.stats.states, length);
        }
        let last = frame.len();
        let Some(owner) = owner.filter(|_| observers.mask != owners.mask) else {
            return;
        };
        if !rooms.observers.audiences.contains(audience, owner) {
            return;
        }
        let mut own = Bytes::new();
        if owners.mask != 0 {
            write_state_head(head, id, owners);
            own = self.encoder.owner_message(false);
            count(&mut rooms.context.stats.states, own.len());
        }
        if let Some(owner) = rooms.sessions.get_mut(owner) {
            let replaces = first..last;
            let exception = Exception { replaces, own };
            owner.shares.states.exceptions.push((audience, exception));
        }
    }
}

/// Upper limit of the bytes before the components: message id, object id, and length.
pub(super) const MAX_HEAD: usize = 2 + 5 + 5;
