//! Delay and losses of the datagrams to one connection.

use syncvar_runtime::{ConnectionId, ObjectError};

use crate::link::losses::Losses;
use crate::server::NetworkServer;

impl NetworkServer {
    /// Returns the delay and the losses of the datagrams to a connection; `None` on a transport without
    /// datagrams.
    ///
    /// # Errors
    ///
    /// [`ObjectError::NotConnected`] for an unknown connection.
    pub fn losses(&self, connection: ConnectionId) -> Result<Option<Losses>, ObjectError> {
        let known = self.sessions.connections.get(connection.0);
        let known = known.ok_or(ObjectError::NotConnected(connection))?;
        let Some(datagrams) = &known.datagrams else {
            return Ok(None);
        };
        let backlog = known.backlog.as_ref();
        Ok(Some(Losses {
            backlog: backlog.map_or(0, |backlog| backlog.entries.len()),
            shown: datagrams.shown.len(),
            repaired: datagrams.counts.repaired,
            caught_up: datagrams.counts.caught_up,
            detached: datagrams.counts.detached,
            ..Losses::of(&datagrams.sender, self.context.clock.now())
        }))
    }
}
