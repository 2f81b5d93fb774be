//! What becomes of changes when an object changes hands: which of them are whose depends on the owner.
//!
//! Mirror makes nothing of it, so that what is pending then is lost: what is written to a component that
//! the owner writes goes to all but the owner at the time of sending, and collections that only the owner
//! is given are not made dirty for a new one.

use syncvar_runtime::object::nanos;
use syncvar_runtime::schema::Sections;
use syncvar_runtime::{ConnectionId, NetId};

use super::MirrorServer;
use super::audience::Audiences;
use super::encode::{Wanted, write_head, write_hybrid_head, write_segment_size};
use super::object::Former;
use super::stats::count;
use crate::message::{EntityStateMessage, EntityStateMessageUnreliableBaseline, NetworkMessage};

impl MirrorServer {
    /// An object is about to change hands. What is pending of components that the owner writes, and of those
    /// that only the owner is given, is sent first; if it is being called, when that is done.
    pub(super) fn settle_changes(&mut self, id: NetId, former: Option<ConnectionId>) {
        let Some(object) = self.objects.get_mut(id.0) else {
            return;
        };
        if object.behaviours.is_none() {
            object.former_owner.get_or_insert(Former(former));
            return;
        }
        if object.audience == Audiences::NOBODY {
            return;
        }
        self.settle_shared(id, former);
        // Values of these the next owner is sent anyway.
        self.send_own_operations(id, former);
        self.forget_own(id);
    }

    /// The same for an object that has changed hands while it was being called.
    pub(super) fn settle_late(&mut self, id: NetId, former: Option<ConnectionId>) {
        let object = self.objects.get(id.0);
        let Some(object) = object.filter(|object| object.audience != Audiences::NOBODY) else {
            return;
        };
        let owner = object.owner;
        self.settle_shared(id, former);
        self.hybrid.change_owner(id);
        self.forget_own(id);
        if owner.is_some_and(|owner| self.is_observer(id, owner)) {
            self.hand_over(id);
        }
    }

    /// The owner of an object is about to be sent it. Operations of what it has written itself, which it is
    /// never sent, are not to be said to come: the others are sent them first.
    pub(super) fn settle_written(&mut self, id: NetId, owner: ConnectionId) {
        let entry = self.entry(id).filter(|entry| entry.client_to_server != 0);
        let Some((written, seen)) = entry.map(|it| (it.client_to_server, it.observers)) else {
            return;
        };
        let operations = self.changed(id, written, |sections| sections.collections);
        self.send_pending(id, operations & seen, |receiver| receiver != owner);
        self.forget_pending(id, operations & !seen);
    }

    /// An object is about to be called, and may have another owner then. Operations that only the owner is
    /// sent, and has been told are to come, are sent first.
    pub(super) fn settle_promised(&mut self, id: NetId) {
        let object = self.objects.get(id.0);
        if let Some(object) = object.filter(|object| object.promised != 0) {
            self.send_own_operations(id, object.owner);
        }
    }

    /// Sends what is pending of components that the owner writes to all but the one who has written it. What
    /// travels unreliably is sent whole, as a baseline is, so that nothing that is still on its way counts: to
    /// all, for whoever does not have this baseline takes no changes until the next one.
    fn settle_shared(&mut self, id: NetId, former: Option<ConnectionId>) {
        let entry = self.entry(id);
        let Some((written, seen, hybrid)) =
            entry.map(|it| (it.client_to_server, it.observers, it.hybrid))
        else {
            return;
        };
        let pending = self.pending(id, written & seen);
        let to = |receiver| Some(receiver) != former;
        self.send_pending(id, pending & !hybrid, to);
        self.send_whole(id, pending & hybrid, (true, true), |_| true);
        self.catch_up(id, hybrid & seen, former);
    }

    /// Sends a former owner, who was not sent the baselines of what it wrote itself, the last one that the others
    /// were, as things are now: what travels unreliably is counted from that.
    fn catch_up(&mut self, id: NetId, seen: u64, former: Option<ConnectionId>) {
        if former.is_some()
            && let Some(tick) = self.hybrid.join_observers(id)
            && self.write_whole(id, seen)
        {
            self.send_baseline(id, tick, |receiver| Some(receiver) == former);
        }
    }

    /// Sends the owner the operations that are pending of what it does not write and nobody else is given.
    fn send_own_operations(&mut self, id: NetId, owner: Option<ConnectionId>) {
        if let Some(entry) = self.entry(id) {
            let own = !entry.client_to_server & !entry.observers;
            let operations = self.changed(id, own, |sections| sections.collections);
            self.send_pending(id, operations, |receiver| Some(receiver) == owner);
        }
    }

    /// What is pending of components that only the owner is given is not sent.
    fn forget_own(&mut self, id: NetId) {
        if let Some(entry) = self.entry(id) {
            let own = self.pending(id, !entry.observers);
            self.forget_pending(id, own);
        }
    }

    /// The new owner of an object, which observes it already, is to be sent what others are not: all values,
    /// as Mirror does, and collections emptied and filled again. What it writes itself and travels unreliably
    /// is sent at once, so that it is not sent again when the owner has begun to write.
    pub(super) fn hand_over(&mut self, id: NetId) {
        let Some(object) = self.objects.get_mut(id.0) else {
            return;
        };
        let Some(entry) = self.prefabs.get(object.prefab) else {
            return;
        };
        let owned = entry.all() & !entry.observers;
        // One that is being called is looked at when that is done.
        let Some(behaviours) = object.behaviours.as_mut().filter(|_| owned != 0) else {
            return;
        };
        let mut bit = 1;
        behaviours.slots_mut().for_each_mut(|slot| {
            let collections = slot.info().sections.collections;
            if owned & bit != 0 && collections != 0 {
                slot.set_dirty_bit(collections);
            }
            bit = bit.wrapping_shl(1);
        });
        let own = owned & entry.client_to_server & entry.hybrid;
        object.everything_dirty |= owned & !own;
        object.handed_over |= owned & entry.client_to_server & !own;
        let receiver = object.owner;
        self.queue_dirty(id);
        self.send_whole(id, own, (false, true), |it| Some(it) == receiver);
    }

