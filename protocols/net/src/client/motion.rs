//! `Motion`: the view of moving objects, between received samples and behind the server's time.

mod clock;
mod hooks;

pub(super) use hooks::{HookRun, ViewHook, WillShow};

use std::time::Duration;

use syncvar_runtime::motion::{SettledTicks, ViewTime};
use syncvar_runtime::unstable::object::{Nanos, Slots};

use super::objects::Objects;
use crate::message::{VIEW_PARTS, View as ViewMessage};
use clock::ViewClock;

/// State of the view for one connection.
#[derive(Debug, Default)]
pub(super) struct Motion {
    pub(super) clock: ViewClock,
    pub(super) settled: SettledTicks,
    /// Tick of the view that commands refer to.
    shown: Option<f64>,
    /// The same before the last update: the inputs of that update refer to it.
    shown_before: Option<f64>,
    pub(super) will_show: WillShow,
}

impl Motion {
    /// Returns the time of the view at an own time.
    pub(super) fn view_time(&self, now: Duration, default_interval: Nanos) -> Option<ViewTime<'_>> {
        Some(ViewTime {
            tick: self.clock.tick_at(now)?,
            settled: &self.settled,
            default_interval,
            tick_rate: self.clock.tick_rate(),
        })
    }

    /// Advances the view to the time of an update.
    pub(super) fn advance(&mut self, now: Duration, max_delay: Duration) {
        self.shown_before = self.shown;
        self.clock.advance(now, max_delay);
    }

    /// Shows the view of a time.
    pub(super) fn show(&mut self, now: Duration) {
        self.shown = self.clock.tick_at(now);
    }

    /// Notes a reported tick of the wire, and whether all its changes and all changes since the last report are known.
    pub(super) fn note(&mut self, tick: u32, tick_rate: u32, complete: bool, after_gap: bool) {
        let settled = complete && !after_gap;
        self.settled.note(tick, settled, !after_gap);
        self.clock.note(tick, tick_rate, settled);
    }

    /// Moves the view to the newest tick, without the hooks on the way.
    pub(super) fn jump(&mut self) {
        self.clock.restart(self.settled.newest());
        (self.shown, self.shown_before) = (None, None);
        self.will_show = WillShow::default();
    }

    /// Returns the view for the next command; `None` for prefabs without a history.
    pub(super) fn message(&self, objects: &Objects, newest: u32) -> Option<ViewMessage> {
        let shown = self.shown.filter(|_| objects.has_history());
        shown.map(|shown| message_of(shown, newest))
    }

    /// Returns the view for the inputs of an update: the view in which they were made.
    pub(super) fn input_message(&self, objects: &Objects, newest: u32) -> Option<ViewMessage> {
        let shown = self.shown_before.filter(|_| objects.has_history());
        shown.map(|shown| message_of(shown, newest))
    }

    /// Takes the next samples that the view has passed.
    pub(super) fn next_hook(&mut self) -> Option<ViewHook> {
        let ((tick, object, behaviour), fields) = self.will_show.take(self.shown?)?;
        Some(ViewHook {
            object,
            behaviour,
            fields,
            tick,
        })
    }

    /// Returns the hooks of the view and, if the view may have passed the newest sample of a track, its time: without losses it
    /// passes none as long as it is behind the newest tick.
    pub(super) fn reception(
        &mut self,
        default_interval: Nanos,
    ) -> (&mut WillShow, Option<ViewTime<'_>>) {
        let passed = |shown: &f64| {
            f64::from(self.settled.newest()) < *shown || !self.settled.are_all_settled()
        };
        let view = self.shown.filter(passed).map(|tick| ViewTime {
            tick,
            settled: &self.settled,
            default_interval,
            tick_rate: self.clock.tick_rate(),
        });
        (&mut self.will_show, view)
    }
}

/// Returns the message for a time of the view. A view that has passed the newest tick shows the samples of that tick, while
/// it waits for a lost packet.
fn message_of(shown: f64, newest: u32) -> ViewMessage {
    let shown = shown.min(newest.into());
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive tick"
    )]
    let time = (shown * VIEW_PARTS).round() as u64;
    ViewMessage { time }
}

/// Records all interpolated fields of an object. Returns the longest send interval of its behaviours with such
/// fields.
pub(super) fn record(slots: &mut dyn Slots, tick: u32, anew: bool, default: Nanos) -> Nanos {
    let mut longest = 0;
    slots.for_each_mut(|slot| {
        let info = slot.info();
        if info.interpolated == 0 {
            return;
        }
        if anew {
            slot.clear_tracks();
        }
        slot.record(u64::MAX, tick, None);
        longest = longest.max(info.interval(default));
    });
    longest
}
