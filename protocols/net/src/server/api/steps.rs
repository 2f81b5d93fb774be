//! Steps of objects by the inputs of their owners, as clients predict them.

use std::any::{Any, TypeId};

use syncvar_runtime::unstable::object::Slot;
use syncvar_runtime::{NetId, NetworkBehaviour, ObjectError, SyncValue};

use crate::server::NetworkServer;
use crate::step::{Group, GroupSide};

impl NetworkServer {
    /// Steps a behaviour of an object in a tick of [`ticks_until`](Self::ticks_until), with the input of its owner: a known one,
    /// the last one before, or the default. Then its values with a codec are those that travel, so that the step of the next tick
    /// begins with the same state on the client that predicts it by the same function
    /// ([`NetworkClient::predict`](crate::NetworkClient::predict)).
    ///
    /// # Errors
    ///
    /// When the object does not exist, has no such behaviour or is checked out.
    pub fn step<B, M>(
        &mut self,
        id: NetId,
        tick: u64,
        mut step: impl FnMut(&mut B, &M, u64), // `fn step(player: &mut Player, input: &Move, tick: u64)`
    ) -> Result<(), ObjectError>
    where
        B: NetworkBehaviour,
        M: SyncValue + Default,
    {
        self.objects.world.position::<B>(id)?;
        self.step_group(&[id], tick, |group, tick| {
            let input = group.input::<M>(id).unwrap_or_default();
            if let Some(behaviour) = group.get_mut::<B>(id) {
                step(behaviour, &input, tick);
            }
        })
    }

    /// Steps objects that act on each other, in a tick of [`ticks_until`](Self::ticks_until): see [`step`](Self::step) and
    /// [`NetworkClient::predict_group`](crate::NetworkClient::predict_group).
    ///
    /// ```
    /// use syncvar::{motion::Group, prelude::*};
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Ball {
    ///     #[sync_var]
    ///     x: SyncVar<f32>,
    /// }
    ///
    /// let mut server = NetworkServer::new(Prefabs::new().register::<Ball>("ball"));
    /// let ids = [server.spawn(Ball { x: 0.25.into() }), server.spawn(Ball::default())];
    /// server.step_group(&ids, 1, |group: &mut Group<'_>, _tick| {
    ///     let x = group.get_mut::<Ball>(ids[0]).map_or(0.0, |ball| *ball.x);
    ///     if let Some(other) = group.get_mut::<Ball>(ids[1]) {
    ///         other.x.set(x + 1.0);
    ///     }
    /// })?;
    /// assert_eq!(server.get::<Ball>(ids[1]).unwrap().x, 1.25);
    /// # Ok::<(), syncvar::error::ObjectError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When an object does not exist or is checked out. No object is stepped then.
    pub fn step_group(
        &mut self,
        ids: &[NetId],
        tick: u64,
        mut step: impl FnMut(&mut Group<'_>, u64),
    ) -> Result<(), ObjectError> {
        for id in ids {
            self.objects.expect_checked_in(*id)?;
        }
        for id in ids {
            if let Some(host) = &mut self.host {
                host.remember_object(&mut self.objects, *id);
            }
            self.objects.begin_step(*id);
        }
        let mut group = ServerGroup { server: self, ids };
        step(&mut Group::new(&mut group, tick), tick);
        for id in ids {
            self.objects.end_step(&mut self.context, *id);
        }
        Ok(())
    }
}

/// Objects of a server during a step.
struct ServerGroup<'a> {
    server: &'a mut NetworkServer,
    ids: &'a [NetId],
}

impl GroupSide for ServerGroup<'_> {
    fn behaviour(&mut self, id: NetId, behaviour: TypeId) -> Option<&mut dyn Any> {
        if !self.ids.contains(&id) {
            return None;
        }
        let at = self.server.objects.world.objects.get(id.0)?.at;
        let slots = self.server.objects.world.pools.slots_mut(at)?;
        let is_one = |slot: &dyn Slot| slot.behaviour().of_type(behaviour).is_some();
        let index = slots.iter().position(is_one)?;
        slots
            .slot_mut(index)?
            .behaviour_mut()
            .of_type_mut(behaviour)
    }

    fn inputs(&mut self, id: NetId, tick: u64) -> Option<(&dyn Any, bool)> {
        let owner = self.server.owner(id)?;
        self.server.inputs_of(owner, tick)
    }
}
