//! Receivers of calls.

use syncvar_runtime::unstable::call::CallPlace;
use syncvar_runtime::{AudienceId, CallError, ConnectionId, NetId, Target};

use crate::Framing;
use crate::server::ServerConfig;
use crate::server::calls::Calls;
use crate::server::context::Context;
use crate::server::host::Host;
use crate::server::objects::Objects;
use crate::server::objects::replicated::{Replicated, State};
use crate::server::sessions::Sessions;
use crate::server::sessions::connection::ConnectionState;
use crate::server::visibility::Visibility;

/// Receivers of a call.
#[derive(Debug)]
pub(crate) enum Receivers {
    /// The observers after a pending view change.
    Deferred,
    /// All observers.
    Audience(AudienceId),
    /// Some observers.
    Connections(Vec<ConnectionId>),
}

/// A resolved call.
#[derive(Debug)]
pub(crate) struct CallPlan {
    pub(crate) place: CallPlace,
    pub(crate) target: Target,
    pub(crate) receivers: Receivers,
    /// Whether a receiver has `Unet`, and `Compact`.
    pub(crate) spoken: [bool; 2],
    /// Whether the local client is a receiver.
    pub(crate) local: bool,
}

/// Rooms that decide the receivers of a call.
#[derive(Clone, Copy)]
pub(crate) struct CallScope<'a> {
    pub(crate) context: &'a Context,
    pub(crate) objects: &'a Objects,
    pub(crate) sessions: &'a Sessions,
    pub(crate) visibility: &'a Visibility,
    pub(crate) host: Option<&'a Host>,
    pub(crate) calls: &'a Calls,
}

/// Returns whether a call waits for the next frame, with the changes that were made before it.
pub(crate) fn is_behind_state(config: &ServerConfig, place: &CallPlace) -> bool {
    place.schema.after_state && config.has_ticks()
}

/// Returns the observers in a target.
pub(crate) fn receivers(
    sessions: &Sessions,
    visibility: &Visibility,
    replicated: &Replicated,
    target: &Target,
) -> Receivers {
    let audience = visibility.audiences.get(replicated.audience);
    let but = |left_out: Option<ConnectionId>| match left_out {
        Some(left_out) if audience.observes(left_out) => {
            Receivers::Connections(audience.ready().filter(|c| *c != left_out).collect())
        }
        _ => Receivers::Audience(replicated.audience),
    };
    let only = |mut named: Vec<ConnectionId>| {
        named.sort_unstable();
        named.dedup();
        named
            .retain(|connection| audience.observes(*connection) || sessions.is_remote(*connection));
        Receivers::Connections(named)
    };
    match target {
        Target::NotOwner => but(replicated.owner),
        Target::AllBut(connection) => but(Some(*connection)),
        Target::Owner | Target::One(_) | Target::Set(_) => {
            only(target.named(&replicated.owner).to_vec())
        }
        _ => Receivers::Audience(replicated.audience),
    }
}

impl CallScope<'_> {
    /// Plans a call of clients, and checks its target.
    pub(crate) fn plan(
        &self,
        object: NetId,
        place: CallPlace,
        target: Option<Target>,
    ) -> Result<CallPlan, CallError> {
        let replicated = self.objects.world.objects.get(object.0);
        let replicated = replicated.ok_or(CallError::UnknownObject(object))?;
        if usize::from(place.schema.channel) >= self.context.config.channels.len() {
            return Err(CallError::UnknownChannel(place.schema.channel));
        }
        let target = target.unwrap_or_else(|| place.schema.target());
        let waits = !replicated.is(State::Announced)
            || replicated.is(State::VisibilityDirty)
            || self.calls.deferred.contains(object)
            || is_behind_state(&self.context.config, &place);
        self.check_target(object, replicated, &target, waits)?;
        let receivers = if waits {
            Receivers::Deferred
        } else {
            receivers(self.sessions, self.visibility, replicated, &target)
        };
        let spoken = self.spoken(&receivers);
        // A method for everyone runs on the server, and must not run twice on a host.
        let runs_here = target == Target::Everyone && !place.is_event();
        let local = !runs_here
            && self.host.is_some_and(|host| {
                host.observes(self.visibility, object, replicated)
                    && (waits || target.includes(host.connection, replicated.owner))
            });
        Ok(CallPlan {
            place,
            target,
            receivers,
            spoken,
            local,
        })
    }

    /// Checks that the named connections observe the object, or will after a pending view change.
    fn check_target(
        &self,
        object: NetId,
        replicated: &Replicated,
        target: &Target,
        waits: bool,
    ) -> Result<(), CallError> {
        let sees = |connection: ConnectionId| {
            if let Some(host) = self.host.filter(|host| host.connection == connection) {
                return host.observes(self.visibility, object, replicated);
            }
            if self.sessions.is_remote(connection) {
                return true;
            }
            if !waits {
                return self
                    .visibility
                    .audiences
                    .get(replicated.audience)
                    .observes(connection);
            }
            let state = self
                .sessions
                .connections
                .get(connection.0)
                .map(|known| known.state);
            let ready = matches!(
                state,
                Some(ConnectionState::Joining | ConnectionState::Ready)
            );
            ready
                && self
                    .visibility
                    .audiences
                    .admits(replicated.target_audience, connection)
        };
        let named = target.named(&replicated.owner);
        if *target == Target::Owner && named.is_empty() {
            return Err(CallError::NoOwner(object));
        }
        match named.iter().find(|connection| !sees(**connection)) {
            Some(connection) => Err(CallError::NotObserved {
                object,
                connection: *connection,
            }),
            None => Ok(()),
        }
    }

    /// Returns whether a receiver has `Unet`, and `Compact`.
    fn spoken(&self, receivers: &Receivers) -> [bool; 2] {
        let speaks = |connections: &[ConnectionId], framing| {
            let connections = connections
                .iter()
                .filter_map(|c| self.sessions.connections.get(c.0));
            let mut framings = connections.map(|connection| connection.framing);
            framings.any(|spoken| spoken == framing)
        };
        [Framing::Unet, Framing::Compact].map(|framing| match receivers {
            // Any connection may be ready by then, and its framing may be unknown yet.
            Receivers::Deferred => {
                self.sessions
                    .connections
                    .values()
                    .any(|known| match known.state {
                        ConnectionState::Closing => false,
                        ConnectionState::Connecting { .. } | ConnectionState::Requested { .. } => {
                            framing <= self.context.config.framing
                        }
                        _ => known.framing == framing,
                    })
            }
            Receivers::Audience(audience) => {
                self.visibility.audiences.get(*audience).speaks(framing)
            }
            Receivers::Connections(connections) => speaks(connections, framing),
        })
    }
}
