//! Whom a call goes to.

use super::super::NetworkServer;
use super::super::connection::ConnectionState;
use super::super::spawned::Spawned;
use crate::AudienceId;
use crate::ConnectionId;
use crate::call::{CallPlace, Class};
use crate::{CallError, Framing, NetId, Target};

/// Whom a call goes to.
#[derive(Debug)]
pub(super) enum Receivers {
    /// Those who observe the object when it has been shown or hidden.
    Later,
    /// All who observe it.
    Audience(AudienceId),
    /// Some of them.
    Some(Vec<ConnectionId>),
}

/// What a call comes to.
#[derive(Debug)]
pub(super) struct Plan {
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
    ) -> Result<Plan, CallError> {
        let spawned = self.objects.get(object.0);
        let spawned = spawned.ok_or(CallError::UnknownObject(object))?;
        let prefab = self.pools.prefab(spawned.at.pool);
        let place = self.prefabs.declared_call(prefab, object, class, number)?;
        if usize::from(place.schema.channel) >= self.config.channels.len() {
            return Err(CallError::UnknownChannel(place.schema.channel));
        }
        let target = target.unwrap_or_else(|| place.schema.target());
        let waits = !spawned.announced
            || spawned.moved
            || !self.calls.kept.is_empty() && self.calls.kept_objects.contains(&object);
        self.check_target(object, spawned, &target, waits)?;
        let receivers = if waits {
            Receivers::Later
        } else {
            self.receivers(spawned, &target)
        };
        let spoken = self.spoken(&receivers);
        // A method that runs here for everyone runs once.
        let runs_here = target == Target::Everyone && !place.is_event();
        let local = !runs_here
            && self.is_for_local(object, spawned)
            && (waits || self.includes_local(spawned.owner, &target));
        Ok(Plan {
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
        spawned: &Spawned,
        target: &Target,
        waits: bool,
    ) -> Result<(), CallError> {
        let sees = |connection: ConnectionId| {
            if self.is_local(connection) {
                return self.is_for_local(object, spawned);
            }
            if !waits {
                return self.audiences.get(spawned.audience).observes(connection);
            }
            let state = self.connections.get(connection.0).map(|known| known.state);
            let ready = matches!(
                state,
                Some(ConnectionState::Joining | ConnectionState::Ready)
            );
            ready && self.audiences.admits(spawned.wanted, connection)
        };
        let named = target.named(&spawned.owner);
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
    pub(super) fn receivers(&self, spawned: &Spawned, target: &Target) -> Receivers {
        let audience = self.audiences.get(spawned.audience);
        let but = |left_out: Option<ConnectionId>| match left_out {
            Some(left_out) if audience.observes(left_out) => {
                Receivers::Some(audience.ready().filter(|c| *c != left_out).collect())
            }
            _ => Receivers::Audience(spawned.audience),
        };
        let only = |mut named: Vec<ConnectionId>| {
            named.sort_unstable();
            named.dedup();
            named.retain(|connection| audience.observes(*connection));
            Receivers::Some(named)
        };
        match target {
            Target::NotOwner => but(spawned.owner),
            Target::AllBut(connection) => but(Some(*connection)),
            Target::Owner | Target::One(_) | Target::Set(_) => {
                only(target.named(&spawned.owner).to_vec())
            }
            _ => Receivers::Audience(spawned.audience),
        }
    }

    /// Whether `Unet` and `Compact` are spoken by those whom a call goes to.
    pub(super) fn spoken(&self, receivers: &Receivers) -> [bool; 2] {
        let speaks = |connections: &[ConnectionId], framing| {
            let connections = connections.iter().filter_map(|c| self.connections.get(c.0));
            let mut framings = connections.map(|connection| connection.framing);
            framings.any(|spoken| spoken == framing)
        };
        [Framing::Unet, Framing::Compact].map(|framing| match receivers {
            // Whoever is there may be ready by then, and may not have said yet what it speaks.
            Receivers::Later => self.connections.values().any(|known| match known.state {
                ConnectionState::Closing => false,
                ConnectionState::Connecting => framing <= self.config.framing,
                _ => known.framing == framing,
            }),
            Receivers::Audience(audience) => self.audiences.get(*audience).speaks(framing),
            Receivers::Some(connections) => speaks(connections, framing),
        })
    }
}
