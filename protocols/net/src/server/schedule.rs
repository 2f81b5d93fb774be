//! Which objects the next update has to look at. Nothing else is visited.

use std::collections::BTreeMap;
use std::time::Duration;

use super::spawned::Spawned;
use crate::NetId;
use crate::id_set::IdSet;

/// The queues of the update loop.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    /// Objects that were changed since the last update.
    dirty: IdSet,
    /// Objects with changes that wait for their send interval, by the time when it ends. Objects
    /// sent in one update with one interval wait for one time, so the keys are few.
    waiting: BTreeMap<Duration, Vec<NetId>>,
    /// Lists for `waiting` to use again.
    spare: Vec<Vec<NetId>>,
    /// Objects to be shown to somebody, or hidden.
    moved: IdSet,
    /// Objects that no client has been told of.
    new: IdSet,
}

impl Schedule {
    /// Whether no object is in any list.
    pub(super) fn is_empty(&self) -> bool {
        self.dirty.is_empty()
            && self.waiting.is_empty()
            && self.moved.is_empty()
            && self.new.is_empty()
    }

    /// An object may have something to send.
    #[inline]
    pub(super) fn queue_dirty(&mut self, net_id: NetId) {
        self.dirty.insert(net_id.0);
    }

    /// An object is to be shown to somebody, or hidden: that is preceded by its changes.
    pub(super) fn queue_moved(&mut self, net_id: NetId, spawned: &mut Spawned) {
        self.queue_dirty(net_id);
        self.queue_sent(net_id, spawned);
    }

    /// As [`queue_moved`](Self::queue_moved), for an object whose changes have just been written.
    pub(super) fn queue_sent(&mut self, net_id: NetId, spawned: &mut Spawned) {
        spawned.moved = true;
        self.moved.insert(net_id.0);
    }

    /// An object is to be spawned on the clients.
    pub(super) fn queue_new(&mut self, net_id: NetId) {
        self.new.insert(net_id.0);
    }

    /// An object's next behaviour is due after this time.
    pub(super) fn wait(&mut self, net_id: NetId, spawned: &mut Spawned, until: Duration) {
        if spawned.wake.is_none_or(|wake| until < wake) {
            spawned.wake = Some(until);
            let spare = &mut self.spare;
            let list = self
                .waiting
                .entry(until)
                .or_insert_with(|| spare.pop().unwrap_or_default());
            list.push(net_id);
        }
    }

    /// Puts into `due` what this update looks at: the changed objects, and those whose interval has
    /// ended (with `all`, also those whose interval has not). Ascending, each once.
    pub(super) fn take_due(&mut self, now: Duration, all: bool, due: &mut Vec<NetId>) {
        while let Some(entry) = self.waiting.first_entry() {
            if !all && *entry.key() >= now {
                break;
            }
            let mut list = entry.remove();
            for net_id in list.drain(..) {
                self.dirty.insert(net_id.0);
            }
            self.spare.push(list);
        }
        self.dirty.drain_into(due);
    }

    /// Whether there are objects to be shown or hidden.
    pub(super) fn has_moved(&self) -> bool {
        !self.moved.is_empty()
    }

    /// Puts into `moved` the objects to be shown or hidden, ascending; they stay in the list.
    pub(super) fn copy_moved(&mut self, moved: &mut Vec<NetId>) {
        let start = moved.len();
        self.moved.drain_into(moved);
        for id in moved.iter().skip(start) {
            self.moved.insert(id.0);
        }
    }

    /// Puts into `moved` the objects to be shown or hidden, ascending.
    pub(super) fn take_moved(&mut self, moved: &mut Vec<NetId>) {
        self.moved.drain_into(moved);
    }

    /// Puts into `new` the objects to be spawned on the clients, ascending.
    pub(super) fn take_new(&mut self, new: &mut Vec<NetId>) {
        self.new.drain_into(new);
    }
}
