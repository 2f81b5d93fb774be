//! Views: objects that enter the view of a connection are spawned there, objects that leave are hidden.

use syncvar_runtime::unstable::object::nanos;
use syncvar_runtime::{Area, Channel, ConnectionId, InterestChange, NetId};

use crate::message::{ObjectDestroyMessage, ObjectHideMessage, ObjectSpawnFinishedMessage};
use crate::server::audiences::Audiences;
use crate::server::observers::interest::Affected;
use crate::server::replication::Replication;
use crate::server::rooms::Rooms;

impl Replication {
    /// Decides anew whether `connection` observes `id`, and sends the spawn or the hide.
    pub(crate) fn update_observer(
        &mut self,
        rooms: &mut Rooms<'_>,
        id: NetId,
        connection: ConnectionId,
    ) {
        self.spawns.forget();
        self.update_observer_cached(rooms, id, connection);
    }

    /// Like `update_observer`, reusing the spawn message that the previous call encoded.
    fn update_observer_cached(
        &mut self,
        rooms: &mut Rooms<'_>,
        id: NetId,
        connection: ConnectionId,
    ) {
        let Some(object) = rooms.objects.get(id) else {
            return;
        };
        let sees =
            rooms.sessions.receives_objects(connection) && rooms.observers.sees(connection, object);
        let observes = rooms.observers.contains(object, connection);
        if sees && !observes {
            self.add_observer(rooms, id, connection);
        } else if observes && !sees {
            tracing::trace!(object = %id, connection = connection.0, "leaves a view");
            let hide = ObjectHideMessage { net_id: id };
            let (objects, context) = (&mut *rooms.objects, &mut *rooms.context);
            rooms
                .sessions
                .send_object_message(id, connection, &hide, objects, context);
            remove_observer(rooms, id, connection);
        }
    }

    /// Decides anew about all connections.
    pub(crate) fn update_observers(&mut self, rooms: &mut Rooms<'_>, id: NetId) {
        let receiving = rooms.sessions.iter().filter(|(_, it)| it.is_receiving());
        let mut observers: Vec<_> = receiving.map(|(connection, _)| connection).collect();
        self.spawns.forget();
        let pools = &rooms.objects.world.pools;
        let object = rooms.objects.get(id);
        let Some(object) = object.filter(|object| object.is_unobserved(pools)) else {
            for connection in observers {
                self.update_observer_cached(rooms, id, connection);
            }
            return;
        };
        // All enter at once, without an intermediate audience for each connection.
        observers.retain(|connection| rooms.observers.sees(*connection, object));
        if observers.is_empty() {
            return;
        }
        self.begin_observation(rooms, id);
        if let Some(object) = rooms.objects.get_mut(id) {
            let audiences = &mut rooms.observers.audiences;
            object.view.audience = audiences.exchange(object.view.audience, &observers);
        }
        for connection in observers {
            self.spawn_for(rooms, id, connection);
        }
    }

    /// Adds an observer: Mirror's `AddObserver`. The first observer clears the pending changes, which
    /// its snapshot contains.
    fn add_observer(&mut self, rooms: &mut Rooms<'_>, id: NetId, connection: ConnectionId) {
        let Some(object) = rooms.objects.get(id) else {
            return;
        };
        let is_unobserved = object.view.audience == Audiences::EMPTY;
        if rooms.objects.world.checked_out.contains(id) {
            rooms.observers.defer(id, connection);
            return;
        }
        if is_unobserved {
            self.begin_observation(rooms, id);
        } else {
            self.send_first_baseline(rooms, id);
        }
        if let Some(object) = rooms.objects.get_mut(id) {
            rooms.observers.add(object, connection);
        }
        self.spawn_for(rooms, id, connection);
    }

    /// Starts observation of an object without observers. Unreliable deltas that no baseline
    /// contains stay pending: a late delta may overwrite the snapshot that is sent now.
    fn begin_observation(&mut self, rooms: &mut Rooms<'_>, id: NetId) {
        let now = nanos(rooms.context.now());
        let without_baseline = self.baselines.without_baseline(id);
        let world = &mut rooms.objects.world;
        if let Some(object) = world.objects.get_mut(id.0)
            && let Some(slots) = world.pools.slots_mut(object.at)
        {
            object.fully_dirty &= without_baseline;
            object.ownership.transferred &= without_baseline;
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
            self.queue_dirty(rooms.objects, id);
        }
    }

