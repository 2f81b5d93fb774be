//! Time of the server, and the round-trip time.

use std::time::Duration;

use syncvar_runtime::behaviour::FrameTime;
use syncvar_runtime::unstable::clock::{Clock, Slew};

use crate::MirrorClientConfig;
use crate::average::MovingAverage;
use crate::frames::RemoteTime;
use crate::interpolation;

/// Distance behind the server's time, in send intervals. Mirror,
/// `SnapshotInterpolationSettings.bufferTimeMultiplier`.
const BUFFERED_INTERVALS: f64 = 2.0;

/// Send interval before the second time message: Mirror's 60 per second.
const SEND_INTERVAL: f64 = 1.0 / 60.0;

/// Samples of the prediction error. Mirror, `NetworkTime.PredictionErrorWindowSize`.
const PREDICTION_WINDOW: u32 = 20;

/// Smallest jump that resets the offset, in seconds.
const JUMP: f64 = 1.0;

/// Own time, and the server's time.
#[derive(Debug)]
pub(crate) struct Time {
    pub(crate) own: Clock,
    /// Own time of the last frame.
    last_frame: Duration,
    pub(crate) server: ServerTime,
    /// Time at which received states are shown.
    pub(crate) remote: Box<RemoteTime>,
}

impl Time {
    pub(crate) fn new(config: &MirrorClientConfig) -> Self {
        Self {
            own: Clock::default(),
            last_frame: Duration::ZERO,
            server: ServerTime::default(),
            remote: Box::new(RemoteTime::new(config.interpolation, config.tick_rate)),
        }
    }

    /// Returns the server's time at the arrival of a message sent now, in seconds.
    pub(crate) fn predicted(&self) -> f64 {
        self.server.predicted(self.own.now())
    }

    /// Begins a frame at the own time. Returns its times.
    pub(crate) fn begin_frame(&mut self) -> FrameTime {
        let now = self.own.now();
        let delta = now.saturating_sub(std::mem::replace(&mut self.last_frame, now));
        let now = now.as_secs_f64();
        // Mirror's `float`.
        let delta = f64::from(delta.as_secs_f32());
        self.remote.advance(now, delta);
        FrameTime {
            now,
            delta,
            shown: self.remote.shown(),
            predicted: self.predicted(),
        }
    }

    /// Forgets the server's time, for a new connection.
    pub(crate) fn begin(&mut self, config: &MirrorClientConfig) {
        self.server = ServerTime::default();
        *self.remote = RemoteTime::new(config.interpolation, config.tick_rate);
    }
}

/// Estimate of the server's time.
#[derive(Debug)]
pub(crate) struct ServerTime {
    rtt: MovingAverage,
    /// Offset of the server's clock at the arrival of a ping, relative to ours.
    prediction_error: interpolation::MovingAverage,
    last_ping: Option<Duration>,
    /// Offset of the server's times at their arrival, relative to ours.
    offset: MovingAverage,
    interval: MovingAverage,
    last_remote: Option<f64>,
    /// Time shown to the application, since the first time of the server.
    shown: Option<Slew>,
}

impl Default for ServerTime {
    fn default() -> Self {
        Self {
            rtt: MovingAverage::default(),
            prediction_error: interpolation::MovingAverage::new(PREDICTION_WINDOW),
            last_ping: None,
            offset: MovingAverage::default(),
            interval: MovingAverage::default(),
            last_remote: None,
            shown: None,
        }
    }
}

impl ServerTime {
    /// Returns whether a ping is due, and records it as sent.
    pub(crate) fn take_ping(&mut self, now: Duration, interval: Duration) -> bool {
        let due = !interval.is_zero()
            && self
                .last_ping
                .is_none_or(|last| now.saturating_sub(last) >= interval);
        if due {
            self.last_ping = Some(now);
        }
        due
    }

    /// Returns the server's time at the arrival of a message sent now, in seconds.
    pub(crate) fn predicted(&self, now: Duration) -> f64 {
        now.as_secs_f64() + self.prediction_error.value()
    }

    /// Returns the average round trip and its deviation; `None` before the first pong.
    pub(crate) fn round_trip(&self) -> Option<(Duration, Duration)> {
        self.rtt.durations()
    }

    /// Handles a pong.
    pub(crate) fn handle_pong(&mut self, now: Duration, sent: f64, prediction_error: f64) {
        let passed = now.as_secs_f64() - sent;
        // A send time in the future is forged.
        if passed >= 0.0 {
            self.rtt.add(passed);
            self.prediction_error.add(prediction_error);
        }
    }

