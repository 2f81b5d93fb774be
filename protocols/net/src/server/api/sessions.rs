//! Sessions: admission, readiness and end of connections.

use syncvar_runtime::endpoint::{Payload, Refusal};
use syncvar_runtime::limits::LimitExceeded;
use syncvar_runtime::unstable::world::CheckOut;
use syncvar_runtime::{ConnectionId, ConnectionStats, DisconnectReason, ObjectError};

use crate::message::{Disconnect, NotReady, Return};
use crate::server::api::rooms::Rooms;
use crate::server::sessions::admission::{Acceptance, AdmissionRule};
use crate::server::sessions::closing::ClosedConnection;
use crate::server::{Decision, JoinRequest, NetworkServer, ServerEvent};

impl NetworkServer {
    /// Sets the rule about join requests, in the place of
    /// [`ServerConfig::admission`](crate::ServerConfig::admission). The server calls it with each request,
    /// before the connection has any event. A rule may also return a `bool`: whether the client is accepted.
    ///
    /// ```
    /// use syncvar::join::{Decision, Payload};
    /// use syncvar::prelude::*;
    ///
    /// let mut net = MemoryNetwork::new(Prefabs::new);
    /// net.server.set_admission(|request| match request.payload.decode::<String>() {
    ///     Ok(password) if password == "secret" => Decision::Accept,
    ///     _ => Decision::refuse("wrong password"),
    /// });
    /// let mut client = NetworkClient::new(Prefabs::new());
    /// client.set_join_payload(Payload::of(&String::from("secret"))?);
    /// net.connect_client(client);
    /// net.settle();
    /// assert!(net.client(0).is_connected());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_admission<D>(
        &mut self,
        mut rule: impl FnMut(&JoinRequest<'_>) -> D + Send + Sync + 'static,
    ) where
        D: Into<Decision>, // the rule returns a `Decision` or a `bool`
    {
        let rule = move |request: &JoinRequest<'_>| rule(request).into();
        self.sessions.admission_rule = AdmissionRule::new(rule);
    }

    /// Accepts a connection after [`ServerEvent::JoinRequested`]. The client then becomes ready and
    /// receives the objects. Without effect on an accepted connection.
    ///
    /// A client that returns to a session takes its earlier connection over
    /// ([`ServerEvent::Returned`]): use the earlier number from then on, as `connection` no longer exists. The request
    /// names the earlier number as `returning`.
    ///
    /// # Errors
    ///
    /// When the connection does not exist, is closing, or has not sent its request; and when the session
    /// of the client has ended meanwhile: the program decides again, about a new client.
    #[must_use = "the connection may have ended meanwhile: pass the error on by `?`, or ignore it by `let _ =`"]
    pub fn accept(&mut self, connection: ConnectionId) -> Result<(), ObjectError> {
        match self.sessions.accept(&mut self.context, connection)? {
            Acceptance::Already => {}
            Acceptance::TakesOver(returning) => return self.take_over(connection, returning),
            Acceptance::Accepted { ready } => {
                if self.context.config.compare_schemas {
                    self.rooms().ground.welcome(connection);
                }
                if ready && !self.sessions.admit(&self.context, connection) {
                    self.close_for(connection, LimitExceeded::Places);
                }
            }
        }
        Ok(())
    }

    /// Refuses a connection after [`ServerEvent::JoinRequested`], or ends an accepted one. The client
    /// receives the text and the payload as [`DisconnectReason::Denied`].
    ///
    /// ```
    /// use syncvar::join::Refusal;
    /// use syncvar::prelude::*;
    /// use syncvar::DisconnectReason;
    ///
    /// let mut net = MemoryNetwork::pair(Prefabs::new);
    /// net.settle();
    /// net.server.refuse(net.connection(0), "too slow")?;
    /// net.settle();
    /// let last = std::iter::from_fn(|| net.client_mut(0).poll_event()).last();
    /// let reason = DisconnectReason::Denied(Box::new(Refusal::new("too slow")));
    /// assert_eq!(last, Some(ClientEvent::Disconnected { reason }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the connection does not exist or is closing.
    #[must_use = "the connection may have ended meanwhile: pass the error on by `?`, or ignore it by `let _ =`"]
    pub fn refuse(
        &mut self,
        connection: ConnectionId,
        refusal: impl Into<Refusal>,
    ) -> Result<(), ObjectError> {
        if !self.sessions.knows(connection) {
            return Err(ObjectError::NotConnected(connection));
        }
        let reason = DisconnectReason::Denied(Box::new(refusal.into()));
        self.send_off(connection, reason);
        Ok(())
    }

