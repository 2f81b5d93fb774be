//! Pending changes across an ownership transfer: their receivers depend on the owner.
//!
//! Mirror loses these changes. It sends writes to a component of the owner to all except the owner
//! at the time of sending, and does not mark owner-only collections dirty for a new owner.

use syncvar_runtime::object::nanos;
use syncvar_runtime::schema::PackedBits;
use syncvar_runtime::{Channel, ConnectionId, NetId};

use crate::MirrorError;
use crate::message::{EntityStateMessage, EntityStateMessageUnreliableBaseline, NetworkMessage};
use crate::server::MirrorServer;
use crate::server::observers::audience::Audiences;
use crate::server::replication::encode::{
    Selection, write_head, write_hybrid_head, write_segment_size,
};
use crate::server::stats::count;
use crate::server::world::object::FormerOwner;

impl MirrorServer {
    /// Flushes changes before a transfer: of components that the owner writes, and of owner-only
    /// components. A checked-out object is flushed at check-in.
    pub(in crate::server) fn flush_before_transfer(
        &mut self,
        id: NetId,
        former: Option<ConnectionId>,
    ) {
        let Some(object) = self.world.objects.get_mut(id.0) else {
            return;
        };
        if self.world.pools.slots(object.at).is_none() {
            object.former_owner.get_or_insert(FormerOwner(former));
            return;
        }
        if object.audience == Audiences::EMPTY {
            return;
        }
        self.flush_owner_written(id, former);
        // The new owner receives the values of these anyway.
        self.send_owner_only_operations(id, former);
        self.drop_owner_only_changes(id);
    }

    /// Flushes changes after a transfer during a callback.
    pub(in crate::server) fn flush_after_callback(
        &mut self,
        id: NetId,
        former: Option<ConnectionId>,
    ) {
        let object = self.world.objects.get(id.0);
        let Some(object) = object.filter(|object| object.audience != Audiences::EMPTY) else {
            return;
        };
        let owner = object.owner;
        self.flush_owner_written(id, former);
        self.replication.hybrid.align_owner(id);
        self.drop_owner_only_changes(id);
        if owner.is_some_and(|owner| self.is_observer(id, owner)) {
            self.send_to_new_owner(id);
        }
    }

    /// Flushes operations before the spawn for the owner. The owner never receives operations of
    /// components that it writes, so its snapshot must not announce them.
    pub(in crate::server) fn flush_owner_written_operations(
        &mut self,
        id: NetId,
        owner: ConnectionId,
    ) {
        let entry = self.entry(id).filter(|entry| entry.client_to_server != 0);
        let Some((written, shared)) = entry.map(|it| (it.client_to_server, it.observers)) else {
            return;
        };
        let operations = self.changed_components(id, written, |sections| sections.collections);
        self.send_changes_now(id, operations & shared, |receiver| receiver != owner);
        self.drop_changes(id, operations & !shared);
    }

    /// Flushes announced owner-only operations before a callback, which may change the owner.
    pub(in crate::server) fn flush_owner_only_operations(&mut self, id: NetId) {
        let object = self.world.objects.get(id.0);
        if let Some(object) = object.filter(|object| object.announced != 0) {
            self.send_owner_only_operations(id, object.owner);
        }
    }

    /// Sends pending changes of components that the owner writes to all except their writer. Hybrid
    /// components are sent as a baseline, which outdates all deltas on their way: to all observers,
    /// because a receiver without this baseline ignores deltas until the next one.
    fn flush_owner_written(&mut self, id: NetId, former: Option<ConnectionId>) {
        let entry = self.entry(id);
        let Some((written, shared, hybrid)) =
            entry.map(|it| (it.client_to_server, it.observers, it.hybrid))
        else {
            return;
        };
        let pending = self.pending_components(id, written & shared);
        let to = |receiver| Some(receiver) != former;
        self.send_changes_now(id, pending & !hybrid, to);
        self.send_new_baseline(id, pending & hybrid, (true, true), |_| true);
        self.send_missed_baseline(id, hybrid & shared, former);
    }

