//! Owners of objects.

use syncvar_runtime::events::Events;
use syncvar_runtime::unstable::object::Slots;
use syncvar_runtime::{AudienceId, ChangedFields, ConnectionId, NetId};

use crate::server::ServerEvent;
use crate::server::objects::Objects;
use crate::server::objects::replicated::State;

/// Change of the owner of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnerChange {
    pub(crate) id: NetId,
    pub(crate) former: Option<ConnectionId>,
    pub(crate) owner: Option<ConnectionId>,
    /// Audience that has the object; `None` before the announcement.
    pub(crate) audience: Option<AudienceId>,
}

impl Objects {
    /// Returns the owner of an object.
    pub(crate) fn owner(&self, id: NetId) -> Option<ConnectionId> {
        self.world.objects.get(id.0)?.owner
    }

    /// Gives an object a new owner, or takes it away.
    pub(crate) fn set_owner(
        &mut self,
        id: NetId,
        owner: Option<ConnectionId>,
    ) -> Option<OwnerChange> {
        let replicated = self.world.objects.get_mut(id.0)?;
        let former = std::mem::replace(&mut replicated.owner, owner);
        tracing::trace!(object = %id, owner = owner.map(|it| it.0), "changed an owner");
        let announced = replicated.is(State::Announced);
        let audience = announced.then_some(replicated.audience);
        self.note_local_change(id);
        self.note_facts(id);
        Some(OwnerChange {
            id,
            former,
            owner,
            audience,
        })
    }

    /// Sets whether a connection writes the fields of the owner from a tick on, at once or at
    /// check-in.
    pub(crate) fn set_owned(&mut self, id: NetId, owned: bool, tick: u32) {
        if let Some(slots) = self.world.slots_mut(id) {
            set_owned(slots, owned, tick);
        } else if let Some(replicated) = self.world.objects.get_mut(id.0) {
            replicated.set(State::OwnerChanged, true);
        }
    }

    /// Takes ended connections' objects from their owner. Returns those with lifecycle callbacks.
    pub(crate) fn disown(&mut self, owned: &[NetId], tick: u32) -> Vec<NetId> {
        for id in owned {
            if let Some(replicated) = self.world.objects.get_mut(id.0) {
                replicated.owner = None;
                self.set_owned(*id, false, tick);
                self.note_facts(*id);
            }
        }
        let owned = owned.iter().copied();
        owned.filter(|id| self.world.has_lifecycle(*id)).collect()
    }
}

/// Reports a write of the game to fields of the owner.
pub(crate) fn refuse(events: &mut Events<ServerEvent>, object: NetId, fields: ChangedFields) {
    tracing::error!(%object, ?fields, "only the owner of the object writes to these fields");
    events.push(ServerEvent::WriteRefused { object, fields });
}

/// Sets whether a connection owns the object of these behaviours, from this tick on.
pub(crate) fn set_owned(slots: &mut dyn Slots, owned: bool, tick: u32) {
    slots.for_each_mut(|slot| {
        let policy = slot.info().policy;
        if let Some(restricted) = slot.policy_slot() {
            let behaviour = restricted.behaviour;
            restricted.state.set_owned(behaviour, &policy, owned, tick);
        }
    });
}