    /// Returns the payload of a connection's join request; empty if it sent none.
    pub fn join_payload(&self, connection: ConnectionId) -> Option<&Payload> {
        let connection = self.sessions.connections.get(connection.0)?;
        Some(&connection.requests.join_payload)
    }

    /// Disconnects a connection with a text, of which 32 767 bytes are sent. The transport should
    /// close it after [`poll_transmit`](Self::poll_transmit) returned its last packet.
    pub fn disconnect(&mut self, connection: ConnectionId, text: &str) {
        if self.sessions.knows(connection) {
            self.send_off(connection, DisconnectReason::Requested(text.into()));
        }
    }

    /// Makes a connection ready, like its `Ready` message: with the next update it receives all
    /// visible objects. Without effect on a ready connection. It takes a place, even beyond
    /// [`max_ready`](syncvar_runtime::Limits::max_ready).
    pub fn set_ready(&mut self, connection: ConnectionId) {
        self.sessions.set_joining(connection);
    }

    /// Lets a connection take a [reserved place](syncvar_runtime::Limits::reserved_places) when it
    /// becomes ready.
    ///
    /// The game calls it for a returning session, which it recognises before the connection is ready:
    /// by a token in a command of a client without
    /// [`auto_ready`](crate::ClientConfig::auto_ready), or by the address.
    ///
    /// ```
    /// use syncvar::prelude::*;
    /// use syncvar::{ServerConfig, limits::Limits};
    ///
    /// let limits = Limits { max_ready: 100, reserved_places: 10, ..Limits::default() };
    /// let config = ServerConfig { limits, ..ServerConfig::default() };
    /// let mut server = NetworkServer::with_config(Prefabs::new(), config);
    /// let connection = server.handle_connect();
    /// server.set_returning(connection).unwrap(); // one of the last ten places is open to it
    /// ```
    ///
    /// # Errors
    ///
    /// When the connection is not connected.
    pub fn set_returning(&mut self, connection: ConnectionId) -> Result<(), ObjectError> {
        self.sessions.lobby.set_returning(connection)
    }

    /// Makes a connection not ready: it keeps its objects and receives no changes until it is ready
    /// again. UNet does this before it loads a scene. The local client is always ready.
    pub fn set_not_ready(&mut self, connection: ConnectionId) {
        if self.is_local(connection) {
            return;
        }
        let rooms = &mut self.rooms();
        if rooms.visibility.stop_updates(&mut rooms.ground, connection) {
            rooms.ground.send(connection, &NotReady {});
        }
    }

    /// Returns whether a connection has lost its link and may return within
    /// [`reconnect_grace`](crate::ServerConfig::reconnect_grace). It keeps its objects, and stays
    /// [connected](Self::is_connected).
    pub fn is_away(&self, connection: ConnectionId) -> bool {
        let known = self.sessions.connections.get(connection.0);
        known.is_some_and(|known| {
            known.is_connected() && !known.is_remote() && known.link().is_none()
        })
    }

    /// Returns the transport's number of a connection: the number of `handle_connect` and
    /// [`Transmit::connection`](syncvar_runtime::Transmit::connection). It equals `connection` until
    /// the client returns over another link. None while the client is [away](Self::is_away).
    pub fn link(&self, connection: ConnectionId) -> Option<ConnectionId> {
        self.sessions.connections.get(connection.0)?.link()
    }

    /// Returns the connection of a link: the inverse of [`link`](Self::link).
    pub fn connection_of(&self, link: ConnectionId) -> Option<ConnectionId> {
        self.sessions.of_link(link)
    }

    /// Returns the traffic, the queue and the delay of a connection.
    ///
    /// The server measures the round trip by its answers to the
    /// [pings](crate::ClientConfig::ping_interval) of the client, which the client echoes. Costs time in proportion to
    /// the queue.
    ///
    /// # Errors
    ///
    /// [`ObjectError::NotConnected`] for an unknown connection.
    pub fn connection_stats(
        &self,
        connection: ConnectionId,
    ) -> Result<ConnectionStats, ObjectError> {
        let known = self.sessions.connections.get(connection.0);
        let known = known.ok_or(ObjectError::NotConnected(connection))?;
        let mut stats = ConnectionStats::default();
        (stats.sent, stats.received) = (known.send_queue.sent, known.intake.packets);
        stats.queued = known.send_queue.unsent(&self.outbound.store);
        stats.backlog = known.ledger.waiting();
        (stats.round_trip, stats.jitter) = known.requests.pings.round_trip().measured().unzip();
        Ok(stats)
    }

