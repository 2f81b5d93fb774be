//! Admission: join requests of connections, and the program's decision.

use std::fmt;

use syncvar_runtime::endpoint::{Payload, Refusal};
use syncvar_runtime::{ConnectionId, DisconnectReason, ObjectError, ReadError};

use crate::Builds;
use crate::message::{
    Connect, JoinRequest as RequestMessage, MAX_RETURN, Message, PROTOCOL_VERSION, Return,
};
use crate::server::context::Context;
use crate::server::sessions::Sessions;
use crate::server::sessions::connection::ConnectionState;
use crate::server::{Admission, ServerEvent};

/// Join request of a connection whose client has the server's schema, or has resolved it.
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
    /// Hash of the client's own schema: [`Prefabs::schema_hash`](syncvar_runtime::Prefabs::schema_hash) of its build. 0 for
    /// a client without compiled types.
    pub schema_hash: u64,
    /// Name of the client's build, as [`ClientConfig::build`](crate::ClientConfig::build) states it. A client can state
    /// any name.
    pub build: &'a str,
}

/// Answer of a server to a `Connect`.
pub(crate) enum Match {
    /// The bytes of the connection follow the server's schema: the program decides.
    Equal,
    /// The client asks for the schema.
    Described,
    /// The client receives the schema, and a refusal.
    DescribedAndRefused,
    /// The client is refused.
    Refused(DisconnectReason),
}

/// Answer to a [`JoinRequest`]: see [`NetworkServer::set_admission`](crate::NetworkServer::set_admission).
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// The connection is accepted.
    Accept,
    /// The connection is refused. The client receives the refusal.
    Refuse(Refusal),
    /// The program decides later, by [`NetworkServer::accept`](crate::NetworkServer::accept) or [`NetworkServer::refuse`](crate::NetworkServer::refuse) after
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

/// Rule of the program about join requests.
#[derive(Default)]
pub(crate) struct AdmissionRule(Option<Box<JoinRule>>);

type JoinRule = dyn FnMut(&JoinRequest<'_>) -> Decision + Send + Sync;

impl AdmissionRule {
    /// Returns the rule of a function.
    pub(crate) fn new(
        rule: impl FnMut(&JoinRequest<'_>) -> Decision + Send + Sync + 'static,
    ) -> Self {
        Self(Some(Box::new(rule)))
    }
}

impl fmt::Debug for AdmissionRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.0.is_some() {
            "AdmissionRule(..)"
        } else {
            "AdmissionRule"
        };
        f.write_str(name)
    }
}

/// Effect of an acceptance.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Acceptance {
    /// The connection was accepted before.
    Already,
    /// The client takes an earlier connection over.
    TakesOver(Return),
    /// The connection is accepted. `ready`: it has asked for the objects.
    Accepted { ready: bool },
}

impl Sessions {
    /// Keeps the payload of a join request until `Connect`. Returns false if the request is too long.
    pub(crate) fn keep_join_request(
        &mut self,
        context: &Context,
        from: ConnectionId,
        payload: &[u8],
    ) -> Result<bool, ReadError> {
        let longest = context.config.limits.max_join_payload;
        if payload.len() > longest.saturating_add(MAX_RETURN) {
            return Ok(false);
        }
        let request = RequestMessage::decode(payload)?;
        if request.payload.as_bytes().len() > longest {
            return Ok(false);
        }
        if let Some(connection) = self.connections.get_mut(from.0) {
            connection.requests.join_payload = request.payload;
            connection.requests.returning = request.returning;
        }
        Ok(true)
    }

