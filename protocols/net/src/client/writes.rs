//! Local writes: fields that this client may write as the owner, and refused writes.

mod encode;
mod guard;
mod send;

pub use guard::{ReplicaMut, ReplicaSink};
pub(super) use send::Sending;

use super::ClientEvent;
use super::objects::{Fact, Objects, Replica};
use super::outbound::Outbound;
use super::session::Session;
use crate::message::Resync;
use crate::stats::Stats;
use syncvar_runtime::events::Events;
use syncvar_runtime::unstable::object::{Slot, Slots};
use syncvar_runtime::unstable::ordered::{IdMap, Ids};
use syncvar_runtime::unstable::world::{World, WriteGuard};
use syncvar_runtime::untyped::{FieldError, FieldErrorKind, UntypedBehaviour, Value};
use syncvar_runtime::{ChangedFields, NetId, NetworkBehaviour, ObjectError};

/// Local writes not yet sent.
#[derive(Debug, Default)]
pub(super) struct PendingWrites {
    /// Objects with permitted writes.
    pub(super) changed: Ids<NetId>,
    /// Objects with possible writes of hooks, in the message in progress.
    pub(super) from_hooks: Vec<NetId>,
    /// Numbers that owner writes must carry, by object; none or 0 until the server has sent it.
    pub(super) permits: IdMap<NetId, u32>,
    /// Objects with refused writes: their snapshots must be requested.
    pub(super) refused: Ids<NetId>,
    /// Writes by object that its next snapshot treats apart.
    pub(super) apart: IdMap<NetId, WritesApart>,
}

/// Writes to an object that its next snapshot treats apart.
#[derive(Debug, Default)]
pub(super) struct WritesApart {
    /// Refused fields: the snapshot replaces their values, and no others that this client writes.
    pub(super) refused: FieldsByBehaviour,
    /// Sent fields of an object of a different build. The snapshot makes writes on their way void: where its value does not fit,
    /// there is nothing to compare, and the field is sent again.
    pub(super) sent: FieldsByBehaviour,
}

/// Fields by behaviour.
#[derive(Debug, Default)]
pub(super) struct FieldsByBehaviour(Vec<u64>);

impl FieldsByBehaviour {
    /// Returns the fields of a behaviour.
    pub(super) fn of(&self, behaviour: usize) -> u64 {
        self.0.get(behaviour).copied().unwrap_or_default()
    }

    fn insert(&mut self, behaviour: usize, fields: u64) {
        if self.0.len() <= behaviour {
            self.0.resize(behaviour + 1, 0);
        }
        if let Some(mask) = self.0.get_mut(behaviour) {
            *mask |= fields;
        }
    }

    fn remove(&mut self, behaviour: usize, fields: u64) {
        if let Some(mask) = self.0.get_mut(behaviour) {
            *mask &= !fields;
        }
    }
}

impl PendingWrites {
    pub(super) fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.refused.is_empty()
    }

    /// Borrows a behaviour for writing, if this client may write at all.
    #[inline]
    pub(super) fn borrow<'a, B: NetworkBehaviour>(
        &'a mut self,
        id: NetId,
        index: usize,
        may_write: bool,
        world: &'a mut World<Replica>,
        events: &'a mut Events<ClientEvent>,
    ) -> Result<ReplicaMut<'a, B>, ObjectError> {
        let replica = world.objects.get_mut(id.0);
        let replica = replica.filter(|replica| replica.is_visible());
        let replica = replica.ok_or(ObjectError::NoSuchObject(id))?;
        let at = replica.at;
        if let Some(slots) = world.pools.slots_mut(at)
            && replica.track_writes()
        {
            // Received values are not this client's writes.
            discard_writes(slots);
        }
        let mut writable = if may_write && replica.is(Fact::Owned) {
            const { B::SCHEMA.policy_bits() }.owner_write
        } else {
            0
        };
        if writable != 0 {
            let slots = world.pools.slots(at);
            let slot = slots.and_then(|slots| slots.slot(index));
            // A server of a different build may keep them for itself.
            writable &= slot.map_or(u64::MAX, |slot| slot.policy().owner_write);
        }
        let parts = world.pools.behaviour_at_mut::<B>(id, at, index)?;
        let sink = ReplicaSink {
            index,
            writable,
            writes: self,
            events,
        };
        Ok(WriteGuard::new(id, parts.tracked, sink))
    }

    /// Accepts or refuses the writes of callbacks, as [`ReplicaMut`] does.
    pub(super) fn end_callback(
        &mut self,
        id: NetId,
        slots: &mut dyn Slots,
        may_write: bool,
        events: &mut Events<ClientEvent>,
    ) {
        let mut index = 0;
        slots.for_each_mut(|slot| {
            slot.end_change();
            let dirty = slot.dirty_bits();
            let writable = if may_write {
                slot.policy().owner_write
            } else {
                0
            };
            let refused = dirty & !writable;
            if refused != 0 {
                clear_dirty_bits(slot, refused);
                let fields = ChangedFields::new(slot.info().class, refused);
                self.refuse(id, index, fields, events);
            }
            if dirty & writable != 0 {
                self.changed.insert(id);
            }
            index += 1;
        });
    }

    /// Refuses written fields of a behaviour, and reports them. The next snapshot replaces their values.
    pub(super) fn refuse(
        &mut self,
        object: NetId,
        behaviour: usize,
        fields: ChangedFields,
        events: &mut Events<ClientEvent>,
    ) {
        self.refused.insert(object);
        let apart = self.apart.get_or_insert_with(object, Default::default);
        apart.refused.insert(behaviour, fields.dirty_bits());
        apart.sent.remove(behaviour, fields.dirty_bits());
        tracing::error!(%object, ?fields, "this client may not write to these fields");
        events.push(ClientEvent::WriteRefused {
            object,
            behaviour,
            fields,
        });
    }

    /// Requests the snapshots of objects with refused writes. Between two links they wait.
    pub(super) fn ask_for_refused(
        &mut self,
        objects: &Objects,
        session: &Session,
        outbound: &mut Outbound,
        stats: &mut Stats,
    ) {
        if self.refused.is_empty() || session.is_away() {
            return;
        }
        for net_id in std::mem::take(&mut self.refused).iter() {
            if objects.world.contains(net_id) && session.is_connected() && session.is_heard() {
                outbound.send(&Resync { net_id }, stats);
            }
        }
    }

    /// Accepts the writes of hooks to fields that this client writes as the owner, if it may write at all.
    #[cold]
    pub(super) fn take_hook_writes(&mut self, objects: &mut Objects, may_write: bool) {
        for id in std::mem::take(&mut self.from_hooks) {
            let world = &mut objects.world;
            let replica = world.objects.get_mut(id.0);
            let replica = replica.filter(|replica| may_write && replica.is(Fact::Owned));
            let Some(replica) = replica else {
                continue;
            };
            if replica.track_writes()
                && let Some(slots) = world.pools.slots_mut(replica.at)
            {
                // The remaining dirty bits come from received values.
                slots.for_each_mut(|slot| {
                    let own = slot.policy().owner_write;
                    clear_dirty_bits(slot, !own);
                });
            }
            self.changed.insert(id);
        }
    }
}

