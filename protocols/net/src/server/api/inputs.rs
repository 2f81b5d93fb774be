//! Inputs of the clients, and the reports to them.

use std::any::{Any, type_name};
use std::ops::Range;
use std::time::Duration;

use syncvar_runtime::MessageError;
use syncvar_runtime::motion::{Input, Inputs as InputList};
use syncvar_runtime::{ConnectionId, NetworkTime, NetworkWriter, ReadError, SyncValue};

use crate::message::{Frame, MAX_INPUTS, unknown};
use crate::server::NetworkServer;
use crate::server::inputs::{Inputs, input_of};
use crate::server::motion::connection_inputs::ConnectionInputs;

impl NetworkServer {
    /// Returns the ticks that the update at `now` brings: those after the last update, up to the tick of `now`. A
    /// program steps its world once for each of them, and then calls [`update`](Self::update) with the same time.
    ///
    /// Usually one tick, none or two if the loop is a little early or late, and at most the last 32 after a pause.
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::prelude::*;
    ///
    /// let mut server = NetworkServer::new(Prefabs::new()); // 30 ticks per second
    /// server.update(Duration::from_secs(1));
    /// assert_eq!(server.ticks_until(Duration::from_millis(1040)), 31..32);
    /// assert!(server.ticks_until(Duration::from_millis(1010)).is_empty());
    /// ```
    pub fn ticks_until(&self, now: Duration) -> Range<u64> {
        let (last, next) = (
            self.network_time().tick,
            NetworkTime::new(self.context.clock.at(now), self.context.config.tick_rate).tick,
        );
        let first = last.max(next.saturating_sub(MAX_INPUTS));
        first.saturating_add(1)..next.saturating_add(1)
    }

    /// Returns the input of a client in a tick of [`ticks_until`](Self::ticks_until). The ticks of successive calls
    /// ascend; the client's clock follows them, so that its inputs arrive just in time.
    ///
    /// [`Input::Missing`] also for an unknown connection, and for another type than that of
    /// [`Prefabs::input`](syncvar_runtime::Prefabs::input).
    ///
    /// ```
    /// use syncvar::{motion::Input, prelude::*};
    ///
    /// #[derive(SyncValue, Clone, Default, PartialEq, Debug)]
    /// struct Move {
    ///     x: f32,
    /// }
    ///
    /// let mut net = MemoryNetwork::pair(|| Prefabs::new().input::<Move>());
    /// let connection = net.connection(0);
    /// let mut last = Input::Missing;
    /// for _ in 0..20 {
    ///     net.client_mut(0).set_input(&Move { x: 0.5 })?;
    ///     net.step_with(|server, now| {
    ///         for tick in server.ticks_until(now) {
    ///             last = server.input::<Move>(connection, tick);
    ///         }
    ///     });
    /// }
    /// assert_eq!(last, Input::Known(Move { x: 0.5 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn input<M: SyncValue>(&mut self, connection: ConnectionId, tick: u64) -> Input<M> {
        let inputs = self.inputs_of(connection, tick);
        let Some((list, is_held)) = inputs else {
            return Input::Missing;
        };
        let list = list.downcast_ref::<InputList<M>>();
        list.map_or(Input::Missing, |list| input_of(list, tick, is_held))
    }

    /// Returns the inputs of a client for their use in a tick, and whether the held one counts: that of the local client.
    pub(crate) fn inputs_of(
        &mut self,
        connection: ConnectionId,
        tick: u64,
    ) -> Option<(&dyn Any, bool)> {
        let present = self.network_time().tick;
        Inputs::of(&mut self.sessions, connection, tick, present)
    }

    /// Sets the input of the local client of a [host](Self::connect_local) in the ticks to come.
    ///
    /// # Errors
    ///
    /// When the type is not that of [`Prefabs::input`](syncvar_runtime::Prefabs::input), the input has no form on the
    /// wire, or the server has no local client.
    pub fn local_set_input<M: SyncValue>(&mut self, input: &M) -> Result<(), MessageError> {
        self.objects.world.prefabs.messages().find::<M>()?;
        let kind = self.objects.world.prefabs.input_kind();
        let local = self.sessions.local;
        let connection = local.and_then(|it| self.sessions.connections.get_mut(it.0));
        let connection = connection.ok_or(MessageError::NotConnected(ConnectionId::SERVER))?;
        let kind = kind.ok_or(MessageError::NotRegistered(type_name::<M>()))?;
        let inputs = connection
            .motion
            .inputs
            .get_or_insert_with(|| Box::new(ConnectionInputs::new(kind.make())));
        let list = inputs.list_mut().downcast_mut::<InputList<M>>();
        let list = list.ok_or(MessageError::NotRegistered(type_name::<M>()))?;
        Ok(list.hold(input, &mut NetworkWriter::new())?)
    }

    /// Takes the inputs of a client.
    pub(crate) fn handle_inputs(
        &mut self,
        from: ConnectionId,
        frame: Frame<'_>,
    ) -> Result<(), ReadError> {
        let kind = self.objects.world.prefabs.input_kind();
        let kind = kind.ok_or_else(|| unknown(frame))?;
        self.inputs
            .take(from, frame, kind, &mut self.sessions, &mut self.context)
    }

    /// Sends the due reports about inputs.
    pub(crate) fn report_inputs(&mut self) {
        let due = self.inputs.report(&mut self.sessions, &mut self.context);
        for (connection, state) in due {
            self.rooms().ground.send(connection, &state);
        }
    }
}
