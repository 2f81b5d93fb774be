//! Pending changes across an ownership transfer: their receivers depend on the owner.
//!
//! Mirror loses these changes. It sends writes to a component of the owner to all except the owner
//! at the time of sending, and does not mark owner-only collections dirty for a new owner.

use syncvar_runtime::unstable::object::nanos;
use syncvar_runtime::{Channel, ConnectionId, NetId};

use crate::MirrorError;
use crate::message::{EntityStateMessage, EntityStateMessageUnreliableBaseline, NetworkMessage};
use crate::server::audiences::Audiences;
use crate::server::encoding::{
    ComponentSelection, Encoder, HybridHead, write_head, write_hybrid_head, write_segment_size,
};
use crate::server::objects::Excess;
use crate::server::objects::entry::FormerOwner;
use crate::server::replication::baselines::BaselineReceivers;
use crate::server::replication::{Replication, write_or_report};
use crate::server::rooms::Rooms;
use crate::server::stats::count;

impl Replication {
    /// Flushes changes before a transfer: of components that the owner writes, and of owner-only
    /// components. A checked-out object is flushed at check-in.
    pub(crate) fn flush_before_transfer(
        &mut self,
        rooms: &mut Rooms<'_>,
        id: NetId,
        former: Option<ConnectionId>,
    ) {
        let Some(object) = rooms.objects.world.objects.get_mut(id.0) else {
            return;
        };
        if rooms.objects.world.pools.slots(object.at).is_none() {
            object.ownership.former.get_or_insert(FormerOwner(former));
            return;
        }
        if object.view.audience == Audiences::EMPTY {
            return;
        }
        self.flush_owner_written(rooms, id, former);
        // The new owner receives the values of these anyway.
        self.send_owner_only_operations(rooms, id, former);
        self.drop_owner_only_changes(rooms, id);
    }

    /// Flushes changes after a transfer during a callback.
    pub(crate) fn flush_after_callback(
        &mut self,
        rooms: &mut Rooms<'_>,
        id: NetId,
        former: Option<ConnectionId>,
    ) {
        let object = rooms.objects.world.objects.get(id.0);
        let Some(object) = object.filter(|object| object.view.audience != Audiences::EMPTY) else {
            return;
        };
        let owner = object.owner;
        self.flush_owner_written(rooms, id, former);
        self.baselines.align_owner(id);
        self.drop_owner_only_changes(rooms, id);
        let observers = rooms.observers.of(rooms.objects.get(id));
        if owner.is_some_and(|owner| observers.binary_search(&owner).is_ok()) {
            self.send_to_new_owner(rooms, id);
        }
    }

    /// Flushes operations before the spawn for the owner. The owner never receives operations of
    /// components that it writes, so its snapshot must not announce them.
    pub(crate) fn flush_owner_written_operations(
        &mut self,
        rooms: &mut Rooms<'_>,
        id: NetId,
        owner: ConnectionId,
    ) {
        let entry = rooms
            .objects
            .entry(id)
            .filter(|entry| entry.client_to_server != 0);
        let Some((written, shared)) = entry.map(|it| (it.client_to_server, it.observers)) else {
            return;
        };
        let operations = rooms
            .objects
            .changed_components(id, written, |sections| sections.collections);
        self.send_changes_now(rooms, id, operations & shared, |receiver| receiver != owner);
        self.drop_changes(rooms, id, operations & !shared);
    }

    /// Flushes announced owner-only operations before a callback, which may change the owner.
    pub(crate) fn flush_owner_only_operations(&mut self, rooms: &mut Rooms<'_>, id: NetId) {
        let object = rooms.objects.world.objects.get(id.0);
        if let Some(object) = object.filter(|object| object.announced != 0) {
            self.send_owner_only_operations(rooms, id, object.owner);
        }
    }

    /// Sends pending changes of components that the owner writes to all except their writer. Hybrid
    /// components are sent as a baseline, which outdates all deltas on their way: to all observers,
    /// because a receiver without this baseline ignores deltas until the next one.
    fn flush_owner_written(
        &mut self,
        rooms: &mut Rooms<'_>,
        id: NetId,
        former: Option<ConnectionId>,
    ) {
        let entry = rooms.objects.entry(id);
        let Some((written, shared, hybrid)) =
            entry.map(|it| (it.client_to_server, it.observers, it.hybrid))
        else {
            return;
        };
        let pending = rooms.objects.pending_components(id, written & shared);
        let to = |receiver| Some(receiver) != former;
        self.send_changes_now(rooms, id, pending & !hybrid, to);
        self.send_new_baseline(rooms, id, pending & hybrid, BaselineReceivers::ALL, |_| {
            true
        });
        self.send_missed_baseline(rooms, id, hybrid & shared, former);
    }

