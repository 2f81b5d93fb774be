//! `Session`: the part of a connection that outlives its link.

use std::time::Duration;

use bytes::Bytes;
use rustc_hash::FxHashMap;
use syncvar_runtime::ConnectionId;
use syncvar_runtime::unstable::ordered::IdMap;

use crate::SessionToken;
use crate::message::Counts;
use crate::recent::Recent;
use crate::server::sessions::player_keys::PlayerKeys;

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

    /// Returns the session of an earlier run of the server, whose client is away and cannot resume. `None` without a
    /// token.
    pub(crate) fn of_earlier_run(tokens: &[SessionToken]) -> Option<Self> {
        let (token, former) = (*tokens.first()?, tokens.get(1).copied());
        Some(Self {
            token,
            former,
            link: None,
            recent: Recent::default(),
            // The packets of the earlier run are gone.
            unreliable: Some(u64::MAX),
            absence: Absence::default(),
        })
    }

    /// Returns the valid tokens, the present one first.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = SessionToken> {
        std::iter::once(self.token).chain(self.former)
    }

    /// Keeps a packet of a header and chunks. One on an unreliable channel is not kept: its loss is final.
    pub(crate) fn keep(&mut self, channel: u8, packet: Option<(&[u8], &[Bytes])>, limit: usize) {
        match packet {
            Some((header, chunks)) => self.recent.keep(channel, header, chunks, limit),
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

    /// Loses the link. Returns the link.
    pub(crate) fn lose_link(&mut self) -> Option<ConnectionId> {
        self.absence = Absence {
            since: None,
            sent: self.recent.sent(),
        };
        self.link.take()
    }

    /// Returns the time since the first update of the absence.
    pub(crate) fn absent_for(&mut self, now: Duration) -> Duration {
        now.saturating_sub(*self.absence.since.get_or_insert(now))
    }

    /// Returns whether no client can go on: packets of the absence are lost.
    pub(crate) fn is_broken(&self) -> bool {
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
    /// Players by the program's key.
    pub(crate) players: PlayerKeys,
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
    pub(crate) fn forget(&mut self, connection: ConnectionId, session: &Session) {
        self.tokens.remove(&session.token);
        session.former.map(|former| self.tokens.remove(&former));
        self.end_absence(connection);
    }

    /// Returns the connection whose session has a token.
    pub(crate) fn find(&self, token: &SessionToken) -> Option<ConnectionId> {
        self.tokens.get(token).copied()
    }

    /// Returns the connections without a link, in the order of their loss.
    pub(crate) fn away(&self) -> &[ConnectionId] {
        &self.away
    }

    /// Adds a connection that has lost its link.
    pub(crate) fn begin_absence(&mut self, connection: ConnectionId) {
        self.away.push(connection);
    }

    /// Removes a connection from those without a link.
    pub(crate) fn end_absence(&mut self, connection: ConnectionId) {
        self.away.retain(|away| *away != connection);
    }

    /// Moves a connection to a link with another number.
    pub(crate) fn move_to_link(&mut self, connection: ConnectionId, link: ConnectionId) {
        self.end_absence(connection);
        self.links.insert(link, connection);
    }
}
