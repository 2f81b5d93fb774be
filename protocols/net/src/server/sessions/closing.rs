//! End of connections, and of their readiness.

use std::collections::VecDeque;

use syncvar_runtime::limits::LimitExceeded;
use syncvar_runtime::{ConnectionId, NetId};

use crate::server::context::Context;
use crate::server::sessions::Sessions;
use crate::server::sessions::connection::ConnectionState;

/// Connection that has been closed.
#[derive(Debug)]
pub(crate) struct ClosedConnection {
    /// Whether it was accepted.
    pub(crate) accepted: bool,
    /// Objects that it owned.
    pub(crate) owned: Vec<NetId>,
}

impl Sessions {
    /// Returns whether a connection exists and is not closing.
    pub(crate) fn is_open(&self, connection: ConnectionId) -> bool {
        let connection = self.connections.get(connection.0);
        connection.is_some_and(|connection| connection.state != ConnectionState::Closing)
    }

    /// Closes a connection: its queue is still sent, and received packets are ignored.
    pub(crate) fn close(
        &mut self,
        connection: ConnectionId,
        outgoing: &mut VecDeque<ConnectionId>,
    ) -> Option<ClosedConnection> {
        let closed = self.connections.get_mut(connection.0)?;
        let accepted = closed.is_connected();
        closed.state = ConnectionState::Closing;
        self.lobby.leave(connection);
        closed.list(outgoing);
        self.closing.extend(closed.link());
        if let Some(session) = &closed.session {
            self.returns.forget(connection, session);
        }
        self.pending
            .joining
            .retain(|joining| *joining != connection);
        Some(ClosedConnection {
            accepted,
            owned: closed.ownership.objects.iter().collect(),
        })
    }

    /// Removes the connection of the local client.
    pub(crate) fn remove_local(&mut self, outgoing: &mut VecDeque<ConnectionId>) {
        if let Some(local) = self.local.take() {
            self.connections.remove(local.0);
            outgoing.retain(|listed| *listed != local);
        }
    }

    /// Makes a connection not ready. Returns whether it was ready.
    pub(crate) fn stop_updates(&mut self, connection: ConnectionId) -> bool {
        let Some(idle) = self.connections.get_mut(connection.0) else {
            return false;
        };
        let was_ready = matches!(
            idle.state,
            ConnectionState::Joining | ConnectionState::Ready
        );
        if was_ready {
            idle.state = ConnectionState::Connected;
            if let Some(datagrams) = &mut idle.datagrams {
                datagrams.stop(&mut idle.ledger);
            }
            self.pending
                .joining
                .retain(|joining| *joining != connection);
        }
        was_ready
    }

    /// Drops the unsent bytes of a connection.
    pub(crate) fn drop_unsent(&mut self, connection: ConnectionId) {
        if let Some(dropped) = self.connections.get_mut(connection.0) {
            dropped.send_queue.clear();
        }
    }

    /// Counts a connection that has exceeded a limit. Returns whether the connection can be closed.
    pub(crate) fn count_exceeded(
        &self,
        context: &mut Context,
        connection: ConnectionId,
        limit: LimitExceeded,
    ) -> bool {
        let is_known = self.knows(connection);
        if is_known {
            context.stats.refused.count_closed(limit);
        }
        is_known
    }
}
