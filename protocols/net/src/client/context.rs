//! `Context`: settings, reports, counters and time, lent to the methods of every part.

use std::time::Duration;

use syncvar_runtime::Prefabs;
use syncvar_runtime::events::Events;

use super::clock::Clocks;
use super::{ClientConfig, ClientEvent};
use crate::stats::Stats;

/// What a method is lent beside the parts that its signature names.
#[derive(Debug)]
pub(super) struct Context {
    /// Boxed, so that a future with a client is small.
    pub(super) config: Box<ClientConfig>,
    pub(super) events: Events<ClientEvent>,
    pub(super) stats: Stats,
    pub(super) clock: Clocks,
}

impl Context {
    pub(super) fn new(config: ClientConfig, prefabs: &Prefabs) -> Self {
        Self {
            events: Events::with_limit(config.max_events),
            stats: Stats::for_prefabs(prefabs, false),
            clock: Clocks::default(),
            config: Box::new(config),
        }
    }

    /// Returns the client's own time.
    pub(super) fn now(&self) -> Duration {
        self.clock.own.now()
    }
}
