//! Visibility of objects for connections.

use syncvar_runtime::{ConnectionId, NetId, ObjectError};

use crate::server::NetworkServer;
use crate::server::visibility::audience::Audiences;

impl NetworkServer {
    /// Shows an object to a connection with the next update.
    ///
    /// # Errors
    ///
    /// When the object does not exist, or the connection is not connected.
    pub fn show(&mut self, id: NetId, connection: ConnectionId) -> Result<(), ObjectError> {
        self.objects.world.expect_object(id)?;
        self.sessions.expect(connection)?;
        let objects = &mut self.objects;
        match &mut self.host {
            Some(host) if host.connection == connection => host.set_view(objects, id, Some(true)),
            _ => self.visibility.set_visible(objects, id, connection, true),
        }
        Ok(())
    }

    /// Hides an object from a connection with the next update. Unsent changes of the object do not
    /// reach the connection.
    ///
    /// # Errors
    ///
    /// When the object does not exist, or the connection is not connected.
    pub fn hide(&mut self, id: NetId, connection: ConnectionId) -> Result<(), ObjectError> {
        self.objects.world.expect_object(id)?;
        self.sessions.expect(connection)?;
        let objects = &mut self.objects;
        match &mut self.host {
            Some(host) if host.connection == connection => host.set_view(objects, id, Some(false)),
            _ => self.visibility.set_visible(objects, id, connection, false),
        }
        Ok(())
    }

    /// Reverts [`show`](Self::show) or [`hide`](Self::hide) for a connection: the object's default
    /// visibility or the interest management decides again.
    ///
    /// # Errors
    ///
    /// When the object does not exist, or the connection is not connected.
    pub fn restore(&mut self, id: NetId, connection: ConnectionId) -> Result<(), ObjectError> {
        self.objects.world.expect_object(id)?;
        self.sessions.expect(connection)?;
        if self.is_local(connection) {
            if let Some(host) = &mut self.host {
                host.set_view(&mut self.objects, id, None);
            }
            return Ok(());
        }
        self.visibility.restore(&mut self.objects, id, connection);
        Ok(())
    }

    /// Shows an object to all present and future connections, independent of the interest
    /// management.
    ///
    /// # Errors
    ///
    /// When the object does not exist.
    pub fn show_to_all(&mut self, id: NetId) -> Result<(), ObjectError> {
        self.objects.world.expect_object(id)?;
        if let Some(host) = &mut self.host {
            host.set_view(&mut self.objects, id, None);
        }
        self.visibility
            .show_to_audience(&mut self.objects, id, Audiences::EVERYONE);
        Ok(())
    }

    /// Hides an object from all present and future connections, independent of the interest
    /// management.
    ///
    /// # Errors
    ///
    /// When the object does not exist.
    pub fn hide_from_all(&mut self, id: NetId) -> Result<(), ObjectError> {
        self.objects.world.expect_object(id)?;
        if let Some(host) = &mut self.host {
            host.set_view(&mut self.objects, id, None);
        }
        self.visibility
            .show_to_audience(&mut self.objects, id, Audiences::NOBODY);
        Ok(())
    }
}
