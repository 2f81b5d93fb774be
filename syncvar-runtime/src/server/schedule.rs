//! Which objects the next update has to look at. Nothing else is visited.

use std::collections::BTreeMap;
use std::time::Duration;

use super::spawned::Spawned;
use crate::NetId;

/// The queues of the update loop.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    /// Objects that were changed since the last update, each once.
    dirty: Vec<NetId>,
    /// Objects with changes that wait for their send interval, by the time when it ends. Objects
    /// sent in one update with one interval wait for one time, so the keys are few.
    waiting: BTreeMap<Duration, Vec<NetId>>,
    /// Lists for `waiting` to use again.
    spare: Vec<Vec<NetId>>,
    /// Objects to be shown to somebody, or hidden, each once.
    moved: Vec<NetId>,
    /// Objects that no client has been told of, each once.
    new: Vec<NetId>,
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
    pub(super) fn queue_dirty(&mut self, net_id: NetId, queued: &mut bool) {
        if !*queued {
            *queued = true;
            self.dirty.push(net_id);
        }
    }

    /// An object is to be shown to somebody, or hidden.
    pub(super) fn queue_moved(&mut self, spawned: &mut Spawned) {
        if !spawned.moved {
            spawned.moved = true;
            self.moved.push(spawned.identity.net_id());
        }
    }

    /// An object is to be spawned on the clients.
    pub(super) fn queue_new(&mut self, spawned: &mut Spawned) {
        if !spawned.new {
            spawned.new = true;
            self.new.push(spawned.identity.net_id());
        }
    }

    /// An object's next behaviour is due after this time.
    pub(super) fn wait(&mut self, spawned: &mut Spawned, until: Duration) {
        if spawned.wake.is_none_or(|wake| until < wake) {
            spawned.wake = Some(until);
            let spare = &mut self.spare;
            let list = self
                .waiting
                .entry(until)
                .or_insert_with(|| spare.pop().unwrap_or_default());
            list.push(spawned.identity.net_id());
        }
    }

    /// Puts into `due` what this update looks at: the changed objects, those whose interval has
    /// ended (with `all`, also those whose interval has not), and those about to be shown.
    /// Ascending, each once.
    pub(super) fn take_due(&mut self, now: Duration, all: bool, due: &mut Vec<NetId>) {
        due.append(&mut self.dirty);
        due.extend_from_slice(&self.moved);
        while let Some(entry) = self.waiting.first_entry() {
            if !all && *entry.key() >= now {
                break;
            }
            let mut list = entry.remove();
            due.append(&mut list);
            self.spare.push(list);
        }
        due.sort_unstable();
        due.dedup();
    }

    /// Puts into `moved` the objects to be shown or hidden, ascending.
    pub(super) fn take_moved(&mut self, moved: &mut Vec<NetId>) {
        moved.append(&mut self.moved);
        moved.sort_unstable();
    }

    /// Puts into `new` the objects to be spawned on the clients, ascending.
    pub(super) fn take_new(&mut self, new: &mut Vec<NetId>) {
        new.append(&mut self.new);
        new.sort_unstable();
    }
}
