//! Changes that have not reached all observers, and why.

use std::time::Duration;

use syncvar_runtime::object::{Nanos, SendRules, Slot, SlotInfo, nanos, unsent_fields};
use syncvar_runtime::{
    Channel, Encoding, NetId, ObjectError, UnsentField, UnsentReason, WriteErrorKind,
};

use super::changes::MAX_HEAD;
use crate::prefabs::Entry;
use crate::server::MirrorServer;
use crate::server::observers::audience::Audiences;
use crate::server::world::object::Observed;

/// Sends of one object.
struct Sends<'a> {
    entry: &'a Entry,
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

impl MirrorServer {
    /// Returns the dirty fields of an object with the reason why they are not sent. Empty if all
    /// observers have all changes.
    ///
    /// A component that its owner writes is relayed with all its fields. Costs time in proportion to the
    /// dirty fields and the connections.
    ///
    /// ```
    /// use syncvar::mirror::{MirrorPrefab, MirrorPrefabs, MirrorServer};
    /// use syncvar::prelude::*;
    /// use syncvar::stats::UnsentReason;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Door {
    ///     #[sync_var]
    ///     open: SyncVar<bool>,
    /// }
    ///
    /// let prefabs = MirrorPrefabs::new().register::<Door>(MirrorPrefab::new("door", 7.into()));
    /// let mut server = MirrorServer::new(prefabs);
    /// let door = server.spawn(Door::default());
    /// server.get_mut::<Door>(door).unwrap().open.set(true);
    /// let unsent = server.why_not_sent(door).unwrap();
    /// assert_eq!((unsent[0].field, &unsent[0].reason), ("open", &UnsentReason::NoObserver));
    /// ```
    ///
    /// # Errors
    ///
    /// [`ObjectError::NoSuchObject`] for an unknown object. [`ObjectError::CheckedOut`] during a
    /// callback of the object: its changes are queued afterwards.
    pub fn why_not_sent(&mut self, id: NetId) -> Result<Vec<UnsentField>, ObjectError> {
        self.world.check(id)?;
        let object = self.world.objects.get(id.0);
        let object = object.ok_or(ObjectError::NoSuchObject(id))?;
        let Some(entry) = self.prefabs.get(object.prefab) else {
            return Ok(Vec::new());
        };
        let sends = Sends {
            entry,
            now: nanos(self.clock.now()),
            reason: self.obstacle(object),
            read: self.read_components(object, entry),
            fully_dirty: object.fully_dirty,
            without_baseline: self.replication.hybrid.without_baseline(id) & entry.hybrid,
            longest: [Channel::Reliable, Channel::Unreliable].map(|it| self.sessions.longest(it)),
        };
        let slots = self.world.pools.slots_mut(object.at);
        Ok(slots.map_or_else(Vec::new, |slots| unsent_fields(slots, &sends)))
    }

    /// Returns the reason that holds for all fields of an object, if there is one.
    fn obstacle(&self, object: &Observed) -> Option<UnsentReason> {
        if !object.spawned {
            return Some(UnsentReason::NextUpdate);
        }
        if object.audience != Audiences::EMPTY {
            return None;
        }
        let connections = self.sessions.iter();
        let waiting = connections.filter(|(connection, client)| {
            !client.is_receiving() && self.observers.sees(*connection, object)
        });
        let waiting = waiting.map(|(connection, _)| connection).collect();
        Some(UnsentReason::without_observer(waiting))
    }

    /// Returns the components of which an observer receives the changes.
    fn read_components(&self, object: &Observed, entry: &Entry) -> u64 {
        let observes = |owner| self.observers.audiences.contains(object.audience, owner);
        let owner = if object.owner.is_some_and(observes) {
            !entry.client_to_server | object.transferred
        } else {
            0
        };
        entry.observers | owner
    }
}
