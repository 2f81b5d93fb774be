//! `Context`: what every room of the server is lent: settings, clock, events and counters.

use std::time::Duration;

use syncvar_runtime::behaviour::Panicked;
use syncvar_runtime::events::Events;
use syncvar_runtime::unstable::clock::Clock;
use syncvar_runtime::unstable::object::DeferredHooks;
use syncvar_runtime::{ChangedFields, NetId};

use super::encoding::stopped::Unwritable;
use super::event::MirrorServerEvent;
use super::stats::MirrorServerStats;
use crate::{MirrorPrefabs, MirrorServerConfig};

/// Settings, clock, events and counters.
#[derive(Debug)]
pub(crate) struct Context {
    /// Boxed with the statistics, so that a future with a server is small.
    pub(crate) config: Box<MirrorServerConfig>,
    pub(crate) clock: Clock,
    pub(crate) events: Events<MirrorServerEvent>,
    pub(crate) stats: Box<MirrorServerStats>,
}

impl Context {
    pub(crate) fn new(prefabs: &MirrorPrefabs, config: MirrorServerConfig) -> Self {
        Self {
            clock: Clock::default(),
            events: Events::with_limit(config.max_events),
            stats: Box::new(MirrorServerStats::for_prefabs(prefabs, config.profile)),
            config: Box::new(config),
        }
    }

    /// Returns the time of the last update.
    #[inline]
    pub(crate) fn now(&self) -> Duration {
        self.clock.now()
    }

    /// Advances the clock, and reports a leap.
    pub(crate) fn advance_clock(&mut self, now: Duration) {
        self.clock.advance(now);
        if let Some(step) = self.clock.take_leap() {
            self.events.push(MirrorServerEvent::ClockLeap { step });
        }
    }

    /// Reports a value without an encoding.
    pub(crate) fn report_unwritable(&mut self, object: NetId, unwritable: &Unwritable) {
        let Unwritable { behaviour, error } = *unwritable;
        tracing::error!(%object, behaviour, %error, "cannot encode an object");
        self.events.push(MirrorServerEvent::SerializeFailed {
            object,
            behaviour,
            field: error.field(),
            error,
        });
    }

    /// Reports a panic of a hook.
    pub(crate) fn report_hook(
        &mut self,
        hooks: &DeferredHooks,
        fields: ChangedFields,
        result: Result<(), Panicked>,
    ) {
        if let Err(Panicked(message)) = result {
            let (object, behaviour) = (hooks.object, fields.behaviour());
            tracing::error!(%object, behaviour, message, "a hook panicked");
            self.events.push(MirrorServerEvent::HookFailed {
                object,
                behaviour,
                message,
            });
        }
    }
}
