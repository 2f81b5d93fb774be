//! Times and views of a client: the time of the server, the view between two samples, its hooks.

use std::time::Duration;

use syncvar_runtime::unstable::object::call;
use syncvar_runtime::unstable::world::CheckOut;
use syncvar_runtime::{ChangedFields, NetId, NetworkBehaviour, NetworkTime};

use crate::client::NetworkClient;
use crate::client::motion::HookRun;
use crate::client::objects::Fact;
use crate::client::prediction::moment;
use crate::view::{View, time_of};

impl NetworkClient {
    /// Returns the estimated server time of the last [`update`](Self::update).
    ///
    /// The result is `None` until the server has sent its time, soon after
    /// [`ClientEvent::Ready`](crate::ClientEvent::Ready). See
    /// [`ClientConfig::ping_interval`](crate::ClientConfig::ping_interval).
    ///
    /// If both directions take equally long except for jitter, the error is at most half of the smallest
    /// recent jitter, plus the offset between the updates of both sides. Render loops use
    /// [`network_time_at`](Self::network_time_at), which advances between two updates, too.
    pub fn network_time(&self) -> Option<NetworkTime> {
        self.context.clock.server.network_time(self.now())
    }

    /// Returns the estimated server time at a moment: `now` is a time of the clock that
    /// [`update`](Self::update) takes, not before the last update.
    ///
    /// The time advances in each frame, at any frame rate and between packets: at 7/8 to 9/8 of the
    /// clock's speed. A new estimate counts from the next update on, and is approached at this speed,
    /// so that the time has no step and never goes back within a connection. Beyond an error of 250 ms,
    /// as after a restart of the server's clock, it jumps forward, or runs at 1/8 of the speed.
    ///
    /// The tick is the server's. A client of `TcpClient` has the transport's clock: call
    /// `TcpClient::network_time`.
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::prelude::*;
    ///
    /// let mut net = MemoryNetwork::new(Prefabs::new);
    /// net.connect_client(NetworkClient::new(Prefabs::new())); // `connect` turns pings off
    /// for _ in 0..10 {
    ///     net.step(); // updates both ends every 50 ms
    /// }
    /// let frame = Duration::from_secs(1) / 144;
    /// let client = net.client(0);
    /// let [first, second] = [1, 2].map(|frames| client.network_time_at(net.now() + frames * frame));
    /// assert!(second.unwrap().time > first.unwrap().time);
    /// ```
    pub fn network_time_at(&self, now: Duration) -> Option<NetworkTime> {
        self.context
            .clock
            .server
            .network_time(self.context.clock.own.at(now))
    }

    /// Returns the round-trip time, smoothed over the last pings; `None` before the first answer. It
    /// includes the delay until the server's next update.
    pub fn round_trip_time(&self) -> Option<Duration> {
        self.context.clock.server.round_trip().map(|(mean, _)| mean)
    }

    /// Returns the smoothed deviation of single round trips from
    /// [`round_trip_time`](Self::round_trip_time).
    pub fn round_trip_deviation(&self) -> Option<Duration> {
        let round_trip = self.context.clock.server.round_trip();
        round_trip.map(|(_, deviation)| deviation)
    }

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
            && let Some(tracks) = self.predictions.tracks::<B>(id)
        {
            return Some(View::new(
                Some(tracks),
                moment(&self.inputs, self.context.clock.own.at(now)),
                0,
            ));
        }
        let slot = slots.slot(slots.position::<B>()?)?;
        let info = slot.info();
        let own = if replica.is(Fact::Owned) {
            slot.policy().owner_write
        } else {
            0
        };
        let arrivals = self.arrivals.as_ref();
        let moment = arrivals.and_then(|arrivals| {
            let now = self.context.clock.own.at(now);
            let time = arrivals
                .motion
                .view_time(now, self.session.default_interval(&self.context.config))?;
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
        time_of(
            tick,
            self.session.server.start?.first_tick,
            clock.tick_rate(),
        )
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
            arrivals.motion.show(now);
        }
        // The hooks of the samples that the view has passed, in the order of the ticks.
        while let Some(arrivals) = &mut self.arrivals
            && let Some(hook) = arrivals.motion.next_hook()
        {
            match hook.run(&mut self.objects, &mut self.context.events) {
                HookRun::Done => continue,
                HookRun::HasWritten => {
                    self.writes.from_hooks.push(hook.object);
                    continue;
                }
                HookRun::NeedsContext => {}
            }
            // With a context, the hook runs on its object, which is checked out meanwhile.
            self.check_out(hook.object, |slots, client| {
                let called = call(
                    slots,
                    hook.behaviour,
                    hook.object,
                    client,
                    |slot, mut ctx| {
                        let result = slot.show(hook.fields, hook.tick, &mut ctx);
                        (ChangedFields::new(slot.info().class, hook.fields), result)
                    },
                );
                if let Some(Ok((fields, result))) = called {
                    hook.report(fields, result, &mut client.context.events);
                }
            });
        }
        if !self.writes.from_hooks.is_empty() {
            let may_write = self.session.may_write(&self.context.config);
            self.writes.take_hook_writes(&mut self.objects, may_write);
        }
    }
}
