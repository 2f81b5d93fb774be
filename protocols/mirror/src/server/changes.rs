//! What has changed of dirty objects: written once for all who observe them, and once more for an owner
//! who is sent other components.

use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::object::{Nanos, Slots, nanos};
use syncvar_runtime::{ConnectionId, NetId};

use super::audience::{AudienceId, Audiences};
use super::encode::{Unwritable, Wanted, write_state_head};
use super::outbox::Exception;
use super::stats::count;
use super::{MirrorServer, MirrorServerEvent};
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
        for (index, settings) in entry.components.iter().enumerate() {
            let Some(slot) = slots.slot(index) else {
                break;
            };
            let bit = 1 << index;
            if slot.dirty_bits() == 0 && everything_dirty & bit == 0 {
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
    /// Writes the changes of all objects that have some and are observed, by ascending id.
    pub(super) fn write_changes(&mut self) {
        let now = nanos(self.now);
        while let Some((due, id)) = self.waking.first().copied()
            && due <= now
        {
            self.waking.pop_first();
            self.queue_dirty(id);
        }
        self.begin_baselines(now);
        let free = std::mem::take(&mut self.visiting);
        // What is to be looked at again by the next update goes into the other one.
        let mut dirty = std::mem::replace(&mut self.dirty, free);
        dirty.sort_unstable();
        for id in dirty.drain(..) {
            if let Some(hybrid) = self.write_state_of(id, now) {
                self.write_hybrid(id, hybrid, now);
            }
        }
        self.visiting = dirty;
    }

    /// Writes the changes of an object that travel reliably. If it is observed and has components that
    /// travel unreliably, those of them whose interval is over are returned.
    #[inline]
    fn write_state_of(&mut self, id: NetId, now: Nanos) -> Option<u64> {
        let object = self.objects.get_mut(id.0)?;
        object.queued = false;
        if std::mem::take(&mut object.unshown) {
            self.look_all(id);
        }
        let object = self.objects.get_mut(id.0)?;
        let entry = self.prefabs.get(object.prefab)?;
        if object.audience == Audiences::NOBODY {
            return None;
        }
        // What is being called is looked at when that is done.
        let behaviours = object.behaviours.as_ref()?;
        let due = Due::of(entry, behaviours.slots(), object.everything_dirty, now);
        if let Some(wake) = due.wake {
            self.waking.insert((wake, id));
        }
        let hybrid = (entry.hybrid != 0).then_some(due.components & entry.hybrid);
        let reliable = due.components & !entry.hybrid;
        let wanted = Wanted {
            observers: reliable & entry.observers,
            owner: reliable & (!entry.client_to_server | object.handed_over),
            initial_state: false,
            everything_dirty: object.everything_dirty,
        };
        // What the owner writes and only the owner is given need not be kept.
        let unwanted = reliable & !(wanted.observers | wanted.owner);
        object.note_sent(unwanted, now);
        if wanted.observers | wanted.owner == 0 {
            return hybrid;
        }
        let behaviours = object.behaviours.as_mut()?;
        let slots = behaviours.slots_mut();
        if let Err(unwritable) = self.scratch.write_components(slots, wanted) {
            self.report_unwritable(id, unwritable);
            return hybrid;
        }
        let (observers, owner) = (&self.scratch.observers, &self.scratch.owner);
        let longest = observers.len().max(owner.len()) + MOST_OF_HEAD;
        if longest > self.longest_state {
            let limit = self.longest_state;
            self.report_too_long(id, None, (longest, limit));
            return hybrid;
        }
        object.note_sent(observers.mask | owner.mask, now);
        let owner = object.owner.filter(|_| wanted.observers != wanted.owner);
        let audience = object.audience;
        self.put_state(id, audience, owner);
        hybrid
    }

    /// Puts what has been written of an object into the frame of those who observe it, and of an owner who
    /// is sent other components.
    #[inline]
    fn put_state(&mut self, id: NetId, audience: AudienceId, owner: Option<ConnectionId>) {
        let Some(frame) = self.audiences.frame(audience) else {
            return;
        };
        let head = &mut self.scratch.head;
        let (observers, owners) = (&self.scratch.observers, &self.scratch.owner);
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
        if !self.audiences.contains(audience, owner) {
            return;
        }
        let mut own = Bytes::new();
        if owners.mask != 0 {
            write_state_head(head, id, owners);
            own = self.scratch.own_state(false);
            count(&mut self.stats.states, own.len());
        }
        if let Some(owner) = self.connections.get_mut(owner.0) {
            let instead_of = first..last;
            let exception = Exception { instead_of, own };
            owner.states.exceptions.push((audience, exception));
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

    pub(super) fn report_too_long(
        &mut self,
        object: NetId,
        connection: Option<ConnectionId>,
        (length, limit): (usize, usize),
    ) {
        tracing::error!(%object, length, limit, "changes are too long to be sent");
        self.events.push(MirrorServerEvent::TooLong {
            object,
            connection,
            length,
            limit,
        });
    }
}

/// What stands before the components takes no more: the id, the number of the object, and how many bytes
/// follow.
const MOST_OF_HEAD: usize = 2 + 5 + 5;
