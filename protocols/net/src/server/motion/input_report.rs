//! `InputReport`: the next `InputState` of a connection.

use crate::message::InputState;

/// Reports per second, and after a late or refused input.
const REPORTS: u32 = 4;
const URGENT_REPORTS: u32 = 16;

/// Next report of the inputs of a connection to its client.
#[derive(Debug, Default)]
pub(crate) struct InputReport {
    /// Least lead of the inputs since the last report, and the tick over which it is one.
    least: Option<(u64, i8)>,
    /// Number of refused inputs since the last report.
    refused: u32,
    /// Tick of the last report.
    last: u64,
    /// Whether the connection is listed for a report.
    pub(crate) is_listed: bool,
}

impl InputReport {
    /// Notes an input that was the newest one at the use of a tick, or late for it.
    pub(crate) fn note_lead(&mut self, tick: u64, input: u64) {
        let lead = input.wrapping_sub(tick).cast_signed();
        let lead = i8::try_from(lead.clamp(-127, 127)).unwrap_or_default();
        if self.least.is_none_or(|(_, least)| lead < least) {
            self.least = Some((tick, lead));
        }
    }

    /// Counts refused inputs, here and in the statistics: the client is told of each.
    pub(crate) fn refuse(&mut self, inputs: u32, all: &mut u64) {
        self.refused = self.refused.saturating_add(inputs);
        *all = all.saturating_add(inputs.into());
    }

    /// Returns whether the report is to be sent in the update of a tick.
    pub(crate) fn is_due(&self, present: u64, tick_rate: u32) -> bool {
        let is_urgent = self.refused > 0 || self.least.is_some_and(|(_, lead)| lead < 0);
        let rate = if is_urgent { URGENT_REPORTS } else { REPORTS };
        let interval = u64::from(tick_rate / rate).max(1);
        (is_urgent || self.least.is_some()) && present.saturating_sub(self.last) >= interval
    }

    /// Returns the report, and begins the next one. `end` is the tick behind the newest input, or 0.
    pub(crate) fn take(&mut self, present: u64, end: u64) -> InputState {
        let (tick, lead) = self.least.map_or((present, 0), |(tick, lead)| {
            (tick, lead.cast_unsigned() ^ 0x80)
        });
        let refused = self.refused;
        *self = Self {
            last: present,
            ..Self::default()
        };
        InputState {
            tick,
            lead,
            end,
            refused,
        }
    }
}
