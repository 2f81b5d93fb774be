//! Predictions by the steps of the program.

use syncvar_runtime::motion::Inputs;
use syncvar_runtime::{NetId, NetworkBehaviour, ObjectError, SyncValue};

use crate::client::prediction::Reason;
use crate::client::{NetworkClient, PredictedTicks};

impl NetworkClient {
    /// Predicts a behaviour by the steps of the program, such as a schedule or a physics world of an engine. After each
    /// [`update`](Self::update) the program takes the ticks to run, restores its own data if the prediction was wrong,
    /// runs its step for each tick with the input of the tick, and records the states of the predicted behaviours.
    ///
    /// All such behaviours are restored together. [`predict`](Self::predict) has the comparison with the server,
    /// the view and the hooks. Do not combine the two for one object.
    ///
    /// ```
    /// use syncvar::{ServerConfig, prelude::*, testing::Conditions};
    ///
    /// #[derive(NetworkBehaviour, Default, Clone)]
    /// #[network_behaviour(send_interval = 0)]
    /// struct Player {
    ///     #[sync_var(interpolate = linear)]
    ///     x: SyncVar<f32>,
    /// }
    ///
    /// /// The world of the program, and its step.
    /// #[derive(Default)]
    /// struct World {
    ///     x: f32,
    /// }
    ///
    /// impl World {
    ///     fn step(&mut self, input: f32) {
    ///         self.x += 0.25 * input;
    ///     }
    /// }
    ///
    /// let prefabs = || Prefabs::new().register::<Player>("player").input::<f32>();
    /// let config = ServerConfig { tick_rate: 20, ..ServerConfig::default() };
    /// let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
    /// net.connect();
    /// let owner = Some(net.connection(0));
    /// let id = net.server.try_spawn(Player::default(), SpawnOptions { owner, ..SpawnOptions::default() })?;
    /// net.settle();
    /// net.client_mut(0).predict_recorded::<Player>(id)?;
    /// let (mut world, mut truth) = (World::default(), World::default());
    /// for _ in 0..40 {
    ///     let client = net.client_mut(0);
    ///     client.set_input(&1.0_f32)?;
    ///     if let Some(run) = client.take_ticks() {
    ///         if let Some(tick) = run.restored {
    ///             world.x = client.predicted_at::<Player>(id, tick).map_or(0.0, |player| *player.x);
    ///         }
    ///         for tick in run.ticks {
    ///             world.step(client.input_at::<f32>(tick).unwrap_or_default());
    ///             client.record_predicted(id, tick, &Player { x: world.x.into() });
    ///         }
    ///     }
    ///     // The server has a schedule of its own.
    ///     for tick in net.server.ticks_until(net.now() + net.tick) {
    ///         let connection = net.connection(0);
    ///         truth.step(net.server.input::<f32>(connection, tick).get().unwrap_or_default());
    ///         net.server.get_mut::<Player>(id)?.x.set(truth.x);
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
    pub fn predict_recorded<B: NetworkBehaviour + Clone>(
        &mut self,
        id: NetId,
    ) -> Result<(), ObjectError> {
        let (predictions, mut lent) = self.lend_predictions();
        predictions.begin::<B>(id, Reason::Recorded, &mut lent)
    }

    /// Takes the ticks that the program runs now, for [`predict_recorded`](Self::predict_recorded): the new ones of the
    /// input clock, and after a wrong prediction those behind the state of the server. `None` without one.
    pub fn take_ticks(&mut self) -> Option<PredictedTicks> {
        self.predictions.take_ticks(&self.inputs, &self.context)
    }

    /// Returns the input of this client in a tick, as its step uses it: the recorded one, or the last one before.
    pub fn input_at<M: SyncValue>(&self, tick: u64) -> Option<M> {
        let inputs: &Inputs<M> = self.inputs.list()?.downcast_ref()?;
        inputs.at(tick).or_else(|| inputs.before(tick)).cloned()
    }

    /// Records the state of a behaviour after the program's step of a tick. Returns the state as it travels, from which
    /// the next step begins on the server: a program takes over fields with a codec from it.
    ///
    /// `None` for a behaviour that is not predicted (its object is gone), and for a tick that has not begun.
    pub fn record_predicted<B: NetworkBehaviour + Clone>(
        &mut self,
        id: NetId,
        tick: u64,
        state: &B,
    ) -> Option<&B> {
        let (inputs, context) = (&self.inputs, &self.context);
        self.predictions.record(id, tick, state, inputs, context)
    }

    /// Returns the state of a predicted behaviour after a tick: the recorded one, or the server's in place of a wrong one.
    /// `None` for a tick that is no longer kept.
    pub fn predicted_at<B: NetworkBehaviour + Clone>(&self, id: NetId, tick: u64) -> Option<&B> {
        self.predictions.at(id, tick)
    }
}
