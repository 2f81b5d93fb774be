//! Observers of objects: audiences, interest management, and deferred spawns.

pub(super) mod audience;
pub(super) mod interest;
pub(super) mod observe;
mod reason;
pub(super) mod rebuild;

use syncvar_runtime::object::Pools;
use syncvar_runtime::{ConnectionId, NetId};

use super::world::object::{Observed, Viewers, Visibility};
use audience::Audiences;
use interest::Interest;
use rebuild::Rebuilds;

/// Audiences, interest management, and spawns deferred by a callback.
#[derive(Debug, Default)]
pub(super) struct Observers {
    pub(super) audiences: Audiences,
    pub(super) interest: Interest,
    /// Rebuilds by an interest management of Mirror, which decides instead of areas.
    pub(super) rebuilds: Option<Box<Rebuilds>>,
    /// Observers of checked-out objects that receive the spawn at check-in.
    deferred: Vec<(ConnectionId, NetId)>,
}

impl Observers {
    /// Returns whether a connection observes an object.
    #[inline]
    pub(super) fn contains(&self, object: &Observed, connection: ConnectionId) -> bool {
        self.audiences.contains(object.audience, connection)
    }

    /// Returns whether a ready connection should observe an object.
    pub(super) fn sees(&self, connection: ConnectionId, object: &Observed) -> bool {
        if !object.spawned {
            return false;
        }
        if let Some(visible) = object.visibility_override(connection) {
            return visible;
        }
        let is_owner = object.owner == Some(connection);
        match (&object.viewers, object.visibility) {
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
    pub(super) fn add(&mut self, object: &mut Observed, connection: ConnectionId) {
        object.audience = self.audiences.toggle(object.audience, connection);
    }

    /// Removes an observer, without a hide.
    pub(super) fn remove(
        &mut self,
        pools: &mut Pools,
        object: &mut Observed,
        connection: ConnectionId,
    ) {
        if !self.contains(object, connection) {
            return;
        }
        object.audience = self.audiences.toggle(object.audience, connection);
        if object.audience == Audiences::EMPTY {
            object.end_observation(pools);
        }
    }

    /// Defers the spawn of a checked-out object.
    #[inline]
    pub(super) fn defer(&mut self, id: NetId, connection: ConnectionId) {
        if !self.deferred.contains(&(connection, id)) {
            self.deferred.push((connection, id));
        }
    }

    /// Takes the deferred observers of an object.
    #[inline]
    pub(super) fn take_deferred(&mut self, id: NetId) -> Vec<ConnectionId> {
        let deferred = self.deferred.extract_if(.., |(_, object)| *object == id);
        deferred.map(|(connection, _)| connection).collect()
    }

    /// Drops the deferred spawns for a connection.
    #[inline]
    pub(super) fn drop_deferred(&mut self, connection: ConnectionId) {
        self.deferred
            .retain(|(receiver, _)| *receiver != connection);
    }

    /// Removes a despawned object; its audience is still in use.
    #[inline]
    pub(super) fn remove_object(&mut self, id: NetId, object: &Observed) {
        self.interest.remove_object(id, object.viewers.area());
        if let Some(rebuilds) = &mut self.rebuilds {
            rebuilds.remove_object(id);
        }
        self.deferred.retain(|(_, deferred)| *deferred != id);
    }

    /// Removes a closed connection; its audiences are still in use.
    #[inline]
    pub(super) fn remove_connection(&mut self, connection: ConnectionId) {
        self.interest.remove_connection(connection);
        self.drop_deferred(connection);
    }
}
