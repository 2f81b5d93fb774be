//! Predicted spawns: objects that exist on this client before the server's, and then become those.

use std::any::TypeId;

use syncvar_runtime::{NetId, NetworkBehaviour};

use super::behaviours::Reason;
use super::object::Predicted;
use super::{Predicting, Predictions};
use crate::client::ClientEvent;
use crate::client::objects::Fact;

/// Ticks between a predicted spawn and that of the server's object.
const MAX_DISTANCE: u64 = 8;

/// Ticks of the server behind a predicted spawn after which its object will not come.
const PATIENCE: u64 = 32;

/// Highest id of an object that the server does not have.
const LAST: u32 = u32::MAX;

/// Predicted spawns that wait for their objects.
#[derive(Debug, Default)]
pub(super) struct Spawns {
    waiting: Vec<WaitingSpawn>,
    /// Objects of the server since the last update.
    arrived: Vec<NetId>,
    /// Number of predicted spawns.
    count: u16,
}

#[derive(Clone, Copy, Debug)]
struct WaitingSpawn {
    id: NetId,
    behaviour: TypeId,
    /// First tick that has begun behind the spawn: that of the input. `None` before it.
    tick: Option<u64>,
}

impl Spawns {
    /// Returns whether an object exists on this client alone.
    pub(super) fn is_waiting(&self, id: NetId) -> bool {
        self.waiting.iter().any(|waiting| waiting.id == id)
    }

    /// Begins a tick.
    pub(super) fn begin_tick(&mut self, tick: u64) {
        for waiting in self.waiting.iter_mut().rev() {
            if waiting.tick.is_some() {
                break;
            }
            waiting.tick = Some(tick);
        }
    }
}

impl Predictions {
    /// Adds a predicted spawn, whose input is that of the next tick behind this one. Returns the id of the object.
    pub(crate) fn spawn<B: NetworkBehaviour + Clone>(&mut self, behaviour: &B, tick: u64) -> NetId {
        let (spawns, objects) = (&mut self.spawns, &mut self.objects);
        let id = NetId(LAST - u32::from(spawns.count));
        spawns.count = spawns.count.wrapping_add(1);
        spawns.waiting.push(WaitingSpawn {
            id,
            behaviour: TypeId::of::<B>(),
            tick: None,
        });
        objects.insert(id, 0, Predicted::new(behaviour, tick), tick);
        for entry in objects.of_mut(id) {
            (entry.owned, entry.reason) = (true, Reason::Stepped);
        }
        id
    }

    /// Notes an object of the server, for the predicted spawns.
    pub(crate) fn note_spawn(&mut self, object: NetId) {
        if !self.spawns.waiting.is_empty() {
            self.spawns.arrived.push(object);
        }
    }

    /// Gives the predictions of spawns to the server's objects, and ends those that have waited too long.
    pub(super) fn match_spawns(&mut self, lent: &mut Predicting<'_>) {
        if self.spawns.waiting.is_empty() {
            return;
        }
        let arrived = std::mem::take(&mut self.spawns.arrived);
        let last = self.compared.saturating_sub(PATIENCE);
        for object in arrived {
            self.match_spawn(object, lent);
        }
        let waiting = &mut self.spawns.waiting;
        let late: Vec<WaitingSpawn> = waiting
            .extract_if(.., |it| it.tick.is_some_and(|tick| tick < last))
            .collect();
        for WaitingSpawn { id, .. } in late {
            self.objects.retain(|entry| entry.id != id);
            lent.context.events.push(ClientEvent::PredictedSpawn {
                predicted: id,
                object: None,
            });
        }
    }

    fn match_spawn(&mut self, object: NetId, lent: &mut Predicting<'_>) -> Option<()> {
        let world = &mut lent.objects.world;
        let replica = world.objects.get(object.0);
        let replica = replica.filter(|replica| replica.is(Fact::Owned))?;
        let spawned = lent.session.network_tick(replica.spawned)?;
        let slots = world.pools.slots(replica.at)?;
        let position = |kind: TypeId| {
            let mut slots = slots.iter();
            slots.position(|slot| slot.behaviour().of_type(kind).is_some())
        };
        let waiting = self.spawns.waiting.iter().enumerate();
        let distances = waiting.filter(|(_, it)| position(it.behaviour).is_some());
        let distances = distances.filter_map(|(at, it)| Some((it.tick?.abs_diff(spawned), at)));
        let (_, place) = distances
            .filter(|(ticks, _)| *ticks <= MAX_DISTANCE)
            .min()?;
        let WaitingSpawn { id, behaviour, .. } = self.spawns.waiting.remove(place);
        let index = position(behaviour)?;
        self.objects.rename(id, object, index);
        for step in &mut self.steps {
            for member in step.ids.iter_mut().filter(|member| **member == id) {
                *member = object;
            }
        }
        let replica = world.objects.get_mut(object.0)?;
        replica.set(Fact::Predicted, true);
        lent.context.events.push(ClientEvent::PredictedSpawn {
            predicted: id,
            object: Some(object),
        });
        Some(())
    }
}
