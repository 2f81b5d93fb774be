//! Local writes: fields that this client may write as the owner, and refused writes.

mod encode;
mod guard;
pub(super) mod lossy;
mod owner_state;
mod send;

pub use guard::{ReplicaMut, ReplicaSink};

use super::{ClientEvent, NetworkClient};
use syncvar_runtime::events::Events;
use syncvar_runtime::object::{Slot, Slots};
use syncvar_runtime::ordered::{IdMap, Ids};
use syncvar_runtime::world::WriteGuard;
use syncvar_runtime::{ChangedFields, NetId, NetworkBehaviour, ObjectError};

/// Local writes not yet sent.
#[derive(Debug, Default)]
pub(super) struct PendingWrites {
    /// Objects with permitted writes.
    pub(super) changed: Ids<NetId>,
    /// Objects with possible writes of hooks, in the message in progress.
    pub(super) from_hooks: Vec<NetId>,
    /// Numbers that owner writes must carry, by object; none or 0 until the server has sent it.
    pub(super) leases: IdMap<NetId, u32>,
    /// Objects with refused writes: their snapshots must be requested.
    pub(super) refused: Ids<NetId>,
}

impl PendingWrites {
    pub(super) fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.refused.is_empty()
    }
}

impl NetworkClient {
    /// Borrows the first behaviour of type `B` on an object for writing.
    ///
    /// Local members and the fields that this client writes as the owner are writable: see
    /// [`ReplicaMut`].
    ///
    /// # Errors
    ///
    /// When the object does not exist, has no such behaviour or is checked out. Inside a call, a hook
    /// or a callback, the own object is checked out.
    pub fn get_mut<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
    ) -> Result<ReplicaMut<'_, B>, ObjectError> {
        let index = self.objects.world.position::<B>(id)?;
        self.get_mut_at(id, index)
    }

    /// Borrows the behaviour at a position of an object for writing, for objects with two behaviours of
    /// one type. See [`get_mut`](Self::get_mut).
    ///
    /// # Errors
    ///
    /// As [`get_mut`](Self::get_mut).
    pub fn get_mut_at<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
        index: usize,
    ) -> Result<ReplicaMut<'_, B>, ObjectError> {
        let may_write = self.may_write(id);
        let replica = self.objects.world.objects.get_mut(id.0);
        let replica = replica.filter(|replica| replica.is_visible());
        let replica = replica.ok_or(ObjectError::NoSuchObject(id))?;
        let pools = &mut self.objects.world.pools;
        let at = replica.at;
        if let Some(slots) = pools.slots_mut(at)
            && replica.track_writes()
        {
            // Received values are not this client's writes.
            discard_writes(slots);
        }
        let parts = pools.behaviour_at_mut::<B>(id, at, index)?;
        let sink = ReplicaSink {
            index,
            writable: if may_write {
                const { B::SCHEMA.policy_bits() }.owner_write
            } else {
                0
            },
            writes: &mut self.writes,
            events: &mut self.context.events,
        };
        Ok(WriteGuard::new(id, parts.tracked, sink))
    }

    /// Returns whether this client may write the fields of an object that its owner writes.
    fn may_write(&self, id: NetId) -> bool {
        let connected = self.is_connected() || self.is_away();
        self.is_owner(id) && connected && self.context.config.compare_schemas
    }

    /// Prepares checked-out behaviours for writes of their callbacks.
    pub(super) fn begin_callback_writes(&mut self, id: NetId, slots: &mut dyn Slots) {
        if let Some(replica) = self.objects.world.objects.get_mut(id.0)
            && replica.track_writes()
        {
            discard_writes(slots);
        }
        slots.for_each_mut(|slot| slot.begin_change());
    }

    /// Accepts or refuses the writes of callbacks, as [`ReplicaMut`] does.
    pub(super) fn end_callback_writes(&mut self, id: NetId, slots: &mut dyn Slots) {
        let may_write = self.may_write(id);
        let mut index = 0;
        slots.for_each_mut(|slot| {
            slot.end_change();
            let dirty = slot.dirty_bits();
            let writable = if may_write {
                slot.info().policy.owner_write
            } else {
                0
            };
            let refused = dirty & !writable;
            if refused != 0 {
                clear_dirty_bits(slot, refused);
                self.writes.refused.insert(id);
                let fields = ChangedFields::new(slot.info().class, refused);
                report_refused(&mut self.context.events, id, index, fields);
            }
            if dirty & writable != 0 {
                self.writes.changed.insert(id);
            }
            index += 1;
        });
    }

    /// Accepts the writes of hooks to fields that this client writes.
    #[cold]
    pub(super) fn take_hook_writes(&mut self) {
        for id in std::mem::take(&mut self.writes.from_hooks) {
            if !self.may_write(id) {
                continue;
            }
            if let Some(replica) = self.objects.world.objects.get_mut(id.0)
                && replica.track_writes()
                && let Some(slots) = self.objects.world.pools.slots_mut(replica.at)
            {
                // Other dirty bits come from received values.
                slots.for_each_mut(|slot| {
                    let own = slot.info().policy.owner_write;
                    clear_dirty_bits(slot, !own);
                });
            }
            self.writes.changed.insert(id);
        }
    }

    /// Requests the snapshots of objects with refused writes.
    pub(super) fn ask_for_refused(&mut self) {
        if !self.writes.refused.is_empty() && !self.is_away() {
            for id in std::mem::take(&mut self.writes.refused).iter() {
                if self.objects.world.contains(id) && self.is_connected() {
                    self.request_snapshot(id);
                }
            }
        }
    }
}

/// Reports writes without permission.
fn report_refused(
    events: &mut Events<ClientEvent>,
    object: NetId,
    behaviour: usize,
    fields: ChangedFields,
) {
    tracing::error!(%object, ?fields, "this client may not write to these fields");
    events.push(ClientEvent::WriteRefused {
        object,
        behaviour,
        fields,
    });
}

/// Clears dirty bits of a behaviour; all of them, if no field has a policy.
fn clear_dirty_bits(slot: &mut dyn Slot, fields: u64) {
    let last_send = slot.last_send();
    match slot.policy_slot() {
        Some(mut restricted) => restricted.mark_sent(fields),
        None => slot.mark_sent(last_send, None),
    }
}

/// Clears all dirty bits of an object, so that its values are not sent.
fn discard_writes(slots: &mut dyn Slots) {
    slots.for_each_mut(|slot| {
        let last_send = slot.last_send();
        slot.mark_sent(last_send, None);
    });
}
