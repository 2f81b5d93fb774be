//! Whom a call goes to.

use super::super::audience::AudienceId;
use super::super::connection::ConnectionState;
use super::super::replicated::{Replicated, State};
use super::super::{ConnectionId, NetworkServer};
use crate::call::{CallPlace, Class};
use crate::{CallError, Dialect, NetId, Target};

/// Whom a call goes to.
pub(super) enum Receivers {
    /// Those who observe the object when it has been shown or hidden.
    Later,
    /// All who observe it.
    Audience(AudienceId),
    /// Some of them.
    Some(Vec<ConnectionId>),
}

/// What a call comes to.
pub(super) struct CallPlan {
    pub(super) place: CallPlace,
    pub(super) target: Target,
    pub(super) receivers: Receivers,
    /// Whether `Unet` and `Compact` are spoken by those.
    pub(super) spoken: [bool; 2],
    /// Whether it is for the local client, too.
    pub(super) local: bool,
}

impl NetworkServer {
    /// Which call is meant, and whether those who are named can be called.
    pub(super) fn plan_call(
        &self,
        object: NetId,
        class: Class,
        number: u32,
        target: Option<Target>,
    ) -> Result<CallPlan, CallError> {
        let replicated = self.world.objects.get(object.0);
        let replicated = replicated.ok_or(CallError::UnknownObject(object))?;
        let prefab = self.world.pools.prefab(replicated.at.pool);
        let place = self
            .world
            .prefabs
            .declared_call(prefab, object, class, number)?;
        if usize::from(place.schema.channel) >= self.config.channels.len() {
            return Err(CallError::UnknownChannel(place.schema.channel));
        }
        let target = target.unwrap_or_else(|| place.schema.target());
        let waits = !replicated.is(State::Announced)
            || replicated.is(State::VisibilityDirty)
            || !self.calls.deferred.is_empty() && self.calls.deferred_objects.contains(&object);
        self.check_target(object, replicated, &target, waits)?;
        let receivers = if waits {
            Receivers::Later
        } else {
            self.receivers(replicated, &target)
        };
        let spoken = self.spoken(&receivers);
        // A method that runs here for everyone runs once.
        let runs_here = target == Target::Everyone && !place.is_event();
        let local = !runs_here
            && self.is_visible_locally(object, replicated)
            && (waits || self.includes_local(replicated.owner, &target));
        Ok(CallPlan {
            place,
            target,
            receivers,
            spoken,
            local,
        })
    }

    /// Whether those who are named observe the object, or will as far as is known.
    fn check_target(
        &self,
        object: NetId,
        replicated: &Replicated,
        target: &Target,
        waits: bool,
    ) -> Result<(), CallError> {
        let sees = |connection: ConnectionId| {
            if self.is_local(connection) {
                return self.is_visible_locally(object, replicated);
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
        let named: &[ConnectionId] = match target {
            Target::Observers | Target::NotOwner | Target::Everyone | Target::AllBut(_) => &[],
            Target::Owner => replicated.owner.as_slice(),
            Target::One(connection) => std::slice::from_ref(connection),
            Target::Set(connections) => connections,
        };
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

    /// Those of a target who observe the object now.
    pub(super) fn receivers(&self, replicated: &Replicated, target: &Target) -> Receivers {
        let audience = self.visibility.audiences.get(replicated.audience);
        let but = |left_out: Option<ConnectionId>| match left_out {
            Some(left_out) if audience.observes(left_out) => {
                Receivers::Some(audience.ready().filter(|c| *c != left_out).collect())
            }
            _ => Receivers::Audience(replicated.audience),
        };
        let only = |mut named: Vec<ConnectionId>| {
            named.sort_unstable();
            named.dedup();
            named.retain(|connection| audience.observes(*connection));
            Receivers::Some(named)
        };
        match target {
            Target::Observers | Target::Everyone => Receivers::Audience(replicated.audience),
            Target::NotOwner => but(replicated.owner),
            Target::AllBut(connection) => but(Some(*connection)),
            Target::Owner => only(replicated.owner.into_iter().collect()),
            Target::One(connection) => only(vec![*connection]),
            Target::Set(connections) => only(connections.clone()),
        }
    }

    /// Whether `Unet` and `Compact` are spoken by those whom a call goes to.
    pub(super) fn spoken(&self, receivers: &Receivers) -> [bool; 2] {
        let speaks = |connections: &[ConnectionId], dialect| {
            let connections = connections
                .iter()
                .filter_map(|c| self.sessions.connections.get(c.0));
            let mut dialects = connections.map(|connection| connection.dialect);
            dialects.any(|spoken| spoken == dialect)
        };
        [Dialect::Unet, Dialect::Compact].map(|dialect| match receivers {
            // Whoever is there may be ready by then, and may not have said yet what it speaks.
            Receivers::Later => self
                .sessions
                .connections
                .values()
                .any(|known| match known.state {
                    ConnectionState::Closing => false,
                    ConnectionState::Connecting => dialect <= self.config.dialect,
                    _ => known.dialect == dialect,
                }),
            Receivers::Audience(audience) => {
                self.visibility.audiences.get(*audience).speaks(dialect)
            }
            Receivers::Some(connections) => speaks(connections, dialect),
        })
    }
}
