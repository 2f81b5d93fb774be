//! Inputs on their way to the server.

use syncvar_runtime::motion::AnyInputs;
use syncvar_runtime::{Channel, NetworkWriter};

use crate::MessageType;
use crate::client::NetworkClient;
use crate::message::{InputTicks, MAX_INPUTS, Message, View, begin, write_inputs};

impl NetworkClient {
    /// Sends the inputs that the server lacks.
    pub(super) fn send_inputs(&mut self) {
        if !self.session.is_heard() {
            return;
        }
        let channels = &self.context.config.channels;
        let channel = channels
            .iter()
            .position(|kind| *kind == Channel::Unreliable);
        match channel.and_then(|channel| u8::try_from(channel).ok()) {
            Some(channel) if self.outbound.lossy.is_some() => self.send_by_datagram(channel),
            _ => self.send_on_stream_once(),
        }
    }

    /// Sends all inputs that are not acknowledged; the newest of them, if they are too long for a datagram.
    fn send_by_datagram(&mut self, channel: u8) {
        let view = self.input_view_message();
        let (Some(list), Some(lossy)) = (&self.inputs.list, &mut self.outbound.lossy) else {
            return;
        };
        let Some(mut ticks) = unsent(&**list, lossy.known_input()) else {
            return;
        };
        let mut message = NetworkWriter::new();
        loop {
            encode(&mut message, view.as_ref(), ticks, &**list);
            if lossy.has_room(message.len()) {
                break;
            }
            if ticks.first == ticks.newest {
                return self.send_on_stream_once();
            }
            message.truncate(0);
            ticks.first += (ticks.newest - ticks.first).div_ceil(2);
            ticks.relative = false;
        }
        let update = self.context.clock.updates;
        lossy.push_inputs((channel, update), message.as_bytes(), ticks.newest);
        self.context
            .stats
            .count_encoded(MessageType::Inputs, message.len());
    }

    fn send_on_stream_once(&mut self) {
        let view = self.input_view_message();
        let Some(list) = &self.inputs.list else {
            return;
        };
        let Some(ticks) = unsent(&**list, self.inputs.sent) else {
            return;
        };
        let buffer = self.outbound.on_channel(0);
        encode(buffer.begin(), view.as_ref(), ticks, &**list);
        let length = buffer.commit();
        self.inputs.sent = Some(ticks.newest);
        self.context
            .stats
            .count_encoded(MessageType::Inputs, length);
    }
}

/// Writes inputs behind the view at the newest of them.
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
    write_inputs(writer, ticks, list);
    writer.finish_message(start);
}

/// Returns the ticks behind the last one that the server knows: those without a gap up to the newest.
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
