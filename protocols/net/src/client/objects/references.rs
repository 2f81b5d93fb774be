//! References to objects that have not arrived: recorded with their holders, reported at the target's
//! spawn.

use super::replica::Replica;
use crate::client::{ClientEvent, NetworkClient};
use syncvar_runtime::NetId;
use syncvar_runtime::ordered::IdPairs;
use syncvar_runtime::table::Table;

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

    fn add(&mut self, holder: NetId, target: NetId, limit: usize) {
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
/// id: a reference to an earlier one of them is resolved, and a reference to a later one is reported.
pub(crate) fn is_unresolved(
    objects: &Table<Replica>,
    joining: bool,
    (holder, target): (NetId, NetId),
) -> bool {
    let visible = |id: NetId| objects.get(id.0).is_some_and(Replica::is_visible);
    match objects.get(target.0) {
        _ if target == holder => false,
        None => true,
        Some(replica) if replica.is_visible() => false,
        Some(replica) => replica.is_poisoned() || !joining || visible(holder) || holder < target,
    }
}

impl NetworkClient {
    /// Records the unresolved references of the message in progress.
    #[inline]
    pub(crate) fn record_unresolved(&mut self) {
        if self.inbound.unresolved.is_empty() {
            return;
        }
        let limit = self.context.config.max_pending_references;
        for (holder, target) in self.inbound.unresolved.drain(..) {
            self.objects.references.add(holder, target, limit);
        }
    }

    /// Records the references of a snapshot. They replace the holder's earlier ones.
    #[inline]
    pub(crate) fn replace_references(&mut self, holder: NetId) {
        if !self.objects.references.is_empty() {
            self.objects.references.forget_holder(holder);
        }
        self.add_references(holder);
    }

    /// Records the references of some fields of an object.
    pub(crate) fn add_references(&mut self, holder: NetId) {
        if self.inbound.targets.is_empty() {
            return;
        }
        for target in self.inbound.targets.drain(..) {
            let pair = (holder, target);
            if is_unresolved(&self.objects.world.objects, self.session.joining, pair) {
                self.inbound.unresolved.push(pair);
            }
        }
        self.record_unresolved();
    }

    /// Reports the references to an object that has been announced.
    #[inline]
    pub(crate) fn resolve(&mut self, target: NetId) {
        if self.objects.references.is_empty() {
            return;
        }
        for object in self.objects.references.take_target(target) {
            if self.objects.world.is_visible(object) {
                let event = ClientEvent::ReferenceResolved { object, target };
                self.context.events.push(event);
            }
        }
    }

    /// Removes the references to the new objects of a burst. Returns the pairs of holders that are announced
    /// before their target.
    pub(crate) fn take_resolved(&mut self) -> Vec<(NetId, NetId)> {
        let mut resolved = Vec::new();
        for target in self.objects.references.targets() {
            let replica = self.objects.world.objects.get(target.0);
            if !replica.is_some_and(|replica| !replica.is_visible() && !replica.is_poisoned()) {
                continue;
            }
            for holder in self.objects.references.take_target(target) {
                if self.objects.world.is_visible(holder) || holder < target {
                    resolved.push((holder, target));
                }
            }
        }
        resolved
    }

    /// Reports the references to the new objects of a burst.
    pub(crate) fn report_resolved(&mut self, resolved: Vec<(NetId, NetId)>) {
        for (object, target) in resolved {
            // A callback may have removed one of them; a holder may be poisoned.
            if !self.objects.world.is_visible(object) || !self.objects.world.is_visible(target) {
                continue;
            }
            let event = ClientEvent::ReferenceResolved { object, target };
            self.context.events.push(event);
        }
    }
}
