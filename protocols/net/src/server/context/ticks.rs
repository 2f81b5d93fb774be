//! Ticks of the packet headers, counted from the first update.

/// First tick of the headers, which count from 1.
#[derive(Debug, Default)]
pub(crate) struct Ticks {
    /// Tick 1 of the headers, as a tick of the network time.
    first: Option<u64>,
    /// Least tick of the next update: that of the last record of a followed server. Ticks of the own time do not count then.
    followed: Option<u64>,
}

impl Ticks {
    /// Returns the first tick. Before the first update, that of the time zero.
    pub(crate) fn first(&mut self) -> u64 {
        *self.first.get_or_insert(0)
    }

    /// Returns the first tick; `None` before the first update.
    pub(crate) fn begun(&self) -> Option<u64> {
        self.first
    }

    /// Returns the tick of the headers at a tick of the network time; `None` above `u32::MAX`.
    pub(crate) fn number(&mut self, tick: u64) -> Option<u32> {
        let first = *self.first.get_or_insert(tick);
        u32::try_from(tick.saturating_sub(first))
            .ok()?
            .checked_add(1)
    }

    /// Takes the tick of a record of a followed server.
    pub(crate) fn follow(&mut self, tick: u64) {
        self.followed = self.followed.max(Some(tick));
    }

    /// Returns the tick of the last record of a followed server.
    pub(crate) fn followed(&self) -> Option<u64> {
        self.followed
    }

    /// Makes a tick the first one.
    pub(crate) fn restart(&mut self, tick: u64) {
        self.first = Some(tick);
    }
}
