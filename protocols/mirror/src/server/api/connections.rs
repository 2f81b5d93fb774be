//! Begin and end of connections.

use syncvar_runtime::limits::LimitExceeded;
use syncvar_runtime::{ConnectionId, DisconnectReason};

use crate::server::{MirrorServer, MirrorServerEvent};
use crate::{Limits, MirrorError};

impl MirrorServer {
    /// Handles a new connection of the transport, which carries messages up to `limits`. Returns
    /// its number. After 4 294 967 295 connections the numbers begin anew at 1; those of present
    /// connections are skipped.
    pub fn handle_connect(&mut self, limits: Limits) -> ConnectionId {
        let id = self.sessions.add(limits);
        self.observers.interest.management.handle_connect(id);
        tracing::debug!(connection = id.0, "a transport has connected a client");
        if self.context.config.authenticate {
            self.context
                .events
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
        self.sessions.send_scene(connection, &mut self.context);
        tracing::debug!(connection = connection.0, "accepted a client");
        self.context
            .events
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

    /// Closes a connection that has exceeded a limit.
    pub(crate) fn close_for(&mut self, connection: ConnectionId, limit: LimitExceeded) {
        tracing::warn!(%connection, %limit, "disconnecting a client");
        self.context.stats.refused.count_closed(limit);
        self.close(connection, DisconnectReason::Limit(limit));
    }

    #[inline]
    pub(crate) fn close(
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
        self.observers
            .remove_from_audiences(connection, &mut self.objects);
        for object in self.objects.world.objects.values_mut() {
            let overrides = &mut object.view.overrides;
            overrides.retain(|(known, _)| *known != connection);
        }
        for id in client.holdings.owned.iter() {
            self.release_ownership(id, connection);
        }
        self.context.events.push(MirrorServerEvent::Disconnected {
            connection,
            reason,
            player: client.player,
        });
    }
}
