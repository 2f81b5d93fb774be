//! Observers of objects: audiences, the rules that show or hide an object, and deferred spawns.

pub(crate) mod interest;
pub(crate) mod rebuild;

use syncvar_runtime::unstable::object::Pools;
use syncvar_runtime::{CallError, ConnectionId, NetId, Target, ViewReason};

use super::audiences::Audiences;
use super::objects::Objects;
use super::objects::entry::{Observed, Viewers};
use super::objects::visibility::Visibility;
use interest::ObserverInterest;
use rebuild::Rebuilds;

/// Audiences, interest management, and spawns deferred by a callback.
#[derive(Debug, Default)]
pub(crate) struct Observers {
    pub(crate) audiences: Audiences,
    pub(crate) interest: ObserverInterest,
    /// Rebuilds by an interest management of Mirror, which decides instead of areas.
    pub(crate) rebuilds: Option<Box<Rebuilds>>,
    /// Observers of checked-out objects that receive the spawn at check-in.
    deferred: Vec<(ConnectionId, NetId)>,
}

impl Observers {
    /// Returns whether a connection observes an object.
    #[inline]
    pub(crate) fn contains(&self, object: &Observed, connection: ConnectionId) -> bool {
        self.audiences.contains(object.view.audience, connection)
    }

    /// Returns whether a ready connection should observe an object.
    pub(crate) fn sees(&self, connection: ConnectionId, object: &Observed) -> bool {
        if !object.spawned {
            return false;
        }
        if let Some(visible) = object.visibility_override(connection) {
            return visible;
        }
        let is_owner = object.owner == Some(connection);
        match (&object.view.viewers, object.view.visibility) {
            // A rebuild has heeded visibility and owner.
            (Viewers::Chosen(chosen), _) => chosen.binary_search(&connection).is_ok(),
            (_, Visibility::ForceShown) | (Viewers::All, Visibility::ByDefault) => true,
            (_, Visibility::ForceHidden) => is_owner,
            (Viewers::Area(area), Visibility::ByDefault) => {
                is_owner || self.interest.sees(connection, *area)
            }
        }
    }

    /// Adds an observer, without a spawn.
    #[inline]
    pub(crate) fn add(&mut self, object: &mut Observed, connection: ConnectionId) {
        object.view.audience = self.audiences.toggle(object.view.audience, connection);
    }

    /// Removes an observer, without a hide.
    pub(crate) fn remove(
        &mut self,
        pools: &mut Pools,
        object: &mut Observed,
        connection: ConnectionId,
    ) {
        if !self.contains(object, connection) {
            return;
        }
        object.view.audience = self.audiences.toggle(object.view.audience, connection);
        if object.view.audience == Audiences::EMPTY {
            object.end_observation(pools);
        }
    }

    /// Defers the spawn of a checked-out object.
    #[inline]
    pub(crate) fn defer(&mut self, id: NetId, connection: ConnectionId) {
        if !self.deferred.contains(&(connection, id)) {
            self.deferred.push((connection, id));
        }
    }

    /// Takes the deferred observers of an object.
    #[inline]
    pub(crate) fn take_deferred(&mut self, id: NetId) -> Vec<ConnectionId> {
        let deferred = self.deferred.extract_if(.., |(_, object)| *object == id);
        deferred.map(|(connection, _)| connection).collect()
    }

    /// Drops the deferred spawns for a connection.
    #[inline]
    pub(crate) fn drop_deferred(&mut self, connection: ConnectionId) {
        self.deferred
            .retain(|(receiver, _)| *receiver != connection);
    }

    /// Removes a despawned object; its audience is still in use.
    #[inline]
    pub(crate) fn remove_object(&mut self, id: NetId, object: &Observed) {
        self.interest.remove_object(id, object.view.viewers.area());
        if let Some(rebuilds) = &mut self.rebuilds {
            rebuilds.remove_object(id);
        }
        self.deferred.retain(|(_, deferred)| *deferred != id);
    }

