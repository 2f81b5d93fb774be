//! Delivery to one connection: budgets, priorities, losses.

use syncvar_runtime::{ConnectionId, NetId, ObjectError, UnsentField, Vector3};

use crate::link::losses::Losses;
use crate::server::api::rooms::Rooms;
use crate::server::ledger::backlog::Backlog;
use crate::server::ledger::budget::clamp_priority;
use crate::server::replication::unsent::unsent_fields_of;
use crate::server::{Budget, NetworkServer};

impl NetworkServer {
    /// Sets or removes the budget of a connection.
    ///
    /// # Errors
    ///
    /// When the connection is not connected.
    pub fn set_budget(
        &mut self,
        connection: ConnectionId,
        budget: Option<Budget>,
    ) -> Result<(), ObjectError> {
        self.sessions.expect(connection)?;
        // The local client receives no bytes.
        if self.is_local(connection) {
            return Ok(());
        }
        let limited = self.sessions.connections.get_mut(connection.0);
        let limited = limited.ok_or(ObjectError::NotConnected(connection))?;
        match (budget, &mut limited.ledger.backlog) {
            (Some(_), Some(backlog)) => backlog.meter.restart(budget),
            (Some(_), none) => *none = Some(Box::new(Backlog::new(budget))),
            (None, Some(backlog)) if backlog.is_limited() => backlog.meter.is_ending = true,
            (None, _) => return Ok(()),
        }
        self.replication.bandwidth.has_limited = true;
        self.replication.bandwidth.add_connection(connection);
        Ok(())
    }

    /// Sets the viewpoint of a connection with a [`Budget`]: nearer objects have a higher priority.
    ///
    /// # Errors
    ///
    /// When the connection is not connected.
    pub fn set_viewpoint(
        &mut self,
        connection: ConnectionId,
        viewpoint: Option<Vector3>,
    ) -> Result<(), ObjectError> {
        let viewer = self.sessions.connections.get_mut(connection.0);
        let viewer = viewer.ok_or(ObjectError::NotConnected(connection))?;
        viewer.motion.viewpoint = viewpoint;
        Ok(())
    }

    /// Sets the priority of an object for connections with a [`Budget`]: 1 by default, at least 0.001.
    /// Under load, an object of priority 2 is sent twice as often as an object of priority 1.
    ///
    /// # Errors
    ///
    /// When the object does not exist.
    pub fn set_priority(&mut self, id: NetId, priority: f32) -> Result<(), ObjectError> {
        self.objects.world.expect_object(id)?;
        let priority = clamp_priority(priority);
        self.replication.bandwidth.priorities.insert(id, priority);
        Ok(())
    }

    /// Returns the delay and the losses of the datagrams to a connection; `None` on a transport without
    /// datagrams.
    ///
    /// # Errors
    ///
    /// [`ObjectError::NotConnected`] for an unknown connection.
    pub fn losses(&self, connection: ConnectionId) -> Result<Option<Losses>, ObjectError> {
        let known = self.sessions.connections.get(connection.0);
        let known = known.ok_or(ObjectError::NotConnected(connection))?;
        let Some(link) = &known.datagrams else {
            return Ok(None);
        };
        Ok(Some(Losses {
            backlog: known.ledger.waiting(),
            shown: known.ledger.streamed.len(),
            repaired: link.counts.repaired,
            caught_up: link.counts.caught_up,
            detached: link.counts.detached,
            ..Losses::of(&link.sender, self.context.clock.now())
        }))
    }

    /// Returns the dirty fields of an object with the reason why they are not sent, and the fields that
    /// the [budget](crate::Budget) of a connection delays. Empty if all observers have all changes.
    ///
    /// Costs time in proportion to the dirty fields and the connections.
    ///
    /// # Errors
    ///
    /// [`ObjectError::NoSuchObject`] for an unknown object. [`ObjectError::CheckedOut`] during a
    /// callback of the object: its changes are queued afterwards.
    pub fn why_not_sent(&mut self, id: NetId) -> Result<Vec<UnsentField>, ObjectError> {
        let Rooms {
            mut ground,
            visibility,
            ..
        } = self.rooms();
        unsent_fields_of(&mut ground, visibility, id)
    }
}
