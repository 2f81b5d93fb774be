//! Behaviours that the program owns elsewhere: assignment of their fields.

use syncvar_runtime::unstable::object::{Location, SlotParts};
use syncvar_runtime::unstable::prefab::Prefab;
use syncvar_runtime::unstable::world::World;
use syncvar_runtime::{Assign, BehaviourFields, NetId, NetworkBehaviour, ObjectError, Taken};

use crate::server::objects::Objects;
use crate::server::objects::replicated::Replicated;

impl Objects {
    /// Takes over a behaviour of the program: the one at an index of an object, or the first behaviour of the type.
    pub(crate) fn assign<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
        at: Location,
        index: Option<usize>,
        from: &mut B,
    ) -> Result<Taken<B::Previous>, ObjectError> {
        let pools = &mut self.world.pools;
        let parts = match index {
            None => pools.behaviour_mut::<B>(id, at),
            Some(index) => pools.behaviour_at_mut(id, at, index),
        };
        let taken = take_over(parts?, from);
        if taken.changed != 0 {
            self.schedule.queue_dirty(id);
        }
        Ok(taken)
    }
}

/// Position of a behaviour on the objects of the last pool: all rows of a pool have the same types.
#[derive(Default)]
pub(crate) struct EditPlace {
    pool: Option<u32>,
    index: Option<usize>,
}

impl EditPlace {
    /// Returns the position of the first behaviour of a type on an object.
    #[inline]
    pub(crate) fn index<B: NetworkBehaviour>(
        &mut self,
        at: Location,
        world: &World<Replicated>,
    ) -> Option<usize> {
        if self.pool != Some(at.pool) {
            let prefab = world.prefabs.get(world.pools.prefab(at.pool));
            self.pool = Some(at.pool);
            self.index = prefab.and_then(Prefab::position::<B>);
        }
        self.index
    }
}

/// Takes over the fields that the server may write, and gives the remaining fields back.
fn take_over<B: NetworkBehaviour>(parts: SlotParts<'_, B>, from: &mut B) -> Taken<B::Previous> {
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
    let mut taken = tracked.behaviour.take_changes(from, !forbidden);
    if let Some(state) = policy {
        let behaviour = &mut *tracked.behaviour;
        state.note_override(behaviour, taken.changed & bits.owner_write);
        let pending = behaviour.sync_var_dirty_bits() & forbidden;
        taken.refused = from.take_changes(behaviour, forbidden).changed;
        from.clear_dirty_bits(forbidden);
        tracked.mark_sent(forbidden);
        tracked.behaviour.set_dirty_bit(pending);
    }
    taken
}