    /// Sends a former owner the current baseline of the other observers. It received no baselines
    /// of its own writes, and the next deltas refer to this one.
    fn send_missed_baseline(&mut self, id: NetId, shared: u64, former: Option<ConnectionId>) {
        if former.is_some()
            && let Some(tick) = self.replication.hybrid.join_observers(id)
            && self.write_snapshot(id, shared)
        {
            self.send_baseline(id, tick, |receiver| Some(receiver) == former);
        }
    }

    /// Sends the owner the pending operations of owner-only components that it does not write.
    fn send_owner_only_operations(&mut self, id: NetId, owner: Option<ConnectionId>) {
        if let Some(entry) = self.entry(id) {
            let own = !entry.client_to_server & !entry.observers;
            let operations = self.changed_components(id, own, |sections| sections.collections);
            self.send_changes_now(id, operations, |receiver| Some(receiver) == owner);
        }
    }

    /// Drops the pending changes of owner-only components.
    fn drop_owner_only_changes(&mut self, id: NetId) {
        if let Some(entry) = self.entry(id) {
            let own = self.pending_components(id, !entry.observers);
            self.drop_changes(id, own);
        }
    }

    /// Sends a new owner, already an observer, the owner-only components: all values, as Mirror
    /// does, and collections as clear and refill. Hybrid components that it writes are sent at
    /// once, so that they do not arrive again after its first write.
    pub(in crate::server) fn send_to_new_owner(&mut self, id: NetId) {
        let Some(object) = self.world.objects.get_mut(id.0) else {
            return;
        };
        let Some(entry) = self.prefabs.get(object.prefab) else {
            return;
        };
        let owned = entry.all() & !entry.observers;
        // A checked-out object follows at check-in.
        let slots = self.world.pools.slots_mut(object.at);
        let Some(slots) = slots.filter(|_| owned != 0) else {
            return;
        };
        let mut bit = 1;
        slots.for_each_mut(|slot| {
            let collections = slot.info().packed.collections;
            if owned & bit != 0 && collections != 0 {
                slot.set_dirty_bit(collections);
            }
            bit = bit.wrapping_shl(1);
        });
        let own = owned & entry.client_to_server & entry.hybrid;
        object.fully_dirty |= owned & !own;
        object.transferred |= owned & entry.client_to_server & !own;
        let receiver = object.owner;
        self.queue_dirty(id);
        self.send_new_baseline(id, own, (false, true), |it| Some(it) == receiver);
    }

    /// Returns the components with changes, among `components`.
    pub(in crate::server) fn pending_components(&self, id: NetId, components: u64) -> u64 {
        let object = self.world.objects.get(id.0);
        let all = object.map_or(0, |object| object.fully_dirty);
        all & components | self.changed_components(id, components, |_| u64::MAX)
    }

    /// Returns the components with changed `fields`, among `components`.
    fn changed_components(
        &self,
        id: NetId,
        components: u64,
        fields: impl Fn(&PackedBits) -> u64,
    ) -> u64 {
        self.world.slots(id).map_or(0, |slots| {
            let slots = (0..64).zip(slots.iter());
            let changed =
                slots.filter(|(_, slot)| slot.dirty_bits() & fields(&slot.info().packed) != 0);
            changed.fold(0, |bits, (index, _)| bits | 1 << index) & components
        })
    }

    fn drop_changes(&mut self, id: NetId, components: u64) {
        if let Some(object) = self.world.objects.get_mut(id.0)
            && let Some(slots) = self.world.pools.slots_mut(object.at)
        {
            object.clear_changes(slots, components);
        }
        self.replication.hybrid.drop_changes(id, components);
    }

