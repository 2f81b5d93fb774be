//! Observers of an object.

use syncvar_runtime::object::nanos;
use syncvar_runtime::{ConnectionId, NetId, ObjectError};

use crate::message::{ObjectDestroyMessage, ObjectHideMessage};
use crate::server::MirrorServer;
use crate::server::observers::audience::Audiences;
use crate::server::sessions::connection::{Connection, Readiness};
use crate::server::world::object::Visibility;

impl MirrorServer {
    /// Shows an object to a connection, above all other visibility rules: at once, if the
    /// connection is ready.
    ///
    /// # Errors
    ///
    /// When the object does not exist, or the connection is not connected.
    pub fn show(&mut self, id: NetId, connection: ConnectionId) -> Result<(), ObjectError> {
        self.set_override(id, connection, Some(true))
    }

    /// Hides an object from a connection, above all other visibility rules and even from its owner:
    /// at once, by Mirror's `ObjectHideMessage`.
    ///
    /// # Errors
    ///
    /// When the object does not exist, or the connection is not connected.
    pub fn hide(&mut self, id: NetId, connection: ConnectionId) -> Result<(), ObjectError> {
        self.set_override(id, connection, Some(false))
    }

    /// Reverts [`show`](Self::show) or [`hide`](Self::hide).
    ///
    /// # Errors
    ///
    /// When the object does not exist, or the connection is not connected.
    pub fn restore(&mut self, id: NetId, connection: ConnectionId) -> Result<(), ObjectError> {
        self.set_override(id, connection, None)
    }

    fn set_override(
        &mut self,
        id: NetId,
        connection: ConnectionId,
        view: Option<bool>,
    ) -> Result<(), ObjectError> {
        let object = self.world.objects.get_mut(id.0);
        let object = object.ok_or(ObjectError::NoSuchObject(id))?;
        self.sessions.expect(connection)?;
        object.overrides.retain(|(known, _)| *known != connection);
        object.overrides.extend(view.map(|view| (connection, view)));
        self.update_observer(id, connection);
        Ok(())
    }

    /// Sets the visibility of an object, above the interest management: at once; on a server
    /// [with Mirror's interest management](Self::with_mirror_interest) with the next rebuild of the
    /// object, as in Mirror. Mirror's `NetworkIdentity.visibility`.
    ///
    /// # Errors
    ///
    /// When the object does not exist.
    pub fn set_visibility(&mut self, id: NetId, visibility: Visibility) -> Result<(), ObjectError> {
        let object = self.world.objects.get_mut(id.0);
        object.ok_or(ObjectError::NoSuchObject(id))?.visibility = visibility;
        self.update_observers(id);
        Ok(())
    }

    /// Returns whether a connection observes an object: it received the spawn, and receives
    /// changes.
    pub fn is_observer(&self, id: NetId, connection: ConnectionId) -> bool {
        let object = self.world.objects.get(id.0);
        object.is_some_and(|object| {
            self.observers
                .audiences
                .contains(object.audience, connection)
        })
    }

    /// Returns whether a connection is ready and received the spawn burst. Before the end of a
    /// burst, Mirror's client stores spawns and ignores updates and despawns for them, so it would
    /// keep removed objects and outdated values. Mirror's server sends them nevertheless.
    pub(in crate::server) fn receives_objects(&self, connection: ConnectionId) -> bool {
        let client = self.sessions.get(connection);
        client.is_some_and(Connection::is_receiving)
    }

    /// Re-evaluates whether `connection` observes `id`, and sends the spawn or the hide.
    pub(in crate::server) fn update_observer(&mut self, id: NetId, connection: ConnectionId) {
        self.replication.scratch.cached_spawn = None;
        self.update_observer_cached(id, connection);
    }

    /// Like `update_observer`, reusing the spawn payload that the previous call encoded.
    fn update_observer_cached(&mut self, id: NetId, connection: ConnectionId) {
        let Some(object) = self.world.objects.get(id.0) else {
            return;
        };
        let sees = self.receives_objects(connection) && self.observers.sees(connection, object);
        let observes = self
            .observers
            .audiences
            .contains(object.audience, connection);
        if sees && !observes {
            self.add_observer(id, connection);
        } else if observes && !sees {
            tracing::trace!(object = %id, connection = connection.0, "leaves a view");
            self.send_object_message(id, connection, &ObjectHideMessage { net_id: id });
            self.remove_observer(id, connection);
        }
    }

    /// Re-evaluates all connections.
    pub(in crate::server) fn update_observers(&mut self, id: NetId) {
        let receiving = self.sessions.iter().filter(|(_, it)| it.is_receiving());
        let mut observers: Vec<_> = receiving.map(|(connection, _)| connection).collect();
        self.replication.scratch.cached_spawn = None;
        let object = self.world.objects.get(id.0);
        let Some(object) = object.filter(|object| object.is_unobserved(&self.world.pools)) else {
            for connection in observers {
                self.update_observer_cached(id, connection);
            }
            return;
        };
        // All enter at once: no intermediate audience for each of them.
        observers.retain(|connection| self.observers.sees(*connection, object));
        if observers.is_empty() {
            return;
        }
        self.begin_observation(id);
        if let Some(object) = self.world.objects.get_mut(id.0) {
            object.audience = self
                .observers
                .audiences
                .exchange(object.audience, &observers);
        }
        for connection in observers {
            self.spawn_for(id, connection);
        }
    }

