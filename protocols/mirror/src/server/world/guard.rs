//! `MirrorBehaviourMut`: write access to a behaviour.

use syncvar_runtime::object::{Location, Pools, SlotParts};
use syncvar_runtime::world::{WriteGuard, WriteSink};
use syncvar_runtime::{BehaviourFields, NetId, NetworkBehaviour, ObjectError, OperationLog};

use crate::server::MirrorServer;
use crate::server::observers::audience::Audiences;
use crate::server::world::object::Observed;

/// Write access to a behaviour; a changed object is queued for the next update when the guard is
/// dropped.
pub type MirrorBehaviourMut<'a, B> = WriteGuard<'a, B, ObservedSink<'a>>;

/// Receiver of the changes of a [`MirrorBehaviourMut`].
#[derive(Debug)]
pub struct ObservedSink<'a> {
    observed: bool,
    /// See `Observed::announced`.
    announced: usize,
    queued: &'a mut bool,
    dirty: &'a mut Vec<NetId>,
}

impl WriteSink for ObservedSink<'_> {
    #[inline]
    fn replaced<B: NetworkBehaviour>(&mut self, behaviour: &mut B) {
        // Collections assigned through the guard have a new log.
        behaviour.set_log(OperationLog::Full {
            pending: self.announced,
        });
        if !self.observed {
            behaviour.set_observed(false);
        }
    }

    #[inline]
    fn released<B: NetworkBehaviour>(&mut self, id: NetId, behaviour: &mut B) {
        if behaviour.sync_var_dirty_bits() != 0 && !std::mem::replace(self.queued, true) {
            self.dirty.push(id);
        }
    }
}

impl MirrorServer {
    /// Returns write access to the first behaviour of this type on an object. A changed object is
    /// queued for the next update when the guard is dropped.
    ///
    /// The server may write to every object. As in Mirror, its writes to a component that the owner
    /// writes go to all observers except the owner.
    ///
    /// # Errors
    ///
    /// When the object does not exist, has no such behaviour or is checked out. Inside a call or a
    /// callback, the own object is checked out.
    #[inline]
    pub fn get_mut<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
    ) -> Result<MirrorBehaviourMut<'_, B>, ObjectError> {
        self.guard(id, |pools, at| pools.behaviour_mut(id, at))
    }

    /// Returns write access to the behaviour at a position, for objects with two behaviours of one
    /// type.
    ///
    /// # Errors
    ///
    /// As [`get_mut`](Self::get_mut).
    pub fn get_mut_at<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
        index: usize,
    ) -> Result<MirrorBehaviourMut<'_, B>, ObjectError> {
        self.guard(id, |pools, at| pools.behaviour_at_mut(id, at, index))
    }

    #[inline]
    fn guard<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
        find: impl FnOnce(&mut Pools, Location) -> Result<SlotParts<'_, B>, ObjectError>,
    ) -> Result<MirrorBehaviourMut<'_, B>, ObjectError> {
        let object = self.world.objects.get_mut(id.0);
        let object = object.ok_or(ObjectError::NoSuchObject(id))?;
        if let Some(rebuilds) = &mut self.observers.rebuilds {
            rebuilds.written.insert(id);
        }
        let Observed {
            at,
            queued,
            audience,
            spawn_failed,
            announced,
            ..
        } = object;
        let observed = *audience != Audiences::EMPTY;
        // After any change, the spawn may fit.
        if *spawn_failed && !std::mem::replace(queued, true) {
            self.replication.dirty.push(id);
        }
        let parts = find(&mut self.world.pools, *at)?;
        let sink = ObservedSink {
            observed,
            announced: *announced,
            queued,
            dirty: &mut self.replication.dirty,
        };
        Ok(WriteGuard::new(id, parts.tracked, sink))
    }

    /// Sends the whole component at this position with the next update, even without changes.
    /// Mirror's `SetDirty`.
    ///
    /// # Errors
    ///
    /// When the object or the component does not exist.
    pub fn set_dirty(&mut self, id: NetId, component: usize) -> Result<(), ObjectError> {
        let object = self.world.objects.get_mut(id.0);
        let object = object.ok_or(ObjectError::NoSuchObject(id))?;
        let entry = self.prefabs.get(object.prefab);
        if entry.is_none_or(|entry| component >= entry.components.len()) {
            let (object, index) = (id, component);
            return Err(ObjectError::NoSuchIndex { object, index });
        }
        object.fully_dirty |= 1 << component;
        self.queue_dirty(id);
        Ok(())
    }

    /// Queues an object for the next update.
    pub(in crate::server) fn queue_dirty(&mut self, id: NetId) {
        if let Some(object) = self.world.objects.get_mut(id.0) {
            self.replication.queue(id, object);
        }
    }
}
