//! Inputs of the clients, by tick.

use std::any::{Any, TypeId};
use std::ops::Range;
use std::time::Duration;

use syncvar_runtime::endpoint::Misbehaviour;
use syncvar_runtime::motion::{AnyInputs, Input, Inputs};
use syncvar_runtime::prefab::message::MessageError;
use syncvar_runtime::{
    ConnectionId, NetworkReader, NetworkTime, NetworkWriter, ReadError, SyncValue,
};

use crate::message::{Frame, InputState, MAX_INPUTS, read_inputs, unknown};
use crate::server::NetworkServer;
use crate::server::rewind::{ClaimedView, InputViews};

/// Number of the inputs among the rates of commands, which are numbered from 0 per type.
const RATE: u32 = u32::MAX - 1;

/// Reports of the inputs' lead per second, and after a late input.
const REPORTS: u32 = 4;
const LATE_REPORTS: u32 = 16;

/// Inputs of one connection.
#[derive(Debug)]
pub(in crate::server) struct ConnectionInputs {
    list: Box<dyn AnyInputs>,
    /// Last tick whose input was used.
    used: Option<u64>,
    /// Least lead of the newest input over the used one since the last report.
    lead: i8,
    /// Tick of the last report.
    reported: u64,
    /// Whether the next update reports the lead.
    due: bool,
    /// Views of the inputs, if the client tells them.
    views: InputViews,
}

impl ConnectionInputs {
    fn new(list: Box<dyn AnyInputs>) -> Self {
        Self {
            list,
            used: None,
            lead: i8::MAX,
            reported: 0,
            due: false,
            views: InputViews::default(),
        }
    }

    /// Notes the view of an input that was not refused.
    fn note_view(&mut self, input: u64, view: Option<ClaimedView>) {
        if let Some(view) = view.filter(|_| self.list.bytes(input).is_some()) {
            self.views.note(input, view);
        }
    }

    /// Notes the use of a tick's input. Returns whether a report became due.
    fn note_use(&mut self, tick: u64, tick_rate: u32) -> bool {
        let Some(newest) = self.list.newest().filter(|_| self.used < Some(tick)) else {
            return false;
        };
        self.used = Some(tick);
        let lead = newest.wrapping_sub(tick).cast_signed();
        let lead = i8::try_from(lead.clamp(-128, 127)).unwrap_or_default();
        let is_late = self.list.bytes(tick).is_none();
        self.lead = self.lead.min(if is_late { lead.min(-1) } else { lead });
        let rate = if self.lead < 0 { LATE_REPORTS } else { REPORTS };
        let is_time = tick.saturating_sub(self.reported) >= u64::from(tick_rate / rate).max(1);
        is_time && !std::mem::replace(&mut self.due, true)
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
            NetworkTime::new(self.clock.at(now), self.config.tick_rate).tick,
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
    ///     for tick in net.server.ticks_until(net.now() + net.tick) {
    ///         last = net.server.input::<Move>(connection, tick);
    ///     }
    ///     net.step();
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
        let is_local = self.is_local(connection);
        let known = self.sessions.connections.get_mut(connection.0)?;
        let inputs = known.inputs.as_mut()?;
        if !is_local && inputs.note_use(tick, self.config.tick_rate) {
            self.sessions.input_reports.push(connection);
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
        self.world.prefabs.messages().find::<M>()?;
        let kind = self.world.prefabs.input_kind();
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

    /// Takes the inputs of a client.
    pub(in crate::server) fn handle_inputs(
        &mut self,
        from: ConnectionId,
        frame: Frame<'_>,
    ) -> Result<(), ReadError> {
        let kind = self.world.prefabs.input_kind();
        let kind = kind.ok_or_else(|| unknown(frame))?;
        let latest = self.network_time().tick;
        let limits = &self.config.limits;
        let latest = latest.saturating_add(limits.max_input_lead.min(MAX_INPUTS));
        let Some(connection) = self.sessions.connections.get_mut(from.0) else {
            return Ok(());
        };
        let rate = (TypeId::of::<ConnectionInputs>(), RATE);
        if !connection
            .rates
            .allow(rate, limits.input_rate, self.clock.now())
        {
            self.stats.refused.inputs += 1;
            self.sessions.intake.count(Misbehaviour::Ignored);
            return Ok(());
        }
        let encoding = connection.framing.encoding();
        let inputs = connection
            .inputs
            .get_or_insert_with(|| Box::new(ConnectionInputs::new(kind.make())));
        let (view, mut newest) = (connection.view, 0);
        let list = &mut *inputs.list;
        let (budget, refused) = (&mut self.sessions.intake.budget, &mut self.stats.refused);
        let known = |list: &&mut dyn AnyInputs, tick, bytes: &mut Vec<u8>| {
            let known = list.bytes(tick);
            bytes.extend_from_slice(known.unwrap_or_default());
            known.is_some()
        };
        let payload = (frame.payload, limits.max_input);
        let read = read_inputs(payload, &mut { list }, known, |list, tick, bytes| {
            newest = tick;
            if tick > latest {
                refused.inputs += 1;
                return Ok(());
            }
            let mut reader = NetworkReader::with_encoding(bytes, encoding).with_budget(*budget);
            let read = list.read(tick, &mut reader);
            *budget = reader.budget();
            read
        });
        inputs.note_view(newest, view);
        read
    }

    /// Reports the lead of the inputs to their clients.
    pub(in crate::server) fn report_inputs(&mut self) {
        if self.sessions.input_reports.is_empty() {
            return;
        }
        let mut due = std::mem::take(&mut self.sessions.input_reports);
        for id in due.drain(..) {
            let connection = self.sessions.connections.get_mut(id.0);
            let inputs = connection.and_then(|it| it.inputs.as_mut());
            if let Some(inputs) = inputs
                && let Some(tick) = inputs.used
            {
                let lead = inputs.lead.cast_unsigned() ^ 0x80;
                (inputs.lead, inputs.reported, inputs.due) = (i8::MAX, tick, false);
                self.send_own(id, &InputState { tick, lead });
            }
        }
        self.sessions.input_reports = due;
    }
}
