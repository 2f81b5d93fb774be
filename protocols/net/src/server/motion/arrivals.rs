//! `StreamArrivals`: arrivals on the stream of one connection.

/// Seconds for which a repetition on a stream counts.
const REMEMBERED: u32 = 10;

/// Arrivals on the stream of a connection, in ticks of the server.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StreamArrivals {
    pub(crate) last: u32,
    /// Packets in the last tick, and the ticks without one before it.
    pub(crate) count: u32,
    pub(crate) gap: u32,
    /// Last longest gap, and its end. It counts for as long as it took: a packet behind a lost one can be lost, too.
    pub(crate) silence: u32,
    pub(crate) end: u32,
    /// Longest gap of the last seconds whose packets have all arrived at once behind it, and its end: they waited for a repeated
    /// one.
    pub(crate) repetition: u32,
    pub(crate) repeated: u32,
}

impl StreamArrivals {
    /// Notes a packet. `pace` is the number of ticks between the last two updates: in between there are no arrivals.
    pub(crate) fn note(&mut self, tick: u32, pace: u32, tick_rate: u32) {
        if tick != self.last {
            self.gap = tick.saturating_sub(self.last).saturating_sub(pace);
            self.count = 0;
            let is_over = tick.saturating_sub(self.end) > self.silence;
            if is_over || self.gap >= self.silence {
                (self.silence, self.end) = (self.gap, tick);
            }
            self.last = tick;
            if !self.remembers(tick_rate) {
                self.repetition = 0;
            }
        }
        self.count = self.count.saturating_add(1);
        if self.gap > 1 && self.count >= self.gap && self.gap >= self.repetition {
            (self.repetition, self.repeated) = (self.gap, tick);
        }
    }

    fn remembers(&self, tick_rate: u32) -> bool {
        self.last.saturating_sub(self.repeated) <= tick_rate.saturating_mul(REMEMBERED)
    }
}
