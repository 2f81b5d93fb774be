//! References to objects that have not arrived: recorded with their holders, reported at the target's
//! spawn.

use super::{Objects, Replica};
use crate::client::ClientEvent;
use syncvar_runtime::NetId;
use syncvar_runtime::events::Events;
use syncvar_runtime::unstable::ordered::IdPairs;
use syncvar_runtime::unstable::table::Table;

/// Pairs of holder and target, recorded until the target is announced.
#[derive(Debug, Default)]
pub(crate) struct References {
    /// Target and holder.
    by_target: IdPairs<NetId, NetId>,
    /// Holder and target.
    by_holder: IdPairs<NetId, NetId>,
}

impl References {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.by_target.is_empty()
    }

    /// Records a reference, unless there are as many as the limit.
    pub(crate) fn add(&mut self, holder: NetId, target: NetId, limit: usize) {
        if self.by_target.len() < limit && self.by_target.insert(target, holder) {
            self.by_holder.insert(holder, target);
        }
    }

    /// Returns the targets, ascending.
    fn targets(&self) -> Vec<NetId> {
        let mut targets: Vec<_> = self.by_target.iter().map(|(target, _)| target).collect();
        targets.dedup();
        targets
    }

    /// Removes the references to a target. Returns their holders, ascending.
    fn take_target(&mut self, target: NetId) -> Vec<NetId> {
        let holders: Vec<_> = self.by_target.of(target).collect();
        for holder in &holders {
            self.by_target.remove(target, *holder);
            self.by_holder.remove(*holder, target);
        }
        holders
    }

    /// Removes the references of a holder.
    fn forget_holder(&mut self, holder: NetId) {
        let targets: Vec<_> = self.by_holder.of(holder).collect();
        for target in targets {
            self.by_target.remove(target, holder);
            self.by_holder.remove(holder, target);
        }
    }

    /// Removes the references from and to an object.
    #[inline]
    pub(crate) fn forget(&mut self, object: NetId) {
        if !self.is_empty() {
            self.forget_holder(object);
            self.take_target(object);
        }
    }
}

/// Returns whether a reference is unresolved. The new objects of a burst are announced together, by ascending
/// id: a reference to an earlier object is resolved, and a reference to a later object is reported.
pub(crate) fn is_unresolved(
    objects: &Table<Replica>,
    joining: bool,
    holder: NetId,
    target: NetId,
) -> bool {
    let visible = |id: NetId| objects.get(id.0).is_some_and(Replica::is_visible);
    match objects.get(target.0) {
        _ if target == holder => false,
        None => true,
        Some(replica) if replica.is_visible() => false,
        Some(replica) => replica.is_poisoned() || !joining || visible(holder) || holder < target,
    }
}

impl Objects {
    /// Records the references of a snapshot. They replace the earlier references of the holder.
    #[inline]
    pub(crate) fn replace_references(
        &mut self,
        holder: NetId,
        targets: &mut Vec<NetId>,
        joining: bool,
        limit: usize,
    ) {
        if !self.references.is_empty() {
            self.references.forget_holder(holder);
        }
        self.add_references(holder, targets, joining, limit);
    }

    /// Records the references of some fields of an object, up to a number of unresolved references.
    #[inline]
    pub(crate) fn add_references(
        &mut self,
        holder: NetId,
        targets: &mut Vec<NetId>,
        joining: bool,
        limit: usize,
    ) {
        // Most objects refer to none: a drain of nothing costs more than the test.
        if targets.is_empty() {
            return;
        }
        for target in targets.drain(..) {
            if is_unresolved(&self.world.objects, joining, holder, target) {
                self.references.add(holder, target, limit);
            }
        }
    }

    /// Reports the references to an object that has been announced.
    #[inline]
    pub(crate) fn resolve(&mut self, target: NetId, events: &mut Events<ClientEvent>) {
        if self.references.is_empty() {
            return;
        }
        for object in self.references.take_target(target) {
            if self.world.is_visible(object) {
                events.push(ClientEvent::ReferenceResolved { object, target });
            }
        }
    }

    /// Removes the references to the new objects of a burst. Returns the pairs of holders that are announced
    /// before their target.
    pub(crate) fn take_resolved(&mut self) -> Vec<(NetId, NetId)> {
        let mut resolved = Vec::new();
        for target in self.references.targets() {
            let replica = self.world.objects.get(target.0);
            if !replica.is_some_and(|replica| !replica.is_visible() && !replica.is_poisoned()) {
                continue;
            }
            for holder in self.references.take_target(target) {
                if self.world.is_visible(holder) || holder < target {
                    resolved.push((holder, target));
                }
            }
        }
        resolved
    }

    /// Reports the references to the new objects of a burst.
    pub(crate) fn report_resolved(
        &self,
        resolved: Vec<(NetId, NetId)>,
        events: &mut Events<ClientEvent>,
    ) {
        for (object, target) in resolved {
            // A callback may have removed the holder or the target; a holder may be poisoned.
            if self.world.is_visible(object) && self.world.is_visible(target) {
                events.push(ClientEvent::ReferenceResolved { object, target });
            }
        }
    }
}
