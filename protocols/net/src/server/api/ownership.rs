//! Owners of objects.

use syncvar_runtime::unstable::world::CheckOut;
use syncvar_runtime::{ConnectionId, NetId, ObjectError};

use crate::server::NetworkServer;
use crate::server::api::rooms::Rooms;

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

    /// Gives an object a new owner, without lifecycle callbacks.
    pub(crate) fn give(&mut self, id: NetId, owner: Option<ConnectionId>) {
        let pool = { self.objects.world.objects.get(id.0) }.map(|replicated| replicated.at.pool);
        if pool.is_some_and(|pool| self.objects.is_restricted(pool)) {
            // The writes of the former owner reach all others before the change.
            let Rooms {
                mut ground,
                visibility,
                replication,
                ..
            } = self.rooms();
            visibility.hide_at_once(&mut ground, id);
            replication.flush_restricted(&mut ground, visibility, id);
        }
        let Some(change) = self.objects.set_owner(id, owner) else {
            return;
        };
        for (connection, authority) in [(change.former, false), (owner, true)] {
            let Some(connection) = connection else {
                continue;
            };
            let observes = change.audience.is_some_and(|audience| {
                self.visibility.audiences.get(audience).observes(connection)
            });
            if observes {
                // Earlier messages go first.
                self.deliver();
            }
            self.sessions.set_owned(connection, id, authority);
            if observes {
                self.rooms()
                    .ground
                    .send_authority(connection, id, authority);
            }
        }
        let Rooms {
            mut ground,
            visibility,
            ..
        } = self.rooms();
        visibility.send_owner_change(&mut ground, change);
        visibility.update_base(ground.objects, ground.sessions, id);
    }
}
