//! `LateCalls`: calls that run after the state of their tick.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::time::Duration;

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

/// Longest wait of a call. A server whose budget is too small for a client may withhold a change for ever.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// Call that waits for the state of its tick.
#[derive(Debug)]
struct LateCall {
    tick: u32,
    /// Own time of its arrival.
    since: Duration,
    channel: u8,
    /// The message, with its length and type.
    message: Box<[u8]>,
}

impl LateCalls {
    /// Returns whether no call waits.
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Takes the first call that is due.
    fn pop(&mut self, is_due: impl Fn(&LateCall) -> bool) -> Option<LateCall> {
        let at = self.calls.iter().position(is_due)?;
        let call = self.calls.remove(at)?;
        self.bytes -= call.message.len();
        Some(call)
    }
}

impl NetworkClient {
    /// Keeps a call until the state of its tick has been applied. Returns whether it waits.
    #[cold]
    pub(crate) fn defer_until_state(
        &mut self,
        channel: u8,
        message_type: MessageType,
        payload: &[u8],
    ) -> bool {
        let since = self.context.now();
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
            since,
            channel,
            message,
        });
        true
    }

    /// Runs the calls that have waited for the state of a tick. `of_tick`: the changes of the tick itself are here;
    /// `up_to_tick`: so are those of all earlier ones.
    pub(super) fn run_late_calls(&mut self, tick: u32, (of_tick, up_to_tick): (bool, bool)) {
        self.run_calls(|call| match call.tick.cmp(&tick) {
            Ordering::Less => up_to_tick,
            Ordering::Equal => of_tick,
            Ordering::Greater => false,
        });
    }

    /// Runs the calls whose state is overdue.
    pub(super) fn run_overdue_calls(&mut self) {
        let deadline = self.context.now().saturating_sub(MAX_WAIT);
        let is_overdue = |call: &LateCall| call.since < deadline;
        let calls = self.arrivals.as_ref().map(|arrivals| &arrivals.calls);
        if calls.is_some_and(|it| it.calls.front().is_some_and(&is_overdue)) {
            self.run_calls(is_overdue);
            self.inbound.packet = PacketContext::default();
        }
    }

    fn run_calls(&mut self, is_due: impl Fn(&LateCall) -> bool) {
        let session = self.session.number;
        while self.session.number == session
            && let Some(arrivals) = &mut self.arrivals
            && let Some(call) = arrivals.calls.pop(&is_due)
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
