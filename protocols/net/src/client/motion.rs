//! `Motion`: the view of moving objects, between received samples and behind the server's time.

mod clock;
mod hooks;

pub(super) use hooks::WillShow;

use std::time::Duration;

use syncvar_runtime::motion::{SettledTicks, ViewTime};
use syncvar_runtime::object::{Nanos, Slots};
use syncvar_runtime::{NetId, NetworkBehaviour, NetworkTime};

use super::NetworkClient;
use super::objects::Fact;
use crate::message::{VIEW_PARTS, View as ViewMessage};
use crate::view::{View, time_of};
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
    fn view_time(&self, now: Duration, default_interval: Nanos) -> Option<ViewTime<'_>> {
        Some(ViewTime {
            tick: self.clock.tick_at(now)?,
            settled: &self.settled,
            default_interval,
            tick_rate: self.clock.tick_rate(),
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

impl NetworkClient {
    /// Returns the interpolated fields of the first behaviour of a type on an object, at the view time of the last
    /// [`update`](Self::update). Render loops use [`view_at`](Self::view_at).
    ///
    /// The replica itself holds the newest values, and its hooks run when they arrive: the view does not touch it.
    /// The view of a [predicted](Self::predict) behaviour lies between its last two predicted states.
    pub fn view<B: NetworkBehaviour>(&self, id: NetId) -> Option<View<'_, B>> {
        self.view_at(id, self.now())
    }

    /// Returns the interpolated fields of the first behaviour of a type on an object, at the view time of a moment:
    /// `now` is a time of the clock that [`update`](Self::update) takes, not before the last update.
    ///
    /// `None` if the object is invisible or has no such behaviour.
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// #[network_behaviour(send_interval = 0)]
    /// struct Player {
    ///     #[sync_var(interpolate = linear, snap = 5.0)]
    ///     position: SyncVar<Vector3>,
    /// }
    ///
    /// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Player>("player"));
    /// let id = net.server.spawn(Player::default());
    /// for _ in 0..40 {
    ///     net.server.get_mut::<Player>(id).unwrap().position.x += 0.1;
    ///     net.step();
    /// }
    /// let client = net.client(0);
    /// let newest = client.get::<Player>(id).unwrap().position.x;
    /// let frame = Duration::from_millis(10);
    /// let shown = [0, 1, 2].map(|frames| {
    ///     let view = client.view_at::<Player>(id, net.now() + frames * frame).unwrap();
    ///     view.get(Player::POSITION).unwrap().x
    /// });
    /// assert!(shown[0] < shown[1] && shown[1] < shown[2] && shown[2] <= newest);
    /// ```
    pub fn view_at<B: NetworkBehaviour>(&self, id: NetId, now: Duration) -> Option<View<'_, B>> {
        let replica = self.objects.world.objects.get(id.0)?;
        if !replica.is_visible() {
            return None;
        }
        let slots = self.objects.world.pools.slots(replica.at)?;
        if replica.is(Fact::Predicted)
            && let Some(tracks) = self.predicted_tracks::<B>(id)
        {
            return Some(View::new(
                Some(tracks),
                self.predicted_moment(self.context.clock.own.at(now)),
                0,
            ));
        }
        let slot = slots.slot(slots.position::<B>()?)?;
        let info = slot.info();
        let own = if replica.is(Fact::Owned) {
            info.policy.owner_write
        } else {
            0
        };
        let arrivals = self.arrivals.as_ref();
        let moment = arrivals.and_then(|arrivals| {
            let now = self.context.clock.own.at(now);
            let time = arrivals.motion.view_time(now, self.default_interval())?;
            Some(time.moment(info.send_interval))
        });
        Some(View::new(slot.tracks(), moment, own))
    }

    /// Returns the server's time that [`view`](Self::view) shows at a moment, in the ticks of
    /// [`ClientEvent::Tick`](crate::ClientEvent::Tick): a program that shows an effect in step with the movement waits
    /// for the tick of its event. `None` before the first tick, and in [`Framing::Unet`](crate::Framing::Unet).
    pub fn view_time_at(&self, now: Duration) -> Option<NetworkTime> {
        let clock = &self.arrivals.as_ref()?.motion.clock;
        let tick = clock.tick_at(self.context.clock.own.at(now))?;
        time_of(tick, self.session.start?.first_tick, clock.tick_rate())
    }

    /// Returns the delay between the arrival of a tick and its view: the interval between two samples, twice the
    /// deviation of the arrivals, and up to a further interval on a link that loses packets. It is at most
    /// [`ClientConfig::max_view_delay`](crate::ClientConfig::max_view_delay). `None` before the first tick.
    ///
    /// The view time follows a change of the delay at 19/20 to 21/20 of the clock's speed.
    pub fn view_delay(&self) -> Option<Duration> {
        self.arrivals.as_ref()?.motion.clock.delay()
    }

    /// Shows the view of a frame: runs the `on_view` hooks up to it, and makes it that of the next commands, which
    /// [`NetworkServer::rewind`](crate::NetworkServer::rewind) uses. `now` is the time of [`view_at`](Self::view_at). Each
    /// [`update`](Self::update) does the same: call it in a render loop that draws between updates.
    pub fn show_view(&mut self, now: Duration) {
        let now = self.context.clock.own.at(now);
        if let Some(arrivals) = &mut self.arrivals {
            let motion = &mut arrivals.motion;
            motion.shown = motion.clock.tick_at(now);
        }
        self.run_view_hooks();
    }

    /// Advances the view to the time of an update.
    pub(super) fn advance_view(&mut self) {
        let (now, most) = (self.context.now(), self.context.config.max_view_delay);
        if let Some(arrivals) = &mut self.arrivals {
            let motion = &mut arrivals.motion;
            motion.shown_before = motion.shown;
            motion.clock.advance(now, most);
        }
        self.show_view(now);
    }

    /// Returns the view for the next command; `None` for prefabs without a history.
    pub(super) fn view_message(&self) -> Option<ViewMessage> {
        self.message_of_view(self.arrivals.as_ref()?.motion.shown?)
    }

    /// Returns the view for the inputs of an update: the one in which they were made.
    pub(super) fn input_view_message(&self) -> Option<ViewMessage> {
        self.message_of_view(self.arrivals.as_ref()?.motion.shown_before?)
    }

    /// Returns the message for a time of the view. A view that has passed the newest tick shows the samples of that tick, while
    /// it waits for a lost packet.
    fn message_of_view(&self, shown: f64) -> Option<ViewMessage> {
        let shown = shown.min(self.arrivals.as_ref()?.newest_tick().into());
        let has_history =
            { self.objects.world.prefabs.entries().iter() }.any(|prefab| prefab.facts.history);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive tick"
        )]
        let time = (shown * VIEW_PARTS).round() as u64;
        has_history.then_some(ViewMessage { time })
    }

    /// Returns the send interval of behaviours without one.
    pub(super) fn default_interval(&self) -> Nanos {
        let pace = self.session.pace;
        pace.map_or_else(
            || self.context.config.default_interval(),
            |pace| pace.send_interval,
        )
    }

    /// Notes a reported tick of the wire, and whether all its changes and all changes since the former report are known.
    pub(super) fn note_tick(&mut self, tick: u32, (complete, after_gap): (bool, bool)) {
        let rate = self.session.pace.map(|pace| pace.tick_rate);
        let rate = rate.unwrap_or(self.context.config.tick_rate);
        if let Some(arrivals) = &mut self.arrivals {
            let motion = &mut arrivals.motion;
            let settled = complete && !after_gap;
            motion.settled.note(tick, settled, !after_gap);
            motion.clock.note(tick, rate, settled);
        }
        self.compare_predictions(tick, (complete, after_gap));
    }

    /// Makes the state of an object that a snapshot has brought a sample of its interpolated fields. In a burst, the
    /// former samples may be those of another connection.
    pub(super) fn record_snapshot(&mut self, id: NetId) {
        let tick = self.inbound.packet.tick.unwrap_or_default();
        let (joining, default) = (self.session.joining, self.default_interval());
        let Some(slots) = self.objects.world.slots_mut(id) else {
            return;
        };
        let interval = record(slots, (tick, joining), default);
        if let Some(arrivals) = &mut self.arrivals {
            arrivals.motion.clock.see_interval(interval);
        }
    }
}

/// Records all interpolated fields of an object. Returns the longest send interval of its behaviours with such
/// fields.
fn record(slots: &mut dyn Slots, (tick, anew): (u32, bool), default: Nanos) -> Nanos {
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
