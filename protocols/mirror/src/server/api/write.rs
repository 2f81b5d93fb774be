//! Write access to behaviours.

use syncvar_runtime::{NetId, NetworkBehaviour, ObjectError};

use crate::server::objects::guard::guard;
use crate::server::{MirrorBehaviourMut, MirrorServer};

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
        let world = &mut self.objects.world;
        let object = world.objects.get_mut(id.0);
        let object = object.ok_or(ObjectError::NoSuchObject(id))?;
        self.observers.note_write(id);
        let dirty = &mut self.replication.dirty;
        guard(id, object, &mut world.pools, dirty, |pools, at| {
            pools.behaviour_mut(id, at)
        })
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
        let world = &mut self.objects.world;
        let object = world.objects.get_mut(id.0);
        let object = object.ok_or(ObjectError::NoSuchObject(id))?;
        self.observers.note_write(id);
        let dirty = &mut self.replication.dirty;
        guard(id, object, &mut world.pools, dirty, |pools, at| {
            pools.behaviour_at_mut(id, at, index)
        })
    }

    /// Sends the whole component at this position with the next update, even without changes.
    /// Mirror's `SetDirty`.
    ///
    /// # Errors
    ///
    /// When the object or the component does not exist.
    pub fn set_dirty(&mut self, id: NetId, component: usize) -> Result<(), ObjectError> {
        let entry = self.objects.entry(id);
        if entry.is_none_or(|entry| component >= entry.components.len()) {
            let (object, index) = (id, component);
            return Err(ObjectError::NoSuchIndex { object, index });
        }
        self.objects.find_mut(id)?.fully_dirty |= 1 << component;
        self.replication.queue_dirty(&mut self.objects, id);
        Ok(())
    }
}
