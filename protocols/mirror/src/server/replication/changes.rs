//! Deltas of dirty objects: written once for all observers, and once more for an owner with other
//! components.

use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::object::{Nanos, Slots, nanos};
use syncvar_runtime::{Channel, ConnectionId, NetId};

use crate::prefabs::Entry;
use crate::server::observers::audience::{AudienceId, Audiences};
use crate::server::outbound::outbox::Exception;
use crate::server::replication::encode::{Selection, Unwritable, write_state_head};
use crate::server::stats::count;
use crate::server::{MirrorServer, MirrorServerEvent};

/// Components to send now, and the next end of an interval.
struct Due {
    components: u64,
    wake: Option<Nanos>,
}

impl Due {
    fn of(entry: &Entry, slots: &dyn Slots, fully_dirty: u64, now: Nanos) -> Self {
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

impl MirrorServer {
    /// Writes the deltas of all dirty, observed objects, by ascending id.
    pub(in crate::server) fn write_changes(&mut self) {
        let now = nanos(self.clock.now());
        while let Some((due, id)) = self.replication.waking.first().copied()
            && due <= now
        {
            self.replication.waking.pop_first();
            self.queue_dirty(id);
        }
        self.begin_baselines(now);
        let free = std::mem::take(&mut self.replication.visiting);
        // Objects queued during this loop belong to the next update.
        let mut dirty = std::mem::replace(&mut self.replication.dirty, free);
        dirty.sort_unstable();
        for id in dirty.drain(..) {
            if let Some(hybrid) = self.write_reliable(id, now) {
                self.write_hybrid(id, hybrid, now);
            }
        }
        self.replication.visiting = dirty;
    }

    /// Writes the reliable delta of an object. For an observed object with hybrid components,
    /// returns those whose interval is over.
    #[inline]
    fn write_reliable(&mut self, id: NetId, now: Nanos) -> Option<u64> {
        let object = self.world.objects.get_mut(id.0)?;
        object.queued = false;
        if std::mem::take(&mut object.spawn_failed) {
            self.update_observers(id);
        }
        let object = self.world.objects.get_mut(id.0)?;
        let entry = self.prefabs.get(object.prefab)?;
        if object.audience == Audiences::EMPTY {
            return None;
        }
        // A checked-out object follows at check-in.
        let slots = self.world.pools.slots_mut(object.at)?;
        let due = Due::of(entry, slots, object.fully_dirty, now);
        if let Some(wake) = due.wake {
            self.replication.waking.insert((wake, id));
        }
        let hybrid = (entry.hybrid != 0).then_some(due.components & entry.hybrid);
        let reliable = due.components & !entry.hybrid;
        let selection = Selection {
            observers: reliable & entry.observers,
            owner: reliable & (!entry.client_to_server | object.transferred),
            initial_state: false,
            fully_dirty: object.fully_dirty,
            prefab: self.world.prefabs.get(object.prefab),
        };
        // Changes of components that the owner writes and only the owner reads have no receiver.
        let unwanted = reliable & !(selection.observers | selection.owner);
        object.mark_sent(slots, unwanted, now);
        if selection.observers | selection.owner == 0 {
            return hybrid;
        }
        if let Err(unwritable) = self.replication.scratch.write_components(
            slots,
            selection,
            (id, entry, &mut self.stats),
        ) {
            self.report_unwritable(id, unwritable);
            return hybrid;
        }
        let (observers, owner) = (
            &self.replication.scratch.observers,
            &self.replication.scratch.owner,
        );
        let longest = observers.len().max(owner.len()) + MAX_HEAD;
        let limit = self.sessions.longest(Channel::Reliable);
        if longest > limit {
            self.report_too_long(id, None, (longest, limit));
            return hybrid;
        }
        object.mark_sent(slots, observers.mask | owner.mask, now);
        let owner = object
            .owner
            .filter(|_| selection.observers != selection.owner);
        let audience = object.audience;
        self.append_state(id, audience, owner);
        hybrid
    }

    /// Appends the written components to the frame of the audience, and to that of an owner with
    /// other components.
    #[inline]
    fn append_state(&mut self, id: NetId, audience: AudienceId, owner: Option<ConnectionId>) {
        let Some(frame) = self.observers.audiences.frame(audience) else {
            return;
        };
        let head = &mut self.replication.scratch.head;
        let (observers, owners) = (
            &self.replication.scratch.observers,
            &self.replication.scratch.owner,
        );
        let first = frame.len();
        if observers.mask != 0 {
            write_state_head(head, id, observers);
            let length = frame.push([head.as_bytes(), observers.bytes()]);
            count(&mut self.stats.states, length);
        }
        let last = frame.len();
        let Some(owner) = owner.filter(|_| observers.mask != owners.mask) else {
            return;
        };
        if !self.observers.audiences.contains(audience, owner) {
            return;
        }
        let mut own = Bytes::new();
        if owners.mask != 0 {
            write_state_head(head, id, owners);
            own = self.replication.scratch.owner_message(false);
            count(&mut self.stats.states, own.len());
        }
        if let Some(owner) = self.sessions.get_mut(owner) {
            let replaces = first..last;
            let exception = Exception { replaces, own };
            owner.states.exceptions.push((audience, exception));
        }
    }

    pub(in crate::server) fn report_unwritable(
        &mut self,
        object: NetId,
        Unwritable { behaviour, error }: Unwritable,
    ) {
        tracing::error!(%object, behaviour, %error, "cannot encode an object");
        self.events.push(MirrorServerEvent::SerializeFailed {
            object,
            behaviour,
            field: error.field(),
            error,
        });
    }

    pub(in crate::server) fn report_too_long(
        &mut self,
        object: NetId,
        connection: Option<ConnectionId>,
        (length, limit): (usize, usize),
    ) {
        let (behaviour, field) = self.longest_field(object).unzip();
        tracing::error!(%object, behaviour, field, length, limit, "a message is too long to send");
        self.events.push(MirrorServerEvent::TooLong {
            object,
            behaviour,
            field,
            connection,
            length,
            limit,
        });
    }
}

/// Upper limit of the bytes before the components: message id, object id, and length.
pub(super) const MAX_HEAD: usize = 2 + 5 + 5;