    /// Accepts a connection, or asks the program.
    pub(super) fn request(&mut self, connection: ConnectionId) {
        match self.sessions.decide(&mut self.context, connection) {
            // The connection exists.
            Decision::Accept => drop(self.accept(connection)),
            Decision::Refuse(refusal) => drop(self.refuse(connection, refusal)),
            Decision::Wait => {}
        }
    }

    /// Moves a session to the link of an accepted connection.
    fn take_over(&mut self, from: ConnectionId, returning: Return) -> Result<(), ObjectError> {
        let Some(connection) = self.sessions.find_session(&mut self.context, from) else {
            // The program has decided about the session.
            self.request(from);
            return Err(ObjectError::NotConnected(from));
        };
        // Bytes of the audiences belong to the earlier link.
        self.deliver();
        let Some(new) = self.sessions.connections.remove(from.0) else {
            return Err(ObjectError::NotConnected(from));
        };
        self.sessions.lobby.leave(from);
        self.visibility.interest.forget_connection(from);
        let same = self.sessions.adopt(connection, new);
        // The queue of the new link is empty.
        self.rooms().attach_stream(connection);
        let counts = returning.counts.filter(|_| same);
        let resumed = counts.and_then(|counts| self.sessions.resumable(connection, counts));
        if resumed.is_none() {
            let rooms = &mut self.rooms();
            rooms.visibility.stop_updates(&mut rooms.ground, connection);
            rooms.ground.sessions.drop_unsent(connection);
        }
        let mut ground = self.rooms().ground;
        ground.greet(connection, returning, resumed);
        tracing::debug!(connection = connection.0, "a client has returned");
        self.context.events.push(ServerEvent::Returned {
            connection,
            resumed: resumed.is_some(),
        });
        Ok(())
    }

    /// Closes the connections that have not become ready or returned in time, and stops the updates of
    /// connections that cannot resume.
    pub(crate) fn expire_connections(&mut self) {
        let now = self.context.clock.now();
        let timeout = self.context.config.limits.join_timeout;
        for connection in self.sessions.lobby.expire(now, timeout) {
            self.close_for(connection, LimitExceeded::JoinTime);
        }
        let expired = self.sessions.expire_absences(&self.context);
        for connection in expired.ended {
            self.close(connection, DisconnectReason::ConnectionLost);
            self.sessions.connections.remove(connection.0);
        }
        for connection in expired.broken {
            let rooms = &mut self.rooms();
            rooms.visibility.stop_updates(&mut rooms.ground, connection);
            rooms.ground.sessions.drop_unsent(connection);
        }
    }

    /// Closes a connection that has exceeded a limit.
    pub(crate) fn close_for(&mut self, connection: ConnectionId, limit: LimitExceeded) {
        let context = &mut self.context;
        if self.sessions.count_exceeded(context, connection, limit) {
            self.send_off(connection, DisconnectReason::Limit(limit));
        }
    }

    /// Sends the reason of a disconnect, then closes the connection.
    pub(crate) fn send_off(&mut self, connection: ConnectionId, reason: DisconnectReason) {
        self.deliver();
        let goodbye = Disconnect::from(&reason);
        self.rooms().ground.send(connection, &goodbye);
        self.close(connection, reason);
    }

    /// Closes a connection: it observes and owns no object any more.
    pub(super) fn close(&mut self, connection: ConnectionId, reason: DisconnectReason) {
        if !self.sessions.is_open(connection) {
            return;
        }
        // Unsent bytes of its audiences belong to the connection as well.
        self.deliver();
        let outgoing = &mut self.outbound.outgoing;
        let Some(closed) = self.sessions.close(connection, outgoing) else {
            return;
        };
        let ClosedConnection { accepted, owned } = closed;
        self.sessions.returns.players.close(connection, &owned);
        let number = connection.0;
        tracing::debug!(
            connection = number,
            accepted,
            ?reason,
            "closed a connection"
        );
        let lost = self.objects.disown(&owned, self.context.wire_tick());
        let Rooms {
            mut ground,
            visibility,
            replication,
            ..
        } = self.rooms();
        visibility.forget_connection(&mut ground, connection, &owned);
        replication.bandwidth.remove_connection(connection);
        self.context.events.push(if accepted {
            ServerEvent::Disconnected {
                connection,
                reason,
                owned,
            }
        } else {
            ServerEvent::Refused { connection, reason }
        });
        if self.is_local(connection) {
            self.host = None;
            self.objects.track_local_changes(false);
            self.sessions.remove_local(&mut self.outbound.outgoing);
        }
        for id in lost {
            if self.owner(id).is_none() {
                self.dispatch_ownership(id, Some(connection), None);
            }
        }
    }
}