    /// Removes a closed connection; its audiences are still in use.
    #[inline]
    pub(crate) fn remove_connection(&mut self, connection: ConnectionId) {
        self.interest.remove_connection(connection);
        self.drop_deferred(connection);
    }

    /// Removes a connection from all audiences, without messages.
    pub(crate) fn remove_from_audiences(
        &mut self,
        connection: ConnectionId,
        objects: &mut Objects,
    ) {
        for object in objects.world.objects.values_mut() {
            object.view.viewers.choose(connection, false);
            self.remove(&mut objects.world.pools, object, connection);
        }
    }

    /// Records write access to an object, for an interest management of Mirror.
    #[inline]
    pub(crate) fn note_write(&mut self, id: NetId) {
        if let Some(rebuilds) = &mut self.rebuilds {
            rebuilds.written.insert(id);
        }
    }

    /// Returns the observers of an object, ascending.
    pub(crate) fn of(&self, object: Option<&Observed>) -> &[ConnectionId] {
        object.map_or(&[], |object| self.audiences.members(object.view.audience))
    }

    /// Returns the rule that shows an object to a ready connection, or hides it.
    pub(crate) fn view_rule(
        &self,
        id: NetId,
        object: &Observed,
        connection: ConnectionId,
    ) -> ViewReason {
        if !object.spawned {
            return ViewReason::NotSpawned;
        }
        match object.visibility_override(connection) {
            Some(true) => return ViewReason::ShownByName,
            Some(false) => return ViewReason::HiddenByName,
            None => {}
        }
        let is_owner = object.owner == Some(connection);
        match (object.view.visibility, &object.view.viewers) {
            (_, Viewers::Chosen(chosen)) => match chosen.binary_search(&connection) {
                Ok(_) if is_owner => ViewReason::Owner,
                Ok(_) => ViewReason::Chosen,
                Err(_) => ViewReason::NotChosen,
            },
            (Visibility::ForceShown, _) => ViewReason::ShownToAll,
            (Visibility::ForceHidden, _) | (_, Viewers::Area(_)) if is_owner => ViewReason::Owner,
            (Visibility::ForceHidden, _) => ViewReason::HiddenFromAll,
            (Visibility::ByDefault, Viewers::All) => ViewReason::Everyone,
            (Visibility::ByDefault, Viewers::Area(area)) => {
                let explained = self.interest.management.explain(id, connection);
                ViewReason::of_area(*area, self.interest.sees(connection, *area), explained)
            }
        }
    }

    /// Checks that the named connections of a call's target observe the object.
    pub(crate) fn check_target(
        &self,
        id: NetId,
        object: &Observed,
        target: &Target,
    ) -> Result<(), CallError> {
        let named: &[ConnectionId] = match target {
            Target::Owner => object.owner.as_slice(),
            Target::One(connection) => std::slice::from_ref(connection),
            Target::Set(connections) => connections,
            _ => &[],
        };
        if *target == Target::Owner && named.is_empty() {
            return Err(CallError::NoOwner(id));
        }
        match named.iter().find(|named| !self.contains(object, **named)) {
            Some(connection) => Err(CallError::NotObserved {
                object: id,
                connection: *connection,
            }),
            None => Ok(()),
        }
    }

    /// Returns the observers of an object that a call's target selects.
    pub(crate) fn receivers(&self, object: &Observed, target: &Target) -> Vec<ConnectionId> {
        let observers = || self.of(Some(object)).iter().copied();
        let all_but = |left_out: Option<ConnectionId>| {
            let receivers = observers().filter(move |observer| Some(*observer) != left_out);
            receivers.collect()
        };
        match target {
            Target::Observers | Target::Everyone => observers().collect(),
            Target::NotOwner => all_but(object.owner),
            Target::AllBut(connection) => all_but(Some(*connection)),
            Target::Owner => object.owner.into_iter().collect(),
            Target::One(connection) => vec![*connection],
            Target::Set(connections) => {
                let is_named = |observer: &ConnectionId| connections.contains(observer);
                observers().filter(is_named).collect()
            }
            _ => Vec::new(),
        }
    }
}
