//! Write access to behaviours.

use syncvar_runtime::unstable::world::WriteGuard;
use syncvar_runtime::{NetId, NetworkBehaviour, ObjectError};

use crate::client::objects::components::has_bit;
use crate::client::objects::entry::SpawnStage;
use crate::client::{MirrorClient, MirrorReplicaMut, ReplicaSink};

impl MirrorClient {
    /// Returns write access to the first behaviour of this type on an object.
    ///
    /// # Errors
    ///
    /// When the object does not exist, has no such behaviour or is checked out. Inside a call, a hook
    /// or a callback, the own object is checked out.
    pub fn get_mut<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
    ) -> Result<MirrorReplicaMut<'_, B>, ObjectError> {
        let index = self.objects.world.position::<B>(id)?;
        self.get_mut_at(id, index)
    }

    /// Returns write access to the behaviour at a position, if it has this type.
    ///
    /// # Errors
    ///
    /// As [`get_mut`](Self::get_mut).
    pub fn get_mut_at<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
        index: usize,
    ) -> Result<MirrorReplicaMut<'_, B>, ObjectError> {
        let written = self.objects.written_components(id);
        let object = self.objects.get(id);
        let at = object.filter(|object| object.stage != SpawnStage::Pending);
        let at = at.ok_or(ObjectError::NoSuchObject(id))?.at;
        let parts = self
            .objects
            .world
            .pools
            .behaviour_at_mut::<B>(id, at, index)?;
        let is_written = has_bit(written, index);
        let writing = is_written.then_some(&mut self.writes.pending);
        Ok(WriteGuard::new(id, parts.tracked, ReplicaSink { writing }))
    }
}
