//! Owners of objects.

use syncvar_runtime::world::CheckOut;
use syncvar_runtime::{ConnectionId, NetId, ObjectError};

use crate::server::NetworkServer;

impl NetworkServer {
    /// Gives an object to a connection, or takes it from its owner. Both connections are notified.
    /// On the server, [`on_lost_ownership`](syncvar_runtime::NetworkLifecycle::on_lost_ownership) runs when
    /// the server loses the object to a connection, and
    /// [`on_gained_ownership`](syncvar_runtime::NetworkLifecycle::on_gained_ownership) when it gets the
    /// object back.
    ///
    /// Pending changes of an object with restricted fields are sent at once. Then both connections
    /// receive exactly the fields that became readable for them. Writes of the former owner in
    /// transit are void. From inside a call on the object itself, both receive a snapshot with the
    /// next update instead.
    ///
    /// # Errors
    ///
    /// When the object does not exist, or the new owner is not connected.
    pub fn set_owner(&mut self, id: NetId, owner: Option<ConnectionId>) -> Result<(), ObjectError> {
        let replicated = self.objects.world.objects.get(id.0);
        let former = replicated.ok_or(ObjectError::NoSuchObject(id))?.owner;
        if let Some(owner) = owner {
            self.sessions.expect(owner)?;
        }
        if former != owner {
            self.give(id, owner);
            self.dispatch_ownership(id, former, owner);
        }
        Ok(())
    }
}