    /// Compares the version and the schema of a client. `describes`: the server describes its schema.
    pub(crate) fn compare(
        &mut self,
        context: &Context,
        from: ConnectionId,
        connect: Connect,
        describes: bool,
    ) -> Match {
        if connect.version != PROTOCOL_VERSION {
            return Match::Refused(DisconnectReason::VersionMismatch);
        }
        let Some(connection) = self.connections.get_mut(from.0) else {
            return Match::Refused(DisconnectReason::ConnectionLost);
        };
        let (own, server) = (connect.build.schema_hash, self.schema_hash);
        // A client without compiled types plays by the schema that it receives.
        let plays = context.config.builds == Builds::Compatible || own == server || own == 0;
        if connect.schema_hash == server && plays {
            connection.requests.build = connect.build;
            // Both ends must support the framing. UNet's bytes are the minimum.
            connection.framing = connect.framing.min(context.config.framing);
            return Match::Equal;
        }
        let is_described = connection.state == ConnectionState::Connecting { described: true };
        if !describes && own == 0 && !is_described {
            let refusal = Refusal::new("the server does not describe its schema");
            return Match::Refused(DisconnectReason::Denied(Box::new(refusal)));
        }
        if describes && !is_described && plays {
            return Match::Described;
        }
        tracing::info!(
            connection = from.0,
            "refused a client with other prefabs, behaviours or fields: its `ClientEvent::Refused` names the reasons"
        );
        if describes && !is_described {
            Match::DescribedAndRefused
        } else {
            Match::Refused(DisconnectReason::SchemaMismatch(None))
        }
    }

    /// Asks the rule, or the settings, about a connection whose schema matches. A decision that waits is
    /// reported.
    pub(crate) fn decide(&mut self, context: &mut Context, connection: ConnectionId) -> Decision {
        let returning = self.find_session(context, connection);
        let Some(requested) = self.connections.get_mut(connection.0) else {
            return Decision::Wait;
        };
        requested.state = ConnectionState::Requested { ready: false };
        let decision = match (&mut self.admission_rule.0, context.config.admission) {
            (Some(rule), _) => rule(&JoinRequest {
                connection,
                returning,
                payload: &requested.requests.join_payload,
                schema_hash: requested.requests.build.schema_hash,
                build: &requested.requests.build.name,
            }),
            (None, Admission::Open) => Decision::Accept,
            (None, Admission::Decide) => Decision::Wait,
        };
        if decision == Decision::Wait {
            context.events.push(ServerEvent::JoinRequested {
                connection,
                returning,
                payload: requested.requests.join_payload.clone(),
                schema_hash: requested.requests.build.schema_hash,
                build: requested.requests.build.name.into(),
            });
        }
        decision
    }

    /// Accepts a connection that has sent its request.
    pub(crate) fn accept(
        &mut self,
        context: &mut Context,
        connection: ConnectionId,
    ) -> Result<Acceptance, ObjectError> {
        let accepted = self.connections.get_mut(connection.0);
        let accepted = accepted.ok_or(ObjectError::NotConnected(connection))?;
        let ConnectionState::Requested { ready } = accepted.state else {
            return if accepted.is_connected() {
                Ok(Acceptance::Already)
            } else {
                Err(ObjectError::NotConnected(connection))
            };
        };
        if let Some(returning) = accepted.requests.returning {
            return Ok(Acceptance::TakesOver(returning));
        }
        accepted.state = ConnectionState::Connected;
        tracing::debug!(connection = connection.0, "accepted a client");
        context.events.push(ServerEvent::Connected { connection });
        Ok(Acceptance::Accepted { ready })
    }

    /// Remembers that a connection has asked for the objects before its acceptance.
    pub(crate) fn defer_ready(&mut self, from: ConnectionId) {
        if let Some(connection) = self.connections.get_mut(from.0) {
            connection.state = ConnectionState::Requested { ready: true };
        }
    }

    /// Makes a connection ready. Returns false without a place for it.
    pub(crate) fn admit(&mut self, context: &Context, from: ConnectionId) -> bool {
        let has_place = self.lobby.admit(from, &context.config.limits);
        if has_place {
            self.set_joining(from);
        }
        has_place
    }
}
