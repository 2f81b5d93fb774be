//! `Predictions`: objects ahead of the server, by the inputs of this client.

mod object;
mod objects;
mod replay;
mod spawns;

use std::fmt;
use std::time::Duration;

use syncvar_runtime::motion::{Moment, SettledTicks, tick_length};
use syncvar_runtime::object::Tracks;
use syncvar_runtime::{NetId, NetworkBehaviour, NetworkWriter, ObjectError, SyncValue};

use super::NetworkClient;
use super::objects::{Fact, Replica};
use crate::step::Group;
use object::{Predicted, sample};
use objects::{Objects, Reason};
use spawns::Spawns;

/// Predicted objects of one client.
#[derive(Debug, Default)]
pub(super) struct Predictions {
    objects: Objects,
    steps: Vec<GroupStep>,
    spawns: Spawns,
    /// Last tick of the server whose state was compared.
    compared: u64,
    /// Tick up to which changes may be missing after a gap.
    uncertain_until: u64,
    stats: PredictionStats,
    /// Memory for values with a codec.
    writer: NetworkWriter,
}

/// Objects that step together, and their step.
struct GroupStep {
    ids: Vec<NetId>,
    step: StepFunction,
}

/// Step of objects in a tick.
type StepFunction = Box<dyn FnMut(&[NetId], &mut Group<'_>, u64) + Send + Sync>;

impl fmt::Debug for GroupStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupStep")
            .field("ids", &self.ids)
            .finish_non_exhaustive()
    }
}

/// Returns the step of one object, with the input of its owner.
fn single_step<B: NetworkBehaviour, M: SyncValue + Default>(
    mut step: impl FnMut(&mut B, &M, u64) + Send + Sync + 'static,
) -> StepFunction {
    Box::new(move |ids, group, tick| {
        for id in ids {
            let input = group.input::<M>(*id).unwrap_or_default();
            if let Some(behaviour) = group.get_mut::<B>(*id) {
                step(behaviour, &input, tick);
            }
        }
    })
}

/// Counters of the predictions of a client.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PredictionStats {
    /// States of the server that differed from the prediction and changed the newest state of an object.
    pub corrections: u64,
    /// Largest change of an interpolated field by the last correction: a distance in its units.
    pub last_size: f32,
    /// Largest change of an interpolated field by any correction.
    pub largest_size: f32,
    /// Steps of groups that were repeated.
    pub replayed: u64,
    /// Steps of groups in new ticks, without the repeated ones.
    pub steps: u64,
    /// Duration of all replays: the restored states and the repeated steps. Zero without
    /// [`ClientConfig::stopwatch`](crate::ClientConfig::stopwatch).
    pub replay_time: Duration,
    /// Duration of the longest replay, likewise.
    pub longest_replay: Duration,
}

