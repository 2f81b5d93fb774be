//! Behaviours that the program owns elsewhere: assignment in batches, reserved ids, received calls.

use syncvar_runtime::object::{Location, SlotParts};
use syncvar_runtime::{Assign, BehaviourFields, NetId, NetworkBehaviour, ObjectError, Taken};

use crate::server::NetworkServer;

impl NetworkServer {
    pub(crate) fn assign_one<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
        at: Location,
        index: Option<usize>,
        own: &mut B,
    ) -> Result<Taken<B::Previous>, ObjectError> {
        if self.host.is_some() {
            match index {
                None => self.remember_local_by_type::<B>(id, at),
                Some(_) => self.remember_local(id, at, index),
            }
        }
        let pools = &mut self.objects.world.pools;
        let parts = match index {
            None => pools.behaviour_mut::<B>(id, at),
            Some(index) => pools.behaviour_at_mut(id, at, index),
        };
        let taken = take_over(parts?, own);
        if taken.changed != 0 {
            self.objects.schedule.queue_dirty(id);
        }
        Ok(taken)
    }
}

/// Takes over the fields that the server may write, and gives the others back.
fn take_over<B: NetworkBehaviour>(parts: SlotParts<'_, B>, own: &mut B) -> Taken<B::Previous> {
    let bits = const { &B::SCHEMA.policy_bits() };
    let SlotParts {
        mut tracked,
        policy,
    } = parts;
    let policy = policy.filter(|state| bits.owner_write != 0 && state.owned);
    let forbidden = match &policy {
        Some(_) => bits.owner_write & !bits.server_override,
        None => 0,
    };
    let mut taken = tracked.behaviour.take_changes(own, !forbidden);
    if let Some(state) = policy {
        let behaviour = &mut *tracked.behaviour;
        state.note_override(behaviour, taken.changed & bits.owner_write);
        let pending = behaviour.sync_var_dirty_bits() & forbidden;
        taken.refused = own.take_changes(behaviour, forbidden).changed;
        own.clear_dirty_bits(forbidden);
        tracked.mark_sent(forbidden);
        tracked.behaviour.set_dirty_bit(pending);
    }
    taken
}
