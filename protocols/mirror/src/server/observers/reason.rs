//! Observers of an object, and the rules that show or hide it.

use syncvar_runtime::{ConnectionId, NetId, ObjectError, ViewReason};

use crate::server::MirrorServer;
use crate::server::world::object::{Observed, Viewers, Visibility};

impl MirrorServer {
    /// Returns the connections that observe an object, ascending: they received the spawn, and receive
    /// changes. Empty for an unknown object.
    pub fn observers(&self, id: NetId) -> impl Iterator<Item = ConnectionId> {
        let object = self.world.objects.get(id.0);
        let members = object.map_or(&[][..], |object| {
            self.observers.audiences.members(object.audience)
        });
        members.iter().copied()
    }

    /// Returns the rule that shows an object to a connection, or hides it.
    ///
    /// [`ViewReason::NotReady`] applies to objects that the connection will see after its spawn burst.
    ///
    /// # Errors
    ///
    /// [`ObjectError::NoSuchObject`] for an unknown object, and [`ObjectError::NotConnected`] for an
    /// unknown connection.
    ///
    /// ```
    /// use syncvar::error::ObjectError;
    /// use syncvar::mirror::{MirrorPrefabs, MirrorServer};
    /// use syncvar::prelude::*;
    ///
    /// let server = MirrorServer::new(MirrorPrefabs::new());
    /// let reason = server.why_visible(NetId(7), ConnectionId(1));
    /// assert_eq!(reason, Err(ObjectError::NoSuchObject(NetId(7))));
    /// ```
    pub fn why_visible(
        &self,
        id: NetId,
        connection: ConnectionId,
    ) -> Result<ViewReason, ObjectError> {
        let object = self.world.objects.get(id.0);
        let object = object.ok_or(ObjectError::NoSuchObject(id))?;
        if !self.is_connected(connection) {
            return Err(ObjectError::NotConnected(connection));
        }
        let reason = self.view_rule(id, object, connection);
        if reason.is_visible() && !self.receives_objects(connection) {
            return Ok(ViewReason::NotReady);
        }
        Ok(reason)
    }

    /// Returns the rule for a ready connection.
    fn view_rule(&self, id: NetId, object: &Observed, connection: ConnectionId) -> ViewReason {
        if !object.spawned {
            return ViewReason::NotSpawned;
        }
        match object.visibility_override(connection) {
            Some(true) => return ViewReason::ShownByName,
            Some(false) => return ViewReason::HiddenByName,
            None => {}
        }
        let is_owner = object.owner == Some(connection);
        match (object.visibility, &object.viewers) {
            (_, Viewers::Chosen(chosen)) => match chosen.binary_search(&connection) {
                Ok(_) if is_owner => ViewReason::Owner,
                Ok(_) => ViewReason::Chosen,
                Err(_) => ViewReason::NotChosen,
            },
            (Visibility::ForceShown, _) => ViewReason::ShownToAll,
            (Visibility::ForceHidden, _) | (_, Viewers::Area(_)) if is_owner => ViewReason::Owner,
            (Visibility::ForceHidden, _) => ViewReason::HiddenFromAll,
            (Visibility::ByDefault, Viewers::All) => ViewReason::Everyone,
            (Visibility::ByDefault, Viewers::Area(area)) => {
                let interest = &self.observers.interest;
                let explained = interest.management.explain(id, connection);
                ViewReason::of_area(*area, interest.sees(connection, *area), explained)
            }
        }
    }
}
