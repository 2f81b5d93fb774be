//! Admission: join requests of connections, and the program's decision.

use std::fmt;

use syncvar_runtime::endpoint::{Payload, Refusal};
use syncvar_runtime::limits::LimitExceeded;
use syncvar_runtime::{ConnectionId, DisconnectReason, ObjectError, ReadError};

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
pub(in crate::server) struct Gate(Option<Box<Rule>>);

type Rule = dyn FnMut(&JoinRequest<'_>) -> Decision + Send + Sync;

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Gate(..)" } else { "Gate" })
    }
}

impl NetworkServer {
    /// Sets the rule about join requests, in the place of
    /// [`ServerConfig::admission`](crate::ServerConfig::admission). The server calls it with each request,
    /// before the connection has any event. A rule may also return a `bool`: whether the client is accepted.
    ///
    /// ```
    /// use syncvar::join::{Decision, Payload};
    /// use syncvar::prelude::*;
    ///
    /// let mut net = MemoryNetwork::new(Prefabs::new);
    /// net.server.set_admission(|request| match request.payload.decode::<String>() {
    ///     Ok(password) if password == "secret" => Decision::Accept,
    ///     _ => Decision::refuse("wrong password"),
    /// });
    /// let mut client = NetworkClient::new(Prefabs::new());
    /// client.set_join_payload(Payload::of(&String::from("secret"))?);
    /// net.connect_client(client);
    /// net.settle();
    /// assert!(net.client(0).is_connected());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_admission<D: Into<Decision>>(
        &mut self,
        mut rule: impl FnMut(&JoinRequest<'_>) -> D + Send + Sync + 'static,
    ) {
        let rule = move |request: &JoinRequest<'_>| rule(request).into();
        self.sessions.gate = Gate(Some(Box::new(rule)));
    }

    /// Accepts a connection after [`ServerEvent::JoinRequested`]. The client then becomes ready and
    /// receives the objects. Without effect on an accepted connection.
    ///
    /// A client that returns to a session takes its earlier connection over
    /// ([`ServerEvent::Returned`]): use the earlier number from then on, as `connection` no longer exists. The request
    /// names the earlier number as `returning`.
    ///
    /// # Errors
    ///
    /// When the connection does not exist, is closing, or has not sent its request; and when the session
    /// of the client has ended meanwhile: the program decides again, about a new client.
    pub fn accept(&mut self, connection: ConnectionId) -> Result<(), ObjectError> {
        let accepted = self.sessions.connections.get_mut(connection.0);
        let accepted = accepted.ok_or(ObjectError::NotConnected(connection))?;
        let returning = accepted.returning;
        let ConnectionState::Requested { ready } = accepted.state else {
            return if accepted.is_connected() {
                Ok(())
            } else {
                Err(ObjectError::NotConnected(connection))
            };
        };
        if let Some(returning) = returning {
            return self.take_over(connection, returning);
        }
        accepted.state = ConnectionState::Connected;
        let framing = accepted.framing;
        tracing::debug!(connection = connection.0, "accepted a client");
        self.context
            .events
            .push(ServerEvent::Connected { connection });
        if self.context.config.compare_schemas {
            self.grant_session(connection);
            if !self.is_local(connection) {
                let answer = self.acceptance(framing);
                self.send_own(connection, &answer);
                self.begin_headers(connection);
            }
        }
        if ready {
            self.handle_ready(connection);
        }
        Ok(())
    }

    /// Returns the answer to a Connect.
    pub(in crate::server) fn acceptance(&mut self, framing: Framing) -> Accepted {
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
    fn begin_headers(&mut self, connection: ConnectionId) {
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

    /// Refuses a connection after [`ServerEvent::JoinRequested`], or ends an accepted one. The client
    /// receives the text and the payload as [`DisconnectReason::Denied`].
    ///
    /// ```
    /// use syncvar::join::Refusal;
    /// use syncvar::prelude::*;
    /// use syncvar::DisconnectReason;
    ///
    /// let mut net = MemoryNetwork::pair(Prefabs::new);
    /// net.settle();
    /// net.server.refuse(net.connection(0), "too slow")?;
    /// net.settle();
    /// let last = std::iter::from_fn(|| net.client_mut(0).poll_event()).last();
    /// let reason = DisconnectReason::Denied(Box::new(Refusal::new("too slow")));
    /// assert_eq!(last, Some(ClientEvent::Disconnected { reason }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the connection does not exist or is closing.
    pub fn refuse(
        &mut self,
        connection: ConnectionId,
        refusal: impl Into<Refusal>,
    ) -> Result<(), ObjectError> {
        if !self.sessions.knows(connection) {
            return Err(ObjectError::NotConnected(connection));
        }
        let reason = DisconnectReason::Denied(Box::new(refusal.into()));
        self.send_off(connection, reason);
        Ok(())
    }

    /// Returns the payload of a connection's join request; empty if it sent none.
    pub fn join_payload(&self, connection: ConnectionId) -> Option<&Payload> {
        let connection = self.sessions.connections.get(connection.0)?;
        Some(&connection.join_payload)
    }

    /// Accepts a connection, or asks the program.
    pub(in crate::server) fn request(&mut self, connection: ConnectionId) {
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
    pub(in crate::server) fn handle_join_request(
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
    pub(in crate::server) fn defer_ready(&mut self, from: ConnectionId) {
        if let Some(connection) = self.sessions.connections.get_mut(from.0) {
            connection.state = ConnectionState::Requested { ready: true };
        }
    }

    /// Makes a connection ready, if it has a place.
    pub(in crate::server) fn handle_ready(&mut self, from: ConnectionId) {
        if self.sessions.lobby.admit(from, &self.context.config.limits) {
            self.set_ready(from);
        } else {
            self.close_for(from, LimitExceeded::Places);
        }
    }
}
