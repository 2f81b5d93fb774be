//! Removal of objects.

use syncvar_runtime::NetId;

use crate::server::objects::Objects;
use crate::server::objects::replicated::Replicated;

impl Objects {
    /// Removes an object. Returns its entry.
    pub(crate) fn remove(&mut self, id: NetId) -> Option<Replicated> {
        let mut replicated = self.world.remove(id)?;
        tracing::trace!(object = %id, "despawned an object");
        self.note_removed(id);
        if replicated.permit > self.last_permit {
            // The first permit of a successor follows its snapshot; until then the successor has no
            // permit that a client knows.
            replicated.renew_permit();
            self.last_permit = replicated.permit;
        }
        if let Some(changes) = &mut self.local_changes {
            changes.remove(id);
        }
        Some(replicated)
    }
}
