//! References to objects that are not there yet: noted while the objects that hold them are read, and
//! told of when the others come.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::{ClientEvent, NetworkClient, Replica};
use crate::NetId;
use crate::object::list;
use crate::table::Table;

/// References that wait for an object to be announced.
#[derive(Debug, Default)]
pub(super) struct References {
    /// What is referred to, and the object that does.
    by_target: BTreeSet<(NetId, NetId)>,
    /// The same, the other way round.
    by_holder: BTreeSet<(NetId, NetId)>,
}

impl References {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.by_target.is_empty()
    }

    fn add(&mut self, holder: NetId, target: NetId, limit: usize) {
        if self.by_target.len() < limit && self.by_target.insert((target, holder)) {
            self.by_holder.insert((holder, target));
        }
    }

    /// The objects that are referred to, ascending.
    fn targets(&self) -> Vec<NetId> {
        let mut targets: Vec<_> = self.by_target.iter().map(|(target, _)| *target).collect();
        targets.dedup();
        targets
    }

    /// Takes the references to an object: those who hold one, ascending.
    fn take_target(&mut self, target: NetId) -> Vec<NetId> {
        let holders: Vec<_> = seconds(&self.by_target, target);
        for holder in &holders {
            self.by_target.remove(&(target, *holder));
            self.by_holder.remove(&(*holder, target));
        }
        holders
    }

    /// Forgets the references that an object holds.
    fn forget_holder(&mut self, holder: NetId) {
        for target in seconds(&self.by_holder, holder) {
            self.by_target.remove(&(target, holder));
            self.by_holder.remove(&(holder, target));
        }
    }

    /// An object is gone: so are the references that it holds, and those to it.
    #[inline]
    pub(super) fn forget(&mut self, object: NetId) {
        if !self.is_empty() {
            self.forget_holder(object);
            self.take_target(object);
        }
    }
}

fn seconds(pairs: &BTreeSet<(NetId, NetId)>, first: NetId) -> Vec<NetId> {
    let all: RangeInclusive<_> = (first, NetId::NONE)..=(first, NetId(u32::MAX));
    pairs.range(all).map(|(_, second)| *second).collect()
}

/// Whether a reference that has been read waits for its target. In a burst everything that is there is
/// announced together: those who are new in it need not wait for one another.
pub(super) fn waits(
    objects: &Table<Replica>,
    joining: bool,
    (holder, target): (NetId, NetId),
) -> bool {
    let announced = |id: NetId| objects.get(id.0).is_some_and(|replica| replica.announced);
    match objects.get(target.0) {
        _ if target == holder => false,
        None => true,
        Some(replica) if replica.announced => false,
        Some(replica) => replica.poisoned || !joining || announced(holder),
    }
}

impl NetworkClient {
    /// Notes references that have been read, of objects and to objects.
    #[inline]
    pub(super) fn note_references(&mut self) {
        if self.unresolved.is_empty() {
            return;
        }
        let limit = self.config.max_waiting_references;
        for (holder, target) in self.unresolved.drain(..) {
            self.references.add(holder, target, limit);
        }
    }

    /// Notes the references of a full state; those of former states do not count any more.
    #[inline]
    pub(super) fn note_full_references(&mut self, holder: NetId) {
        if !self.references.is_empty() {
            self.references.forget_holder(holder);
        }
        self.note_more_references(holder);
    }

    /// Notes the references of some fields of an object.
    pub(super) fn note_more_references(&mut self, holder: NetId) {
        let targets = list(&mut self.targets);
        if targets.is_empty() {
            return;
        }
        for target in targets.drain(..) {
            if waits(&self.objects, self.joining, (holder, target)) {
                self.unresolved.push((holder, target));
            }
        }
        self.note_references();
    }

    /// An object has been announced: tells of the references to it.
    #[inline]
    pub(super) fn resolve(&mut self, target: NetId) {
        if self.references.is_empty() {
            return;
        }
        for object in self.references.take_target(target) {
            let holder = self.objects.get(object.0);
            if holder.is_some_and(|replica| replica.announced) {
                self.tell_resolved(object, target);
            }
        }
    }

    fn tell_resolved(&mut self, object: NetId, target: NetId) {
        let event = ClientEvent::ReferenceResolved { object, target };
        self.events.push(event);
    }

    /// A burst of objects ends: takes the references to those that are about to be announced, and
    /// returns those of objects that the application knew before.
    pub(super) fn take_resolved(&mut self) -> Vec<(NetId, NetId)> {
        let mut resolved = Vec::new();
        for target in self.references.targets() {
            let replica = self.objects.get(target.0);
            if !replica.is_some_and(|replica| !replica.announced && !replica.poisoned) {
                continue;
            }
            for holder in self.references.take_target(target) {
                let replica = self.objects.get(holder.0);
                if replica.is_some_and(|replica| replica.announced) {
                    resolved.push((holder, target));
                }
            }
        }
        resolved
    }

    /// The objects of a burst have been announced.
    pub(super) fn tell_all_resolved(&mut self, resolved: Vec<(NetId, NetId)>) {
        for (object, target) in resolved {
            self.tell_resolved(object, target);
        }
    }
}
