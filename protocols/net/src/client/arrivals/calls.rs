//! `LateCalls`: calls that run after the state of their tick.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::time::Duration;

use syncvar_runtime::NetworkWriter;

use super::{Arrivals, TickReport};
use crate::client::state_message::StateMessage;
use crate::message::frame;

/// Most bytes of the calls that wait. Further calls run at once.
const MAX_BYTES: usize = 96 * 1024;

/// Calls in the order of their arrival.
#[derive(Debug, Default)]
pub(super) struct LateCalls {
    calls: VecDeque<LateCall>,
    bytes: usize,
}

/// Calls that may run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DueCalls {
    /// Those that have waited for the state of a tick.
    UpTo(TickReport),
    /// Those that have waited too long at an own time.
    Overdue(Duration),
}

impl DueCalls {
    fn contains(self, call: &LateCall) -> bool {
        match self {
            Self::UpTo(report) => match call.tick.cmp(&report.tick) {
                Ordering::Less => report.up_to_tick,
                Ordering::Equal => report.of_tick,
                Ordering::Greater => false,
            },
            Self::Overdue(now) => call.since < now.saturating_sub(MAX_WAIT),
        }
    }
}

/// Longest wait of a call. A server whose budget is too small for a client may withhold a change for ever.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// Call that waits for the state of its tick.
#[derive(Debug)]
pub(crate) struct LateCall {
    pub(crate) tick: u32,
    /// Own time of its arrival.
    since: Duration,
    pub(crate) channel: u8,
    /// The message, with its length and type.
    pub(crate) message: Box<[u8]>,
}

impl LateCalls {
    /// Returns whether no call waits.
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Takes the first call that is due.
    pub(super) fn pop(&mut self, due: DueCalls) -> Option<LateCall> {
        let at = self.calls.iter().position(|call| due.contains(call))?;
        let call = self.calls.remove(at)?;
        self.bytes -= call.message.len();
        Some(call)
    }
}

impl Arrivals {
    /// Takes over the calls of a lost link.
    pub(crate) fn take_calls(&mut self, lost: Self) {
        self.calls = lost.calls;
    }

    /// Keeps a call until the state of its tick has been applied. Returns whether the call waits.
    #[cold]
    pub(crate) fn defer_call(&mut self, tick: u32, call: StateMessage<'_>, now: Duration) -> bool {
        let (calls, payload) = (&mut self.calls, call.payload);
        if tick <= self.ticks.reported() || calls.bytes + payload.len() > MAX_BYTES {
            return false;
        }
        let mut writer = NetworkWriter::new();
        frame(&mut writer, call.message_type, payload);
        let message: Box<[u8]> = writer.as_bytes().into();
        calls.bytes += message.len();
        calls.calls.push_back(LateCall {
            tick,
            since: now,
            channel: call.channel,
            message,
        });
        true
    }
}
