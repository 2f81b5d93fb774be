//! `MirrorReplicaMut`: write access to a behaviour of a replica.

use std::collections::BTreeSet;

use syncvar_runtime::unstable::world::{WriteGuard, WriteSink};
use syncvar_runtime::{BehaviourFields, NetId, NetworkBehaviour, OperationLog};

/// Write access to a behaviour of a replica.
///
/// Writes to a `SyncDirection.ClientToServer` component of an [owned](crate::MirrorClient::is_owned)
/// object are sent by the next [`MirrorClient::update`](crate::MirrorClient::update). Further writes stay local, until the
/// server overwrites them.
pub type MirrorReplicaMut<'a, B> = WriteGuard<'a, B, ReplicaSink<'a>>;

/// Receiver of the changes of a [`MirrorReplicaMut`].
#[derive(Debug)]
pub struct ReplicaSink<'a> {
    /// Objects with unsent writes, if this client writes the component.
    pub(crate) writing: Option<&'a mut BTreeSet<NetId>>,
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
