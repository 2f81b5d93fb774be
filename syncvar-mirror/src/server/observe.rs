//! Who observes an object, and what follows when that changes.

use syncvar_runtime::engine::nanos;
use syncvar_runtime::{ConnectionId, NetId};

use super::MirrorServer;
use super::audience::Audiences;
use super::object::{Observed, Visibility};
use crate::message::ObjectHideMessage;

impl MirrorServer {
    /// Shows an object to a connection, whatever else is said about it: at once, if it is ready. Returns
    /// whether there are such an object and such a connection.
    pub fn show(&mut self, id: NetId, connection: ConnectionId) -> bool {
        self.set_override(id, connection, Some(true))
    }

    /// Hides an object from a connection, whatever else is said about it, its owner included: at once, by
    /// Mirror's `ObjectHideMessage`. Returns whether there are such an object and such a connection.
    pub fn hide(&mut self, id: NetId, connection: ConnectionId) -> bool {
        self.set_override(id, connection, Some(false))
    }

    /// Takes back what [`show`](Self::show) or [`hide`](Self::hide) has said. Returns whether there are
    /// such an object and such a connection.
    pub fn restore(&mut self, id: NetId, connection: ConnectionId) -> bool {
        self.set_override(id, connection, None)
    }

    fn set_override(&mut self, id: NetId, connection: ConnectionId, view: Option<bool>) -> bool {
        let known = self.is_connected(connection);
        let Some(object) = self.world.objects.get_mut(id.0).filter(|_| known) else {
            return false;
        };
        object.overrides.retain(|(known, _)| *known != connection);
        object.overrides.extend(view.map(|view| (connection, view)));
        self.update_observer(id, connection);
        true
    }

    /// Sets who sees an object, whatever the interest management says: at once. Mirror's
    /// `NetworkIdentity.visibility`. Returns whether there is such an object.
    pub fn set_visibility(&mut self, id: NetId, visibility: Visibility) -> bool {
        let Some(object) = self.world.objects.get_mut(id.0) else {
            return false;
        };
        object.visibility = visibility;
        self.update_observers(id);
        true
    }

    /// Whether a connection has been sent an object and is told of its changes.
    pub fn is_observer(&self, id: NetId, connection: ConnectionId) -> bool {
        let object = self.world.objects.get(id.0);
        object.is_some_and(|object| {
            self.observers
                .audiences
                .contains(object.audience, connection)
        })
    }

    /// Those who have been sent an object and are told of its changes, ascending.
    pub fn observers(&self, id: NetId) -> &[ConnectionId] {
        let object = self.world.objects.get(id.0);
        object.map_or(&[], |object| {
            self.observers.audiences.members(object.audience)
        })
    }

    /// Whether a connection is ready, and has been shown everything since. Before that Mirror's client keeps
    /// what it is sent until a burst is complete, and does not take what is said of it meanwhile: it would
    /// have objects that are gone, and others as they were. Mirror's server sends it all the same.
    fn receives_objects(&self, connection: ConnectionId) -> bool {
        let client = self.sessions.connections.get(connection.0);
        client.is_some_and(|client| client.shown)
    }

    /// Whether a connection is to observe an object if it is ready.
    fn is_visible_to(&self, object: &Observed, connection: ConnectionId) -> bool {
        if !object.spawned {
            return false;
        }
        if let Some(view) = object.visibility_override(connection) {
            return view;
        }
        match object.visibility {
            Visibility::ForceShown => true,
            Visibility::ForceHidden => object.owner == Some(connection),
            Visibility::ByDefault => {
                let sees = |area| self.observers.interest.sees(connection, area);
                object.owner == Some(connection) || object.area.is_none_or(sees)
            }
        }
    }

    /// Makes a connection observe an object, or no longer, as it should be.
    pub(super) fn update_observer(&mut self, id: NetId, connection: ConnectionId) {
        self.replication.scratch.cached_spawn = None;
        self.update_observer_cached(id, connection);
    }

    /// The same after another one, while the object is as it was for that.
    fn update_observer_cached(&mut self, id: NetId, connection: ConnectionId) {
        let Some(object) = self.world.objects.get(id.0) else {
            return;
        };
        let should = self.receives_objects(connection) && self.is_visible_to(object, connection);
        let does = self
            .observers
            .audiences
            .contains(object.audience, connection);
        if should && !does {
            self.add_observer(id, connection);
        } else if does && !should {
            self.send_object_message(id, connection, &ObjectHideMessage { net_id: id });
            self.remove_observer(id, connection);
        }
    }

    /// The same for everybody.
    pub(super) fn update_observers(&mut self, id: NetId) {
        let connections = self.sessions.connections.iter();
        let shown = connections.filter(|(_, client)| client.shown);
        let mut shown: Vec<_> = shown.map(|(number, _)| ConnectionId(number)).collect();
        self.replication.scratch.cached_spawn = None;
        let object = self.world.objects.get(id.0);
        let Some(object) = object.filter(|object| object.is_unobserved()) else {
            for connection in shown {
                self.update_observer_cached(id, connection);
            }
            return;
        };
        // They all begin at once: no set is made for each of them.
        shown.retain(|connection| self.is_visible_to(object, *connection));
        if shown.is_empty() {
            return;
        }
        self.begin_observation(id);
        if let Some(object) = self.world.objects.get_mut(id.0) {
            object.audience = self.observers.audiences.exchange(object.audience, &shown);
        }
        for connection in shown {
            self.spawn_for(id, connection);
        }
    }

