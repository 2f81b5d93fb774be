//! Inputs of the clients, by tick.

mod report;

use std::any::{Any, TypeId};
use std::ops::Range;
use std::time::Duration;

use syncvar_runtime::endpoint::Misbehaviour;
use syncvar_runtime::motion::{AnyInputs, Input, Inputs};
use syncvar_runtime::prefab::message::MessageError;
use syncvar_runtime::{
    ConnectionId, NetworkReader, NetworkTime, NetworkWriter, ReadError, SyncValue,
};

use crate::message::{Frame, MAX_INPUTS, UnknownBase, read_inputs, unknown};
use crate::server::NetworkServer;
use crate::server::rewind::{ClaimedView, InputViews};
use report::InputReport;

/// Number of the inputs among the rates of commands, which are numbered from 0 per type.
const RATE: u32 = u32::MAX - 1;

/// Inputs of one connection.
#[derive(Debug)]
pub(crate) struct ConnectionInputs {
    list: Box<dyn AnyInputs>,
    /// Last tick whose input was used.
    used: Option<u64>,
    /// Tick of the server at the first use after the newest input. Later uses measure silence, not delay.
    measured: Option<u64>,
    report: InputReport,
    /// Views of the inputs, if the client tells them.
    views: InputViews,
}

impl ConnectionInputs {
    fn new(list: Box<dyn AnyInputs>) -> Self {
        Self {
            list,
            used: None,
            measured: None,
            report: InputReport::default(),
            views: InputViews::default(),
        }
    }

    /// Notes the view of an input that was not refused.
    fn note_view(&mut self, input: u64, view: Option<ClaimedView>) {
        if let Some(view) = view.filter(|_| self.list.bytes(input).is_some()) {
            self.views.note(input, view);
        }
    }

    /// Takes the input of a tick.
    fn take(&mut self, tick: u64, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        let newest = self.list.newest();
        let is_new = self.list.read(tick, reader)?;
        if newest < self.list.newest() {
            self.measured = None;
        }
        if is_new && let Some(used) = self.used.filter(|used| tick <= *used) {
            self.report.note_lead(used + 1, tick);
        }
        Ok(())
    }

    /// Notes the use of a tick's input. `present` is the tick of the last update.
    fn note_use(&mut self, tick: u64, present: u64) {
        let newest = self.list.newest().filter(|_| self.used < Some(tick));
        if let Some(newest) = newest {
            self.used = Some(tick);
            if *self.measured.get_or_insert(present) == present {
                self.report.note_lead(tick, newest);
            }
        }
    }

