//! What has changed of dirty objects: written once for all who observe them, and once more for an owner
//! who is sent other components.

use std::time::Duration;

use syncvar_runtime::NetId;
use syncvar_runtime::engine::{Nanos, Slots, nanos};

use super::audience::Audiences;
use super::encode::{Components, Unwritable, Wanted, write_head, write_segment_size};
use super::frame::put_message;
use super::outbox::Exception;
use super::stats::count;
use super::{MirrorServer, MirrorServerEvent};
use crate::message::{EntityStateMessage, NetworkMessage};
use crate::prefabs::Entry;

/// Which components are to be sent, and when the first of the others is due.
struct Due {
    components: u64,
    wake: Option<Nanos>,
}

impl Due {
    fn of(entry: &Entry, slots: &dyn Slots, everything_dirty: u64, now: Nanos) -> Self {
        let mut due = Self {
            components: 0,
            wake: None,
        };
        for ((index, slot), settings) in (0..64).zip(slots.iter()).zip(&entry.components) {
            if slot.dirty_bits() == 0 && everything_dirty & (1 << index) == 0 {
                continue;
            }
            if settings.sync_interval == Duration::ZERO {
                due.components |= 1 << index;
                continue;
            }
            let next = slot
                .last_send()
                .saturating_add(nanos(settings.sync_interval));
            if next <= now {
                due.components |= 1 << index;
            } else {
                due.wake = Some(due.wake.map_or(next, |wake| wake.min(next)));
            }
        }
        due
    }
}

impl MirrorServer {
    /// Writes the changes of all objects that have some and are observed, by ascending id.
    pub(super) fn write_changes(&mut self) {
        let now = nanos(self.now);
        while let Some((due, id)) = self.waking.first().copied()
            && due <= now
        {
            self.waking.pop_first();
            self.queue_dirty(id);
        }
        let mut dirty = std::mem::take(&mut self.dirty);
        dirty.sort_unstable();
        for id in dirty.drain(..) {
            self.write_changes_of(id, now);
        }
        self.dirty = dirty;
    }

    fn write_changes_of(&mut self, id: NetId, now: Nanos) {
        let Some(object) = self.objects.get_mut(id.0) else {
            return;
        };
        object.queued = false;
        let Some(entry) = self.prefabs.get(object.prefab) else {
            return;
        };
        if object.audience == Audiences::NOBODY {
            return;
        }
        // What is being called is looked at when that is done.
        let Some(behaviours) = object.behaviours.as_mut() else {
            return;
        };
        let slots = behaviours.slots_mut();
        let due = Due::of(entry, slots, object.everything_dirty, now);
        if let Some(wake) = due.wake {
            self.waking.insert((wake, id));
        }
        let wanted = Wanted {
            observers: due.components & entry.observers,
            owner: due.components & !entry.client_to_server,
            initial_state: false,
            everything_dirty: object.everything_dirty,
        };
        if wanted.observers | wanted.owner == 0 {
            return;
        }
        if let Err(unwritable) = self.scratch.write_components(slots, wanted) {
            self.report_unwritable(id, unwritable);
            return;
        }
        let (observers, owner) = (&self.scratch.observers, &self.scratch.owner);
        let longest = observers.len().max(owner.len()) + MOST_OF_HEAD;
        if longest > self.longest_state {
            self.report_too_long(id, longest);
            return;
        }
        let written = observers.mask | owner.mask;
        object.everything_dirty &= !written;
        for index in 0..slots.len() {
            if written & (1 << index) != 0
                && let Some(slot) = slots.slot_mut(index)
            {
                slot.mark_sent(now);
            }
        }
        self.put_state(id);
    }

    /// Puts what has been written of an object into the frame of those who observe it.
    #[inline]
    fn put_state(&mut self, id: NetId) {
        let Some(object) = self.objects.get(id.0) else {
            return;
        };
        let audience = object.audience;
        let Some(frame) = self.audiences.frame(audience) else {
            return;
        };
        let head = &mut self.scratch.head;
        let (observers, owners) = (&self.scratch.observers, &self.scratch.owner);
        let first = frame.len();
        if observers.mask != 0 {
            write_state_head(head, id, observers);
            let length = frame.push(&[head.as_bytes(), &observers.head, &observers.bytes]);
            count(&mut self.stats.states, length);
        }
        let last = frame.len();
        let Some(owner) = object.owner.filter(|_| observers.mask != owners.mask) else {
            return;
        };
        if !self.audiences.contains(audience, owner) {
            return;
        }
        if owners.mask != 0 {
            write_state_head(head, id, owners);
            let parts = [head.as_bytes(), &owners.head, &owners.bytes];
            put_message(&mut self.scratch.own, &parts);
            count(&mut self.stats.states, self.scratch.own.len());
        }
        if let Some(owner) = self.connections.get_mut(owner.0) {
            let exception = Exception {
                instead_of: first..last,
                own: self.scratch.own.split().freeze(),
            };
            owner.exceptions.push((audience, exception));
        }
    }

    pub(super) fn report_unwritable(
        &mut self,
        object: NetId,
        Unwritable { behaviour, error }: Unwritable,
    ) {
        tracing::error!(%object, behaviour, %error, "an object cannot be written");
        self.events.push(MirrorServerEvent::SerializeFailed {
            object,
            behaviour,
            field: error.field(),
            error,
        });
    }

    fn report_too_long(&mut self, object: NetId, length: usize) {
        let limit = self.longest_state;
        tracing::error!(%object, length, limit, "changes are too long to be sent");
        self.events.push(MirrorServerEvent::TooLong {
            object,
            connection: None,
            length,
            limit,
        });
    }
}

/// What stands before the components takes no more: the id, the number of the object, and how many bytes
/// follow.
const MOST_OF_HEAD: usize = 2 + 5 + 5;

fn write_state_head(head: &mut syncvar_runtime::NetworkWriter, id: NetId, components: &Components) {
    write_head(head, EntityStateMessage::ID, id);
    write_segment_size(head, components.len());
}
