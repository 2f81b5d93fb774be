//! Predicted spawns: objects that exist on this client before the server's, and then become those.

use std::any::TypeId;

use syncvar_runtime::{NetId, NetworkBehaviour, SyncValue};

use super::object::Predicted;
use super::objects::Reason;
use super::{Predictions, single_step};
use crate::client::objects::Fact;
use crate::client::{ClientEvent, NetworkClient};

/// Ticks between a predicted spawn and that of the server's object.
const MAX_DISTANCE: u64 = 8;

/// Ticks of the server behind a predicted spawn after which its object will not come.
const PATIENCE: u64 = 32;

/// Highest id of an object that the server does not have.
const LAST: u32 = u32::MAX;

/// Predicted spawns that wait for their objects.
#[derive(Debug, Default)]
pub(super) struct Spawns {
    waiting: Vec<Waiting>,
    /// Objects of the server since the last update.
    arrived: Vec<NetId>,
    /// Number of predicted spawns.
    count: u16,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
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

impl NetworkClient {
    /// Spawns an object on this client at once that the server is expected to spawn because of an input: a
    /// projectile. Call it together with [`set_input`](Self::set_input): the tick of the spawn is the next one that begins. The server
    /// spawns the object in the tick that has the input, and steps it in this tick already. Returns its id until then, for [`predicted`](Self::predicted) and [`view`](Self::view); the highest ids are
    /// those of such objects. `step` runs as in [`predict`](Self::predict).
    ///
    /// The server's object is the one with such a behaviour that this client owns and whose spawn is the nearest one, at most 8 ticks
    /// away. It takes over the prediction: [`ClientEvent::PredictedSpawn`] has both ids. Without one, the object ends 32 ticks of the
    /// server later.
    ///
    /// `None` before [`input_tick`](Self::input_tick), and without ticks.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default, Clone)]
    /// struct Shell {
    ///     #[sync_var(interpolate = linear)]
    ///     x: SyncVar<f32>,
    /// }
    ///
    /// let prefabs = || Prefabs::new().register::<Shell>("shell").input::<bool>();
    /// let mut net = MemoryNetwork::pair(prefabs);
    /// for _ in 0..20 {
    ///     net.client_mut(0).set_input(&true)?;
    ///     net.step();
    /// }
    /// let fly = |shell: &mut Shell, _: &bool, _tick: u64| shell.x += 1.0;
    /// let id = net.client_mut(0).predict_spawn(&Shell::default(), fly).unwrap();
    /// net.step();
    /// assert!(net.client(0).predicted::<Shell>(id).unwrap().x >= 1.0);
    /// # Ok::<(), syncvar::error::MessageError>(())
    /// ```
    pub fn predict_spawn<B, M>(
        &mut self,
        behaviour: &B,
        step: impl FnMut(&mut B, &M, u64) + Send + Sync + 'static, // `fn step(player: &mut Player, input: &Move, tick: u64)`
    ) -> Option<NetId>
    where
        B: NetworkBehaviour + Clone,
        M: SyncValue + Default,
    {
        self.arrivals.as_ref()?;
        let tick = self.inputs.tick?;
        let Predictions {
            spawns, objects, ..
        } = &mut self.predictions;
        let id = NetId(LAST - u32::from(spawns.count));
        spawns.count = spawns.count.wrapping_add(1);
        spawns.waiting.push(Waiting {
            id,
            behaviour: TypeId::of::<B>(),
            tick: None,
        });
        objects.insert((id, 0), Predicted::new(behaviour, tick), tick);
        for entry in objects.of_mut(id) {
            (entry.owned, entry.reason) = (true, Reason::Stepped);
        }
        self.begin_steps(vec![id], single_step(step));
        Some(id)
    }

    /// Notes an object of the server, for the predicted spawns.
    pub(crate) fn note_spawn(&mut self, object: NetId) {
        let spawns = &mut self.predictions.spawns;
        if !spawns.waiting.is_empty() {
            spawns.arrived.push(object);
        }
    }

    /// Gives the predictions of spawns to the server's objects, and ends those that have waited too long.
    pub(super) fn match_spawns(&mut self) {
        let Predictions {
            spawns, compared, ..
        } = &mut self.predictions;
        if spawns.waiting.is_empty() {
            return;
        }
        let arrived = std::mem::take(&mut spawns.arrived);
        let last = compared.saturating_sub(PATIENCE);
        for object in arrived {
            self.match_spawn(object);
        }
        let waiting = &mut self.predictions.spawns.waiting;
        let late: Vec<Waiting> = waiting
            .extract_if(.., |it| it.tick.is_some_and(|tick| tick < last))
            .collect();
        for Waiting { id, .. } in late {
            self.predictions.objects.retain(|entry| entry.id != id);
            self.context.events.push(ClientEvent::PredictedSpawn {
                predicted: id,
                object: None,
            });
        }
    }

    fn match_spawn(&mut self, object: NetId) -> Option<()> {
        let replica = self
            .objects
            .world
            .objects
            .get(object.0)
            .filter(|it| it.is(Fact::Owned))?;
        let spawned = self.network_tick(replica.spawned)?;
        let types = self.objects.world.pools.slots(replica.at)?.type_ids();
        let waiting = self.predictions.spawns.waiting.iter().enumerate();
        let distances = waiting.filter(|(_, it)| types.contains(&it.behaviour));
        let distances = distances.filter_map(|(at, it)| Some((it.tick?.abs_diff(spawned), at)));
        let (_, place) = distances
            .filter(|(ticks, _)| *ticks <= MAX_DISTANCE)
            .min()?;
        let Waiting { id, behaviour, .. } = self.predictions.spawns.waiting.remove(place);
        let index = types.iter().position(|it| *it == behaviour)?;
        let Predictions { objects, steps, .. } = &mut self.predictions;
        objects.rename(id, (object, index));
        for step in steps {
            for member in step.ids.iter_mut().filter(|member| **member == id) {
                *member = object;
            }
        }
        let replica = self.objects.world.objects.get_mut(object.0)?;
        replica.set(Fact::Predicted, true);
        self.context.events.push(ClientEvent::PredictedSpawn {
            predicted: id,
            object: Some(object),
        });
        Some(())
    }
}