    /// Sends a past owner the current baseline of the observers. The owner received none of the baselines
    /// with its own writes, and the next deltas refer to the last.
    fn send_missed_baseline(
        &mut self,
        rooms: &mut Rooms<'_>,
        id: NetId,
        shared: u64,
        former: Option<ConnectionId>,
    ) {
        if former.is_some()
            && let Some(tick) = self.baselines.join_observers(id)
            && self.write_snapshot(rooms, id, shared)
        {
            self.send_baseline(rooms, id, tick, |receiver| Some(receiver) == former);
        }
    }

    /// Sends the observers of an object without a baseline the pending changes of hybrid components as its first
    /// baseline, before a further snapshot. Changes until the first baseline are relative to the snapshot of the
    /// present observers; a further snapshot would become the base, which these observers lack.
    pub(crate) fn send_first_baseline(&mut self, rooms: &mut Rooms<'_>, id: NetId) {
        let entry = rooms.objects.entry(id).filter(|entry| entry.hybrid != 0);
        let Some((object, entry)) = rooms.objects.get(id).zip(entry) else {
            return;
        };
        if self.baselines.has_baseline(id) {
            return;
        }
        let owner = object.owner;
        let written = entry.client_to_server & !object.ownership.transferred;
        let shared = entry.hybrid & entry.observers;
        let pending = rooms.objects.pending_components(id, shared);
        self.send_new_baseline(
            rooms,
            id,
            pending & !written,
            BaselineReceivers::ALL,
            |_| true,
        );
        let to = |receiver| Some(receiver) != owner;
        self.send_new_baseline(
            rooms,
            id,
            pending & written,
            BaselineReceivers::OBSERVERS,
            to,
        );
    }

    /// Sends the owner the pending operations of owner-only components that it does not write.
    fn send_owner_only_operations(
        &mut self,
        rooms: &mut Rooms<'_>,
        id: NetId,
        owner: Option<ConnectionId>,
    ) {
        if let Some(entry) = rooms.objects.entry(id) {
            let own = !entry.client_to_server & !entry.observers;
            let operations = rooms
                .objects
                .changed_components(id, own, |sections| sections.collections);
            self.send_changes_now(rooms, id, operations, |receiver| Some(receiver) == owner);
        }
    }

    /// Drops the pending changes of owner-only components.
    fn drop_owner_only_changes(&mut self, rooms: &mut Rooms<'_>, id: NetId) {
        if let Some(entry) = rooms.objects.entry(id) {
            let own = rooms.objects.pending_components(id, !entry.observers);
            self.drop_changes(rooms, id, own);
        }
    }

    /// Sends a new owner, already an observer, the owner-only components: all values, as Mirror
    /// does, and collections as clear and refill. Hybrid components that it writes are sent at
    /// once, so that they do not arrive again after its first write.
    pub(crate) fn send_to_new_owner(&mut self, rooms: &mut Rooms<'_>, id: NetId) {
        let Some(object) = rooms.objects.world.objects.get_mut(id.0) else {
            return;
        };
        let Some(entry) = rooms.objects.prefabs.get(object.prefab) else {
            return;
        };
        let owned = entry.all() & !entry.observers;
        // A checked-out object follows at check-in.
        let slots = rooms.objects.world.pools.slots_mut(object.at);
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
        object.ownership.transferred |= owned & entry.client_to_server & !own;
        let receiver = object.owner;
        self.queue_dirty(rooms.objects, id);
        self.send_new_baseline(rooms, id, own, BaselineReceivers::OWNER, |it| {
            Some(it) == receiver
        });
    }

    fn drop_changes(&mut self, rooms: &mut Rooms<'_>, id: NetId, components: u64) {
        rooms.objects.clear_changes(id, components);
        self.baselines.drop_changes(id, components);
    }

