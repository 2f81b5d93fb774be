//! `Congestion`: a window that follows the losses of a link.

use super::segment::distance;

/// Least and greatest window, in segments. A system grants a socket room for about 180 datagrams.
const MIN_WINDOW: u16 = 8;
const MAX_WINDOW: u16 = 128;

/// Window before the first loss, in segments.
const FIRST_WINDOW: u16 = 32;

/// Window of segments on the way: it grows with acknowledgements, and shrinks with losses.
///
/// KCP has none. Without one, a full window overflows a short queue on the way again and again, until a
/// segment has waited for too long.
#[derive(Debug)]
pub(super) struct Congestion {
    window: u16,
    /// Window from which on it grows by one segment for each round trip.
    threshold: u16,
    /// Acknowledged segments since the last growth.
    acknowledged: u16,
    /// Time until which losses belong to the last decrease, in milliseconds.
    recovers_until: Option<u32>,
}

impl Default for Congestion {
    fn default() -> Self {
        Self {
            window: FIRST_WINDOW,
            threshold: MAX_WINDOW,
            acknowledged: 0,
            recovers_until: None,
        }
    }
}

impl Congestion {
    pub(super) fn window(&self) -> u16 {
        self.window
    }

    /// Handles the acknowledgement of a segment.
    pub(super) fn acknowledge(&mut self) {
        self.acknowledged = self.acknowledged.saturating_add(1);
        if self.window < self.threshold || self.acknowledged >= self.window {
            self.acknowledged = 0;
            self.window = self.window.saturating_add(1).min(MAX_WINDOW);
        }
    }

    /// Handles a loss: one decrease for all losses of a round trip.
    pub(super) fn lose(&mut self, now: u32, round_trip: u32) {
        let recovers = |until: u32| distance(until, now) > 0;
        if !self.recovers_until.is_some_and(recovers) {
            self.recovers_until = Some(now.wrapping_add(round_trip));
            self.threshold = (self.window / 4).saturating_mul(3).max(MIN_WINDOW);
            self.window = self.threshold;
            self.acknowledged = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn window_doubles_up_to_its_greatest_value_without_loss() {
        let mut congestion = Congestion::default();
        let mut windows = Vec::new();
        for _ in 0..4 {
            windows.push(congestion.window());
            for _ in 0..congestion.window() {
                congestion.acknowledge();
            }
        }
        assert_eq!(windows, [32, 64, 128, 128]);
    }

    #[test]
    fn losses_of_one_round_trip_are_one_decrease() {
        let mut congestion = Congestion::default();
        for now in [1000, 1010, 1099] {
            congestion.lose(now, 100);
            assert_eq!(congestion.window(), 24);
        }
        for _ in 0..24 {
            congestion.acknowledge();
        }
        assert_eq!(congestion.window(), 25);
        for now in (1100..3000).step_by(100) {
            congestion.lose(now, 100);
        }
        assert_eq!(congestion.window(), 8);
    }
}