    /// Drops the inputs behind the latest tick that may have one. Returns their number.
    fn refuse(&mut self, present: u64, latest: u64) -> u32 {
        let Some(newest) = self.list.newest().filter(|newest| *newest > latest) else {
            return 0;
        };
        let refused = self.list.truncate(latest);
        self.views.truncate(latest);
        self.report.note_lead(present, newest);
        self.report.refused = self.report.refused.saturating_add(refused);
        refused
    }
}

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
        let Some((list, is_held)) = self.inputs_of(connection, tick) else {
            return Input::Missing;
        };
        let Some(list) = list.downcast_ref::<Inputs<M>>() else {
            return Input::Missing;
        };
        let known = if is_held { list.held() } else { list.at(tick) };
        match (known, list.before(tick)) {
            (Some(input), _) => Input::Known(input.clone()),
            (None, Some(input)) => Input::Repeated(input.clone()),
            (None, None) => Input::Missing,
        }
    }

    /// Returns the inputs of a client for their use in a tick, and whether the held one counts: that of the local client.
    pub(in crate::server) fn inputs_of(
        &mut self,
        connection: ConnectionId,
        tick: u64,
    ) -> Option<(&dyn Any, bool)> {
        let (is_local, present) = (self.is_local(connection), self.network_time().tick);
        let known = self.sessions.connections.get_mut(connection.0)?;
        let inputs = known.inputs.as_mut()?;
        if !is_local {
            inputs.note_use(tick, present);
        }
        if let Some(view) = inputs.views.at(tick) {
            known.view = Some(view);
        }
        Some((&*inputs.list, is_local))
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
        let local = self.host.as_ref().map(|host| host.connection);
        let connection = local.and_then(|it| self.sessions.connections.get_mut(it.0));
        let connection = connection.ok_or(MessageError::NotConnected(ConnectionId::SERVER))?;
        let kind = kind.ok_or(MessageError::NotRegistered(std::any::type_name::<M>()))?;
        let inputs = connection
            .inputs
            .get_or_insert_with(|| Box::new(ConnectionInputs::new(kind.make())));
        let list: &mut dyn Any = &mut *inputs.list;
        let list = list.downcast_mut::<Inputs<M>>();
        let list = list.ok_or(MessageError::NotRegistered(std::any::type_name::<M>()))?;
        Ok(list.hold(input, &mut NetworkWriter::new())?)
    }

    /// Takes the inputs of a client. Those too far ahead are refused in the update: after a stall of the loop, inputs
    /// that were sent meanwhile arrive before the server's time goes on.
    pub(in crate::server) fn handle_inputs(
        &mut self,
        from: ConnectionId,
        frame: Frame<'_>,
    ) -> Result<(), ReadError> {
        let kind = self.objects.world.prefabs.input_kind();
        let kind = kind.ok_or_else(|| unknown(frame))?;
        let limits = &self.context.config.limits;
        let Some(connection) = self.sessions.connections.get_mut(from.0) else {
            return Ok(());
        };
        let inputs = connection
            .inputs
            .get_or_insert_with(|| Box::new(ConnectionInputs::new(kind.make())));
        if !std::mem::replace(&mut inputs.report.is_listed, true) {
            self.sessions.input_reports.push(from);
        }
        let rate = (TypeId::of::<ConnectionInputs>(), RATE);
        let now = self.context.clock.now();
        if !connection.rates.allow(rate, limits.input_rate, now) {
            self.context.stats.refused.inputs += 1;
            inputs.report.refused = inputs.report.refused.saturating_add(1);
            self.sessions.intake.count(Misbehaviour::Ignored);
            return Ok(());
        }
        let encoding = connection.framing.encoding();
        let (view, mut newest) = (connection.view, 0);
        let budget = &mut self.sessions.intake.budget;
        let known = |inputs: &&mut ConnectionInputs, tick, bytes: &mut Vec<u8>| {
            let known = inputs.list.bytes(tick);
            bytes.extend_from_slice(known.unwrap_or_default());
            known.is_some()
        };
        let payload = (frame.payload, limits.max_input);
        let mut taker = &mut **inputs;
        let read = read_inputs(payload, &mut taker, known, |inputs, tick, bytes| {
            newest = tick;
            let mut reader = NetworkReader::with_encoding(bytes, encoding).with_budget(*budget);
            let read = inputs.take(tick, &mut reader);
            *budget = reader.budget();
            read
        });
        let Some(UnknownBase { newest, count }) = read? else {
            inputs.note_view(newest, view);
            return Ok(());
        };
        self.context.stats.refused.inputs += u64::from(count);
        // A late datagram has nothing new.
        if inputs.list.newest() < Some(newest) {
            inputs.report.refused = inputs.report.refused.saturating_add(count);
        }
        Ok(())
    }

    /// Refuses the inputs too far ahead, and reports to the clients.
    pub(in crate::server) fn report_inputs(&mut self) {
        let present = self.network_time().tick;
        let lead = self.context.config.limits.max_input_lead.min(MAX_INPUTS);
        let latest = present.saturating_add(lead);
        let mut listed = std::mem::take(&mut self.sessions.input_reports);
        listed.retain(|id| {
            let connection = self.sessions.connections.get_mut(id.0);
            let Some(inputs) = connection.and_then(|it| it.inputs.as_mut()) else {
                return false;
            };
            let refused = inputs.refuse(present, latest);
            self.context.stats.refused.inputs += u64::from(refused);
            if inputs.report.is_due(present, self.context.config.tick_rate) {
                let end = inputs
                    .list
                    .newest()
                    .map_or(0, |tick| tick.saturating_add(1));
                let state = inputs.report.take(present, end);
                self.rooms().ground.send(*id, &state);
                return false;
            }
            inputs.report.is_listed
        });
        self.sessions.input_reports = listed;
    }
}
