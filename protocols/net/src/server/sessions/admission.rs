//! Admission: join requests of connections, and the program's decision.

use std::fmt;

use syncvar_runtime::endpoint::{Payload, Refusal};
use syncvar_runtime::limits::LimitExceeded;
use syncvar_runtime::{ConnectionId, ReadError};

use crate::Framing;
use crate::link::header_bytes::MAX_HEADER;
use crate::message::{
    Accepted, JoinRequest as Request, MAX_RETURN, Message, PROTOCOL_VERSION, Pace, Start,
};
use crate::server::datagrams::Datagrams;
use crate::server::sessions::connection::ConnectionState;
use crate::server::{Admission, NetworkServer, ServerEvent};

/// Join request of a connection whose schema matches.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct JoinRequest<'a> {
    /// The new connection.
    pub connection: ConnectionId,
    /// Earlier connection that the client returns to.
    pub returning: Option<ConnectionId>,
    /// Payload of the client: see
    /// [`NetworkClient::set_join_payload`](crate::NetworkClient::set_join_payload).
    pub payload: &'a Payload,
}

/// Answer to a [`JoinRequest`]: see [`NetworkServer::set_admission`].
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// The connection is accepted.
    Accept,
    /// The connection is refused. The client receives the refusal.
    Refuse(Refusal),
    /// The program decides later, by [`NetworkServer::accept`] or [`NetworkServer::refuse`] after
    /// [`ServerEvent::JoinRequested`], at most within
    /// [`Limits::join_timeout`](syncvar_runtime::Limits::join_timeout).
    Wait,
}

impl Decision {
    /// Refuses with a text or a [`Refusal`].
    pub fn refuse(refusal: impl Into<Refusal>) -> Self {
        Self::Refuse(refusal.into())
    }
}

/// `true` accepts, and `false` refuses with the text "refused".
impl From<bool> for Decision {
    fn from(is_accepted: bool) -> Self {
        if is_accepted {
            Self::Accept
        } else {
            Self::refuse("refused")
        }
    }
}

/// The program's rule about join requests.
#[derive(Default)]
pub(crate) struct Gate(pub(crate) Option<Box<Rule>>);

pub(crate) type Rule = dyn FnMut(&JoinRequest<'_>) -> Decision + Send + Sync;

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Gate(..)" } else { "Gate" })
    }
}

impl NetworkServer {
    /// Returns the answer to a Connect.
    pub(crate) fn acceptance(&mut self, framing: Framing) -> Accepted {
        let start = Start {
            incarnation: self.context.config.incarnation,
            first_tick: self.context.ticks.first(),
        };
        let pace = Pace {
            tick_rate: self.context.config.tick_rate,
            send_interval: self.context.config.default_interval(),
        };
        Accepted {
            version: PROTOCOL_VERSION,
            start: (framing == Framing::Compact).then_some((start, pace)),
        }
    }

    /// Gives headers to the packets of a connection behind the answer to its Connect.
    pub(crate) fn begin_headers(&mut self, connection: ConnectionId) {
        // Behind a header.
        let packet_size = self
            .context
            .config
            .gathered_size()
            .saturating_sub(MAX_HEADER);
        let (settings, size) = (self.loss_settings(), self.context.config.datagram_size());
        let store = &mut self.outbound.store;
        if let Some(accepted) = self.sessions.connections.get_mut(connection.0)
            && accepted.framing == Framing::Compact
        {
            accepted.flush_own(store);
            accepted.own = Framing::Unet.segments(packet_size);
            accepted.headers.from = Some(store.end());
            let longest = accepted.headers.datagrams;
            let datagrams = longest.map(|longest| Datagrams::new(settings, longest.min(size)));
            accepted.datagrams = datagrams.map(Box::new);
            self.sessions.list_datagrams(connection);
        }
    }

    /// Accepts a connection, or asks the program.
    pub(crate) fn request(&mut self, connection: ConnectionId) {
        let returning = self.find_session(connection);
        let Some(requested) = self.sessions.connections.get_mut(connection.0) else {
            return;
        };
        requested.state = ConnectionState::Requested { ready: false };
        let decision = match (&mut self.sessions.gate.0, self.context.config.admission) {
            (Some(rule), _) => rule(&JoinRequest {
                connection,
                returning,
                payload: &requested.join_payload,
            }),
            (None, Admission::Open) => Decision::Accept,
            (None, Admission::Decide) => Decision::Wait,
        };
        let payload = requested.join_payload.clone();
        match decision {
            // The connection exists.
            Decision::Accept => drop(self.accept(connection)),
            Decision::Refuse(refusal) => drop(self.refuse(connection, refusal)),
            Decision::Wait => self.context.events.push(ServerEvent::JoinRequested {
                connection,
                returning,
                payload,
            }),
        }
    }

    /// Keeps the payload of a join request until `Connect`.
    pub(crate) fn handle_join_request(
        &mut self,
        from: ConnectionId,
        payload: &[u8],
    ) -> Result<(), ReadError> {
        let longest = self.context.config.limits.max_join_payload;
        if payload.len() > longest.saturating_add(MAX_RETURN) {
            self.close_for(from, LimitExceeded::JoinPayload);
            return Ok(());
        }
        let request = Request::decode(payload)?;
        if request.payload.as_bytes().len() > longest {
            self.close_for(from, LimitExceeded::JoinPayload);
            return Ok(());
        }
        if let Some(connection) = self.sessions.connections.get_mut(from.0) {
            connection.join_payload = request.payload;
            connection.returning = request.returning;
        }
        Ok(())
    }

    /// Remembers that a connection has asked for the objects before its acceptance.
    pub(crate) fn defer_ready(&mut self, from: ConnectionId) {
        if let Some(connection) = self.sessions.connections.get_mut(from.0) {
            connection.state = ConnectionState::Requested { ready: true };
        }
    }

    /// Makes a connection ready, if it has a place.
    pub(crate) fn handle_ready(&mut self, from: ConnectionId) {
        if self.sessions.lobby.admit(from, &self.context.config.limits) {
            self.set_ready(from);
        } else {
            self.close_for(from, LimitExceeded::Places);
        }
    }
}
