//! Inputs of the clients, by tick.
//!
//! The input of a tick arrives before the tick, on a clock of the client that runs ahead by the way. This room keeps the inputs of each
//! connection until the program takes them, and tells the client how early they were:
//!
//! ```text
//! message ── rate ── read ──▶ list by tick ── use in a tick ──▶ Known, Repeated, Missing
//!              │        │          │               │
//!              ▼        ▼          ▼               ▼
//!           refused   unknown   too far        lead of the newest
//!              └────────┴──────────┴──▶ report ◀───┘ ──▶ InputState
//! ```
//!
//! An input is relative to its predecessor. An input relative to an unknown input is unreadable, and no misbehaviour: the loop may
//! have refused the predecessor. Inputs too far ahead are refused in the update, not at their arrival: after a stall of the loop, inputs
//! of the stall arrive before the time of the server goes on. The first input of a tick counts: a later packet cannot change the past.
//! A report is sent four times a second, and sooner after late or refused inputs.

use std::any::{Any, TypeId};

use syncvar_runtime::endpoint::Misbehaviour;
use syncvar_runtime::motion::{Input, InputKind, Inputs as InputList};
use syncvar_runtime::{ConnectionId, NetworkReader, NetworkTime, ReadError, SyncValue};

use crate::message::{Frame, InputState, MAX_INPUTS, UnknownBase, read_inputs};
use crate::server::context::Context;
use crate::server::motion::connection_inputs::ConnectionInputs;
use crate::server::sessions::Sessions;

/// Number of the inputs among the rates of commands, which are numbered from 0 per type.
const RATE: u32 = u32::MAX - 1;

/// Inputs of the connections: those whose clients receive the lead of their inputs.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    listed: Vec<ConnectionId>,
}

impl Inputs {
    /// Takes the inputs of a message.
    pub(crate) fn take(
        &mut self,
        from: ConnectionId,
        frame: Frame<'_>,
        kind: InputKind,
        sessions: &mut Sessions,
        context: &mut Context,
    ) -> Result<(), ReadError> {
        let limits = &context.config.limits;
        let Some(connection) = sessions.connections.get_mut(from.0) else {
            return Ok(());
        };
        let inputs = connection
            .motion
            .inputs
            .get_or_insert_with(|| Box::new(ConnectionInputs::new(kind.make())));
        if !std::mem::replace(&mut inputs.report.is_listed, true) {
            self.listed.push(from);
        }
        let rate = (TypeId::of::<ConnectionInputs>(), RATE);
        let refused = &mut context.stats.refused.inputs;
        if !connection
            .intake
            .rates
            .allow(rate, limits.input_rate, context.clock.now())
        {
            inputs.report.refuse(1, refused);
            sessions.intake.count(Misbehaviour::Ignored);
            return Ok(());
        }
        let encoding = connection.framing.encoding();
        let (view, mut newest) = (connection.motion.view, 0);
        let budget = &mut sessions.intake.budget;
        let known = |inputs: &&mut ConnectionInputs, tick, bytes: &mut Vec<u8>| {
            let known = inputs.list.bytes(tick);
            bytes.extend_from_slice(known.unwrap_or_default());
            known.is_some()
        };
        let mut taker = &mut **inputs;
        let read = read_inputs(
            frame.payload,
            limits.max_input,
            &mut taker,
            known,
            |inputs, tick, bytes| {
                newest = tick;
                let mut reader = NetworkReader::with_encoding(bytes, encoding).with_budget(*budget);
                let read = inputs.take(tick, &mut reader);
                *budget = reader.budget();
                read
            },
        );
        match read? {
            None => inputs.note_view(newest, view),
            // A late copy behind newer inputs has nothing new: its client lacks nothing, and is told of nothing.
            Some(UnknownBase { newest, .. }) if Some(newest) <= inputs.list.newest() => {}
            Some(UnknownBase { count, .. }) => inputs.report.refuse(count, refused),
        }
        Ok(())
    }

    /// Refuses the inputs too far ahead. Returns the reports that are due.
    pub(crate) fn report(
        &mut self,
        sessions: &mut Sessions,
        context: &mut Context,
    ) -> Vec<(ConnectionId, InputState)> {
        let rate = context.config.tick_rate;
        let present = NetworkTime::new(context.clock.now(), rate).tick;
        let lead = context.config.limits.max_input_lead.min(MAX_INPUTS);
        let latest = present.saturating_add(lead);
        let mut due = Vec::new();
        self.listed.retain(|id| {
            let connection = sessions.connections.get_mut(id.0);
            let Some(inputs) = connection.and_then(|it| it.motion.inputs.as_mut()) else {
                return false;
            };
            let refused = inputs.drop_early(present, latest);
            inputs
                .report
                .refuse(refused, &mut context.stats.refused.inputs);
            if inputs.report.is_due(present, rate) {
                let newest = inputs.list.newest();
                let end = newest.map_or(0, |tick| tick.saturating_add(1));
                due.push((*id, inputs.report.take(present, end)));
                return false;
            }
            inputs.report.is_listed
        });
        due
    }

    /// Returns the inputs of a client for their use in a tick, and whether the held one counts: that of the local client. The view
    /// of the input becomes that of the connection.
    pub(crate) fn of(
        sessions: &mut Sessions,
        connection: ConnectionId,
        tick: u64,
        present: u64,
    ) -> Option<(&dyn Any, bool)> {
        let is_local = sessions.is_local(connection);
        let known = sessions.connections.get_mut(connection.0)?;
        let inputs = known.motion.inputs.as_mut()?;
        if !is_local {
            inputs.note_use(tick, present);
        }
        if let Some(view) = inputs.views.at(tick) {
            known.motion.view = Some(view);
        }
        Some((&*inputs.list, is_local))
    }
}

/// Returns the input of a tick, or the last one before.
pub(crate) fn input_of<M: SyncValue>(list: &InputList<M>, tick: u64, is_held: bool) -> Input<M> {
    let known = if is_held { list.held() } else { list.at(tick) };
    match (known, list.before(tick)) {
        (Some(input), _) => Input::Known(input.clone()),
        (None, Some(input)) => Input::Repeated(input.clone()),
        (None, None) => Input::Missing,
    }
}
