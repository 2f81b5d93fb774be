//! `Context`: what every part of the client is lent: settings, time, events and counters.

use std::time::Duration;

use syncvar_runtime::behaviour::MessageTime;
use syncvar_runtime::events::Events;

use super::clock::Time;
use super::event::MirrorClientEvent;
use super::stats::MirrorClientStats;
use crate::MirrorClientConfig;

/// Settings, time, events and counters.
#[derive(Debug)]
pub(crate) struct Context {
    /// Boxed, so that a future with a client is small.
    pub(crate) config: Box<MirrorClientConfig>,
    pub(crate) clock: Time,
    pub(crate) events: Events<MirrorClientEvent>,
    pub(crate) stats: MirrorClientStats,
}

impl Context {
    pub(crate) fn new(config: MirrorClientConfig) -> Self {
        Self {
            clock: Time::new(&config),
            events: Events::with_limit(config.max_events),
            stats: MirrorClientStats::default(),
            config: Box::new(config),
        }
    }

    /// Returns the own time: that of the last update.
    pub(crate) fn now(&self) -> Duration {
        self.clock.own.now()
    }

    /// Returns the own time in seconds, for messages.
    pub(crate) fn seconds(&self) -> f64 {
        self.now().as_secs_f64()
    }

    /// Advances the own time.
    pub(crate) fn advance_clock(&mut self, now: Duration) {
        let now = self.clock.own.advance(now);
        self.clock.server.advance(now);
        if let Some(step) = self.clock.own.take_leap() {
            self.events.push(MirrorClientEvent::ClockLeap { step });
        }
    }

    /// Handles a time of the server, in a batch of a time.
    pub(crate) fn receive_time(&mut self, time: f64, scaled_time: f64) {
        let now = self.now();
        self.clock.server.handle_snapshot(now, time);
        self.clock.remote.receive(time, scaled_time);
    }

    /// Returns the times of a message of this time.
    pub(crate) fn message_time(&self, remote: f64) -> MessageTime {
        MessageTime {
            remote,
            local: self.seconds(),
            shown: self.clock.remote.shown(),
            predicted: self.clock.predicted(),
        }
    }
}
