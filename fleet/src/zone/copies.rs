//! `Copies`: the zone with the real copy of each object, as a gateway knows it.
//!
//! Every zone tells of its objects in the order of its own records, but the records of two zones arrive in any order. A handover from
//! zone A to zone B is the end of the object in the records of A, and a snapshot in those of B, with a higher epoch:
//!
//! ```text
//!   A: end, departed  ──> held ──────> B: snapshot, epoch 5  ──> of B      the object stays on the clients, and stands still
//!   B: snapshot, epoch 5 ──> of B ───> A: end                              no rest: the end is that of an earlier copy
//! ```
//!
//! *Epochs.* A copy with a higher epoch replaces an earlier copy. Nothing replaces a copy by one with a lower epoch, nor a copy by an
//! equal epoch of a different zone, so a late record of an earlier zone changes nothing. An object that has ended is remembered with its
//! epoch: a late snapshot of an earlier copy does not bring it back.
//!
//! *Held.* An object that departs is in no zone for a moment: the gateway keeps it, without changes. So is an object that a keyframe
//! lacks: the gateway has lost the records that tell whether it has ended or departed. A held object ends when no zone has had it for
//! a while, by the settings of the gateway.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use syncvar_runtime::NetId;

use crate::zone::ZoneId;

/// Ended objects that are remembered. An id comes once, so this many ends fit between two records of one moment.
const MAX_ENDED: usize = 16_384;

/// Copy of an object that the clients have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ObjectCopy {
    pub(crate) zone: ZoneId,
    pub(crate) epoch: u64,
    /// Tick since which no zone has the object.
    pub(crate) held: Option<u64>,
}

/// Effect of the end of an object in a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectEnd {
    /// The copy was not the present one.
    Former,
    /// The object stays on the clients until a zone has it.
    Held,
    Ended,
}

/// Copies of all objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Copies {
    present: BTreeMap<NetId, ObjectCopy>,
    /// Epochs of ended objects, and the order of their ends.
    ended: BTreeMap<NetId, u64>,
    order: VecDeque<NetId>,
}

impl Copies {
    /// Takes a snapshot of a zone. Returns whether it is that of the present copy.
    pub(crate) fn enter(&mut self, object: NetId, zone: ZoneId, epoch: u64) -> bool {
        if self.ended.get(&object).is_some_and(|ended| epoch <= *ended) {
            return false;
        }
        let known = self.present.get(&object);
        let is_present = known.is_none_or(|known| {
            epoch > known.epoch || (epoch == known.epoch && zone == known.zone)
        });
        if is_present {
            let held = None;
            self.present
                .insert(object, ObjectCopy { zone, epoch, held });
        }
        is_present
    }

    /// Returns whether a zone has the present copy of an object.
    pub(crate) fn is_of(&self, object: NetId, zone: ZoneId) -> bool {
        let known = self.present.get(&object);
        known.is_some_and(|known| known.zone == zone && known.held.is_none())
    }

    /// Returns the present copy of an object.
    pub(crate) fn get(&self, object: NetId) -> Option<&ObjectCopy> {
        self.present.get(&object)
    }

    /// Returns the zone of an object that is in a zone.
    pub(crate) fn zone(&self, object: NetId) -> Option<ZoneId> {
        let known = self.present.get(&object)?;
        known.held.is_none().then_some(known.zone)
    }

    /// Takes the end of an object in a zone. `departs`: by a handover.
    pub(crate) fn end(
        &mut self,
        object: NetId,
        zone: ZoneId,
        departs: bool,
        tick: u64,
    ) -> ObjectEnd {
        let known = self.present.get_mut(&object);
        let Some(known) = known.filter(|known| known.zone == zone) else {
            return ObjectEnd::Former;
        };
        if departs {
            known.held.get_or_insert(tick);
            return ObjectEnd::Held;
        }
        let epoch = known.epoch;
        self.present.remove(&object);
        self.ended.insert(object, epoch);
        self.order.push_back(object);
        if self.order.len() > MAX_ENDED
            && let Some(oldest) = self.order.pop_front()
        {
            self.ended.remove(&oldest);
        }
        ObjectEnd::Ended
    }

    /// Holds the objects of a zone that a keyframe of this zone lacks.
    pub(crate) fn hold_missing(&mut self, zone: ZoneId, present: &BTreeSet<NetId>, tick: u64) {
        for (object, copy) in &mut self.present {
            if copy.zone == zone && !present.contains(object) {
                copy.held.get_or_insert(tick);
            }
        }
    }

    /// Ends the objects that no zone has had since a tick. Returns them.
    pub(crate) fn expire(&mut self, since: u64) -> Vec<NetId> {
        let is_due = |copy: &ObjectCopy| copy.held.is_some_and(|held| held <= since);
        let due = self.present.iter().filter(|(_, copy)| is_due(copy));
        let due: Vec<NetId> = due.map(|(object, _)| *object).collect();
        for object in &due {
            // A zone that returns from its journal brings the object back.
            self.present.remove(object);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECT: NetId = NetId(7);
    const A: ZoneId = ZoneId(1);
    const B: ZoneId = ZoneId(2);

    fn copies() -> Copies {
        let mut copies = Copies::default();
        assert!(copies.enter(OBJECT, A, 1));
        copies
    }

    #[test]
    fn an_object_is_held_between_two_zones() {
        let mut copies = copies();
        assert_eq!(copies.end(OBJECT, A, true, 10), ObjectEnd::Held);
        assert!(!copies.is_of(OBJECT, A) && copies.expire(9).is_empty());
        assert!(copies.enter(OBJECT, B, 2));
        assert!(copies.is_of(OBJECT, B) && copies.expire(100).is_empty());
    }

    #[test]
    fn the_end_of_an_earlier_copy_is_none_of_the_object() {
        let mut copies = copies();
        assert!(copies.enter(OBJECT, B, 2));
        assert_eq!(copies.end(OBJECT, A, true, 10), ObjectEnd::Former);
        assert_eq!(copies.end(OBJECT, A, false, 10), ObjectEnd::Former);
        assert!(!copies.enter(OBJECT, A, 1) && copies.is_of(OBJECT, B));
    }

    #[test]
    fn a_late_snapshot_brings_no_ended_object_back() {
        let mut copies = copies();
        assert!(copies.enter(OBJECT, B, 2));
        assert_eq!(copies.end(OBJECT, B, false, 10), ObjectEnd::Ended);
        assert!(!copies.enter(OBJECT, A, 1) && !copies.enter(OBJECT, B, 2));
    }

    #[test]
    fn a_held_object_ends_and_may_return() {
        let mut copies = copies();
        copies.hold_missing(A, &BTreeSet::new(), 10);
        assert_eq!(copies.expire(10), [OBJECT]);
        assert_eq!(copies.get(OBJECT), None);
        assert!(copies.enter(OBJECT, A, 1));
    }
}
