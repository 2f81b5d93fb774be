//! The connection: its begin and end, its session, its packets to the server and its quality.

use syncvar_runtime::endpoint::Payload;
use syncvar_runtime::{ConnectionStats, DisconnectReason, SchemaChange};

use crate::client::arrivals::Arrivals;
use crate::client::outbound::PendingWork;
use crate::client::session::{ServerSchema, Ticket};
use crate::client::{ClientPacket, ClientState, LinkQuality, NetworkClient, Outbound};
use crate::link::losses::Losses;
use crate::message::{Disconnect, Ready};
use crate::{Framing, SessionToken};

impl NetworkClient {
    /// Returns the state of the connection.
    pub fn state(&self) -> ClientState {
        self.session.state
    }

    /// Returns whether the server has accepted the connection.
    pub fn is_connected(&self) -> bool {
        self.session.is_connected()
    }

    /// Returns the framing of the connection's messages.
    pub fn framing(&self) -> Framing {
        self.session.server.framing
    }

    /// Returns the last tick of the server that this client has applied, in the ticks of
    /// [`network_time`](Self::network_time): [`ClientEvent::Tick`](crate::ClientEvent::Tick). `None` before the
    /// first one, and in [`Framing::Unet`](crate::Framing::Unet).
    pub fn tick(&self) -> Option<u64> {
        let reported = self.arrivals.as_ref()?.reported_tick();
        self.session.network_tick(reported)
    }

    /// Returns the number of the server's run: [`ServerConfig::incarnation`](crate::ServerConfig::incarnation).
    /// `None` before the connection, and in [`Framing::Unet`](crate::Framing::Unet).
    pub fn incarnation(&self) -> Option<u64> {
        self.session.server.start.map(|start| start.incarnation)
    }

    /// Returns the addresses of further servers of the same world, which the last server has named
    /// ([`NetworkServer::set_alternates`](crate::NetworkServer::set_alternates)): at most 16. When the link to a relay is lost, a program
    /// connects this client to one of them. The objects stay, without despawns, if the client had a session and the
    /// server has the same [incarnation](Self::incarnation); the event is
    /// [`ClientEvent::Returned`](crate::ClientEvent::Returned) then.
    pub fn alternates(&self) -> &[String] {
        &self.session.request.alternates
    }

    /// Asks the server for the objects.
    ///
    /// The call is necessary where [`ClientConfig::auto_ready`](crate::ClientConfig::auto_ready) is off, and after
    /// [`ClientEvent::NotReady`](crate::ClientEvent::NotReady).
    pub fn ready(&mut self) {
        if self.is_connected() {
            let stats = &mut self.context.stats;
            self.session.send(&Ready {}, &mut self.outbound, stats);
        }
    }

    /// Closes the connection. The server receives at most 32 767 bytes of the text. The objects stay
    /// until the next connection, or [`forget_objects`](Self::forget_objects).
    pub fn disconnect(&mut self, text: &str) {
        if self.session.state != ClientState::Disconnected {
            let reason = DisconnectReason::Requested(text.into());
            let (outbound, stats) = (&mut self.outbound, &mut self.context.stats);
            self.session
                .send(&Disconnect::from(&reason), outbound, stats);
            self.end_session(reason);
        }
    }

    /// Begins a connection: the transport is connected to the server.
    ///
    /// Objects of an earlier connection are removed, and their
    /// [`on_network_despawn`](syncvar_runtime::NetworkLifecycle::on_network_despawn) runs. After a lost
    /// link with a [session](Self::session_token), the objects stay.
    pub fn handle_connect(&mut self) {
        self.session.number += 1;
        self.session.last_packet = self.now();
        if self.session.is_away() {
            self.session.closing = None;
            self.session.build.schema = ServerSchema::default();
        } else {
            self.reset_session();
        }
        self.arrivals = None;
        self.outbound = Outbound::new(
            self.session
                .carrier
                .segment_size(self.context.config.packet_size),
        );
        self.session.request.asked = self.now();
        if self.context.config.compare_schemas {
            self.session.state = ClientState::Connecting;
            if let Some(request) = self.session.join_request() {
                let (outbound, stats) = (&mut self.outbound, &mut self.context.stats);
                self.session.send(&request, outbound, stats);
            }
            let prefabs = &self.objects.world.prefabs;
            self.session
                .ask(prefabs, &mut self.outbound, &mut self.context);
        } else {
            self.enter_session(false);
        }
    }

    /// Sets the payload of the next connections: a name, a token, a build. The server's program
    /// receives it before it accepts the client
    /// ([`ServerEvent::JoinRequested`](crate::ServerEvent::JoinRequested)). A server closes a
    /// connection with more than
    /// [`Limits::max_join_payload`](syncvar_runtime::Limits::max_join_payload), 4 096 bytes by
    /// default. A client that does not compare schemas sends no payload.
    pub fn set_join_payload(&mut self, payload: Payload) {
        self.session.request.payload = payload;
    }

    /// Returns the differences between the build of the server and this build, in the order of the server's schema; empty for equal
    /// builds, and before the connection.
    pub fn resolution(&self) -> &[SchemaChange] {
        let translation = self.session.build.translation.as_ref();
        translation.map_or(&[], |translation| translation.changes())
    }