    /// Sends the changes of components at once, to selected observers.
    fn send_changes_now(&mut self, id: NetId, components: u64, to: impl Fn(ConnectionId) -> bool) {
        let Some(object) = self.world.objects.get_mut(id.0) else {
            return;
        };
        let slots = self.world.pools.slots_mut(object.at);
        let slots = slots.filter(|_| components != 0);
        let Some((slots, entry)) = slots.zip(self.prefabs.get(object.prefab)) else {
            return;
        };
        let selection = Selection {
            observers: components,
            owner: 0,
            initial_state: false,
            fully_dirty: object.fully_dirty,
            prefab: self.world.prefabs.get(object.prefab),
        };
        if let Err(unwritable) = self.replication.scratch.write_components(
            slots,
            selection,
            (id, entry, &mut self.stats),
        ) {
            self.report_unwritable(id, unwritable);
            return;
        }
        let written = &self.replication.scratch.observers;
        let mask = written.mask;
        if mask == 0 {
            return;
        }
        object.mark_sent(slots, mask, nanos(self.clock.now()));
        // A cached spawn announces these operations as pending.
        self.replication.scratch.cached_spawn = None;
        write_head(
            &mut self.replication.scratch.head,
            EntityStateMessage::ID,
            id,
        );
        write_segment_size(&mut self.replication.scratch.head, written.len());
        self.replication.scratch.head.write_var_u64(mask);
        self.send_to_observers(id, to);
    }

    /// Sends components as a new baseline at once, to selected observers. `receivers` says whose
    /// baseline it is: of the observers, of the owner, or of both.
    fn send_new_baseline(
        &mut self,
        id: NetId,
        components: u64,
        receivers: (bool, bool),
        to: impl Fn(ConnectionId) -> bool,
    ) {
        if !self.write_snapshot(id, components) {
            return;
        }
        if let Some(object) = self.world.objects.get_mut(id.0)
            && let Some(slots) = self.world.pools.slots_mut(object.at)
        {
            object.clear_changes(slots, components);
        }
        let tick = self
            .replication
            .hybrid
            .next_baseline(id, components, receivers);
        self.send_baseline(id, tick, to);
    }

    /// Writes snapshots of components. Returns false without components or after a write error.
    fn write_snapshot(&mut self, id: NetId, components: u64) -> bool {
        let Some(object) = self.world.objects.get(id.0) else {
            return false;
        };
        let entry = self.prefabs.get(object.prefab);
        let slots = self.world.pools.slots_mut(object.at);
        let slots = slots.filter(|_| components != 0);
        let Some((slots, entry)) = slots.zip(entry) else {
            return false;
        };
        let selection = Selection {
            observers: components,
            owner: 0,
            initial_state: true,
            fully_dirty: 0,
            prefab: self.world.prefabs.get(object.prefab),
        };
        if let Err(unwritable) = self.replication.scratch.write_components(
            slots,
            selection,
            (id, entry, &mut self.stats),
        ) {
            self.report_unwritable(id, unwritable);
            return false;
        }
        true
    }

    /// Sends the written snapshots as the baseline `tick`, to selected observers.
    fn send_baseline(&mut self, id: NetId, tick: u8, to: impl Fn(ConnectionId) -> bool) {
        let (head, written) = (
            &mut self.replication.scratch.head,
            &self.replication.scratch.observers,
        );
        head.truncate(0);
        let message = EntityStateMessageUnreliableBaseline::ID;
        write_hybrid_head(head, (message, tick), id, written);
        self.send_to_observers(id, to);
    }

    /// Sends the written head and components to selected observers.
    fn send_to_observers(&mut self, id: NetId, to: impl Fn(ConnectionId) -> bool) {
        let Some(object) = self.world.objects.get(id.0) else {
            return;
        };
        let observers = self.observers.audiences.shared_members(object.audience);
        for receiver in observers.iter().filter(|receiver| to(**receiver)) {
            let scratch = &self.replication.scratch;
            let parts = [scratch.head.as_bytes(), scratch.observers.bytes()];
            let channel = (Channel::Reliable, self.clock.now());
            match self.sessions.send(*receiver, channel, &parts) {
                Ok(length) => count(&mut self.stats.states, length),
                Err(MirrorError::TooLong { length, limit }) => {
                    self.report_too_long(id, Some(*receiver), (length, limit));
                }
                Err(_) => {}
            }
        }
    }
}
