//! Changes that have not reached all observers, and why.

use std::time::Duration;

use syncvar_runtime::unstable::object::{Nanos, SendRules, Slot, SlotInfo, nanos, unsent_fields};
use syncvar_runtime::{Channel, Encoding, NetId, UnsentField, UnsentReason, WriteErrorKind};

use super::Replication;
use super::changes::MAX_HEAD;
use crate::prefabs::PrefabEntry;
use crate::server::audiences::Audiences;
use crate::server::objects::entry::Observed;
use crate::server::observers::Observers;
use crate::server::rooms::Rooms;
use crate::server::sessions::Sessions;

/// Sends of an object.
struct Sends<'a> {
    entry: &'a PrefabEntry,
    now: Nanos,
    /// Reason for all fields, if one applies.
    reason: Option<UnsentReason>,
    /// Components that an observer receives.
    read: u64,
    /// Components whose next delta has all fields.
    fully_dirty: u64,
    /// Components with unreliable deltas in no baseline yet.
    without_baseline: u64,
    /// Longest reliable and unreliable message.
    longest: [usize; 2],
}

impl SendRules for Sends<'_> {
    fn encoding(&self) -> Encoding {
        Encoding::Mirror
    }

    fn pending(&self, index: usize, slot: &dyn Slot) -> u64 {
        let packed = slot.info().packed;
        let is_fully_dirty = self.fully_dirty >> index & 1 == 1;
        slot.dirty_bits()
            | if is_fully_dirty {
                packed.values & packed.changes
            } else {
                0
            }
    }

    fn obstacle(&self, index: usize, _: &SlotInfo) -> Option<UnsentReason> {
        let is_read = self.read >> index & 1 == 1;
        let unread = (!is_read).then_some(UnsentReason::NoReader);
        self.reason.clone().or(unread)
    }

    fn refusal(&self, index: usize, _: &SlotInfo, length: usize) -> Option<WriteErrorKind> {
        let [reliable, unreliable] = self.longest;
        let is_hybrid = self.entry.hybrid >> index & 1 == 1;
        let limit = if is_hybrid { unreliable } else { reliable };
        // A component has its mask and its length besides.
        let length = length + MAX_HEAD + 2;
        (length > limit).then_some(WriteErrorKind::MessageTooLarge { length, limit })
    }

    fn delay(&self, index: usize, slot: &mut dyn Slot, field: u64) -> UnsentReason {
        if slot.info().packed.changes & field == 0 {
            return UnsentReason::InitialOnly;
        }
        if self.without_baseline >> index & 1 == 1 {
            return UnsentReason::Repeated;
        }
        let settings = self.entry.components.get(index);
        let interval = settings.map_or(Duration::ZERO, |it| it.sync_interval);
        let due = slot.last_send().saturating_add(nanos(interval));
        if interval.is_zero() || due <= self.now {
            return UnsentReason::NextUpdate;
        }
        let due = Duration::from_nanos(due);
        UnsentReason::SendInterval { due }
    }
}

impl Replication {
    /// Returns the dirty fields of an object with the reason why they are not sent.
    pub(crate) fn unsent_fields(&self, rooms: &mut Rooms<'_>, id: NetId) -> Vec<UnsentField> {
        let Some(object) = rooms.objects.get(id) else {
            return Vec::new();
        };
        let Some(entry) = rooms.objects.prefabs.get(object.prefab) else {
            return Vec::new();
        };
        let longest = |channel| rooms.sessions.longest(channel);
        let sends = Sends {
            entry,
            now: nanos(rooms.context.now()),
            reason: obstacle(rooms.observers, rooms.sessions, object),
            read: read_components(rooms.observers, object, entry),
            fully_dirty: object.fully_dirty,
            without_baseline: self.baselines.without_baseline(id) & entry.hybrid,
            longest: [Channel::Reliable, Channel::Unreliable].map(longest),
        };
        let slots = rooms.objects.world.pools.slots_mut(object.at);
        slots.map_or_else(Vec::new, |slots| unsent_fields(slots, &sends))
    }
}

/// Returns the reason that holds for all fields of an object, if there is one.
fn obstacle(observers: &Observers, sessions: &Sessions, object: &Observed) -> Option<UnsentReason> {
    if !object.spawned {
        return Some(UnsentReason::NextUpdate);
    }
    if object.view.audience != Audiences::EMPTY {
        return None;
    }
    let waiting = sessions.iter().filter(|(connection, client)| {
        !client.is_receiving() && observers.sees(*connection, object)
    });
    let waiting = waiting.map(|(connection, _)| connection).collect();
    Some(UnsentReason::without_observer(waiting))
}

/// Returns the components of which an observer receives the changes.
fn read_components(observers: &Observers, object: &Observed, entry: &PrefabEntry) -> u64 {
    let is_observer = |owner| observers.contains(object, owner);
    let owner = if object.owner.is_some_and(is_observer) {
        !entry.client_to_server | object.ownership.transferred
    } else {
        0
    };
    entry.observers | owner
}
