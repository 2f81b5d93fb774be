//! Behaviours that the program owns elsewhere: assignment in batches, reserved ids, received calls.

use syncvar_runtime::object::{Location, SlotParts};
use syncvar_runtime::{
    Assign, BehaviourFields, CallFailure, Called, NetId, NetworkBehaviour, ObjectError, SpawnError,
    Taken,
};

use crate::server::NetworkServer;

/// Number of objects that are looked up before the first of them is compared.
const BATCH: usize = 16;

impl NetworkServer {
    /// Takes over behaviours that the program owns elsewhere, as
    /// [`take_changes`](Assign::take_changes) of all fields does: only fields that differ are sent.
    /// `index` is the position of the behaviour on its object, `None` for the first one of the type.
    ///
    /// `told` is called with the position in `from` and the result for each behaviour with changed or
    /// refused fields, and with the error where the object or the behaviour does not exist. While a
    /// connection owns the object, its fields with `#[sync_var(write = owner)]` are refused: the given
    /// behaviour receives the owner's values instead.
    ///
    /// The fields of `from` are clean afterwards. The cost for an equal behaviour is a look-up and a
    /// comparison; no object costs an allocation.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Player {
    ///     #[sync_var]
    ///     health: SyncVar<i32>,
    ///     #[sync_var]
    ///     mana: SyncVar<i32>,
    /// }
    ///
    /// let mut server = NetworkServer::new(Prefabs::new().register::<Player>("player"));
    /// let ids = [server.spawn(Player::default()), server.spawn(Player::default())];
    /// let mut own = [Player::default(), Player::default()];
    /// own[1].mana += 5;
    /// let mut batch: Vec<_> = ids.into_iter().zip(&mut own).collect();
    /// let mut changed = Vec::new();
    /// server.assign_all(None, &mut batch, |position, taken| {
    ///     changed.push((position, taken.unwrap().changed));
    /// });
    /// assert_eq!(changed, [(1, 0b10)]);
    /// assert_eq!(server.get::<Player>(ids[1]).unwrap().mana, 5);
    /// ```
    pub fn assign_all<B: NetworkBehaviour>(
        &mut self,
        index: Option<usize>,
        from: &mut [(NetId, &mut B)],
        mut told: impl FnMut(usize, Result<Taken<B::Previous>, ObjectError>),
    ) {
        let mut position = 0;
        for batch in from.chunks_mut(BATCH) {
            let mut places: [Option<Location>; BATCH] = [None; BATCH];
            for ((id, _), at) in batch.iter().zip(&mut places) {
                *at = self.objects.world.objects.get(id.0).map(|object| object.at);
            }
            for ((id, own), at) in batch
                .iter_mut()
                .map(|(id, own)| (*id, &mut **own))
                .zip(places)
            {
                let taken = match at {
                    Some(at) => self.assign_one(id, at, index, own),
                    None => Err(ObjectError::NoSuchObject(id)),
                };
                if !matches!(&taken, Ok(taken) if taken.changed | taken.refused == 0) {
                    told(position, taken);
                }
                position += 1;
            }
        }
    }

    fn assign_one<B: NetworkBehaviour>(
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

    /// Returns an id that no other object receives. Use it once in
    /// [`SpawnOptions::net_id`](crate::SpawnOptions::net_id). References to it may be written before.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// # #[derive(NetworkBehaviour, Default)]
    /// # struct Door {
    /// #     #[sync_var]
    /// #     open: SyncVar<bool>,
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut server = NetworkServer::new(Prefabs::new().register::<Door>("door"));
    /// let id = server.reserve_id()?;
    /// assert_ne!(server.spawn(Door::default()), id);
    /// let options = SpawnOptions { net_id: Some(id), ..SpawnOptions::default() };
    /// assert_eq!(server.try_spawn(Door::default(), options)?, id);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// After 2^32 - 1 ids.
    pub fn reserve_id(&mut self) -> Result<NetId, SpawnError> {
        self.choose_net_id(None)
    }

    /// Runs a received command on a value of the behaviour that the application owns. Ownership and rate
    /// have been checked. The context has the object's id, its owner, the sender and this server, and no
    /// siblings.
    ///
    /// # Errors
    ///
    /// When `B` has no such call, the arguments are malformed, or the call panics.
    pub fn run_call<B: NetworkBehaviour>(
        &mut self,
        on: &mut B,
        called: &Called,
    ) -> Result<(), CallFailure> {
        called.run(on, self)
    }
}

/// Takes over the fields that the server may write, and gives the others back.
fn take_over<B: NetworkBehaviour>(parts: SlotParts<'_, B>, own: &mut B) -> Taken<B::Previous> {
    let bits = const { &B::SCHEMA.policy_bits() };
    let SlotParts {
        behaviour,
        policy,
        lineage,
    } = parts;
    let policy = policy.filter(|state| bits.owner_write != 0 && state.owned);
    let forbidden = match &policy {
        Some(_) => bits.owner_write & !bits.server_override,
        None => 0,
    };
    let mut taken = behaviour.take_changes(own, !forbidden);
    if let Some(state) = policy {
        state.note_override(behaviour, taken.changed & bits.owner_write);
        let pending = behaviour.sync_var_dirty_bits() & forbidden;
        taken.refused = own.take_changes(behaviour, forbidden).changed;
        own.clear_dirty_bits(forbidden);
        behaviour.clear_dirty_at(forbidden, *lineage);
        behaviour.set_dirty_bit(pending);
    }
    taken
}
