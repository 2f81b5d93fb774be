//! Sessions: connections that outlive their link.

use std::time::Duration;

use bytes::Bytes;
use rustc_hash::FxHashMap;
use syncvar_runtime::ordered::IdMap;
use syncvar_runtime::{ConnectionId, DisconnectReason, NetworkWriter, ObjectError};

use crate::message::{Counts, Grant, GrantKind, Message, Return};
use crate::recent::Recent;
use crate::server::datagrams::Datagrams;
use crate::server::sessions::connection::{Connection, ConnectionState, Headers};
use crate::server::{NetworkServer, ServerEvent};
use crate::{Framing, SessionToken};

/// Session of a connection.
#[derive(Debug)]
pub(crate) struct Session {
    token: SessionToken,
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
    fn new(token: SessionToken, link: ConnectionId) -> Self {
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
    fn agrees(&self, counts: Counts, received: u64) -> bool {
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
    fn rotate(&mut self, session: &mut Session, used: SessionToken, next: SessionToken) {
        if self.tokens.contains_key(&next) {
            return;
        }
        if let Some(connection) = self.tokens.get(&used).copied() {
            self.tokens.insert(next, connection);
        }
        let former = session.former.replace(used);
        let newest = std::mem::replace(&mut session.token, next);
        for unused in former.into_iter().chain([newest]) {
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

impl NetworkServer {
    /// Gives an accepted connection a session, if the server grants them.
    pub(crate) fn grant_session(&mut self, connection: ConnectionId) {
        let Some(source) = self.context.config.session_tokens else {
            return;
        };
        let token = SessionToken::new(source());
        let returns = &mut self.sessions.returns;
        if self.context.config.reconnect_grace.is_zero() || returns.tokens.contains_key(&token) {
            return;
        }
        let Some(granted) = self.sessions.connections.get_mut(connection.0) else {
            return;
        };
        returns.tokens.insert(token, connection);
        granted.session = Some(Box::new(Session::new(token, connection)));
        let (sent, received) = (0, granted.received);
        let kind = GrantKind::New;
        self.send_own(
            connection,
            &Grant {
                kind,
                token,
                sent,
                received,
            },
        );
    }

    /// Keeps a connection without a link, if it has a session. Returns whether it does.
    pub(crate) fn suspend(&mut self, connection: ConnectionId) -> bool {
        let away = self.sessions.returns.away.len();
        let Some(lost) = self.sessions.connections.get_mut(connection.0) else {
            return false;
        };
        let was_ready = self.sessions.lobby.has_place(connection);
        if !lost.is_connected() || !was_ready {
            return false;
        }
        let Some(session) = &mut lost.session else {
            return false;
        };
        if away >= self.context.config.limits.max_away {
            self.context.stats.refused.away += 1;
            return false;
        }
        if let Some(link) = session.link.take() {
            self.sessions.returns.remove_link(link);
        }
        if let Some(datagrams) = lost
            .datagrams
            .as_mut()
            .filter(|it| !it.sender.is_detached())
        {
            datagrams.suspend(self.context.clock.now(), self.outbound.store.tick);
        }
        session.absence = Absence {
            since: None,
            sent: session.recent.sent(),
        };
        self.sessions.returns.away.push(connection);
        tracing::debug!(connection = connection.0, "a client has lost its link");
        self.context.events.push(ServerEvent::Away { connection });
        true
    }

    /// Closes the connections that have not returned in time, and stops the updates of connections that
    /// cannot go on.
    pub(crate) fn expire_absences(&mut self) {
        if self.sessions.returns.away.is_empty() {
            return;
        }
        let (now, grace) = (
            self.context.clock.now(),
            self.context.config.reconnect_grace,
        );
        for connection in self.sessions.returns.away.clone() {
            let Some(away) = self.sessions.connections.get_mut(connection.0) else {
                continue;
            };
            let Some(session) = &mut away.session else {
                continue;
            };
            let since = *session.absence.since.get_or_insert(now);
            if now.saturating_sub(since) >= grace {
                self.close(connection, DisconnectReason::ConnectionLost);
                self.sessions.connections.remove(connection.0);
            } else if session.is_broken() && away.state != ConnectionState::Connected {
                self.drop_output(connection);
            }
        }
    }

    /// Makes a connection not ready and drops its unsent bytes.
    pub(crate) fn drop_output(&mut self, connection: ConnectionId) {
        self.make_unready(connection);
        if let Some(dropped) = self.sessions.connections.get_mut(connection.0) {
            dropped.own.drain().for_each(drop);
            dropped.queue.clear();
        }
    }

    /// Returns the connection that a join request returns to. A request with an unknown token becomes one
    /// of a new client: the server may have restarted, or the session has ended.
    pub(crate) fn find_session(&mut self, from: ConnectionId) -> Option<ConnectionId> {
        let requested = self.sessions.connections.get_mut(from.0)?;
        let returning = requested.returning?;
        let found = self.sessions.returns.tokens.get(&returning.token);
        if found.is_none() {
            requested.returning = None;
            self.context.stats.refused.sessions += 1;
        }
        found.copied()
    }

    /// Moves a session to the link of an accepted connection.
    pub(crate) fn take_over(
        &mut self,
        from: ConnectionId,
        returning: Return,
    ) -> Result<(), ObjectError> {
        let Some(connection) = self.find_session(from) else {
            // The program has decided about the session.
            self.request(from);
            return Err(ObjectError::NotConnected(from));
        };
        // Bytes of the audiences belong to the earlier link.
        self.deliver();
        let Some(new) = self.sessions.connections.remove(from.0) else {
            return Err(ObjectError::NotConnected(from));
        };
        self.sessions.lobby.leave(from);
        self.visibility.interest.forget_connection(from);
        let same = self.adopt(connection, new);
        // The queue of the new link is empty.
        self.release_state(connection);
        let resumed = returning.counts.filter(|_| same).and_then(|counts| {
            let known = self.sessions.connections.get(connection.0)?;
            let session = known.session.as_ref()?;
            session.agrees(counts, known.received).then_some(counts)
        });
        if resumed.is_none() {
            self.drop_output(connection);
        }
        self.greet(connection, returning, resumed);
        let resumed = resumed.is_some();
        tracing::debug!(connection = connection.0, "a client has returned");
        self.context.events.push(ServerEvent::Returned {
            connection,
            resumed,
        });
        Ok(())
    }

    /// Moves the link of a new connection to an earlier one. Returns whether the framing stays.
    pub(crate) fn adopt(&mut self, connection: ConnectionId, new: Connection) -> bool {
        let Some(known) = self.sessions.connections.get_mut(connection.0) else {
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
        let returns = &mut self.sessions.returns;
        returns.away.retain(|away| *away != connection);
        returns.links.insert(new.id, connection);
        if let Some(former) = former {
            returns.links.remove(former);
            self.sessions.closing.push_back(former);
        }
        same
    }

    /// Answers a returned client, in a packet without a number.
    pub(crate) fn greet(
        &mut self,
        connection: ConnectionId,
        returning: Return,
        resumed: Option<Counts>,
    ) {
        let framing = self.sessions.connections.get(connection.0);
        let framing = framing.map_or(Framing::Unet, |known| known.framing);
        let answer = self.acceptance(framing);
        let (next, settings) = (self.outbound.store.end(), self.loss_settings());
        let size = self.context.config.datagram_size();
        let token = self.context.config.session_tokens.map(|source| source());
        let Some(known) = self.sessions.connections.get_mut(connection.0) else {
            return;
        };
        let Some(session) = &mut known.session else {
            return;
        };
        if let Some(token) = token {
            let next = SessionToken::new(token);
            self.sessions.returns.rotate(session, returning.token, next);
        }
        let mut has_datagrams = false;
        let kind = match resumed {
            Some(_) => GrantKind::Resumed,
            None => {
                // The client begins its inputs anew, and may give another one to a tick.
                known.inputs = None;
                known.received = returning.counts.map_or(0, |counts| counts.sent);
                known.headers = Headers {
                    datagrams: known.headers.datagrams,
                    from: (framing == Framing::Compact).then_some(next),
                    ..Headers::default()
                };
                let longest = known
                    .headers
                    .datagrams
                    .filter(|_| known.headers.from.is_some());
                let datagrams = longest.map(|longest| Datagrams::new(settings, longest.min(size)));
                known.datagrams = datagrams.map(Box::new);
                has_datagrams = known.datagrams.is_some();
                GrantKind::Restarted
            }
        };
        let grant = Grant {
            kind,
            token: session.token,
            sent: session.recent.sent(),
            received: known.received,
        };
        let mut writer = NetworkWriter::new();
        grant.encode(&mut writer);
        answer.encode(&mut writer);
        let greeting = Some(writer.take_bytes());
        match resumed {
            Some(counts) => session.recent.resume(greeting, counts.received),
            None => session.recent.restart(greeting),
        }
        known.list(&mut self.outbound.outgoing);
        if has_datagrams {
            self.sessions.list_datagrams(connection);
        }
    }
}
