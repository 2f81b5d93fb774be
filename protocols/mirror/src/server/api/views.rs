//! Views of connections: objects shown and hidden, and the reasons.

use syncvar_runtime::{ConnectionId, NetId, ObjectError, ViewReason};

use crate::server::MirrorServer;
use crate::server::objects::visibility::Visibility;

impl MirrorServer {
    /// Shows an object to a connection, above the rules of visibility: at once, if the
    /// connection is ready.
    ///
    /// # Errors
    ///
    /// When the object does not exist, or the connection is not connected.
    pub fn show(&mut self, id: NetId, connection: ConnectionId) -> Result<(), ObjectError> {
        self.set_override(id, connection, Some(true))
    }

    /// Hides an object from a connection, above the rules of visibility, and even from its owner:
    /// at once, by Mirror's `ObjectHideMessage`.
    ///
    /// # Errors
    ///
    /// When the object does not exist, or the connection is not connected.
    pub fn hide(&mut self, id: NetId, connection: ConnectionId) -> Result<(), ObjectError> {
        self.set_override(id, connection, Some(false))
    }

    /// Reverts [`show`](Self::show) or [`hide`](Self::hide).
    ///
    /// # Errors
    ///
    /// When the object does not exist, or the connection is not connected.
    pub fn restore(&mut self, id: NetId, connection: ConnectionId) -> Result<(), ObjectError> {
        self.set_override(id, connection, None)
    }

    fn set_override(
        &mut self,
        id: NetId,
        connection: ConnectionId,
        view: Option<bool>,
    ) -> Result<(), ObjectError> {
        let object = self.objects.find_mut(id)?;
        self.sessions.expect(connection)?;
        let overrides = &mut object.view.overrides;
        overrides.retain(|(known, _)| *known != connection);
        overrides.extend(view.map(|view| (connection, view)));
        self.replicate(|replication, rooms| replication.update_observer(rooms, id, connection));
        Ok(())
    }

    /// Sets the visibility of an object, above the interest management: at once; on a server
    /// [with Mirror's interest management](Self::with_mirror_interest) with the next rebuild of the
    /// object, as in Mirror. Mirror's `NetworkIdentity.visibility`.
    ///
    /// # Errors
    ///
    /// When the object does not exist.
    pub fn set_visibility(&mut self, id: NetId, visibility: Visibility) -> Result<(), ObjectError> {
        self.objects.find_mut(id)?.view.visibility = visibility;
        self.replicate(|replication, rooms| replication.update_observers(rooms, id));
        Ok(())
    }

    /// Returns whether a connection observes an object: it received the spawn, and receives
    /// changes.
    pub fn is_observer(&self, id: NetId, connection: ConnectionId) -> bool {
        let object = self.objects.get(id);
        object.is_some_and(|object| self.observers.contains(object, connection))
    }

    /// Returns the connections that observe an object, ascending: they received the spawn, and receive
    /// changes. Empty for an unknown object.
    pub fn observers(&self, id: NetId) -> impl Iterator<Item = ConnectionId> {
        let observers = self.observers.of(self.objects.get(id));
        observers.iter().copied()
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
        let object = self.objects.find(id)?;
        if !self.is_connected(connection) {
            return Err(ObjectError::NotConnected(connection));
        }
        let reason = self.observers.view_rule(id, object, connection);
        if reason.is_visible() && !self.sessions.receives_objects(connection) {
            return Ok(ViewReason::NotReady);
        }
        Ok(reason)
    }
}
