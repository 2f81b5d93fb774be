//! Connections that lose their link and return over another one.
//!
//! ```text
//! handle_connect    accept              set_ready, Ready
//! Connecting --> Requested --> Connected <--> Joining --> Ready
//!                                  ^  set_not_ready          | link lost
//!                                  |                         v
//!                              restarted <-- return <---- away (same state)
//!                                             | resumed       | grace over
//!                                             v               v
//!                                           Ready          Closing
//! ```
//!
//! An accepted connection has a session if the server grants tokens. The session keeps the last reliable
//! packets. A client that lost its link joins again with the token: the new connection of the transport becomes
//! the link of the earlier connection, which keeps its number, its objects and its state.
//!
//! The client *resumes* if both ends still have every packet that the other end has not received: the server
//! sends the kept packets again, and no object is written twice. Otherwise the connection *restarts*: it becomes
//! ready again and receives all visible objects. While the client is away, its packets are written and kept as
//! before, up to `resume_bytes`. Beyond that number no client can resume, so the server stops the updates of the
//! connection. After `reconnect_grace` the connection is closed.
//!
//! Each return replaces the token. The used token stays valid until the first packet on the new link: the
//! answer with the next token may be lost, too.

use syncvar_runtime::ConnectionId;

use crate::message::Counts;
use crate::server::ServerEvent;
use crate::server::context::Context;
use crate::server::sessions::Sessions;
use crate::server::sessions::connection::{Connection, ConnectionState};

/// Connections without a link whose time or whose packets are over.
#[derive(Debug, Default)]
pub(crate) struct ExpiredAbsences {
    /// Connections that have not returned in time.
    pub(crate) ended: Vec<ConnectionId>,
    /// Connections that cannot resume.
    pub(crate) broken: Vec<ConnectionId>,
}

impl Sessions {
    /// Keeps a connection without a link, if it has a session. Returns whether it does. `tick` is the tick of the
    /// last update.
    pub(crate) fn suspend(
        &mut self,
        context: &mut Context,
        tick: u32,
        connection: ConnectionId,
    ) -> bool {
        let away = self.returns.away().len();
        let Some(lost) = self.connections.get_mut(connection.0) else {
            return false;
        };
        let was_ready = self.lobby.has_place(connection);
        if !lost.is_connected() || !was_ready {
            return false;
        }
        let Some(session) = &mut lost.session else {
            return false;
        };
        if away >= context.config.limits.max_away {
            context.stats.refused.away += 1;
            return false;
        }
        if let Some(link) = session.lose_link() {
            self.returns.remove_link(link);
        }
        if let Some(datagrams) = &mut lost.datagrams {
            datagrams.suspend(&mut lost.ledger, context.clock.now(), tick);
        }
        self.returns.begin_absence(connection);
        tracing::debug!(connection = connection.0, "a client has lost its link");
        context.events.push(ServerEvent::Away { connection });
        true
    }

    /// Returns the connections without a link that have not returned in time, or cannot resume.
    pub(crate) fn expire_absences(&mut self, context: &Context) -> ExpiredAbsences {
        let mut expired = ExpiredAbsences::default();
        let (now, grace) = (context.clock.now(), context.config.reconnect_grace);
        for connection in self.returns.away() {
            let Some(away) = self.connections.get_mut(connection.0) else {
                continue;
            };
            let Some(session) = &mut away.session else {
                continue;
            };
            if session.absent_for(now) >= grace {
                expired.ended.push(*connection);
            } else if session.is_broken() && away.state != ConnectionState::Connected {
                expired.broken.push(*connection);
            }
        }
        expired
    }

    /// Returns the connection that a join request returns to. A request with an unknown token becomes one
    /// of a new client: the server may have restarted, or the session has ended.
    pub(crate) fn find_session(
        &mut self,
        context: &mut Context,
        from: ConnectionId,
    ) -> Option<ConnectionId> {
        let requested = self.connections.get_mut(from.0)?;
        let returning = requested.requests.returning?;
        let found = self.returns.find(&returning.token);
        if found.is_none() {
            requested.requests.returning = None;
            context.stats.refused.sessions += 1;
        }
        found
    }

    /// Moves the link of a new connection to an earlier one. Returns whether the framing and the carriers stay.
    pub(crate) fn adopt(&mut self, connection: ConnectionId, new: Connection) -> bool {
        let Some(known) = self.connections.get_mut(connection.0) else {
            return false;
        };
        let Some(session) = &mut known.session else {
            return false;
        };
        let former = session.link.replace(new.id);
        let carrier = known.headers.datagrams == new.headers.datagrams;
        let same = carrier && known.framing == new.framing;
        known.framing = new.framing;
        known.headers.datagrams = new.headers.datagrams;
        known.requests.join_payload = new.requests.join_payload;
        known.headers.begun = false;
        if let Some(datagrams) = &mut known.datagrams {
            datagrams.sender.await_answer();
        }
        self.returns.move_to_link(connection, new.id);
        if let Some(former) = former {
            self.returns.remove_link(former);
            self.closing.push_back(former);
        }
        same
    }

    /// Returns the counts of a returning client if it can resume with them.
    pub(crate) fn resumable(&self, connection: ConnectionId, counts: Counts) -> Option<Counts> {
        let known = self.connections.get(connection.0)?;
        let session = known.session.as_ref()?;
        session
            .agrees(counts, known.intake.reliable)
            .then_some(counts)
    }
}
