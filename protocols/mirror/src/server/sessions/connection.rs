//! Connections: their state, begin and end.

use std::collections::BTreeMap;
use std::time::Duration;

use syncvar_runtime::call::Rates;
use syncvar_runtime::endpoint::Conduct;
use syncvar_runtime::limits::LimitExceeded;
use syncvar_runtime::object::OwnerMemory;
use syncvar_runtime::{ConnectionId, Counter, DisconnectReason, NetId};

use crate::average::MovingAverage;
use crate::frames::RemoteTime;
use crate::server::observers::audience::AudienceId;
use crate::server::outbound::outbox::{Exception, Outbox};
use crate::server::world::object::Observed;
use crate::server::{MirrorServer, MirrorServerEvent};
use crate::{Limits, MirrorError};

/// State of a connection.
#[derive(Debug)]
pub(in crate::server) struct Connection {
    pub(in crate::server) outbox: Outbox,
    /// Until then, only authentication messages are allowed.
    pub(in crate::server) authenticated: bool,
    pub(in crate::server) readiness: Readiness,
    /// Index of the event of the last request for a player.
    pub(in crate::server) player_request: Option<u64>,
    pub(in crate::server) player: Option<NetId>,
    pub(in crate::server) owned: Owned,
    /// Objects that the client has kept since it was ready.
    pub(in crate::server) kept: Vec<NetId>,
    /// Memory that its writes have added to them.
    pub(in crate::server) memory: OwnerMemory,
    /// Time of the last ping.
    pub(in crate::server) last_ping: Option<Duration>,
    pub(in crate::server) round_trip: MovingAverage,
    /// Times of the client; `None` while no prefab works in frames.
    pub(in crate::server) remote_time: Option<Box<RemoteTime>>,
    /// Batches received.
    pub(in crate::server) received: Counter,
    /// Call counts for the rate limits.
    pub(in crate::server) rates: Rates,
    /// Messages, work and misbehaviour.
    pub(in crate::server) conduct: Conduct,
    /// Messages of the current frame for its audiences.
    pub(in crate::server) states: FrameShare,
    pub(in crate::server) deltas: FrameShare,
    /// The connection is in the list of those with packets.
    pub(in crate::server) is_outgoing: bool,
}

/// Readiness of a connection. Mirror, `NetworkConnectionToClient.isReady`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::server) enum Readiness {
    #[default]
    NotReady,
    /// Ready; the spawn burst of its visible objects is still due.
    Ready,
    /// Ready, and sent its visible objects: spawns and changes follow at once.
    Receiving,
}

impl Connection {
    pub(in crate::server) fn new(limits: Limits) -> Self {
        Self {
            outbox: Outbox::new(limits),
            authenticated: false,
            readiness: Readiness::NotReady,
            player_request: None,
            player: None,
            owned: Owned::default(),
            kept: Vec::new(),
            memory: OwnerMemory::default(),
            last_ping: None,
            round_trip: MovingAverage::default(),
            remote_time: None,
            received: Counter::default(),
            rates: Rates::default(),
            conduct: Conduct::default(),
            states: FrameShare::default(),
            deltas: FrameShare::default(),
            is_outgoing: false,
        }
    }

    #[inline]
    pub(in crate::server) fn is_ready(&self) -> bool {
        self.readiness != Readiness::NotReady
    }

    #[inline]
    pub(in crate::server) fn is_receiving(&self) -> bool {
        self.readiness == Readiness::Receiving
    }

    /// Makes the connection ready. Returns whether it was not.
    #[inline]
    pub(in crate::server) fn become_ready(&mut self) -> bool {
        let was_ready = self.is_ready();
        if !was_ready {
            self.readiness = Readiness::Ready;
        }
        !was_ready
    }
}

/// Messages of a frame for a connection, on one channel.
#[derive(Debug, Default)]
pub(in crate::server) struct FrameShare {
    /// Audiences of the connection in this frame.
    pub(in crate::server) frames: Vec<AudienceId>,
    /// Replacements for some of their messages.
    pub(in crate::server) exceptions: Vec<(AudienceId, Exception)>,
}

/// Objects of an owner, in the order of assignment.
#[derive(Debug, Default)]
pub(in crate::server) struct Owned {
    /// By [`Observed::owned_index`].
    objects: BTreeMap<u64, NetId>,
    next: u64,
}

impl Owned {
    #[inline]
    pub(in crate::server) fn add(&mut self, id: NetId, object: &mut Observed) {
        object.owned_index = self.next;
        self.objects.insert(self.next, id);
        self.next += 1;
    }

    #[inline]
    pub(in crate::server) fn remove(&mut self, object: &Observed) {
        self.objects.remove(&object.owned_index);
    }
}

