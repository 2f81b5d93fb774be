//! `JoinRequest`: a client asks for its connection.

use bevy_ecs::prelude::*;
use syncvar::ConnectionId;
use syncvar::join::{Decision, Payload, Refusal};

/// Event of a server: a client asks to join. It is accepted, unless an observer refuses it or lets it wait.
///
/// ```
/// # use bevy_app::prelude::*;
/// # use bevy_ecs::prelude::*;
/// # use bevy_syncvar::prelude::*;
/// # let mut app = App::new();
/// app.add_observer(|mut request: On<JoinRequest>| {
///     match request.payload.decode::<String>() {
///         Ok(name) if name == "ann" => {}
///         _ => request.refuse("only ann may play"),
///     }
/// });
/// ```
#[derive(Event, Debug)]
pub struct JoinRequest {
    /// The connection.
    pub connection: ConnectionId,
    /// Earlier connection, if the client returns to a session.
    pub returning: Option<ConnectionId>,
    /// Payload of the client; empty if it has sent none.
    pub payload: Payload,
    /// Name of the client's build.
    pub build: String,
    decision: Decision,
}

impl JoinRequest {
    /// Refuses the client, with a text or a [`Refusal`].
    pub fn refuse(&mut self, refusal: impl Into<Refusal>) {
        self.decision = Decision::Refuse(refusal.into());
    }

    /// Lets the client wait for [`NetworkServer::accept`](syncvar::NetworkServer::accept) or `refuse` of the
    /// [`Server`](crate::Server), unless another observer has refused it.
    pub fn wait(&mut self) {
        if matches!(self.decision, Decision::Accept) {
            self.decision = Decision::Wait;
        }
    }

    pub(crate) fn new(
        connection: ConnectionId,
        returning: Option<ConnectionId>,
        payload: Payload,
        build: String,
    ) -> Self {
        Self {
            connection,
            returning,
            payload,
            build,
            decision: Decision::Accept,
        }
    }

    pub(crate) fn into_decision(self) -> Decision {
        self.decision
    }
}