    /// Sends the spawn to a new observer.
    fn spawn_for(&mut self, rooms: &mut Rooms<'_>, id: NetId, connection: ConnectionId) {
        tracing::trace!(object = %id, connection = connection.0, "enters a view");
        if !self.send_spawn(rooms, id, connection) {
            // Without the spawn it cannot receive changes. The next change may fit.
            remove_observer(rooms, id, connection);
            if let Some(object) = rooms.objects.get_mut(id) {
                object.view.spawn_failed = true;
            }
        }
    }

    /// Sends an object again to an observer, whose role for the object has changed.
    pub(crate) fn respawn_for(
        &mut self,
        rooms: &mut Rooms<'_>,
        id: NetId,
        connection: ConnectionId,
    ) {
        self.spawns.forget();
        self.send_first_baseline(rooms, id);
        self.send_spawn(rooms, id, connection);
    }

    /// Applies the view changes of the interest management.
    pub(crate) fn apply_interest(&mut self, rooms: &mut Rooms<'_>) {
        let mut changes = rooms.observers.interest.take_changes();
        for change in changes.drain() {
            match change {
                InterestChange::Placed { object, area } => {
                    let entry = rooms.objects.get_mut(object);
                    let interest = &mut rooms.observers.interest;
                    match entry.map(|entry| interest.place(object, entry, area)) {
                        Some(Affected::All) => self.update_observers(rooms, object),
                        Some(Affected::Viewers(viewers)) => {
                            for connection in viewers {
                                self.update_observer(rooms, object, connection);
                            }
                        }
                        None => {}
                    }
                }
                InterestChange::Revealed { connection, area } => {
                    self.set_area_visible(rooms, connection, area, true);
                }
                InterestChange::Concealed { connection, area } => {
                    self.set_area_visible(rooms, connection, area, false);
                }
            }
        }
        rooms.observers.interest.return_changes(changes);
    }

    fn set_area_visible(
        &mut self,
        rooms: &mut Rooms<'_>,
        connection: ConnectionId,
        area: Area,
        sees: bool,
    ) {
        let Some(client) = rooms.sessions.get(connection) else {
            return;
        };
        let is_ready = client.is_ready();
        let interest = &mut rooms.observers.interest;
        interest.set_visible(connection, area, sees);
        if is_ready {
            for id in interest.objects(area) {
                self.update_observer(rooms, id, connection);
            }
        }
    }

    /// Sends a connection the visible objects that it does not observe, and the end of the burst: Mirror's
    /// `SpawnObserversForConnection`. `scans` says whether there can be such objects.
    pub(crate) fn send_visible_objects(
        &mut self,
        rooms: &mut Rooms<'_>,
        connection: ConnectionId,
        scans: bool,
    ) {
        let mut ids = std::mem::take(&mut self.burst);
        if scans {
            let objects = rooms.objects.world.objects.iter();
            let seen = objects.filter(|(_, object)| rooms.observers.sees(connection, object));
            ids.extend(seen.map(|(number, _)| NetId(number)));
        }
        for id in ids.drain(..) {
            self.update_observer(rooms, id, connection);
        }
        self.burst = ids;
        let (reliable, finished) = (Channel::Reliable, ObjectSpawnFinishedMessage);
        rooms
            .sessions
            .send_message(reliable, connection, &finished, rooms.context);
        take_from_client(rooms, connection);
    }

    /// Spawns an object for the observers added while it was checked out.
    pub(crate) fn spawn_deferred(&mut self, rooms: &mut Rooms<'_>, id: NetId) {
        for connection in rooms.observers.take_deferred(id) {
            self.update_observer(rooms, id, connection);
        }
    }
}

/// Removes an observer; its hide is sent already, if one is due.
fn remove_observer(rooms: &mut Rooms<'_>, id: NetId, connection: ConnectionId) {
    let world = &mut rooms.objects.world;
    if let Some(object) = world.objects.get_mut(id.0) {
        rooms.observers.remove(&mut world.pools, object, connection);
    }
}

/// Takes the objects from a client that it has kept while it was not ready, and does not observe any more.
fn take_from_client(rooms: &mut Rooms<'_>, connection: ConnectionId) {
    let client = rooms.sessions.get_mut(connection);
    let kept = client.map(|client| std::mem::take(&mut client.holdings.kept));
    let (objects, context) = (&mut *rooms.objects, &mut *rooms.context);
    for id in kept.unwrap_or_default() {
        match objects.get(id) {
            None => {
                let message = ObjectDestroyMessage { net_id: id };
                rooms
                    .sessions
                    .send_object_message(id, connection, &message, objects, context);
            }
            Some(object) if !rooms.observers.contains(object, connection) => {
                let message = ObjectHideMessage { net_id: id };
                rooms
                    .sessions
                    .send_object_message(id, connection, &message, objects, context);
            }
            Some(_) => {}
        }
    }
}