    /// Sends the changes of components at once, to selected observers.
    fn send_changes_now(
        &mut self,
        rooms: &mut Rooms<'_>,
        id: NetId,
        components: u64,
        to: impl Fn(ConnectionId) -> bool,
    ) {
        let Some(object) = rooms.objects.world.objects.get_mut(id.0) else {
            return;
        };
        let slots = rooms.objects.world.pools.slots_mut(object.at);
        let slots = slots.filter(|_| components != 0);
        let Some((slots, entry)) = slots.zip(rooms.objects.prefabs.get(object.prefab)) else {
            return;
        };
        let selection = ComponentSelection {
            observers: components,
            owner: 0,
            initial_state: false,
            fully_dirty: object.fully_dirty,
            prefab: rooms.objects.world.prefabs.get(object.prefab),
        };
        let (encoder, context) = (&mut self.encoder, &mut *rooms.context);
        if !write_or_report(encoder, slots, selection, id, entry, context) {
            return;
        }
        let written = &self.encoder.observers;
        let mask = written.mask;
        if mask == 0 {
            return;
        }
        object.mark_sent(slots, mask, nanos(rooms.context.now()));
        // A cached spawn announces these operations as pending.
        self.spawns.forget();
        write_head(&mut self.encoder.head, EntityStateMessage::ID, id);
        write_segment_size(&mut self.encoder.head, written.len());
        self.encoder.head.write_var_u64(mask);
        self.send_to_observers(rooms, id, to);
    }

    /// Sends components as a new baseline at once, to selected observers. `receivers` says whose
    /// baseline it is: of the observers, of the owner, or of both.
    fn send_new_baseline(
        &mut self,
        rooms: &mut Rooms<'_>,
        id: NetId,
        components: u64,
        receivers: BaselineReceivers,
        to: impl Fn(ConnectionId) -> bool,
    ) {
        if !self.write_snapshot(rooms, id, components) {
            return;
        }
        rooms.objects.clear_changes(id, components);
        let tick = self.baselines.next_baseline(id, components, receivers);
        self.send_baseline(rooms, id, tick, to);
    }

    /// Writes snapshots of components. Returns false without components or after a write error.
    fn write_snapshot(&mut self, rooms: &mut Rooms<'_>, id: NetId, components: u64) -> bool {
        let Some(object) = rooms.objects.world.objects.get(id.0) else {
            return false;
        };
        let entry = rooms.objects.prefabs.get(object.prefab);
        let slots = rooms.objects.world.pools.slots_mut(object.at);
        let slots = slots.filter(|_| components != 0);
        let Some((slots, entry)) = slots.zip(entry) else {
            return false;
        };
        let selection = ComponentSelection {
            observers: components,
            owner: 0,
            initial_state: true,
            fully_dirty: 0,
            prefab: rooms.objects.world.prefabs.get(object.prefab),
        };
        let (encoder, context) = (&mut self.encoder, &mut *rooms.context);
        write_or_report(encoder, slots, selection, id, entry, context)
    }

    /// Sends the written snapshots as the baseline `tick`, to selected observers.
    fn send_baseline(
        &mut self,
        rooms: &mut Rooms<'_>,
        id: NetId,
        tick: u8,
        to: impl Fn(ConnectionId) -> bool,
    ) {
        let (head, written) = (&mut self.encoder.head, &self.encoder.observers);
        head.truncate(0);
        let message = EntityStateMessageUnreliableBaseline::ID;
        write_hybrid_head(head, HybridHead { message, tick }, id, written);
        self.send_to_observers(rooms, id, to);
    }

    /// Sends the written head and components to selected observers.
    fn send_to_observers(
        &mut self,
        rooms: &mut Rooms<'_>,
        id: NetId,
        to: impl Fn(ConnectionId) -> bool,
    ) {
        let Some(object) = rooms.objects.world.objects.get(id.0) else {
            return;
        };
        let observers = rooms
            .observers
            .audiences
            .shared_members(object.view.audience);
        for receiver in observers.iter().filter(|receiver| to(**receiver)) {
            let Encoder {
                head, observers, ..
            } = &self.encoder;
            let parts = [head.as_bytes(), observers.bytes()];
            let now = rooms.context.now();
            match rooms
                .sessions
                .send(*receiver, Channel::Reliable, now, &parts)
            {
                Ok(length) => count(&mut rooms.context.stats.states, length),
                Err(MirrorError::TooLong { length, limit }) => {
                    let excess = Excess { length, limit };
                    rooms
                        .objects
                        .report_too_long(id, Some(*receiver), excess, rooms.context);
                }
                Err(_) => {}
            }
        }
    }
}