    /// Adds an observer: Mirror's `AddObserver`. The first one clears the pending changes, which
    /// its snapshot contains.
    fn add_observer(&mut self, id: NetId, connection: ConnectionId) {
        let Some(object) = self.world.objects.get(id.0) else {
            return;
        };
        let is_unobserved = object.audience == Audiences::EMPTY;
        if self.world.checked_out.contains(id) {
            self.observers.defer(id, connection);
            return;
        }
        if is_unobserved {
            self.begin_observation(id);
        }
        if let Some(object) = self.world.objects.get_mut(id.0) {
            self.observers.add(object, connection);
        }
        self.spawn_for(id, connection);
    }

    /// Starts observation of an object without observers. Unreliable deltas that no baseline
    /// contains stay pending: a late delta may overwrite the snapshot that is sent now.
    fn begin_observation(&mut self, id: NetId) {
        let (now, without_baseline) = (
            nanos(self.clock.now()),
            self.replication.hybrid.without_baseline(id),
        );
        if let Some(object) = self.world.objects.get_mut(id.0)
            && let Some(slots) = self.world.pools.slots_mut(object.at)
        {
            object.fully_dirty &= without_baseline;
            object.transferred &= without_baseline;
            let mut bit = 1;
            slots.for_each_mut(|slot| {
                if without_baseline & bit == 0 {
                    slot.mark_sent(now, None);
                }
                slot.set_observed(true);
                bit = bit.wrapping_shl(1);
            });
        }
        if without_baseline != 0 {
            self.queue_dirty(id);
        }
    }

    /// Sends the spawn to a new observer.
    fn spawn_for(&mut self, id: NetId, connection: ConnectionId) {
        tracing::trace!(object = %id, connection = connection.0, "enters a view");
        if !self.send_spawn(id, connection) {
            // Without the spawn it cannot receive changes. The next change may fit.
            self.remove_observer(id, connection);
            if let Some(object) = self.world.objects.get_mut(id.0) {
                object.spawn_failed = true;
            }
        }
    }

    /// Removes an observer; its hide is sent already, if one is due.
    fn remove_observer(&mut self, id: NetId, connection: ConnectionId) {
        if let Some(object) = self.world.objects.get_mut(id.0) {
            self.observers
                .remove(&mut self.world.pools, object, connection);
        }
    }

    /// Removes a connection from all audiences, without messages.
    pub(in crate::server) fn remove_from_audiences(&mut self, connection: ConnectionId) {
        for object in self.world.objects.values_mut() {
            object.viewers.choose(connection, false);
            self.observers
                .remove(&mut self.world.pools, object, connection);
        }
    }

    /// Sends a connection all visible objects: Mirror's `SpawnObserversForConnection`. Objects that
    /// it observes are not sent again.
    pub(in crate::server) fn spawn_visible_objects(&mut self, connection: ConnectionId) {
        use crate::message::{ObjectSpawnFinishedMessage, ObjectSpawnStartedMessage};
        use syncvar_runtime::Channel::Reliable;

        let Some(client) = self.sessions.get_mut(connection) else {
            return;
        };
        let former = std::mem::replace(&mut client.readiness, Readiness::Receiving);
        tracing::debug!(
            connection = connection.0,
            "sends all visible objects to a client"
        );
        self.send_message(Reliable, connection, &ObjectSpawnStartedMessage);
        // View changes until now belong into this burst.
        self.apply_interest();
        self.check_objects(connection);
        // A repeated ready message of a client with all objects costs no scan.
        let mut ids = std::mem::take(&mut self.replication.scratch.ids);
        if former != Readiness::Receiving || self.observers.rebuilds.is_some() {
            let objects = self.world.objects.iter();
            let seen = objects.filter(|(_, object)| self.observers.sees(connection, object));
            ids.extend(seen.map(|(number, _)| NetId(number)));
        }
        for id in ids.drain(..) {
            self.update_observer(id, connection);
        }
        self.replication.scratch.ids = ids;
        self.send_message(Reliable, connection, &ObjectSpawnFinishedMessage);
        self.take_from_client(connection);
    }

    /// Takes those objects from a client that it has kept while it was not ready, and does not observe
    /// any more.
    fn take_from_client(&mut self, connection: ConnectionId) {
        let client = self.sessions.get_mut(connection);
        let kept = client.map(|client| std::mem::take(&mut client.kept));
        for id in kept.unwrap_or_default() {
            match self.world.objects.get(id.0) {
                None => {
                    let message = ObjectDestroyMessage { net_id: id };
                    self.send_object_message(id, connection, &message);
                }
                Some(object) if !self.observers.contains(object, connection) => {
                    let message = ObjectHideMessage { net_id: id };
                    self.send_object_message(id, connection, &message);
                }
                Some(_) => {}
            }
        }
    }

    /// Spawns an object for the observers added while it was checked out.
    pub(in crate::server) fn spawn_deferred(&mut self, id: NetId) {
        for connection in self.observers.take_deferred(id) {
            self.update_observer(id, connection);
        }
    }
}
