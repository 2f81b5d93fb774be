//! Inputs on their way to the server.

use syncvar_runtime::motion::AnyInputs;
use syncvar_runtime::{Channel, NetworkWriter};

use super::OwnInputs;
use crate::MessageType;
use crate::client::context::Context;
use crate::client::outbound::{LossyWrites, Outbound};
use crate::message::{InputTicks, MAX_INPUTS, Message, View, begin, write_inputs};

impl OwnInputs {
    /// Sends the inputs that the server lacks, behind the view in which they were made.
    pub(crate) fn send(
        &mut self,
        view: Option<&View>,
        outbound: &mut Outbound,
        context: &mut Context,
    ) {
        let channels = &context.config.channels;
        let channel = channels
            .iter()
            .position(|kind| *kind == Channel::Unreliable);
        let channel = channel.and_then(|channel| u8::try_from(channel).ok());
        if let (Some(channel), Some(lossy)) = (channel, &mut outbound.lossy) {
            let update = context.clock.updates;
            match self.send_by_datagram(channel, update, view, lossy) {
                Some(0) => return,
                Some(length) => {
                    let stats = &mut context.stats;
                    return stats.count_encoded(MessageType::Inputs, length);
                }
                None => {}
            }
        }
        let Some(list) = &self.list else {
            return;
        };
        let Some(ticks) = unsent(&**list, self.sent) else {
            return;
        };
        let buffer = outbound.on_channel(0);
        encode(buffer.begin(), view, ticks, &**list);
        let length = buffer.commit();
        self.sent = Some(ticks.newest);
        context.stats.count_encoded(MessageType::Inputs, length);
    }

    /// Sends all inputs that are not acknowledged; the newest inputs, if all are too long for a datagram. Returns the
    /// length of the message, 0 without one; `None` if the newest input alone is too long.
    fn send_by_datagram(
        &self,
        channel: u8,
        update: u32,
        view: Option<&View>,
        lossy: &mut LossyWrites,
    ) -> Option<usize> {
        let Some(list) = &self.list else {
            return Some(0);
        };
        let Some(mut ticks) = unsent(&**list, lossy.known_input()) else {
            return Some(0);
        };
        let mut message = NetworkWriter::new();
        loop {
            encode(&mut message, view, ticks, &**list);
            if lossy.has_room(message.len()) {
                break;
            }
            if ticks.first == ticks.newest {
                return None;
            }
            message.truncate(0);
            ticks.first += (ticks.newest - ticks.first).div_ceil(2);
            ticks.relative = false;
        }
        lossy.push_inputs(channel, update, message.as_bytes(), ticks.newest);
        Some(message.len())
    }
}

/// Writes inputs behind the view at the newest input.
fn encode(
    writer: &mut NetworkWriter,
    view: Option<&View>,
    ticks: InputTicks,
    list: &dyn AnyInputs,
) {
    if let Some(view) = view {
        view.encode(writer);
    }
    let start = begin(MessageType::Inputs, writer);
    write_inputs(writer, ticks, ticks.newest, list);
    writer.finish_message(start);
}

/// Returns the ticks behind the last tick that the server knows, without a gap up to the newest.
fn unsent(list: &dyn AnyInputs, known: Option<u64>) -> Option<InputTicks> {
    let newest = list.newest().filter(|newest| known < Some(*newest))?;
    let mut ticks = InputTicks {
        first: newest,
        newest,
        relative: false,
    };
    while let Some(before) = ticks.first.checked_sub(1)
        && list.bytes(before).is_some()
    {
        if known == Some(before) {
            ticks.relative = true;
            break;
        }
        if newest - before >= MAX_INPUTS || known > Some(before) {
            break;
        }
        ticks.first = before;
    }
    Some(ticks)
}
