//! `MirrorReplicaMut`: write access to a behaviour of a replica.

use std::collections::BTreeSet;

use syncvar_runtime::object::Slot;
use syncvar_runtime::world::{WriteGuard, WriteSink};
use syncvar_runtime::{BehaviourFields, NetId, NetworkBehaviour, ObjectError, OperationLog};

use crate::client::MirrorClient;
use crate::client::world::object::Stage;

/// Write access to a behaviour of a replica.
///
/// Writes to a `SyncDirection.ClientToServer` component of an [owned](MirrorClient::is_owned)
/// object are sent by the next [`MirrorClient::update`]. All other writes stay local, until the
/// server overwrites them.
pub type MirrorReplicaMut<'a, B> = WriteGuard<'a, B, ReplicaSink<'a>>;

/// Receiver of the changes of a [`MirrorReplicaMut`].
#[derive(Debug)]
pub struct ReplicaSink<'a> {
    /// Objects with unsent writes, if this client writes the component.
    writing: Option<&'a mut BTreeSet<NetId>>,
}

impl WriteSink for ReplicaSink<'_> {
    fn replaced<B: NetworkBehaviour>(&mut self, behaviour: &mut B) {
        if self.writing.is_some() {
            // Collections assigned through the guard have a new log.
            behaviour.set_log(OperationLog::Full { pending: 0 });
        }
    }

    fn released<B: NetworkBehaviour>(&mut self, id: NetId, behaviour: &mut B) {
        match &mut self.writing {
            None => behaviour.clear_all_dirty_bits(),
            Some(writing) if behaviour.sync_var_dirty_bits() != 0 => {
                writing.insert(id);
            }
            Some(_) => {}
        }
    }
}

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
        let index = self.world.position::<B>(id)?;
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
        let written = self.written_components(id);
        let object = self.world.objects.get(id.0);
        let at = object.filter(|object| object.stage != Stage::Pending);
        let at = at.ok_or(ObjectError::NoSuchObject(id))?.at;
        let parts = self.world.pools.behaviour_at_mut::<B>(id, at, index)?;
        let is_written = has_bit(written, index);
        let writing = is_written.then_some(&mut self.writes.pending);
        Ok(WriteGuard::new(id, parts.tracked, ReplicaSink { writing }))
    }
}

/// Returns whether the bit of a position is set.
pub(in crate::client) fn has_bit(components: u64, index: usize) -> bool {
    let index = u32::try_from(index).unwrap_or(u32::MAX);
    components.checked_shr(index).unwrap_or(0) & 1 == 1
}

/// Clears the pending changes of a component.
pub(in crate::client) fn clear_changes(slot: &mut dyn Slot) {
    let last_send = slot.last_send();
    slot.mark_sent(last_send, None);
}
