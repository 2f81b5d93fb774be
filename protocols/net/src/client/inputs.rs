//! Inputs of this client: one for each tick, on a clock ahead of the server's.

mod clock;
mod leads;
mod refused;
mod send;

use std::any::{Any, type_name};
use std::ops::Range;
use std::time::Duration;

use syncvar_runtime::motion::{AnyInputs, Inputs};
use syncvar_runtime::prefab::message::MessageError;
use syncvar_runtime::{NetworkTime, NetworkWriter, ReadError, SyncValue};

use super::{ClientEvent, NetworkClient};
use crate::message::{InputState, MAX_INPUTS, Message};
use clock::InputClock;
use refused::Refused;

/// Inputs of this client.
#[derive(Debug, Default)]
pub(super) struct OwnInputs {
    /// `None` before the first input.
    list: Option<Box<dyn AnyInputs>>,
    clock: InputClock,
    /// Last tick that has begun on the input clock.
    pub(super) tick: Option<u64>,
    /// Last tick whose input was sent on the stream.
    sent: Option<u64>,
    refused: Refused,
}

impl OwnInputs {
    /// Begins a new stream of packets. The held input stays.
    pub(super) fn restart(&mut self) {
        let list = self.list.take();
        *self = Self {
            list,
            ..Self::default()
        };
        if let Some(list) = &mut self.list {
            list.clear();
        }
    }

    /// Returns the inputs by tick.
    pub(super) fn list(&self) -> Option<&dyn Any> {
        Some(&**self.list.as_ref()?)
    }

    /// Returns the number of whole ticks in a time.
    pub(super) fn ticks_of(&self, time: Duration) -> u64 {
        NetworkTime::new(time, self.clock.tick_rate()).tick
    }

    /// Returns a moment in ticks of the input clock, with its fraction, and the ticks per second.
    pub(super) fn tick_at(&self, now: Duration) -> Option<(f64, u32)> {
        self.clock.tick_at(now)
    }
}

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
        let other = MessageError::NotRegistered(type_name::<M>());
        let kind = self
            .objects
            .world
            .prefabs
            .input_kind()
            .ok_or(other.clone())?;
        let list = self.inputs.list.get_or_insert_with(|| kind.make());
        let list: &mut dyn Any = &mut **list;
        let list = list.downcast_mut::<Inputs<M>>().ok_or(other)?;
        let mut writer = NetworkWriter::with_encoding(self.session.framing.encoding());
        Ok(list.hold(input, &mut writer)?)
    }

    /// Returns the last tick of the server's time that has begun on the input clock. It has the newest input. `None`
    /// before the first one.
    pub fn input_tick(&self) -> Option<u64> {
        self.inputs.tick
    }

    /// Begins the ticks up to an update: records their inputs, predicts them, and sends the inputs.
    pub(super) fn advance_inputs(&mut self) {
        self.review_predictions();
        self.tell_refused_inputs();
        let is_used = self.inputs.list.is_some() || self.has_predictions();
        if !is_used || !self.is_connected() {
            return;
        }
        self.take_own_fields();
        self.compare_newest();
        self.replay();
        let ticks = self.advance_input_clock();
        let encoding = self.session.framing.encoding();
        for tick in ticks.clone() {
            if let Some(list) = &mut self.inputs.list {
                list.record_held(tick, encoding);
            }
            self.inputs.tick = Some(tick);
            self.predict_tick(tick);
        }
        self.run_predicted_hooks();
        if !ticks.is_empty() {
            self.send_inputs();
        }
    }

    /// Begins the input clock, for a first prediction.
    pub(super) fn begin_input_clock(&mut self) {
        if self.inputs.tick.is_none() && self.is_connected() {
            let ticks = self.advance_input_clock();
            self.inputs.tick = ticks.last();
        }
    }

    /// Returns the ticks that begin with an update; the last ones after a pause.
    fn advance_input_clock(&mut self) -> Range<u64> {
        let on_stream = self.outbound.lossy.is_none();
        let Some(newest) = self.inputs.clock.advance(&self.context.clock, on_stream) else {
            return 0..0;
        };
        let next = self.inputs.tick.map_or(newest, |tick| tick + 1);
        let ticks = next.max((newest + 1).saturating_sub(MAX_INPUTS / 2))..newest + 1;
        self.inputs.clock.note_begin(ticks.clone());
        ticks
    }

    /// Corrects the input clock by the lead that the server has seen, and takes back what the server has refused.
    pub(super) fn handle_input_state(&mut self, payload: &[u8]) -> Result<(), ReadError> {
        let InputState {
            tick,
            lead,
            end,
            refused,
        } = InputState::decode(payload)?;
        let lead = (lead != 0).then(|| i64::from((lead ^ 0x80).cast_signed()));
        if refused > 0 {
            let known = end.checked_sub(1);
            self.inputs.refused.add(refused);
            self.inputs.sent = known;
            if let Some(lossy) = &mut self.outbound.lossy {
                lossy.set_known_input(known);
            }
        }
        if let Some(lead) = lead {
            self.inputs.clock.correct((tick, lead), refused > 0);
        }
        Ok(())
    }

    fn tell_refused_inputs(&mut self) {
        let now = self.now();
        if let Some(inputs) = self.inputs.refused.take(now) {
            self.context
                .events
                .push_minor(ClientEvent::InputsRefused { inputs });
        }
    }
}
