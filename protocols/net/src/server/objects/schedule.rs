//! The schedule: objects that the next update visits.

use std::time::Duration;

use syncvar_runtime::NetId;
use syncvar_runtime::unstable::object::{Nanos, nanos};
use syncvar_runtime::unstable::ordered::IdMap;

use crate::id_set::IdSet;
use crate::server::objects::replicated::{Replicated, State};

/// Queues of the update loop.
#[derive(Debug, Default)]
pub(crate) struct Schedule {
    /// Objects changed since the last update.
    dirty: IdSet,
    /// Objects that wait for the end of a send interval, by that time. Objects sent together share
    /// a time, so the keys are few.
    waiting: IdMap<Nanos, Vec<NetId>>,
    /// Lists of `waiting`, reused.
    spare: Vec<Vec<NetId>>,
    /// Objects with a new target audience.
    view_changes: IdSet,
    /// Objects not announced yet.
    unannounced: IdSet,
}

impl Schedule {
    /// Returns whether all queues are empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.dirty.is_empty()
            && self.waiting.is_empty()
            && self.view_changes.is_empty()
            && self.unannounced.is_empty()
    }

    /// Queues an object with possible changes.
    #[inline]
    pub(crate) fn queue_dirty(&mut self, net_id: NetId) {
        self.dirty.insert(net_id.0);
    }

    /// Queues an object with a new target audience. Its deltas are written before.
    pub(crate) fn queue_view_change(&mut self, net_id: NetId, replicated: &mut Replicated) {
        self.queue_dirty(net_id);
        self.queue_written_view_change(net_id, replicated);
    }

    /// Like [`queue_view_change`](Self::queue_view_change), for an object whose deltas were just
    /// written.
    pub(crate) fn queue_written_view_change(&mut self, net_id: NetId, replicated: &mut Replicated) {
        replicated.set(State::VisibilityDirty, true);
        self.view_changes.insert(net_id.0);
    }

    /// Queues a new object.
    pub(crate) fn queue_new(&mut self, net_id: NetId) {
        self.unannounced.insert(net_id.0);
    }

    /// Queues an object for the time when its next behaviour is due.
    pub(crate) fn wake_at(&mut self, net_id: NetId, replicated: &mut Replicated, until: Duration) {
        let until = nanos(until);
        if until < replicated.wake {
            replicated.wake = until;
            let spare = &mut self.spare;
            let new_list = || spare.pop().unwrap_or_default();
            let list = self.waiting.get_or_insert_with(until, new_list);
            list.push(net_id);
        }
    }

    /// Moves the due objects to `due`, ascending and each once: changed objects and those whose
    /// interval ended. `all` includes the rest of the queue.
    pub(crate) fn take_due(&mut self, now: Duration, all: bool, due: &mut Vec<NetId>) {
        let now = nanos(now);
        let is_due = |time: &Nanos| all || *time < now;
        while let Some(time) = self.waiting.first().filter(is_due)
            && let Some(mut list) = self.waiting.remove(time)
        {
            for net_id in list.drain(..) {
                self.dirty.insert(net_id.0);
            }
            self.spare.push(list);
        }
        self.dirty.drain_into(due);
    }

    /// Appends the changed objects, ascending, and keeps them queued.
    pub(crate) fn copy_dirty(&mut self, changed: &mut Vec<NetId>) {
        let start = changed.len();
        self.dirty.drain_into(changed);
        for id in changed.iter().skip(start) {
            self.dirty.insert(id.0);
        }
    }

    /// Returns whether an object has a new target audience.
    pub(crate) fn has_view_changes(&self) -> bool {
        !self.view_changes.is_empty()
    }

    /// Appends the objects with another target audience to `moved`, ascending, and keeps them
    /// queued.
    pub(crate) fn copy_view_changes(&mut self, moved: &mut Vec<NetId>) {
        let start = moved.len();
        self.view_changes.drain_into(moved);
        for id in moved.iter().skip(start) {
            self.view_changes.insert(id.0);
        }
    }

    /// Moves the objects with another target audience to `moved`, ascending.
    pub(crate) fn take_view_changes(&mut self, moved: &mut Vec<NetId>) {
        self.view_changes.drain_into(moved);
    }

    /// Moves the new objects to `new`, ascending.
    pub(crate) fn take_new(&mut self, new: &mut Vec<NetId>) {
        self.unannounced.drain_into(new);
    }
}
