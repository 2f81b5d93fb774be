//! `Shutdown`: the end of a relay by a signal.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};

/// Time in which a balancer learns that the relay takes no further spectators.
const NOTICE: Duration = Duration::from_secs(3);

/// Stage of a relay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Serve,
    /// The relay is not ready any more.
    Notice,
    /// The links of the spectators end.
    Release,
    /// The time of the drain is over.
    End,
}

/// Signals of the system, and the time of the first one.
#[derive(Debug)]
pub(super) struct Shutdown {
    signal: Arc<AtomicBool>,
    since: Option<Duration>,
    /// Longest time from a signal to the end.
    drain: Duration,
}

impl Shutdown {
    /// Waits for SIGTERM and SIGINT. The second signal of a kind ends the process at once.
    pub(super) fn on_signals(drain: Duration) -> io::Result<Self> {
        let signal = Arc::new(AtomicBool::new(false));
        for number in [SIGTERM, SIGINT] {
            signal_hook::flag::register_conditional_shutdown(number, 1, Arc::clone(&signal))?;
            signal_hook::flag::register(number, Arc::clone(&signal))?;
        }
        Ok(Self {
            signal,
            since: None,
            drain,
        })
    }

    /// Returns the stage at a time.
    pub(super) fn stage(&mut self, now: Duration) -> Stage {
        if self.since.is_none() && self.signal.load(Ordering::Relaxed) {
            self.since = Some(now);
        }
        let passed = self.since.map(|since| now.saturating_sub(since));
        match passed {
            None => Stage::Serve,
            Some(passed) if passed >= self.drain => Stage::End,
            Some(passed) if passed < NOTICE.min(self.drain / 2) => Stage::Notice,
            Some(_) => Stage::Release,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_leads_through_the_stages() {
        let signal = Arc::new(AtomicBool::new(false));
        let mut shutdown = Shutdown {
            signal: Arc::clone(&signal),
            since: None,
            drain: Duration::from_secs(10),
        };
        let mut stages = |all: &[(u64, Stage)]| {
            for (second, stage) in all {
                assert_eq!(shutdown.stage(Duration::from_secs(*second)), *stage);
            }
        };
        stages(&[(0, Stage::Serve), (100, Stage::Serve)]);
        signal.store(true, Ordering::Relaxed);
        stages(&[
            (101, Stage::Notice),
            (103, Stage::Notice),
            (104, Stage::Release),
            (110, Stage::Release),
            (111, Stage::End),
        ]);
    }
}