    /// Somebody observes an object from now on: Mirror's `AddObserver`. The first one makes what has
    /// changed so far no change any more, since it is in the state that is sent.
    fn add_observer(&mut self, id: NetId, connection: ConnectionId) {
        let Some(object) = self.world.objects.get(id.0) else {
            return;
        };
        if object.behaviours.is_none() {
            if !self.observers.pending.contains(&(connection, id)) {
                self.observers.pending.push((connection, id));
            }
            return;
        }
        if object.is_unobserved() {
            self.begin_observation(id);
        }
        if let Some(object) = self.world.objects.get_mut(id.0) {
            object.audience = self.observers.audiences.toggle(object.audience, connection);
        }
        self.spawn_for(id, connection);
    }

    /// Somebody is about to be the first who observes an object. Changes that have been sent unreliably and
    /// in no baseline stay changes: one that comes late may be applied to the state that is sent now.
    fn begin_observation(&mut self, id: NetId) {
        let (now, without_baseline) = (nanos(self.now), self.replication.hybrid.without_baseline(id));
        if let Some(object) = self.world.objects.get_mut(id.0)
            && let Some(behaviours) = object.behaviours.as_mut()
        {
            object.fully_dirty &= without_baseline;
            object.transferred &= without_baseline;
            let mut bit = 1;
            behaviours.slots_mut().for_each_mut(|slot| {
                if without_baseline & bit == 0 {
                    slot.mark_sent(now);
                }
                slot.set_observed(true);
                bit = bit.wrapping_shl(1);
            });
        }
        if without_baseline != 0 {
            self.queue_dirty(id);
        }
    }

    /// Sends an object to somebody who observes it from now on.
    fn spawn_for(&mut self, id: NetId, connection: ConnectionId) {
        if !self.send_spawn(id, connection) {
            // It has not been sent it, so it cannot be told of its changes. The next one may help.
            self.remove_observer(id, connection);
            if let Some(object) = self.world.objects.get_mut(id.0) {
                object.spawn_failed = true;
            }
        }
    }

    /// Somebody observes an object no more; that has been said if need be.
    fn remove_observer(&mut self, id: NetId, connection: ConnectionId) {
        if let Some(object) = self.world.objects.get_mut(id.0) {
            Self::remove_member(&mut self.observers.audiences, object, connection);
        }
    }

    fn remove_member(audiences: &mut Audiences, object: &mut Observed, connection: ConnectionId) {
        if !audiences.contains(object.audience, connection) {
            return;
        }
        object.audience = audiences.toggle(object.audience, connection);
        if object.audience == Audiences::EMPTY {
            object.end_observation();
        }
    }

    /// A connection observes nothing any more, and need not be told.
    pub(super) fn remove_from_audiences(&mut self, connection: ConnectionId) {
        for object in self.world.objects.values_mut() {
            Self::remove_member(&mut self.observers.audiences, object, connection);
        }
    }

    /// Sends a connection everything that it may see: Mirror's `SpawnObserversForConnection`. What it
    /// observes already is not sent again.
    pub(super) fn spawn_visible_objects(&mut self, connection: ConnectionId) {
        use crate::message::{ObjectSpawnFinishedMessage, ObjectSpawnStartedMessage};
        use syncvar_runtime::Channel::Reliable;

        let Some(client) = self.sessions.connections.get_mut(connection.0) else {
            return;
        };
        let receives_objects = std::mem::replace(&mut client.shown, true);
        self.send_message(Reliable, connection, &ObjectSpawnStartedMessage);
        // What it has just been said to see belongs to this.
        self.apply_interest();
        // One who has all of it and says again that it is ready costs nothing.
        let mut ids = std::mem::take(&mut self.replication.scratch.ids);
        if !receives_objects {
            let objects = self.world.objects.iter();
            let seen = objects.filter(|(_, object)| self.is_visible_to(object, connection));
            ids.extend(seen.map(|(number, _)| NetId(number)));
        }
        for id in ids.drain(..) {
            self.update_observer(id, connection);
        }
        self.replication.scratch.ids = ids;
        self.send_message(Reliable, connection, &ObjectSpawnFinishedMessage);
    }

    /// Shows an object that has been called to those who should have been shown it meanwhile.
    pub(super) fn update_pending_observers(&mut self, id: NetId) {
        if self.observers.pending.is_empty() {
            return;
        }
        let owed = self
            .observers
            .pending
            .extract_if(.., |(_, owed)| *owed == id);
        let owed: Vec<_> = owed.map(|(connection, _)| connection).collect();
        for connection in owed {
            self.update_observer(id, connection);
        }
    }
}
