//! Who observes an object, and what follows when that changes.

use syncvar_runtime::object::nanos;
use syncvar_runtime::{ConnectionId, NetId};

use super::MirrorServer;
use super::audience::Audiences;
use super::object::{Object, Visibility};
use crate::message::ObjectHideMessage;

impl MirrorServer {
    /// Shows an object to a connection, whatever else is said about it: at once, if it is ready. Returns
    /// whether there are such an object and such a connection.
    pub fn show(&mut self, id: NetId, connection: ConnectionId) -> bool {
        self.set_view(id, connection, Some(true))
    }

    /// Hides an object from a connection, whatever else is said about it, its owner included: at once, by
    /// Mirror's `ObjectHideMessage`. Returns whether there are such an object and such a connection.
    pub fn hide(&mut self, id: NetId, connection: ConnectionId) -> bool {
        self.set_view(id, connection, Some(false))
    }

    /// Takes back what [`show`](Self::show) or [`hide`](Self::hide) has said. Returns whether there are
    /// such an object and such a connection.
    pub fn restore(&mut self, id: NetId, connection: ConnectionId) -> bool {
        self.set_view(id, connection, None)
    }

    fn set_view(&mut self, id: NetId, connection: ConnectionId, view: Option<bool>) -> bool {
        let known = self.is_connected(connection);
        let Some(object) = self.objects.get_mut(id.0).filter(|_| known) else {
            return false;
        };
        object.views.retain(|(known, _)| *known != connection);
        object.views.extend(view.map(|view| (connection, view)));
        self.look(id, connection);
        true
    }

    /// Sets who sees an object, whatever the interest management says: at once. Mirror's
    /// `NetworkIdentity.visibility`. Returns whether there is such an object.
    pub fn set_visibility(&mut self, id: NetId, visibility: Visibility) -> bool {
        let Some(object) = self.objects.get_mut(id.0) else {
            return false;
        };
        object.visibility = visibility;
        self.look_all(id);
        true
    }

    /// Whether a connection has been sent an object and is told of its changes.
    pub fn is_observer(&self, id: NetId, connection: ConnectionId) -> bool {
        let object = self.objects.get(id.0);
        object.is_some_and(|object| self.audiences.contains(object.audience, connection))
    }

    /// Those who have been sent an object and are told of its changes, ascending.
    pub fn observers(&self, id: NetId) -> &[ConnectionId] {
        let object = self.objects.get(id.0);
        object.map_or(&[], |object| self.audiences.members(object.audience))
    }

    /// Whether a connection is ready, and has been shown everything since. Before that Mirror's client keeps
    /// what it is sent until a burst is complete, and does not take what is said of it meanwhile: it would
    /// have objects that are gone, and others as they were. Mirror's server sends it all the same.
    fn is_shown(&self, connection: ConnectionId) -> bool {
        let client = self.connections.get(connection.0);
        client.is_some_and(|client| client.shown)
    }

    /// Whether a connection is to observe an object if it is ready.
    fn is_for(&self, object: &Object, connection: ConnectionId) -> bool {
        if !object.spawned {
            return false;
        }
        if let Some(view) = object.view(connection) {
            return view;
        }
        match object.visibility {
            Visibility::ForceShown => true,
            Visibility::ForceHidden => object.owner == Some(connection),
            Visibility::ByDefault => {
                let sees = |area| self.interest.sees(connection, area);
                object.owner == Some(connection) || object.area.is_none_or(sees)
            }
        }
    }

    /// Makes a connection observe an object, or no longer, as it should be.
    pub(super) fn look(&mut self, id: NetId, connection: ConnectionId) {
        self.scratch.spawn_of = None;
        self.look_next(id, connection);
    }

    /// The same after another one, while the object is as it was for that.
    fn look_next(&mut self, id: NetId, connection: ConnectionId) {
        let Some(object) = self.objects.get(id.0) else {
            return;
        };
        let should = self.is_shown(connection) && self.is_for(object, connection);
        let does = self.audiences.contains(object.audience, connection);
        if should && !does {
            self.add_observer(id, connection);
        } else if does && !should {
            self.send_about(id, connection, &ObjectHideMessage { net_id: id });
            self.remove_observer(id, connection);
        }
    }

    /// The same for everybody.
    pub(super) fn look_all(&mut self, id: NetId) {
        let connections = self.connections.iter();
        let shown = connections.filter(|(_, client)| client.shown);
        let mut shown: Vec<_> = shown.map(|(number, _)| ConnectionId(number)).collect();
        self.scratch.spawn_of = None;
        let object = self.objects.get(id.0);
        let Some(object) = object.filter(|object| object.is_unobserved()) else {
            for connection in shown {
                self.look_next(id, connection);
            }
            return;
        };
        // They all begin at once: no set is made for each of them.
        shown.retain(|connection| self.is_for(object, *connection));
        if shown.is_empty() {
            return;
        }
        self.begin_observation(id);
        if let Some(object) = self.objects.get_mut(id.0) {
            object.audience = self.audiences.exchange(object.audience, &shown);
        }
        for connection in shown {
            self.show_to(id, connection);
        }
    }

