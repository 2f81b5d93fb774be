//! Sessions: connections that outlive their link.
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

use std::time::Duration;

use bytes::Bytes;
use rustc_hash::FxHashMap;
use syncvar_runtime::ConnectionId;
use syncvar_runtime::ordered::IdMap;

use crate::SessionToken;
use crate::message::Counts;
use crate::recent::Recent;
use crate::server::ServerEvent;
use crate::server::context::Context;
use crate::server::sessions::Sessions;
use crate::server::sessions::connection::{Connection, ConnectionState};

/// Session of a connection.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) token: SessionToken,
    /// Token of the last return, until the client has answered to the new one: its greeting may be lost.
    former: Option<SessionToken>,
    /// Number of the transport's connection; none while the client is away.
    pub(crate) link: Option<ConnectionId>,
    pub(crate) recent: Recent,
    /// Number of packets before the last one on an unreliable channel.
    unreliable: Option<u64>,
    absence: Absence,
}

/// Time without a link.
#[derive(Clone, Copy, Debug, Default)]
struct Absence {
    /// Time of the first update.
    since: Option<Duration>,
    /// Number of packets at its begin.
    sent: u64,
}

impl Session {
    pub(crate) fn new(token: SessionToken, link: ConnectionId) -> Self {
        Self {
            token,
            former: None,
            link: Some(link),
            recent: Recent::default(),
            unreliable: None,
            absence: Absence::default(),
        }
    }

    /// Keeps a packet. One on an unreliable channel is not kept: its loss is final.
    pub(crate) fn keep(&mut self, channel: u8, packet: Option<Bytes>, limit: usize) {
        match packet {
            Some(packet) => self.recent.keep(channel, packet, limit),
            None => self.unreliable = Some(self.recent.sent()),
        }
        if self.link.is_none() && self.is_broken() {
            self.recent.clear();
        }
    }

    /// Returns whether a client with these counts can go on.
    pub(crate) fn agrees(&self, counts: Counts, received: u64) -> bool {
        let lost = |sent| sent >= counts.received;
        self.recent.covers(counts.received)
            && !self.unreliable.is_some_and(lost)
            && (counts.gone..=counts.sent).contains(&received)
    }

    /// Returns whether no client can go on: packets of the absence are lost.
    fn is_broken(&self) -> bool {
        let begin = self.absence.sent;
        self.recent.gone() > begin || self.unreliable.is_some_and(|sent| sent >= begin)
    }
}

/// Sessions by token, and the links of connections that have returned.
#[derive(Debug, Default)]
pub(crate) struct Returns {
    tokens: FxHashMap<SessionToken, ConnectionId>,
    /// Connections by the number of their link, if the two differ.
    links: IdMap<ConnectionId, ConnectionId>,
    /// Connections without a link, in the order of their loss.
    away: Vec<ConnectionId>,
}

impl Returns {
    /// Returns the connection of a link, as far as it is known here.
    #[inline]
    pub(crate) fn of_link(&self, link: ConnectionId) -> ConnectionId {
        if self.links.is_empty() {
            return link;
        }
        self.links.get(link).copied().unwrap_or(link)
    }

    /// Returns the connections whose link has another number, with this number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (ConnectionId, ConnectionId)> {
        self.links
            .iter()
            .map(|(link, connection)| (*connection, link))
    }

    /// Returns whether a link of a returned connection has this number.
    pub(crate) fn has_link(&self, link: ConnectionId) -> bool {
        self.links.contains(link)
    }

    /// Adds the token of a new session. Returns whether the token was free.
    pub(crate) fn add_token(&mut self, token: SessionToken, connection: ConnectionId) -> bool {
        let is_free = !self.tokens.contains_key(&token);
        if is_free {
            self.tokens.insert(token, connection);
        }
        is_free
    }

    /// Forgets a link.
    pub(crate) fn remove_link(&mut self, link: ConnectionId) {
        self.links.remove(link);
    }

    /// Invalidates the token of the last return: the client has received the next one.
    #[inline]
    pub(crate) fn confirm(&mut self, session: &mut Session) {
        if let Some(former) = session.former.take() {
            self.tokens.remove(&former);
        }
    }

    /// Gives a session that has returned with a token its next one. The used token stays valid until the client
    /// [confirms](Self::confirm) the next one. The session keeps its token if the next one is taken.
    pub(crate) fn rotate(&mut self, session: &mut Session, used: SessionToken, next: SessionToken) {
        if self.tokens.contains_key(&next) {
            return;
        }
        if let Some(connection) = self.tokens.get(&used).copied() {
            self.tokens.insert(next, connection);
        }
        let former = session.former.replace(used);
        let latest = std::mem::replace(&mut session.token, next);
        for unused in former.into_iter().chain([latest]) {
            if unused != used {
                self.tokens.remove(&unused);
            }
        }
    }

    /// Forgets the session of a closed connection.
    pub(crate) fn forget(&mut self, connection: &Connection) {
        if let Some(session) = &connection.session {
            self.tokens.remove(&session.token);
            session.former.map(|former| self.tokens.remove(&former));
            self.away.retain(|away| *away != connection.id);
        }
    }
}

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
        let away = self.returns.away.len();
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
        if let Some(link) = session.link.take() {
            self.returns.remove_link(link);
        }
        if let Some(datagrams) = lost
            .datagrams
            .as_mut()
            .filter(|it| !it.sender.is_detached())
        {
            datagrams.suspend(&mut lost.ledger, context.clock.now(), tick);
        }
        session.absence = Absence {
            since: None,
            sent: session.recent.sent(),
        };
        self.returns.away.push(connection);
        tracing::debug!(connection = connection.0, "a client has lost its link");
        context.events.push(ServerEvent::Away { connection });
        true
    }

    /// Returns the connections without a link that have not returned in time, or cannot resume.
    pub(crate) fn expire_absences(&mut self, context: &Context) -> ExpiredAbsences {
        let mut expired = ExpiredAbsences::default();
        let (now, grace) = (context.clock.now(), context.config.reconnect_grace);
        for connection in &self.returns.away {
            let Some(away) = self.connections.get_mut(connection.0) else {
                continue;
            };
            let Some(session) = &mut away.session else {
                continue;
            };
            let since = *session.absence.since.get_or_insert(now);
            if now.saturating_sub(since) >= grace {
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
        let returning = requested.returning?;
        let found = self.returns.tokens.get(&returning.token);
        if found.is_none() {
            requested.returning = None;
            context.stats.refused.sessions += 1;
        }
        found.copied()
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
        known.join_payload = new.join_payload;
        known.headers.begun = false;
        if let Some(datagrams) = &mut known.datagrams {
            datagrams.sender.await_answer();
        }
        self.returns.away.retain(|away| *away != connection);
        self.returns.links.insert(new.id, connection);
        if let Some(former) = former {
            self.returns.links.remove(former);
            self.closing.push_back(former);
        }
        same
    }

    /// Returns the counts of a returning client if it can resume with them.
    pub(crate) fn resumable(&self, connection: ConnectionId, counts: Counts) -> Option<Counts> {
        let known = self.connections.get(connection.0)?;
        let session = known.session.as_ref()?;
        session.agrees(counts, known.received).then_some(counts)
    }
}