    /// Those of some components that have changes.
    pub(super) fn pending(&self, id: NetId, components: u64) -> u64 {
        let object = self.objects.get(id.0);
        let all = object.map_or(0, |object| object.everything_dirty);
        all & components | self.changed(id, components, |_| u64::MAX)
    }

    /// Those of some components of which some fields have changed.
    fn changed(&self, id: NetId, components: u64, fields: impl Fn(&Sections) -> u64) -> u64 {
        let object = self.objects.get(id.0);
        let behaviours = object.and_then(|object| object.behaviours.as_ref());
        behaviours.map_or(0, |behaviours| {
            let slots = (0..64).zip(behaviours.slots().iter());
            let changed =
                slots.filter(|(_, slot)| slot.dirty_bits() & fields(&slot.info().sections) != 0);
            changed.fold(0, |bits, (index, _)| bits | 1 << index) & components
        })
    }

    fn forget_pending(&mut self, id: NetId, components: u64) {
        if let Some(object) = self.objects.get_mut(id.0) {
            object.note_settled(components);
        }
        self.hybrid.forget_changes(id, components);
    }

    /// Sends the changes of some components at once, to some of those who observe the object.
    fn send_pending(&mut self, id: NetId, components: u64, to: impl Fn(ConnectionId) -> bool) {
        let Some(object) = self.objects.get_mut(id.0) else {
            return;
        };
        let Some(behaviours) = object.behaviours.as_mut().filter(|_| components != 0) else {
            return;
        };
        let wanted = Wanted {
            observers: components,
            owner: 0,
            initial_state: false,
            everything_dirty: object.everything_dirty,
        };
        if let Err(unwritable) = self
            .scratch
            .write_components(behaviours.slots_mut(), wanted)
        {
            self.report_unwritable(id, unwritable);
            return;
        }
        let written = &self.scratch.observers;
        let mask = written.mask;
        if mask == 0 {
            return;
        }
        object.note_sent(mask, nanos(self.now));
        // It says how much is pending.
        self.scratch.spawn_of = None;
        write_head(&mut self.scratch.head, EntityStateMessage::ID, id);
        write_segment_size(&mut self.scratch.head, written.len());
        self.scratch.head.write_var_u64(mask);
        self.send_to_observers(id, to);
    }

    /// Sends some components whole, as a baseline, at once and to some of those who observe the object. Whose
    /// baseline that is: of all who observe it, of its owner, or of both.
    fn send_whole(
        &mut self,
        id: NetId,
        components: u64,
        receivers: (bool, bool),
        to: impl Fn(ConnectionId) -> bool,
    ) {
        if !self.write_whole(id, components) {
            return;
        }
        if let Some(object) = self.objects.get_mut(id.0) {
            object.note_settled(components);
        }
        let tick = self.hybrid.begin(id, components, receivers);
        self.send_baseline(id, tick, to);
    }

    /// Writes some components whole. Whether there were some, and they could be written.
    fn write_whole(&mut self, id: NetId, components: u64) -> bool {
        let object = self.objects.get_mut(id.0).filter(|_| components != 0);
        let Some(behaviours) = object.and_then(|object| object.behaviours.as_mut()) else {
            return false;
        };
        let wanted = Wanted {
            observers: components,
            owner: 0,
            initial_state: true,
            everything_dirty: 0,
        };
        let slots = behaviours.slots_mut();
        if let Err(unwritable) = self.scratch.write_components(slots, wanted) {
            self.report_unwritable(id, unwritable);
            return false;
        }
        true
    }

    /// Sends what has been written whole, as the baseline of this number, to some of those who observe an
    /// object.
    fn send_baseline(&mut self, id: NetId, tick: u8, to: impl Fn(ConnectionId) -> bool) {
        let (head, written) = (&mut self.scratch.head, &self.scratch.observers);
        head.truncate(0);
        let message = EntityStateMessageUnreliableBaseline::ID;
        write_hybrid_head(head, (message, tick), id, written);
        self.send_to_observers(id, to);
    }

    /// Sends a message that has been written, its head and the components, to some of those who observe an
    /// object.
    fn send_to_observers(&mut self, id: NetId, to: impl Fn(ConnectionId) -> bool) {
        let Some(object) = self.objects.get(id.0) else {
            return;
        };
        let observers = self.audiences.shared_members(object.audience);
        for receiver in observers.iter().filter(|receiver| to(**receiver)) {
            let Some(client) = self.connections.get_mut(receiver.0) else {
                continue;
            };
            let (head, state) = (&self.scratch.head, &self.scratch.observers);
            let parts = [head.as_bytes(), state.bytes()];
            let length = parts.iter().map(|part| part.len()).sum();
            let channel = syncvar_runtime::Channel::Reliable;
            if client.outbox.send(channel, self.now, &parts) {
                count(&mut self.stats.states, length);
                continue;
            }
            let limit = client.outbox.longest(channel);
            self.report_too_long(id, Some(*receiver), (length, limit));
        }
    }
}