/// An untyped behaviour of a replica, for a write of the program.
pub(super) struct UntypedMut<'a> {
    behaviour: &'a mut UntypedBehaviour,
    /// Fields that this client writes as the owner.
    writable: u64,
}

impl<'a> UntypedMut<'a> {
    /// Returns the untyped behaviour of an object with a name, for a write of the program.
    pub(super) fn of(
        id: NetId,
        behaviour: &str,
        field: &str,
        world: &'a mut World<Replica>,
    ) -> Result<Self, FieldError> {
        let error = |kind| FieldError::new(behaviour, field, kind);
        let object = |reason| error(FieldErrorKind::Object(reason));
        let replica = world.objects.get_mut(id.0);
        let replica = replica.filter(|replica| replica.is_visible());
        let replica = replica.ok_or_else(|| object(ObjectError::NoSuchObject(id)))?;
        let slots = world.pools.slots_mut(replica.at);
        let slots = slots.ok_or_else(|| object(ObjectError::CheckedOut(id)))?;
        if replica.track_writes() {
            discard_writes(slots);
        }
        let is_owned = replica.is(Fact::Owned);
        let found = slots.untyped_mut(behaviour);
        let (policy, behaviour) = found.ok_or_else(|| error(FieldErrorKind::NoSuchBehaviour))?;
        Ok(Self {
            behaviour,
            writable: if is_owned { policy.owner_write } else { 0 },
        })
    }

    /// Sets the value of a field. Returns whether it differed.
    pub(super) fn set(
        self,
        may_write: bool,
        field: &str,
        value: &Value,
    ) -> Result<bool, FieldError> {
        let bit = self.behaviour.bit(field).unwrap_or(u64::MAX);
        if !may_write || bit != u64::MAX && self.writable & bit == 0 {
            let (behaviour, kind) = (self.behaviour.name(), FieldErrorKind::NotWritable);
            return Err(FieldError::new(behaviour, field, kind));
        }
        self.behaviour.set(field, value)
    }
}

/// Prepares checked-out behaviours for the writes of their callbacks.
pub(super) fn begin_callback(id: NetId, slots: &mut dyn Slots, world: &mut World<Replica>) {
    if let Some(replica) = world.objects.get_mut(id.0)
        && replica.track_writes()
    {
        discard_writes(slots);
    }
    slots.for_each_mut(|slot| slot.begin_change());
}

/// Clears dirty bits of a behaviour; all bits, if no field has a policy.
fn clear_dirty_bits(slot: &mut dyn Slot, fields: u64) {
    let last_send = slot.last_send();
    match slot.policy_slot() {
        Some(mut restricted) => restricted.mark_sent(fields),
        None => slot.mark_sent(last_send, None),
    }
}

/// Clears all dirty bits of an object, so that its values are not sent.
pub(super) fn discard_writes(slots: &mut dyn Slots) {
    slots.for_each_mut(|slot| {
        let last_send = slot.last_send();
        slot.mark_sent(last_send, None);
    });
}
