//! Interest management, observers of objects, and the reasons for them.

use syncvar_runtime::interest::{InterestManagement, ViewReason, WrongInterest};
use syncvar_runtime::{ConnectionId, NetId, ObjectError, Prefabs};

use crate::server::visibility::interest::Interest;
use crate::server::{NetworkServer, ServerConfig};

impl NetworkServer {
    /// Returns a server with an interest management.
    ///
    /// Connections that see an area, and the owner, observe the objects in it. For one connection,
    /// [`show`](Self::show) and [`hide`](Self::hide) have precedence. For all,
    /// [`show_to_all`](Self::show_to_all) and [`hide_from_all`](Self::hide_from_all) have it, until
    /// [`show_by_interest`](Self::show_by_interest).
    ///
    /// ```
    /// # use syncvar::*;
    /// # use syncvar::interest::SpatialGrid;
    /// # use syncvar::values::Vector3;
    /// let grid = SpatialGrid::xz(20.0, 50.0);
    /// let mut server = NetworkServer::with_interest(Prefabs::new(), ServerConfig::default(), grid);
    /// let connection = server.handle_connect();
    /// let grid: &mut SpatialGrid = server.interest_mut().unwrap();
    /// grid.watch(connection, Vector3::new(1.0, 0.0, 2.0)).unwrap();
    /// ```
    pub fn with_interest(
        prefabs: Prefabs,
        config: ServerConfig,
        interest: impl InterestManagement,
    ) -> Self {
        let mut server = Self::with_config(prefabs, config);
        server.visibility.interest = Interest::new(Box::new(interest));
        server
    }

    /// Returns the interest management of a known type.
    ///
    /// # Errors
    ///
    /// When it has another type.
    pub fn interest<I: InterestManagement>(&self) -> Result<&I, WrongInterest> {
        <dyn InterestManagement>::downcast_ref(&*self.visibility.interest.management)
    }

    /// Returns the interest management of a known type, for writing. Pass it the positions of
    /// viewers or the members of teams. Changes take effect with the next update.
    ///
    /// # Errors
    ///
    /// When it has another type.
    pub fn interest_mut<I: InterestManagement>(&mut self) -> Result<&mut I, WrongInterest> {
        <dyn InterestManagement>::downcast_mut(&mut *self.visibility.interest.management)
    }

    /// Lets the interest management choose the observers of an object, without exceptions.
    ///
    /// # Errors
    ///
    /// When the object does not exist.
    pub fn show_by_interest(&mut self, id: NetId) -> Result<(), ObjectError> {
        self.objects.world.expect_object(id)?;
        if let Some(host) = &mut self.host {
            host.set_view(&mut self.objects, id, None);
        }
        let (objects, sessions) = (&mut self.objects, &self.sessions);
        self.visibility.show_by_interest(objects, sessions, id);
        Ok(())
    }

    /// Returns the connections that observe an object, ascending: ready connections, and the local client.
    /// Empty for an unknown object.
    ///
    /// Shows, hides and the interest management take effect with the next [`update`](Self::update).
    ///
    /// ```
    /// # use syncvar::prelude::*;
    /// # #[derive(NetworkBehaviour, Default)]
    /// # struct Door {
    /// #     #[sync_var]
    /// #     open: SyncVar<bool>,
    /// # }
    /// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
    /// let door = net.server.spawn(Door::default());
    /// net.settle();
    /// assert!(net.server.observers(door).eq([net.connection(0)]));
    /// assert_eq!(net.server.observers(NetId(99)).count(), 0);
    /// ```
    pub fn observers(&self, id: NetId) -> impl Iterator<Item = ConnectionId> {
        let local = self.host.as_ref().map(|host| host.connection);
        let local = local.filter(|_| self.host.as_ref().is_some_and(|host| host.knows(id)));
        let is_before = move |other: &ConnectionId| local.is_none_or(|local| *other < local);
        let before = self
            .visibility
            .observers_of(&self.objects, id)
            .filter(is_before);
        let after = self
            .visibility
            .observers_of(&self.objects, id)
            .filter(move |other| !is_before(other));
        before.chain(local).chain(after)
    }

    /// Returns the rule that shows an object to a connection, or hides it, from the next update on.
    ///
    /// [`ViewReason::NotReady`] applies to objects that the connection will see when it is ready.
    ///
    /// # Errors
    ///
    /// [`ObjectError::NoSuchObject`] for an unknown object, and [`ObjectError::NotConnected`] for an
    /// unknown or closing connection.
    pub fn why_visible(
        &self,
        id: NetId,
        connection: ConnectionId,
    ) -> Result<ViewReason, ObjectError> {
        let replicated = self.objects.world.objects.get(id.0);
        let replicated = replicated.ok_or(ObjectError::NoSuchObject(id))?;
        if !self.sessions.knows(connection) {
            return Err(ObjectError::NotConnected(connection));
        }
        let host = self
            .host
            .as_ref()
            .filter(|host| host.connection == connection);
        let exception = match host {
            Some(host) => host.views.get(id).copied(),
            None => {
                let audiences = &self.visibility.audiences;
                audiences.exception(replicated.target_audience, connection)
            }
        };
        let visibility = &self.visibility;
        let reason = visibility.view_rule(id, replicated, connection, exception);
        if reason.is_visible() && !self.is_ready(connection) {
            return Ok(ViewReason::NotReady);
        }
        Ok(reason)
    }
}
