//! Inputs and predictions: objects ahead of the server.

use std::any::type_name;

use syncvar_runtime::MessageError;
use syncvar_runtime::{NetId, NetworkBehaviour, ObjectError, SyncValue};

use crate::client::prediction::{Reason, single_step};
use crate::client::{NetworkClient, PredictionStats};
use crate::step::Group;

impl NetworkClient {
    /// Sets the input of the ticks to come, until the next call: what the player holds down now. Call it before
    /// [`update`](Self::update), which records it for each tick that begins on the input clock, and sends it.
    ///
    /// The input clock runs ahead of [`network_time`](Self::network_time), so that an input arrives just before the
    /// server's [`input`](crate::NetworkServer::input) asks for it: by half of the round trip, twice its deviation (at most
    /// 50 ms) and one tick at first; then as far as the inputs of the last thirty seconds needed by the server's reports. Of
    /// single delays by more than 250 ms, as after a stall of either end, it takes no notice. A lead that is too long by less than the
    /// time between two updates, at most a tick, stays. It is steered by at most 5 %; only
    /// an error of more than 250 ms makes it jump, and a lead that is too long by more than 50 ms ends at half of the speed or
    /// less. It begins with the first estimate of the server's time, and needs pings.
    ///
    /// On a connection with datagrams, an input is repeated until it is acknowledged, in the datagrams of at most 31
    /// later ticks. Otherwise it is sent once. Inputs that the server has
    /// [refused](crate::ClientEvent::InputsRefused) are sent again.
    ///
    /// # Errors
    ///
    /// When the type is not that of [`Prefabs::input`](syncvar_runtime::Prefabs::input), or the input has no form on the
    /// wire.
    pub fn set_input<M: SyncValue>(&mut self, input: &M) -> Result<(), MessageError> {
        let kind = self.objects.world.prefabs.input_kind();
        let kind = kind.ok_or(MessageError::NotRegistered(type_name::<M>()))?;
        let encoding = self.session.server.framing.encoding();
        let translation = self.session.build.translation.as_deref();
        self.inputs
            .hold(input, encoding, translation, || kind.make())
    }

    /// Returns the last tick of the server's time that has begun on the input clock. It has the newest input. `None`
    /// before the first one.
    pub fn input_tick(&self) -> Option<u64> {
        self.inputs.tick
    }

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
    /// // The function of server and client.
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
        self.predict_behaviour::<B>(id)?;
        let step = single_step(step);
        let (inputs, context) = (&self.inputs, &self.context);
        self.predictions
            .begin_steps(vec![id], step, inputs, context);
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
        let (inputs, context) = (&self.inputs, &self.context);
        self.predictions
            .begin_steps(ids.to_vec(), Box::new(step), inputs, context);
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
        let (predictions, mut lent) = self.lend_predictions();
        predictions.begin::<B>(id, Reason::Added, &mut lent)
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
        let (predictions, mut lent) = self.lend_predictions();
        predictions.begin::<B>(id, Reason::Edited, &mut lent)?;
        predictions.edit(id, edit);
        Ok(())
    }

    /// Ends all predictions of an object: [`predicted`](Self::predicted) and [`view`](Self::view) show the server's state
    /// again, at once. The remaining objects of a group are predicted without this object.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default, Clone)]
    /// struct Door {
    ///     #[sync_var]
    ///     open: SyncVar<bool>,
    /// }
    ///
    /// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
    /// let id = net.server.spawn(Door::default());
    /// net.settle();
    /// let client = net.client_mut(0);
    /// client.anticipate(id, |door: &mut Door| {
    ///     door.open.set(true);
    /// })?;
    /// assert!(*client.predicted::<Door>(id).unwrap().open);
    /// client.end_prediction(id);
    /// assert!(!*client.predicted::<Door>(id).unwrap().open);
    /// # Ok::<(), syncvar::error::ObjectError>(())
    /// ```
    pub fn end_prediction(&mut self, id: NetId) {
        let (predictions, lent) = self.lend_predictions();
        predictions.end_object(id, lent.objects);
    }

    /// Returns the predicted state of a behaviour at [`input_tick`](Self::input_tick); without a prediction that of
    /// [`get`](Self::get).
    pub fn predicted<B: NetworkBehaviour + Clone>(&self, id: NetId) -> Option<&B> {
        self.predictions.newest(id).or_else(|| self.get(id))
    }

    /// Returns the counters of the predictions.
    pub fn prediction_stats(&self) -> PredictionStats {
        self.predictions.stats()
    }

    /// Spawns an object on this client at once that the server is expected to spawn because of an input: a
    /// projectile. Call it together with [`set_input`](Self::set_input): the tick of the spawn is the next one that begins. The server
    /// spawns the object in the tick that has the input, and steps it in this tick already. Returns its id until then, for [`predicted`](Self::predicted) and [`view`](Self::view); the highest ids are
    /// those of such objects. `step` runs as in [`predict`](Self::predict).
    ///
    /// The server's object is the one with such a behaviour that this client owns and whose spawn is the nearest one, at most 8 ticks
    /// away. It takes over the prediction: [`ClientEvent::PredictedSpawn`](crate::ClientEvent::PredictedSpawn) has both ids. Without one, the object ends 32 ticks of the
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
        let id = self.predictions.spawn(behaviour, self.inputs.tick?);
        let step = single_step(step);
        let (inputs, context) = (&self.inputs, &self.context);
        self.predictions
            .begin_steps(vec![id], step, inputs, context);
        Some(id)
    }
}
