//! Progress of the bots, and their report.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::game::say;
use crate::world::DELAYS;

/// Counts of bots.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    joined: AtomicU32,
    failed: AtomicU32,
    lost: AtomicU32,
}

impl Progress {
    /// Counts a bot that has its objects.
    pub(crate) fn join(&self) {
        self.joined.fetch_add(1, Relaxed);
    }

    /// Counts a bot that could not join.
    pub(crate) fn fail(&self) {
        self.failed.fetch_add(1, Relaxed);
    }

    /// Counts a bot that had joined, and lost its connection.
    pub(crate) fn lose(&self) {
        self.lost.fetch_add(1, Relaxed);
    }

    pub(crate) fn joined(&self) -> u32 {
        self.joined.load(Relaxed)
    }

    /// Returns whether none of the bots is on its way.
    pub(crate) fn is_complete(&self, count: u32) -> bool {
        self.joined() + self.failed.load(Relaxed) >= count
    }

    /// Prints the number of changes since the last report, three quantiles of their delays in microseconds, and the lost bots.
    pub(crate) fn report(&self) -> std::io::Result<()> {
        let [half, most, nearly_all] = [500, 990, 999].map(|share| DELAYS.permille(share));
        let (count, lost) = (DELAYS.count(), self.lost.load(Relaxed));
        say(&format!("{count} {half} {most} {nearly_all} {lost}"))?;
        DELAYS.clear();
        Ok(())
    }
}
