//! `Departed`: histories of despawned objects, as long as views can reach them.

use std::any::TypeId;
use std::collections::VecDeque;

use syncvar_runtime::unstable::object::{Nanos, SlotInfo, Tracks};
use syncvar_runtime::{ConnectionId, NetId, NetworkBehaviour};

use super::Rewind;
use crate::server::ServerConfig;
use crate::server::objects::Objects;
use crate::server::visibility::audience::Audiences;

/// Most despawned objects with a history.
const MAX_DEPARTED: usize = 16_384;

/// Despawned objects whose histories views can reach, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Departed(VecDeque<DepartedObject>);

#[derive(Debug)]
struct DepartedObject {
    id: NetId,
    /// Last tick of the object.
    tick: u32,
    /// Its observers; `None` for all connections.
    observers: Option<Vec<ConnectionId>>,
    /// Histories of its behaviours with their send intervals.
    behaviours: Vec<(&'static SlotInfo, Nanos, Box<Tracks>)>,
}

impl Departed {
    fn keep(&mut self, object: DepartedObject) {
        if self.0.len() >= MAX_DEPARTED {
            self.0.pop_front();
        }
        self.0.push_back(object);
    }

    /// Forgets the objects whose last tick is before one.
    pub(super) fn forget(&mut self, oldest: u32) {
        while self.0.front().is_some_and(|object| object.tick < oldest) {
            self.0.pop_front();
        }
    }

    /// Returns the history of a behaviour of a despawned object that a connection has observed at a tick, and the send interval.
    pub(super) fn history<B: NetworkBehaviour>(
        &self,
        id: NetId,
        observer: ConnectionId,
        tick: f64,
    ) -> Option<(&Tracks, Nanos)> {
        let object = self.0.iter().rev().find(|object| object.id == id)?;
        let is_among = |all: &Vec<ConnectionId>| all.contains(&observer);
        if !object.observers.as_ref().is_none_or(is_among) || f64::from(object.tick) < tick {
            return None;
        }
        let mut behaviours = object.behaviours.iter();
        let (_, interval, tracks) = behaviours.find(|(info, ..)| info.holds(TypeId::of::<B>()))?;
        Some((tracks, *interval))
    }
}

impl Rewind {
    /// Keeps the histories of an object that is about to be despawned.
    pub(crate) fn keep_history(
        &mut self,
        id: NetId,
        objects: &mut Objects,
        audiences: &Audiences,
        config: &ServerConfig,
        tick: u32,
    ) {
        let default = config.default_interval();
        let mut behaviours = Vec::new();
        if let Some(slots) = objects.world.slots_mut(id) {
            slots.for_each_mut(|slot| {
                let info = slot.info();
                let interval = info.interval(default);
                behaviours.extend(slot.take_history().map(|tracks| (info, interval, tracks)));
            });
        }
        let replicated = objects.world.objects.get(id.0);
        let Some(replicated) = replicated.filter(|_| !behaviours.is_empty()) else {
            return;
        };
        let audience = replicated.audience;
        let observers =
            (audience != Audiences::EVERYONE).then(|| audiences.get(audience).ready().collect());
        self.departed.keep(DepartedObject {
            id,
            tick,
            observers,
            behaviours,
        });
    }
}