    /// Somebody observes an object from now on: Mirror's `AddObserver`. The first one makes what has
    /// changed so far no change any more, since it is in the state that is sent.
    fn add_observer(&mut self, id: NetId, connection: ConnectionId) {
        let Some(object) = self.objects.get(id.0) else {
            return;
        };
        if object.behaviours.is_none() {
            if !self.owed.contains(&(connection, id)) {
                self.owed.push((connection, id));
            }
            return;
        }
        if object.is_unobserved() {
            self.begin_observation(id);
        }
        if let Some(object) = self.objects.get_mut(id.0) {
            object.audience = self.audiences.toggle(object.audience, connection);
        }
        self.show_to(id, connection);
    }

    /// Somebody is about to be the first who observes an object. Changes that have been sent unreliably and
    /// in no baseline stay changes: one that comes late may be applied to the state that is sent now.
    fn begin_observation(&mut self, id: NetId) {
        let (now, since) = (nanos(self.now), self.hybrid.since(id));
        if let Some(object) = self.objects.get_mut(id.0)
            && let Some(behaviours) = object.behaviours.as_mut()
        {
            object.everything_dirty &= since;
            object.handed_over &= since;
            let mut bit = 1;
            behaviours.slots_mut().for_each_mut(|slot| {
                if since & bit == 0 {
                    slot.mark_sent(now);
                }
                slot.set_observed(true);
                bit = bit.wrapping_shl(1);
            });
        }
        if since != 0 {
            self.queue_dirty(id);
        }
    }

    /// Sends an object to somebody who observes it from now on.
    fn show_to(&mut self, id: NetId, connection: ConnectionId) {
        if !self.send_spawn(id, connection) {
            // It has not been sent it, so it cannot be told of its changes. The next one may help.
            self.remove_observer(id, connection);
            if let Some(object) = self.objects.get_mut(id.0) {
                object.unshown = true;
            }
        }
    }

    /// Somebody observes an object no more; that has been said if need be.
    fn remove_observer(&mut self, id: NetId, connection: ConnectionId) {
        if let Some(object) = self.objects.get_mut(id.0) {
            Self::take_out(&mut self.audiences, object, connection);
        }
    }

    fn take_out(audiences: &mut Audiences, object: &mut Object, connection: ConnectionId) {
        if !audiences.contains(object.audience, connection) {
            return;
        }
        object.audience = audiences.toggle(object.audience, connection);
        if object.audience == Audiences::NOBODY {
            object.forget_operations();
        }
    }

    /// A connection observes nothing any more, and need not be told.
    pub(super) fn forget_observer(&mut self, connection: ConnectionId) {
        for object in self.objects.values_mut() {
            Self::take_out(&mut self.audiences, object, connection);
        }
    }

    /// Sends a connection everything that it may see: Mirror's `SpawnObserversForConnection`. What it
    /// observes already is not sent again.
    pub(super) fn show_everything(&mut self, connection: ConnectionId) {
        use crate::message::{ObjectSpawnFinishedMessage, ObjectSpawnStartedMessage};
        use syncvar_runtime::Channel::Reliable;

        let Some(client) = self.connections.get_mut(connection.0) else {
            return;
        };
        let is_shown = std::mem::replace(&mut client.shown, true);
        self.send_short(Reliable, connection, &ObjectSpawnStartedMessage);
        // What it has just been said to see belongs to this.
        self.follow_interest();
        // One who has all of it and says again that it is ready costs nothing.
        let mut ids = std::mem::take(&mut self.scratch.ids);
        if !is_shown {
            let objects = self.objects.iter();
            let seen = objects.filter(|(_, object)| self.is_for(object, connection));
            ids.extend(seen.map(|(number, _)| NetId(number)));
        }
        for id in ids.drain(..) {
            self.look(id, connection);
        }
        self.scratch.ids = ids;
        self.send_short(Reliable, connection, &ObjectSpawnFinishedMessage);
    }

    /// Shows an object that has been called to those who should have been shown it meanwhile.
    pub(super) fn settle_owed(&mut self, id: NetId) {
        if self.owed.is_empty() {
            return;
        }
        let owed = self.owed.extract_if(.., |(_, owed)| *owed == id);
        let owed: Vec<_> = owed.map(|(connection, _)| connection).collect();
        for connection in owed {
            self.look(id, connection);
        }
    }
}
