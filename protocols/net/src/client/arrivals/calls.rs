//! `LateCalls`: calls that run after the state of their tick.

use std::collections::VecDeque;

use syncvar_runtime::NetworkWriter;

use crate::MessageType;
use crate::client::NetworkClient;
use crate::client::inbound::{PacketContext, Pass};
use crate::message::frame;

/// Most bytes of the calls that wait. Further ones run at once.
const MAX_BYTES: usize = 96 * 1024;

/// Calls in the order of their arrival.
#[derive(Debug, Default)]
pub(super) struct LateCalls {
    calls: VecDeque<LateCall>,
    bytes: usize,
}

/// Call that waits for the report of its tick.
#[derive(Debug)]
struct LateCall {
    tick: u32,
    channel: u8,
    /// The message, with its length and type.
    message: Box<[u8]>,
}

impl LateCalls {
    /// Takes the first call up to a tick.
    fn pop(&mut self, tick: u32) -> Option<LateCall> {
        let at = self.calls.iter().position(|call| call.tick <= tick)?;
        let call = self.calls.remove(at)?;
        self.bytes -= call.message.len();
        Some(call)
    }
}

impl NetworkClient {
    /// Keeps a call until the state of its tick has been applied. Returns whether it waits.
    #[cold]
    pub(in crate::client) fn defer_until_state(
        &mut self,
        channel: u8,
        message_type: MessageType,
        payload: &[u8],
    ) -> bool {
        let (Some(tick), Some(arrivals)) = (self.inbound.packet.tick, &mut self.arrivals) else {
            return false;
        };
        let calls = &mut arrivals.calls;
        if tick <= arrivals.ticks.reported() || calls.bytes + payload.len() > MAX_BYTES {
            return false;
        }
        let mut writer = NetworkWriter::new();
        frame(&mut writer, message_type, payload);
        let message: Box<[u8]> = writer.as_bytes().into();
        calls.bytes += message.len();
        calls.calls.push_back(LateCall {
            tick,
            channel,
            message,
        });
        true
    }

    /// Runs the calls that have waited for the state up to a tick.
    pub(super) fn run_late_calls(&mut self, tick: u32) {
        let session = self.session.number;
        while self.session.number == session
            && let Some(arrivals) = &mut self.arrivals
            && let Some(call) = arrivals.calls.pop(tick)
        {
            self.inbound.packet = PacketContext {
                tick: Some(call.tick),
                network_tick: self.network_tick(call.tick),
                pass: Pass::Whole,
                gathers_hooks: false,
            };
            // `CallFailed` reports it.
            if let Err(error) = self.handle_messages(call.channel, &call.message) {
                tracing::debug!(%error, "a malformed call behind the state of its tick");
            }
        }
    }
}