impl MirrorServer {
    /// Handles a new connection of the transport, which carries messages up to `limits`. Returns
    /// its number. After 4 294 967 295 connections the numbers begin anew at 1; those of present
    /// connections are skipped.
    pub fn handle_connect(&mut self, limits: Limits) -> ConnectionId {
        let id = self.sessions.add(limits);
        self.observers.interest.management.handle_connect(id);
        tracing::debug!(connection = id.0, "a transport has connected a client");
        if self.config.authenticate {
            self.events
                .push(MirrorServerEvent::Connecting { connection: id });
        } else {
            self.accept(id);
        }
        id
    }

    /// Accepts a connection after authentication by the game: see
    /// [`MirrorServerConfig::authenticate`](crate::MirrorServerConfig::authenticate). Mirror's
    /// `NetworkAuthenticator.ServerAccept`. Unknown and accepted connections are ignored. To reject
    /// one, [disconnect](Self::disconnect) it.
    pub fn accept(&mut self, connection: ConnectionId) {
        let Some(client) = self.sessions.get_mut(connection) else {
            return;
        };
        if std::mem::replace(&mut client.authenticated, true) {
            return;
        }
        self.send_scene(connection);
        tracing::debug!(connection = connection.0, "accepted a client");
        self.events
            .push(MirrorServerEvent::Connected { connection });
    }

    /// Ends a connection: the transport sends its queue and then closes it
    /// ([`poll_close`](Self::poll_close)). Its objects are despawned, as in Mirror; scene objects
    /// stay, without an owner. Without effect on an unknown connection.
    pub fn disconnect(&mut self, connection: ConnectionId) {
        let Some(client) = self.sessions.get_mut(connection) else {
            return;
        };
        for channel in client.outbox.channels(None) {
            client.outbox.flush(channel);
        }
        self.close(connection, DisconnectReason::Requested(String::new()));
    }

    /// Handles a connection that the client has ended on purpose, as
    /// [`handle_disconnect`](Self::handle_disconnect): the reason is
    /// [`DisconnectReason::Requested`]. KCP has a datagram for it; over TCP it is an orderly end of the stream.
    pub fn handle_leave(&mut self, connection: ConnectionId) {
        self.outbound.remove(connection);
        self.remove_connection(connection, DisconnectReason::Requested(String::new()));
    }

    /// Handles a connection lost by the transport. Its objects are
    /// despawned, as in Mirror; scene objects stay, without an owner.
    pub fn handle_disconnect(&mut self, connection: ConnectionId) {
        self.outbound.remove(connection);
        self.remove_connection(connection, DisconnectReason::ConnectionLost);
    }

    /// Ends a connection after an invalid message.
    #[inline]
    pub(in crate::server) fn refuse(
        &mut self,
        connection: ConnectionId,
        error: MirrorError,
    ) -> MirrorError {
        tracing::warn!(%connection, %error, "disconnecting a client");
        self.close(connection, DisconnectReason::Refused(error.clone()));
        error
    }

    /// Closes a connection that has exceeded a limit.
    pub(in crate::server) fn close_for(&mut self, connection: ConnectionId, limit: LimitExceeded) {
        tracing::warn!(%connection, %limit, "disconnecting a client");
        self.stats.refused.count_closed(limit);
        self.close(connection, DisconnectReason::Limit(limit));
    }

    /// Closes the connections that have not become ready in time.
    pub(in crate::server) fn expire_joins(&mut self) {
        let (now, timeout) = (self.clock.now(), self.config.limits.join_timeout);
        for connection in self.sessions.lobby.expire(now, timeout) {
            self.close_for(connection, LimitExceeded::JoinTime);
        }
    }

    #[inline]
    pub(in crate::server) fn close(
        &mut self,
        connection: ConnectionId,
        reason: DisconnectReason<MirrorError>,
    ) {
        if let Some(client) = self.sessions.get_mut(connection) {
            self.outbound.close(connection, client);
            self.remove_connection(connection, reason);
        }
    }

    fn remove_connection(
        &mut self,
        connection: ConnectionId,
        reason: DisconnectReason<MirrorError>,
    ) {
        let Some(client) = self.sessions.remove(connection) else {
            return;
        };
        tracing::debug!(connection = connection.0, ?reason, "closed a connection");
        self.observers.remove_connection(connection);
        self.remove_from_audiences(connection);
        for object in self.world.objects.values_mut() {
            object.overrides.retain(|(known, _)| *known != connection);
        }
        for id in client.owned.objects.values() {
            self.release_ownership(*id, connection);
        }
        self.events.push(MirrorServerEvent::Disconnected {
            connection,
            reason,
            player: client.player,
        });
    }
}
