//! `Session`: one connection to a server, from its begin to its end.

mod commands;
mod handshake;
mod learning;
mod playback;
mod players;
mod returning;
mod server_schema;

pub(super) use handshake::Greeting;
pub(super) use learning::Learning;
pub(super) use playback::Playback;
pub(super) use returning::Ticket;
pub(super) use server_schema::ServerSchema;

use std::sync::Arc;
use std::time::Duration;

use super::ClientConfig;
use super::outbound::{Carrier, Outbound};
use super::translation::Translation;
use crate::Framing;
use crate::link::header_bytes::MAX_HEADER;
use crate::message::{FRAME, JoinRequest, LONGEST_VIEW, Message, ServerPace, Start};
use crate::stats::Stats;
use syncvar_runtime::endpoint::Payload;
use syncvar_runtime::unstable::object::{HookTime, Nanos, Pools};
use syncvar_runtime::unstable::packet::Room;
use syncvar_runtime::unstable::translate::resolve::PrefabPlan;
use syncvar_runtime::{Callbacks, Channel, ConnectionId, MAX_BYTES, NetId};

/// State of a client's connection.
///
/// ```
/// use syncvar::prelude::*;
/// use syncvar::ClientState;
///
/// let mut client = NetworkClient::new(Prefabs::new());
/// assert_eq!(client.state(), ClientState::Disconnected);
/// client.handle_connect();
/// assert_eq!(client.state(), ClientState::Connecting);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClientState {
    /// No connection, or a closed connection.
    #[default]
    Disconnected,
    /// The transport is connected; the server's answer is pending.
    Connecting,
    /// The server has accepted the connection.
    Connected,
}

/// Facts about the server of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KnownServer {
    /// Framing of its messages.
    pub(super) framing: Framing,
    /// Incarnation and first tick; `None` in [`Framing::Unet`].
    pub(super) start: Option<Start>,
    /// Times of the server; `None` in [`Framing::Unet`] and for records.
    pub(super) pace: Option<ServerPace>,
}

/// Progress of the bursts of objects.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Burst {
    /// Whether `SpawnFinished` 0 has arrived, and 1 has not. New objects stay invisible until the end.
    pub(super) in_progress: bool,
    /// Whether the first burst is complete.
    pub(super) synchronized: bool,
    /// Whether the burst is a jump of a playback: no hook and no call runs.
    pub(super) is_jump: bool,
}

/// Request to connect.
#[derive(Debug, Default)]
pub(super) struct Request {
    /// Payload of the program.
    pub(super) payload: Payload,
    /// Addresses of further servers of the same world.
    pub(super) alternates: Vec<String>,
    /// Own time of the request.
    pub(super) asked: Duration,
}

/// Connection to a server.
#[derive(Debug, Default)]
pub(super) struct Session {
    pub(super) state: ClientState,
    pub(super) server: KnownServer,
    /// Number of connections so far.
    pub(super) number: u64,
    pub(super) burst: Burst,
    pub(super) build: ServerBuild,
    /// Players of this client by number.
    pub(super) players: Vec<(i16, NetId)>,
    /// Own time of the last packet.
    pub(super) last_packet: Duration,
    pub(super) request: Request,
    /// Datagrams of the transport.
    pub(super) carrier: Carrier,
    /// Connection that a side has ended, until the transport closes it.
    pub(super) closing: Option<ConnectionId>,
    /// Session of the server, which outlives the link.
    pub(super) ticket: Ticket,
    /// Records in place of a server; `None` for a connection.
    pub(super) playback: Option<Playback>,
}

/// Build of the server.
#[derive(Debug, Default)]
pub(super) struct ServerBuild {
    /// Its schema, until it is resolved.
    pub(super) schema: ServerSchema,
    /// Plans for a server of a different build, for this connection and the next one; `None` for a server of this build.
    pub(super) translation: Option<Arc<Translation>>,
    pub(super) learning: Learning,
}

impl Session {
    /// Returns the plan of a prefab, by its position in the registry, whose bytes differ from those of the server's build.
    #[inline]
    pub(super) fn plan(&self, prefab: u32) -> Option<&PrefabPlan> {
        self.build.translation.as_ref()?.differing(prefab)
    }

    /// Returns the plan of the prefab of a pool, as [`plan`](Self::plan).
    #[inline]
    pub(super) fn plan_of(&self, pool: u32, pools: &Pools) -> Option<&PrefabPlan> {
        let translation = self.build.translation.as_ref()?;
        translation.differing(pools.prefab(pool))
    }