    /// Handles a time of the server.
    pub(crate) fn handle_snapshot(&mut self, now: Duration, remote: f64) {
        if !remote.is_finite() || self.last_remote.is_some_and(|last| remote <= last) {
            return;
        }
        if let Some(last) = self.last_remote.replace(remote) {
            self.interval.add(remote - last);
        }
        let offset = remote - now.as_secs_f64();
        if (offset - self.offset.value().unwrap_or_default()).abs() > JUMP {
            self.offset = MovingAverage::default();
        }
        self.offset.add(offset);
        if self.shown.is_none() {
            self.shown = Some(Slew::new(now, self.ahead()));
        }
    }

    /// Advances the shown time to an own time.
    pub(crate) fn advance(&mut self, now: Duration) {
        let ahead = self.ahead();
        if let Some(shown) = &mut self.shown {
            shown.advance(now, ahead);
        }
    }

    /// Returns the lead of the server's delayed time over the own time, in microseconds.
    fn ahead(&self) -> i64 {
        let interval = self.interval.value().unwrap_or(SEND_INTERVAL);
        whole_micros(self.offset.value().unwrap_or_default() - BUFFERED_INTERVALS * interval)
    }

    /// Returns the server's time behind its delay at an own time; `None` before the first time message.
    pub(crate) fn network_time(&self, now: Duration) -> Option<Duration> {
        let shown = u64::try_from(self.shown?.at(now)).ok()?;
        Some(Duration::from_micros(shown))
    }
}

/// Rounds seconds to microseconds.
#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "the conversion saturates"
)]
fn whole_micros(seconds: f64) -> i64 {
    (seconds * 1e6).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn pong_from_the_future_is_ignored() {
        let mut clock = ServerTime::default();
        clock.handle_pong(millis(100), 0.06, 0.5);
        clock.handle_pong(millis(100), 5.0, 7.0);
        clock.handle_pong(millis(100), f64::NAN, 7.0);
        assert_eq!(clock.round_trip(), Some((millis(40), Duration::ZERO)));
        assert!((clock.predicted(millis(100)) - 0.6).abs() < 1e-12);
    }

    #[test]
    fn server_time_is_two_intervals_behind_and_monotonic() {
        let mut clock = ServerTime::default();
        assert_eq!(clock.network_time(millis(0)), None);
        for tick in 0..100_u32 {
            let now = 50 * u64::from(tick);
            clock.handle_snapshot(millis(now), 20.0 + 0.05 * f64::from(tick));
            clock.advance(millis(now));
        }
        let now = millis(50 * 99);
        let current = clock.network_time(now);
        let expected = 20.0 + 0.05 * 99.0 - 0.1;
        assert!(current.is_some_and(|current| (current.as_secs_f64() - expected).abs() < 1e-6));
        clock.advance(millis(10));
        assert_eq!(clock.network_time(millis(10)), current);
        clock.handle_snapshot(millis(5000), f64::INFINITY);
        clock.handle_snapshot(millis(5000), 1.0);
        assert_eq!(clock.network_time(now), current);
    }

    #[test]
    fn frames_at_144_hz_advance_with_late_snapshots() {
        let frame = Duration::from_secs(1) / 144;
        let (mut clock, mut now, mut last) = (ServerTime::default(), Duration::ZERO, None);
        let mut sent = 0_u64;
        for number in 1..=6000_u64 {
            now += frame;
            // The server sends 60 times a second; packets take 20 to 46 ms, or 90 ms.
            let delay = if sent % 40 == 7 {
                90
            } else {
                20 + sent * 13 % 27
            };
            if Duration::from_millis(sent * 50 / 3 + delay) <= now {
                clock.handle_snapshot(now, Duration::from_millis(sent * 50 / 3).as_secs_f64());
                sent += 1;
            }
            clock.advance(now);
            for part in [now, now + frame / 2] {
                let time = clock.network_time(part);
                if let (Some(time), Some(last)) = (time, last) {
                    let step = time.checked_sub(last).unwrap();
                    assert!(
                        !step.is_zero() && step * 4 <= frame * 3,
                        "{number}: {step:?}"
                    );
                }
                last = time;
            }
        }
        let behind = now.checked_sub(last.unwrap()).unwrap();
        let expected = millis(33 + 33);
        assert!(behind.abs_diff(expected) < millis(40), "{behind:?}");
    }
}