impl NetworkClient {
    /// Predicts a behaviour of an object that this client owns: `step` runs on a copy of it for each tick that begins on
    /// the input clock, with the input of that tick. The server runs the same function for the same tick
    /// ([`NetworkServer::step`](crate::NetworkServer::step)). [`predicted`](Self::predicted) and
    /// [`view`](Self::view) show the result.
    ///
    /// The state of the server in a tick is compared with the prediction of that tick, as values travel. A difference restores
    /// the server's state and repeats the later steps with their inputs; the visible error decays within
    /// [`ClientConfig::correction_time`](crate::ClientConfig::correction_time). The step must be deterministic, and may
    /// use its three arguments only. Members without `#[sync_var]` are not restored: they are for display.
    ///
    /// Hooks of the behaviour run for the predicted values, once per change and update, with a detached context; the replica
    /// runs none. A field that this client writes as the owner needs no prediction: its value is the replica's, which an update
    /// hands to the step and to [`predicted`](Self::predicted). The prediction ends with the object.
    ///
    /// Predicted behaviours are best sent with each update (`send_interval = 0`). Without ticks, as in
    /// [`Framing::Unet`](crate::Framing::Unet), nothing is predicted.
    ///
    /// ```
    /// use syncvar::{ServerConfig, prelude::*, testing::Conditions};
    ///
    /// #[derive(SyncValue, Clone, Default)]
    /// struct Move {
    ///     x: f32,
    /// }
    ///
    /// #[derive(NetworkBehaviour, Default, Clone)]
    /// #[network_behaviour(send_interval = 0)]
    /// struct Player {
    ///     #[sync_var(interpolate = linear)]
    ///     x: SyncVar<f32>,
    /// }
    ///
    /// // The one function of both ends.
    /// fn step(player: &mut Player, input: &Move, _tick: u64) {
    ///     player.x += 0.25 * input.x;
    /// }
    ///
    /// let prefabs = || Prefabs::new().register::<Player>("player").input::<Move>();
    /// let config = ServerConfig { tick_rate: 20, ..ServerConfig::default() };
    /// let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
    /// net.connect();
    /// let owner = Some(net.connection(0));
    /// let id = net.server.try_spawn(Player::default(), SpawnOptions { owner, ..SpawnOptions::default() })?;
    /// net.settle();
    /// net.client_mut(0).predict(id, step)?;
    /// for _ in 0..40 {
    ///     net.client_mut(0).set_input(&Move { x: 1.0 })?;
    ///     for tick in net.server.ticks_until(net.now() + net.tick) {
    ///         net.server.step(id, tick, step)?;
    ///     }
    ///     net.step();
    /// }
    /// let client = net.client(0);
    /// assert!(client.predicted::<Player>(id).unwrap().x > *client.get::<Player>(id).unwrap().x);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the object is invisible, or has no such behaviour.
    pub fn predict<B, M>(
        &mut self,
        id: NetId,
        // The compiler quotes this line in its errors about other arguments.
        step: impl FnMut(&mut B, &M, u64) + Send + Sync + 'static, // `fn step(player: &mut Player, input: &Move, tick: u64)`
    ) -> Result<(), ObjectError>
    where
        B: NetworkBehaviour + Clone,
        M: SyncValue + Default,
    {
        self.add_prediction::<B>(id, Reason::Added)?;
        self.begin_steps(vec![id], single_step(step));
        Ok(())
    }