    pub(super) fn is_connected(&self) -> bool {
        self.state == ClientState::Connected
    }

    /// Returns whether a server receives the messages of this client.
    pub(super) fn is_heard(&self) -> bool {
        self.playback.is_none()
    }

    /// Returns whether the server has granted a session.
    pub(super) fn has_token(&self) -> bool {
        self.ticket.has_token()
    }

    /// Returns whether a burst is in progress: new objects stay invisible until its end.
    pub(super) fn is_joining(&self) -> bool {
        self.burst.in_progress
    }

    /// Returns whether the hooks of received values run.
    pub(super) fn runs_hooks(&self, callbacks: Callbacks) -> bool {
        callbacks == Callbacks::Run && !self.burst.is_jump
    }

    /// Returns the time of the hooks of deltas, of which some wait for the rest of a step.
    pub(super) fn hook_time(&self, callbacks: Callbacks, gathers: bool) -> HookTime {
        match (self.runs_hooks(callbacks), gathers) {
            (false, _) => HookTime::Never,
            (true, false) => HookTime::AfterDelta,
            (true, true) => HookTime::AfterStep,
        }
    }

    /// Returns whether the link is lost and the objects wait for the next one.
    pub(super) fn is_away(&self) -> bool {
        !self.is_connected() && self.ticket.lost.is_some()
    }

    /// Returns whether this client may write the fields of its objects.
    pub(super) fn may_write(&self, config: &ClientConfig) -> bool {
        (self.is_connected() || self.is_away()) && config.compare_schemas
    }

    /// Returns a tick of the headers as a tick of the network time; none for 0.
    pub(super) fn network_tick(&self, tick: u32) -> Option<u64> {
        let since = tick.checked_sub(1)?;
        let first = self.server.start?.first_tick;
        Some(first.saturating_add(since.into()))
    }

    /// Returns the ticks of the server per second.
    pub(super) fn tick_rate(&self, config: &ClientConfig) -> u32 {
        let pace = self.server.pace;
        pace.map_or(config.tick_rate, |pace| pace.tick_rate)
    }

    /// Returns the send interval of behaviours without one.
    pub(super) fn default_interval(&self, config: &ClientConfig) -> Nanos {
        let pace = self.server.pace;
        pace.map_or_else(|| config.default_interval(), |pace| pace.send_interval)
    }

    /// Returns whether the connection with this number is still open.
    pub(super) fn is_current(&self, number: u64) -> bool {
        self.number == number && self.is_connected()
    }

    /// Returns the size limit of a message of the program on a channel. A message that `has_view` follows the view.
    pub(super) fn room(&self, channel: u8, config: &ClientConfig, has_view: bool) -> Room {
        match config.channels.get(usize::from(channel)) {
            Some(Channel::Unreliable) => {
                let packet_size = self.carrier.packet_size(config.packet_size);
                let packet_size = packet_size.min(FRAME + MAX_BYTES);
                let has_header = self.server.framing == Framing::Compact;
                let header = if has_header { MAX_HEADER } else { 0 };
                let view = if has_view { LONGEST_VIEW } else { 0 };
                Room::unreliable(packet_size.saturating_sub(header + view))
            }
            // The server accepts no message in the long form.
            _ => Room::reliable(MAX_BYTES),
        }
    }

    /// Sends a message on channel 0, if a server receives it.
    pub(super) fn send<M: Message>(&self, message: &M, outbound: &mut Outbound, stats: &mut Stats) {
        if self.is_heard() {
            outbound.send(message, stats);
        }
    }

    /// Returns the join request, if it has contents.
    pub(super) fn join_request(&self) -> Option<JoinRequest> {
        let payload = self.request.payload.clone();
        let returning = self.ticket.returning();
        (returning.is_some() || !payload.is_empty()).then_some(JoinRequest { returning, payload })
    }

    /// Resets the session for a new connection. State, number, token, join payload and the hash of the last server stay.
    pub(super) fn reset(&mut self) {
        *self = Self {
            state: self.state,
            number: self.number,
            carrier: self.carrier,
            last_packet: self.last_packet,
            ticket: self.ticket.without_objects(),
            build: ServerBuild {
                translation: self.build.translation.take(),
                learning: self.build.learning,
                ..ServerBuild::default()
            },
            request: Request {
                payload: std::mem::take(&mut self.request.payload),
                alternates: std::mem::take(&mut self.request.alternates),
                ..Request::default()
            },
            ..Self::default()
        };
    }
}
