//! Objects that a connection has observed: since when, and until when.

use std::any::{Any, TypeId};
use std::collections::VecDeque;

use syncvar_runtime::object::{Nanos, Tracks};
use syncvar_runtime::{ConnectionId, NetId, NetworkBehaviour};

use crate::server::NetworkServer;
use crate::server::visibility::audience::Audiences;

/// Most despawned objects with a history.
const MAX_DEPARTED: usize = 16_384;

/// Despawned objects whose histories views can reach, oldest first.
#[derive(Debug, Default)]
pub(in crate::server) struct Departed(VecDeque<DepartedObject>);

#[derive(Debug)]
struct DepartedObject {
    id: NetId,
    /// Last tick of the object.
    tick: u32,
    /// Its observers; `None` for all connections.
    observers: Option<Vec<ConnectionId>>,
    /// Histories of its behaviours with their types and send intervals.
    behaviours: Vec<(TypeId, Nanos, Box<Tracks>)>,
}

impl NetworkServer {
    /// Returns the tick since which a connection has values of an object.
    pub(super) fn shown_since(&self, id: NetId, connection: ConnectionId) -> u32 {
        let known = self.sessions.connections.get(connection.0);
        known.map_or(0, |known| known.shows.since(id))
    }

    /// Keeps the histories of an object that is about to be despawned.
    pub(in crate::server) fn keep_history(&mut self, id: NetId) {
        let default = self.context.config.default_interval();
        let mut behaviours = Vec::new();
        if let Some(slots) = self.objects.world.slots_mut(id) {
            slots.for_each_mut(|slot| {
                let kind = (slot.behaviour() as &dyn Any).type_id();
                let interval = slot.info().interval(default);
                behaviours.extend(slot.take_history().map(|tracks| (kind, interval, tracks)));
            });
        }
        let Some(replicated) = self
            .objects
            .world
            .objects
            .get(id.0)
            .filter(|_| !behaviours.is_empty())
        else {
            return;
        };
        let audience = replicated.audience;
        let observers = (audience != Audiences::EVERYONE)
            .then(|| self.visibility.audiences.get(audience).ready().collect());
        let departed = &mut self.rewind.departed.0;
        if departed.len() >= MAX_DEPARTED {
            departed.pop_front();
        }
        departed.push_back(DepartedObject {
            id,
            tick: self.outbound.store.tick,
            observers,
            behaviours,
        });
    }

    /// Forgets the despawned objects that no view can reach.
    pub(in crate::server) fn forget_departed(&mut self) {
        self.rewind.pace.note(self.outbound.store.tick);
        if self.rewind.departed.0.is_empty() {
            return;
        }
        let oldest = self
            .outbound
            .store
            .tick
            .saturating_sub(self.objects.history_reach(&self.context.config));
        let departed = &mut self.rewind.departed.0;
        while departed
            .pop_front_if(|object| object.tick < oldest)
            .is_some()
        {}
    }

    /// Returns the history of a behaviour of a despawned object that a connection has observed at a tick, and the send interval.
    pub(super) fn departed_history<B: NetworkBehaviour>(
        &self,
        id: NetId,
        (connection, tick): (ConnectionId, f64),
    ) -> Option<(&Tracks, Nanos)> {
        let mut departed = self.rewind.departed.0.iter().rev();
        let object = departed.find(|object| object.id == id)?;
        let observes = |all: &Vec<ConnectionId>| all.contains(&connection);
        if !object.observers.as_ref().is_none_or(observes) || f64::from(object.tick) < tick {
            return None;
        }
        let mut behaviours = object.behaviours.iter();
        let (_, interval, tracks) = behaviours.find(|(kind, ..)| *kind == TypeId::of::<B>())?;
        Some((tracks, *interval))
    }
}
