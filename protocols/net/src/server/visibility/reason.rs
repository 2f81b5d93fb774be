//! Observers of an object, and the rules that show or hide it.

use syncvar_runtime::interest::ViewReason;
use syncvar_runtime::{ConnectionId, NetId, ObjectError};

use crate::server::NetworkServer;
use crate::server::objects::replicated::{Replicated, State};
use crate::server::visibility::audience::Base;

impl NetworkServer {
    /// Returns the connections that observe an object, ascending: the ready ones, and the local client.
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
        let before = self.remote_observers(id).filter(is_before);
        let after = self
            .remote_observers(id)
            .filter(move |other| !is_before(other));
        before.chain(local).chain(after)
    }

    fn remote_observers(&self, id: NetId) -> impl Iterator<Item = ConnectionId> {
        let replicated = self.objects.world.objects.get(id.0);
        let announced = replicated.filter(|replicated| replicated.is(State::Announced));
        let audiences = &self.visibility.audiences;
        announced
            .into_iter()
            .flat_map(|replicated| audiences.get(replicated.audience).ready())
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
        let reason = self.view_rule(id, replicated, connection);
        if reason.is_visible() && !self.is_ready(connection) {
            return Ok(ViewReason::NotReady);
        }
        Ok(reason)
    }

    /// Returns the rule for a ready connection.
    fn view_rule(
        &self,
        id: NetId,
        replicated: &Replicated,
        connection: ConnectionId,
    ) -> ViewReason {
        let target = replicated.target_audience;
        let exception = if let Some(host) = self.host.as_ref().filter(|_| self.is_local(connection))
        {
            host.views.get(id).copied()
        } else {
            self.visibility.audiences.exception(target, connection)
        };
        match exception {
            Some(true) => return ViewReason::ShownByName,
            Some(false) => return ViewReason::HiddenByName,
            None => {}
        }
        match self.visibility.audiences.base(target) {
            Base::Everyone if replicated.is(State::ByInterest) => ViewReason::Everyone,
            Base::Everyone => ViewReason::ShownToAll,
            Base::Nobody => ViewReason::HiddenFromAll,
            Base::Area(_) if replicated.owner == Some(connection) => ViewReason::Owner,
            Base::Area(area) => {
                let explained = self.visibility.interest.management.explain(id, connection);
                ViewReason::of_area(area, self.will_see(connection, area), explained)
            }
        }
    }
}