    /// Ends the connection: the transport has lost it.
    pub fn handle_disconnect(&mut self) {
        self.end_session(DisconnectReason::ConnectionLost);
        self.session.closing = None;
    }

    /// Returns the token of the session, if the server has granted one. After a lost link the client
    /// returns with it at its next connection. Each return brings a new token.
    pub fn session_token(&self) -> Option<SessionToken> {
        self.session.ticket.token
    }

    /// Sets the token for the next connection: the token of an earlier run of the program, or none to
    /// join as a new client. A set token brings the connection back, and all objects anew. A token that the
    /// server does not know begins a new session. No effect while a connection is open.
    pub fn set_session_token(&mut self, token: Option<SessionToken>) {
        if self.session.state == ClientState::Disconnected {
            self.session.ticket = Ticket {
                token,
                ..Ticket::default()
            };
        }
    }

    /// Returns the next packet for the transport. Poll until it returns `None`.
    pub fn poll_transmit(&mut self) -> Option<ClientPacket> {
        let (outbound, stats) = (&mut self.outbound, &mut self.context.stats);
        self.writes
            .ask_for_refused(&self.objects, &self.session, outbound, stats);
        let carrier = self.session.carrier;
        let answers = carrier.datagrams && self.is_connected();
        let arrivals = self.arrivals.as_mut().filter(|_| answers);
        let acks = arrivals.and_then(|arrivals| arrivals.datagrams.as_deref_mut());
        let keeps = self.session.has_token();
        let packet = self.outbound.poll(carrier, acks, keeps, &self.context)?;
        self.context.stats.sent.add(packet.bytes.len());
        Some(packet)
    }

    /// Returns the traffic and the delay of the connection. The counters run since the creation of the
    /// client.
    pub fn connection_stats(&self) -> ConnectionStats {
        let mut stats = ConnectionStats::default();
        (stats.sent, stats.received) = (self.context.stats.sent, self.context.stats.received);
        stats.queued = self.outbound.queued();
        (stats.round_trip, stats.jitter) = (self.round_trip_time(), self.round_trip_deviation());
        stats
    }

    /// Returns the delay of the connection, and the losses of the server's datagrams.
    pub fn link_quality(&self) -> LinkQuality {
        let arrivals = self.arrivals.as_ref();
        let datagrams = arrivals.and_then(|arrivals| arrivals.datagrams.as_ref());
        let stats = datagrams.map(|datagrams| datagrams.receiver().stats());
        let stats = stats.unwrap_or_default();
        LinkQuality {
            rtt: self.round_trip_time(),
            jitter: self.round_trip_deviation(),
            received: stats.received,
            missing: stats.missing,
            duplicates: stats.duplicates,
            early: stats.early,
            owed: datagrams.is_some_and(|datagrams| datagrams.is_owed()),
            since_last: self.now().saturating_sub(self.session.last_packet),
        }
    }

    /// Returns the delay and the losses of the datagrams with this client's writes and unreliable commands, as far
    /// as the server has acknowledged them; `None` before the connection, on a transport without datagrams, and in
    /// [`Framing::Unet`](crate::Framing::Unet).
    ///
    /// ```
    /// use syncvar::testing::Conditions;
    /// use syncvar::{ServerConfig, prelude::*};
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// #[network_behaviour(channel = unreliable, send_interval = 0)]
    /// struct Tank {
    ///     #[sync_var(write = owner)]
    ///     aim: SyncVar<u8>,
    /// }
    ///
    /// let prefabs = || Prefabs::new().register::<Tank>("tank");
    /// let link = Conditions { loss: 0.2, ..Conditions::default() };
    /// let mut net = MemoryNetwork::with_config(prefabs, ServerConfig::default(), link);
    /// net.connect();
    /// let tank = net.server.spawn(Tank::default());
    /// net.server.set_owner(tank, Some(net.connection(0)))?;
    /// net.settle();
    /// for step in 0..100_u8 {
    ///     net.client_mut(0).get_mut::<Tank>(tank)?.aim.set(step);
    ///     net.step();
    /// }
    /// net.settle();
    /// let losses = net.client(0).losses().unwrap();
    /// assert!(losses.loss > 0.05, "{losses:?}");
    /// assert_eq!((losses.flying, losses.backlog), (0, 0));
    /// assert_eq!(net.server.get::<Tank>(tank).unwrap().aim, 99);
    /// # Ok::<(), syncvar::error::ObjectError>(())
    /// ```
    pub fn losses(&self) -> Option<Losses> {
        let lossy = self.outbound.lossy.as_ref()?;
        Some(lossy.losses(self.now()))
    }
}

impl PendingWork {
    /// Returns the work that keeps the link of a client busy.
    pub(crate) fn of(client: &NetworkClient) -> Self {
        let arrivals = client.arrivals.as_ref();
        let datagrams = arrivals.and_then(|it| it.datagrams.as_ref());
        let has_ack = datagrams.is_some_and(|datagrams| datagrams.has_urgent_ack());
        if !client.writes.is_empty() || !client.outbound.is_empty() || has_ack {
            return Self::Outgoing;
        }
        let lossy = client.outbound.lossy.as_ref();
        if arrivals.is_some_and(Arrivals::is_waiting) || lossy.is_some_and(|it| !it.is_settled()) {
            return Self::Incoming;
        }
        Self::Done
    }
}
