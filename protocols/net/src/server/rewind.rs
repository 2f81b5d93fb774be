//! Rewinding: the world as a client showed it.
//!
//! A client shows the past. When its player shoots, the server has moved on by the way of the tick to the client, the delay of the
//! view there, and the way of the command back:
//!
//! ```text
//! server   T ──────────────────────────────────────────── present
//!           ╲ way of the tick                            ╱ way of the command
//! client     arrival ── delay of the view ── frame, shot
//!
//!          oldest ────────────── claim ────────────── until, present
//!          └ age: round trip, jitter, intervals, pace ┘
//! ```
//!
//! The command carries a [claim](claim): the tick that the client has shown. A cheat claims an old tick, at which its target stood in
//! the open. So the server clamps each claim where it is used, between its present and the age that the connection can have at
//! most by measures of the server alone: the round trip of datagrams or of the echoes of pings, its jitter, one interval of samples
//! (the delay of a view), and the pace of the server's own loop. A packet that was repeated may be late by the silence before it.
//!
//! The histories are tracks of the samples that travelled. A despawned object [departs](sight) with its tracks, as long as views can
//! reach it. A connection has no past of an object before the snapshot that showed it. Inputs are used
//! later than they arrive, so their [views](crate::server::motion::input_views) wait beside them.

mod claim;
mod pace;
mod sight;

use std::fmt;
use std::time::Duration;

use syncvar_runtime::motion::{SettledTicks, ViewTime, ticks_of};
use syncvar_runtime::unstable::object::{Nanos, Tracks};
use syncvar_runtime::{ConnectionId, NetId, NetworkBehaviour, NetworkTime};

use crate::server::motion::ClaimedView;
use crate::server::objects::Objects;
use crate::server::sessions::connection::Connection;
use crate::server::{NetworkServer, ServerConfig};
use crate::view::{View, time_of};
use claim::ViewLimits;
use pace::UpdatePace;
use sight::Departed;

/// Histories of despawned objects, and the measures of the server for all views.
#[derive(Debug, Default)]
pub(super) struct Rewind {
    departed: Departed,
    pace: UpdatePace,
}

impl Rewind {
    /// Notes an update, and forgets the despawned objects that no view can reach.
    pub(crate) fn note_update(&mut self, objects: &Objects, config: &ServerConfig, tick: u32) {
        self.pace.note(tick);
        let reach = objects.history_reach(config);
        self.departed.forget(tick.saturating_sub(reach));
    }

    /// Returns the ticks between the last two updates, at least 1.
    pub(crate) fn gap(&self) -> u32 {
        self.pace.gap()
    }

    /// Returns the claim of a tick that arrives at the present one. A message on a stream may be late.
    pub(crate) fn claim(
        &self,
        tick: f64,
        connection: &Connection,
        is_on_stream: bool,
        objects: &Objects,
        config: &ServerConfig,
        present: u32,
    ) -> ClaimedView {
        let limits = self.limits(connection, objects, config);
        let late = if is_on_stream { limits.lateness() } else { 0.0 };
        ClaimedView {
            tick,
            until: f64::from(present) - late,
        }
    }

    /// Returns the tick that a connection has shown, within its limits, and the distance from its claim. A connection without a
    /// claim has the estimate of the server.
    fn shown_tick(
        &self,
        connection: &Connection,
        objects: &Objects,
        config: &ServerConfig,
        present: u32,
    ) -> (f64, f64) {
        let limits = self.limits(connection, objects, config);
        let present = f64::from(present);
        let Some(ClaimedView { tick, until }) = connection.motion.view else {
            return ((present - limits.estimated_age()).max(0.0), 0.0);
        };
        let oldest = (until - limits.oldest_age()).max(0.0);
        let shown = tick.max(oldest).min(present);
        (shown, (tick - shown).abs())
    }

    fn limits<'a>(
        &self,
        connection: &'a Connection,
        objects: &Objects,
        config: &'a ServerConfig,
    ) -> ViewLimits<'a> {
        ViewLimits {
            connection,
            config,
            pace: self.pace.ticks(),
            view_ticks: ticks_of(objects.longest_interval, config.tick_rate).into(),
        }
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

impl<'a> Past<'a> {
    /// Returns the world at the view of a connection.
    pub(super) fn new(server: &'a NetworkServer, connection: ConnectionId) -> Self {
        let present = server.outbound.store.tick;
        let known = server.sessions.connections.get(connection.0);
        let known = known.filter(|_| !server.is_local(connection));
        let (tick, clamped) = known.map_or((present.into(), 0.0), |known| {
            let (objects, config) = (&server.objects, &server.context.config);
            server.rewind.shown_tick(known, objects, config, present)
        });
        Self {
            server,
            connection,
            tick,
            clamped,
        }
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
            let departed = &server.rewind.departed;
            let (tracks, interval) = departed.history::<B>(id, self.connection, self.tick)?;
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
        let observer = self.server.sessions.connections.get(self.connection.0);
        let since = observer.map_or(0, |observer| observer.motion.shows.since(id));
        let time = ViewTime {
            tick: self.tick.max(since.into()),
            settled: &SettledTicks::ALL,
            default_interval: config.default_interval(),
            tick_rate: config.tick_rate,
        };
        View::new(tracks, Some(time.moment(Some(interval))), 0)
    }
}