    /// Predicts objects that act on each other, such as players that collide: they are replayed together. `step` runs once
    /// for each tick and reaches their behaviours by the [`Group`]. Each of them must be
    /// [added](Self::predict_behaviour) before. The server runs the same function by
    /// [`NetworkServer::step_group`](crate::NetworkServer::step_group).
    ///
    /// The inputs of other clients are unknown: [`Group::input`] returns `None` for their objects.
    pub fn predict_group(
        &mut self,
        ids: &[NetId],
        mut step: impl FnMut(&mut Group<'_>, u64) + Send + Sync + 'static,
    ) {
        let step = move |_: &[NetId], group: &mut Group<'_>, tick: u64| step(group, tick);
        self.begin_steps(ids.to_vec(), Box::new(step));
    }

    /// Adds a behaviour of an object to the predicted ones, for [`predict_group`](Self::predict_group). Without a step it
    /// holds the server's state.
    ///
    /// # Errors
    ///
    /// When the object is invisible, or has no such behaviour.
    pub fn predict_behaviour<B: NetworkBehaviour + Clone>(
        &mut self,
        id: NetId,
    ) -> Result<(), ObjectError> {
        self.add_prediction::<B>(id, Reason::Added)
    }

    /// Shows a change at once that the server is expected to make, because of a command that this client sends now: a door that
    /// opens. [`predicted`](Self::predicted) and [`view`](Self::view) show it until the server's state of the tick in which the
    /// command arrives; that state then counts, with a smooth transition of interpolated fields.
    ///
    /// The replica, the server and other clients do not see the change. If the server's state changes before, `edit` runs on the
    /// new state. It combines with [`predict`](Self::predict).
    ///
    /// # Errors
    ///
    /// When the object is invisible, or has no such behaviour.
    pub fn anticipate<B: NetworkBehaviour + Clone>(
        &mut self,
        id: NetId,
        edit: impl Fn(&mut B) + Send + Sync + 'static,
    ) -> Result<(), ObjectError> {
        self.add_prediction::<B>(id, Reason::Edited)?;
        if let Some(predicted) = self.predictions.objects.get_mut::<B>(id) {
            predicted.edit(edit);
        }
        Ok(())
    }

    /// Returns the predicted state of a behaviour at [`input_tick`](Self::input_tick); without a prediction that of
    /// [`get`](Self::get).
    pub fn predicted<B: NetworkBehaviour + Clone>(&self, id: NetId) -> Option<&B> {
        let predicted = self.predictions.objects.get::<B>(id);
        predicted.map(|it| &it.now).or_else(|| self.get(id))
    }

    /// Returns the counters of the predictions.
    pub fn prediction_stats(&self) -> PredictionStats {
        self.predictions.stats
    }

    /// Begins the prediction of a behaviour with the server's state.
    fn add_prediction<B: NetworkBehaviour + Clone>(
        &mut self,
        id: NetId,
        reason: Reason,
    ) -> Result<(), ObjectError> {
        let index = self.objects.world.position::<B>(id)?;
        if self.arrivals.is_none() {
            return Ok(());
        }
        let tick = self.tick().unwrap_or_default();
        let state = self.get::<B>(id).ok_or(ObjectError::NoSuchObject(id))?;
        if self.predictions.objects.get::<B>(id).is_none() {
            let predicted = Predicted::new(state, tick);
            self.predictions
                .objects
                .insert((id, index), predicted, tick);
        }
        if let Some(replica) = self.objects.world.objects.get_mut(id.0) {
            replica.set(Fact::Predicted, true);
            for entry in self.predictions.objects.of_mut(id) {
                entry.owned = replica.is(Fact::Owned);
                if entry.index == index {
                    entry.reason = entry.reason.max(reason);
                }
            }
        }
        self.begin_input_clock();
        self.replay();
        Ok(())
    }

    /// Adds the step of some objects, in the place of an earlier one.
    fn begin_steps(&mut self, ids: Vec<NetId>, step: StepFunction) {
        let Predictions { objects, steps, .. } = &mut self.predictions;
        if ids.iter().all(|id| objects.of(*id).is_empty()) {
            return;
        }
        for id in &ids {
            for entry in objects.of_mut(*id) {
                (entry.reason, entry.begun) = (Reason::Stepped, false);
                entry.differs_at = Some(entry.predicted.oldest());
            }
        }
        steps.retain(|step| step.ids != ids);
        steps.push(GroupStep { ids, step });
        self.replay();
    }

    /// Returns the bits of the predicted behaviours of an object, by position.
    #[inline]
    pub(super) fn predicted_behaviours(&self, id: NetId, replica: &Replica) -> u64 {
        if replica.is(Fact::Predicted) {
            self.predictions.objects.behaviours(id)
        } else {
            0
        }
    }

    /// Returns whether an object is predicted.
    pub(super) fn has_predictions(&self) -> bool {
        !self.predictions.objects.is_empty()
    }

    /// Ends all predictions.
    pub(super) fn end_predictions(&mut self) {
        self.predictions = Predictions {
            stats: self.predictions.stats,
            ..Predictions::default()
        };
    }

    /// Returns the moment that the view of predicted fields shows: between the last two ticks of the input clock.
    pub(super) fn predicted_moment(&self, now: Duration) -> Option<Moment<'static>> {
        let (tick, rate) = self.inputs.tick_at(now)?;
        let newest = self.inputs.tick.map_or(0.0, |tick| f64::from(sample(tick)));
        Some(Moment {
            tick: (tick - 1.0).min(newest),
            settled: &SettledTicks::ALL,
            interval: 1,
            tick_length: tick_length(rate),
        })
    }

    /// Returns the samples of a predicted behaviour.
    pub(super) fn predicted_tracks<B: NetworkBehaviour>(&self, id: NetId) -> Option<&Tracks> {
        Some(self.predictions.objects.entry::<B>(id)?.predicted.tracks())
    }
}
