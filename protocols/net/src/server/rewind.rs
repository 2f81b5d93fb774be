//! Rewinding: the world as a client showed it.

use std::fmt;
use std::time::Duration;

use syncvar_runtime::motion::{Moment, SettledTicks};
use syncvar_runtime::{ConnectionId, NetId, NetworkBehaviour, NetworkTime};

use crate::message::{VIEW_PARTS, View as ViewMessage};
use crate::server::NetworkServer;
use crate::server::sessions::connection::Connection;
use crate::view::{View, tick_length, ticks_of, time_of};

/// World of a [`NetworkServer`] at the time that a client showed: see [`NetworkServer::rewind`].
pub struct Past<'a> {
    server: &'a NetworkServer,
    connection: ConnectionId,
    tick: f64,
}

impl fmt::Debug for Past<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Past");
        text.field("connection", &self.connection);
        text.field("tick", &self.tick);
        text.finish_non_exhaustive()
    }
}

impl Past<'_> {
    /// Returns the time that the client showed, in the server's ticks, as
    /// [`NetworkClient::view_time_at`](crate::NetworkClient::view_time_at) on the client.
    pub fn time(&self) -> NetworkTime {
        let rate = self.server.config.tick_rate;
        let first = self.server.replication.ticks.begun().unwrap_or_default();
        time_of(self.tick, first, rate).unwrap_or(NetworkTime::new(Duration::ZERO, rate))
    }

    /// Returns the fields with a history of the first behaviour of a type on an object. Values before the oldest one of the
    /// history are that one.
    ///
    /// `None` for an object that the client does not observe, without such a behaviour, and inside of its own callbacks
    /// and calls.
    pub fn view<B: NetworkBehaviour>(&self, id: NetId) -> Option<View<'_, B>> {
        let server = self.server;
        if !server.is_visible(id, self.connection) {
            return None;
        }
        let slots = server.world.slots(id)?;
        let slot = slots.slot(slots.position::<B>()?)?;
        let rate = server.config.tick_rate;
        let interval = slot.info().interval(server.config.default_interval());
        let moment = Moment {
            tick: self.tick,
            settled: &SettledTicks::ALL,
            interval: ticks_of(interval, rate),
            tick_length: tick_length(rate),
        };
        Some(View::new(slot.tracks(), Some(moment), 0))
    }
}

impl NetworkServer {
    /// Looks at the world as a client showed it when it sent the command or message that it has sent last, or made the
    /// [input](Self::input) that the program has taken last:
    /// the fields with `#[sync_var(history = ...)]`, interpolated as on the client. Costs time in proportion to the
    /// objects that are looked at.
    ///
    /// The client sends the time with each command. It is limited to what the connection can show: the round trip, the
    /// repetition of a lost packet, and the delay of the view. A client whose prefabs have no history sends no time;
    /// then the server estimates it from the round trip and the send interval. The time of a local client is the present.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// #[network_behaviour(send_interval = 0)]
    /// struct Player {
    ///     #[sync_var(interpolate = linear, history = 0.5)]
    ///     position: SyncVar<Vector3>,
    ///     #[sync_var]
    ///     hits: SyncVar<u32>,
    /// }
    ///
    /// #[network_calls]
    /// impl Player {
    ///     #[command]
    ///     fn shoot(&mut self, ctx: &mut CallContext<'_>, target: NetId, at: Vector3) {
    ///         let Some(sender) = ctx.sender() else { return };
    ///         let seen = ctx.expect_server().rewind(sender, |past| past.view::<Player>(target)?.get(Player::POSITION));
    ///         if seen.is_some_and(|seen| (seen.x - at.x).abs() < 0.5) {
    ///             self.hits += 1;
    ///         }
    ///     }
    /// }
    /// ```
    pub fn rewind<R>(&self, connection: ConnectionId, look: impl FnOnce(&Past<'_>) -> R) -> R {
        let known = self.sessions.connections.get(connection.0);
        let known = known.filter(|_| !self.is_local(connection));
        let tick = known.map_or(self.present(), |known| {
            known.view.unwrap_or_else(|| self.estimated_view(known))
        });
        look(&Past {
            server: self,
            connection,
            tick,
        })
    }

    /// Takes the view that the next command of a connection refers to.
    pub(in crate::server) fn handle_view(&mut self, from: ConnectionId, message: &ViewMessage) {
        let present = self.present();
        let Some(known) = self.sessions.connections.get(from.0) else {
            return;
        };
        #[expect(clippy::cast_precision_loss, reason = "clamped to ticks")]
        let claimed = message.time as f64 / VIEW_PARTS;
        let oldest = present - self.oldest_view(known);
        let view = claimed.max(oldest).min(present);
        if let Some(known) = self.sessions.connections.get_mut(from.0) {
            known.view = Some(view);
        }
    }

    /// Returns the tick of the last update.
    fn present(&self) -> f64 {
        self.outbound.store.tick.into()
    }

    /// Returns the view of a connection that does not tell it.
    fn estimated_view(&self, connection: &Connection) -> f64 {
        let round_trip = connection.round_trip();
        let round_trip = round_trip.map_or(0.0, |(mean, _)| self.ticks_in(mean));
        (self.present() - round_trip - self.view_ticks()).max(0.0)
    }

    /// Returns the age in ticks of the oldest view that a connection can show: after a lost command, with the most
    /// jitter.
    fn oldest_view(&self, connection: &Connection) -> f64 {
        connection
            .round_trip()
            .map_or(f64::MAX, |(mean, deviation)| {
                let trips = self.ticks_in(mean) * 2.0 + self.ticks_in(deviation) * 6.0;
                trips + self.view_ticks() * 2.0 + 1.0
            })
    }

    /// Returns the longest time between two samples of a field.
    fn view_ticks(&self) -> f64 {
        ticks_of(self.replication.longest_interval, self.config.tick_rate).into()
    }

    fn ticks_in(&self, time: Duration) -> f64 {
        time.as_secs_f64() * f64::from(self.config.tick_rate)
    }

    /// Begins the histories of a new object.
    pub(in crate::server) fn begin_history(&mut self, id: NetId, tick: u32) {
        let (rate, default) = (self.config.tick_rate, self.config.default_interval());
        let Some(slots) = self.world.slots_mut(id) else {
            return;
        };
        let mut longest = self.replication.longest_interval;
        slots.for_each_mut(|slot| {
            if slot.info().history != 0 {
                slot.begin_history(tick, rate);
                longest = longest.max(slot.info().interval(default));
            }
        });
        self.replication.longest_interval = longest;
    }
}
