//! Rewinding: the world as a client showed it.

mod claim;
mod input_views;
mod pace;
mod sight;

pub(in crate::server) use claim::{ClaimedView, StreamArrivals};
pub(in crate::server) use input_views::InputViews;
pub(in crate::server) use sight::Departed;

use std::fmt;
use std::time::Duration;

use syncvar_runtime::motion::{SettledTicks, ViewTime, ticks_of};
use syncvar_runtime::object::{Nanos, Tracks};
use syncvar_runtime::{ConnectionId, NetId, NetworkBehaviour, NetworkTime};

use crate::message::{VIEW_PARTS, View as ViewMessage};
use crate::server::NetworkServer;
use crate::server::sessions::connection::Connection;
use crate::server::sessions::incoming::Origin;
use crate::view::{View, time_of};
use pace::UpdatePace;

/// Histories of despawned objects, and the measures of the server for all views.
#[derive(Debug, Default)]
pub(super) struct Rewind {
    departed: Departed,
    pace: UpdatePace,
}

impl Rewind {
    /// Returns the ticks between the last two updates, at least 1.
    pub(super) fn gap(&self) -> u32 {
        self.pace.gap()
    }
}

/// World of a [`NetworkServer`] at the time that a client showed: see [`NetworkServer::rewind`].
pub struct Past<'a> {
    server: &'a NetworkServer,
    connection: ConnectionId,
    tick: f64,
    /// Ticks between the claim and `tick`.
    clamped: f64,
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
        let rate = self.server.context.config.tick_rate;
        let first = self.server.context.ticks.begun().unwrap_or_default();
        time_of(self.tick, first, rate).unwrap_or(NetworkTime::new(Duration::ZERO, rate))
    }

    /// Returns the time by which the view that the client has claimed was beyond its limits, above or below: zero for a view
    /// within them. Jitter of the link clamps a few honest views by a part of a tick; a client with long or many clamps claims
    /// a past that it has not shown.
    pub fn clamped(&self) -> Duration {
        let seconds = self.clamped / f64::from(self.server.context.config.tick_rate.max(1));
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }

    /// Returns the fields with a history of the first behaviour of a type on an object. Values before the oldest one of the
    /// history are that one, and before the snapshot that the client has received those of the snapshot.
    ///
    /// An object that was despawned later is among them, as long as views can reach it. A position relative to a
    /// parent is relative in the past, too: the [view](Self::view) of the parent at the same time completes it.
    ///
    /// `None` for an object that the client does not observe, without such a behaviour, and inside of its own callbacks
    /// and calls.
    pub fn view<B: NetworkBehaviour>(&self, id: NetId) -> Option<View<'_, B>> {
        let server = self.server;
        let Some(slots) = server.objects.world.slots(id) else {
            let seen = (self.connection, self.tick);
            let (tracks, interval) = server.departed_history::<B>(id, seen)?;
            return Some(self.view_of(id, Some(tracks), interval));
        };
        if !server.is_visible(id, self.connection) {
            return None;
        }
        let slot = slots.slot(slots.position::<B>()?)?;
        let interval = slot
            .info()
            .interval(server.context.config.default_interval());
        Some(self.view_of(id, slot.tracks(), interval))
    }

    fn view_of<'a, B>(
        &'a self,
        id: NetId,
        tracks: Option<&'a Tracks>,
        interval: Nanos,
    ) -> View<'a, B> {
        let config = &self.server.context.config;
        let since = self.server.shown_since(id, self.connection);
        let time = ViewTime {
            tick: self.tick.max(since.into()),
            settled: &SettledTicks::ALL,
            default_interval: config.default_interval(),
            tick_rate: config.tick_rate,
        };
        View::new(tracks, Some(time.moment(Some(interval))), 0)
    }
}

impl NetworkServer {
    /// Looks at the world as a client showed it when it sent the command or message that it has sent last, or made the
    /// [input](Self::input) that the program has taken last:
    /// the fields with `#[sync_var(history = ...)]`, interpolated as on the client. Costs time in proportion to the
    /// objects that are looked at.
    ///
    /// The client sends the time with each command. The server limits it by its own measures to what the connection can
    /// show: the round trip, the delay of the view, the repetition of a lost packet, and
    /// [`ServerConfig::max_rewind`](crate::ServerConfig::max_rewind); [`Past::clamped`] tells the rest. A client whose prefabs
    /// have no history sends no time; then the server estimates it from the round trip and the send interval. The time of a
    /// local client is the present.
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
        let (tick, clamped) = known.map_or((self.present(), 0.0), |known| self.shown_tick(known));
        look(&Past {
            server: self,
            connection,
            tick,
            clamped,
        })
    }

    /// Takes the view that the next command or inputs of a connection refer to.
    pub(in crate::server) fn handle_view(&mut self, from: ConnectionId, message: &ViewMessage) {
        #[expect(clippy::cast_precision_loss, reason = "clamped where it is used")]
        let tick = message.time as f64 / VIEW_PARTS;
        let Some(known) = self.sessions.connections.get(from.0) else {
            return;
        };
        let late = match self.sessions.origin {
            Origin::Stream { .. } => self.lateness(known),
            _ => 0.0,
        };
        let until = self.present() - late;
        if let Some(known) = self.sessions.connections.get_mut(from.0) {
            known.view = Some(ClaimedView { tick, until });
        }
    }

    /// Returns the tick that a connection has shown, within its limits, and the distance from its claim.
    fn shown_tick(&self, known: &Connection) -> (f64, f64) {
        let Some(ClaimedView { tick, until }) = known.view else {
            return (self.estimated_view(known), 0.0);
        };
        let oldest = (until - self.oldest_view(known)).max(0.0);
        let shown = tick.max(oldest).min(self.present());
        (shown, (tick - shown).abs())
    }

    /// Returns the tick of the last update.
    pub(in crate::server) fn present(&self) -> f64 {
        self.outbound.store.tick.into()
    }

    /// Returns the view of a connection that does not tell it.
    fn estimated_view(&self, connection: &Connection) -> f64 {
        let round_trip = connection.round_trip();
        let round_trip = round_trip.map_or(0.0, |(mean, _)| self.ticks_in(self.way(mean)));
        (self.present() - round_trip - self.view_ticks()).max(0.0)
    }

    /// Returns the longest time between two samples of a field.
    fn view_ticks(&self) -> f64 {
        ticks_of(self.objects.longest_interval, self.context.config.tick_rate).into()
    }

    fn ticks_in(&self, time: Duration) -> f64 {
        time.as_secs_f64() * f64::from(self.context.config.tick_rate)
    }
}
