//! Inputs of this client: one for each tick, on a clock ahead of the server's.

mod clock;
mod leads;
mod refused;
mod send;

use std::any::{Any, type_name};
use std::ops::Range;
use std::time::Duration;

use syncvar_runtime::MessageError;
use syncvar_runtime::motion::{AnyInputs, Inputs};
use syncvar_runtime::{
    Encoding, NetworkReader, NetworkTime, NetworkWriter, ReadError, SyncValue, WriteError,
    WriteErrorKind,
};

use super::ClientEvent;
use super::clock::Clocks;
use super::context::Context;
use super::outbound::LossyWrites;
use super::translation::{Translation, translate_message};
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
    /// Begins a new stream of packets. The held input stays, and so do refused inputs of which the program does not know.
    pub(super) fn restart(&mut self) {
        *self = Self {
            list: self.list.take(),
            refused: std::mem::take(&mut self.refused),
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

    /// Returns whether the program has set an input.
    pub(super) fn is_used(&self) -> bool {
        self.list.is_some()
    }

    /// Holds an input for the ticks to come. `kind` makes the list of the first one.
    pub(super) fn hold<M: SyncValue>(
        &mut self,
        input: &M,
        encoding: Encoding,
        translation: Option<&Translation>,
        make: impl FnOnce() -> Box<dyn AnyInputs>,
    ) -> Result<(), MessageError> {
        let list = self.list.get_or_insert_with(make);
        let list: &mut dyn Any = &mut **list;
        let list = list.downcast_mut::<Inputs<M>>();
        let list = list.ok_or(MessageError::NotRegistered(type_name::<M>()))?;
        let mut writer = NetworkWriter::with_encoding(encoding);
        if let Some(translation) = translation {
            writer.write(input);
            let plan = translation.input();
            let plan = plan.ok_or_else(|| MessageError::ServerLacks("input".into()))?;
            let mut own = NetworkReader::with_encoding(writer.as_bytes(), encoding);
            if !translate_message(plan, &mut own).is_ok_and(|translated| translated.fits) {
                let kind = WriteErrorKind::Custom("the input does not fit its type on the server");
                return Err(WriteError::new(kind, 0, None, None).into());
            }
            writer.truncate(0);
        }
        Ok(list.hold(input, &mut writer)?)
    }

    /// Returns the ticks that begin with an update; the last ticks after a pause. `on_stream` inputs wait for the
    /// repetition of lost packets.
    pub(super) fn begin_ticks(&mut self, clocks: &Clocks, on_stream: bool) -> Range<u64> {
        let Some(newest) = self.clock.advance(clocks, on_stream) else {
            return 0..0;
        };
        let next = self.tick.map_or(newest, |tick| tick + 1);
        let ticks = next.max((newest + 1).saturating_sub(MAX_INPUTS / 2))..newest + 1;
        self.clock.note_begin(ticks.clone());
        ticks
    }

    /// Begins a tick: records the held input.
    pub(super) fn begin_tick(
        &mut self,
        tick: u64,
        encoding: Encoding,
        translation: Option<&Translation>,
    ) {
        if let Some(list) = &mut self.list {
            list.record_held(tick, encoding);
            let plan = translation.and_then(Translation::input);
            if let (Some(plan), Some(bytes)) = (plan, list.bytes(tick)) {
                let mut own = NetworkReader::with_encoding(bytes, encoding);
                // `hold` has checked that it fits.
                if let Ok(translated) = translate_message(plan, &mut own) {
                    list.set_bytes(tick, translated.bytes);
                }
            }
        }
        self.tick = Some(tick);
    }

    /// Corrects the input clock by the lead that the server has seen, and takes back what the server has refused.
    pub(super) fn take_state(
        &mut self,
        payload: &[u8],
        lossy: Option<&mut LossyWrites>,
    ) -> Result<(), ReadError> {
        let InputState {
            tick,
            lead,
            end,
            refused,
        } = InputState::decode(payload)?;
        let lead = (lead != 0).then(|| i64::from((lead ^ 0x80).cast_signed()));
        if refused > 0 {
            let known = end.checked_sub(1);
            self.refused.add(refused);
            self.sent = known;
            if let Some(lossy) = lossy {
                lossy.set_known_input(known);
            }
        }
        if let Some(lead) = lead {
            self.clock.correct(tick, lead, refused > 0);
        }
        Ok(())
    }

    /// Reports the inputs that the server has refused.
    pub(super) fn report_refused(&mut self, context: &mut Context) {
        let now = context.now();
        if let Some(inputs) = self.refused.take(now) {
            let event = ClientEvent::InputsRefused { inputs };
            context.events.push_minor(event);
        }
    }
}
