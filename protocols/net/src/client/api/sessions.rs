//! The conductor of sessions: steps that touch every part at the begin and at the end of a connection.
//!
//! The join as the client sees it. An arrow is a packet; each line behind a dash is the work of this client.
//!
//! ```text
//! transport is connected - handle_connect: the objects of the last connection leave, unless the link was lost
//!   JoinRequest, Connect ->
//!                        <- Schema (of a server of a different build)
//!                           - handle_greeting: resolves the schema
//!   Connect (by the schema of the server) ->
//!                        <- Session (token: new, returned or resumed), Connect (framing, first tick, pace)
//!                           - handle_accept: Connecting to Connected; both directions have headers from here on
//!   Ready ->
//!                        <- SpawnFinished 0
//!                           - begin_burst: no object counts as sent, no ownership as given
//!                        <- SpawnBatch, LocalClientAuthority, SetParent ...
//!                           - each object is read, and stays invisible
//!                        <- SpawnFinished 1
//!                           - end_burst: missing objects leave; the others are announced by ascending id; then parents,
//!                             scene objects, references, early messages; pings begin; event Ready
//! ```
//!
//! A burst is one step for the program: no callback runs while a part of the objects is missing, so a
//! hook, a parent or a reference of the first object finds the last. A burst also heals: after a second `Ready`, or a
//! return without the missing packets, the objects that the burst lacks are gone from the view.
//!
//! A lost link keeps the objects, if the server has granted a token: `Lost` has the packets of both directions and
//! their counts. `Resumed` continues the streams, and nothing else changes for the objects. `Returned` begins new
//! streams over the same objects; a burst follows. `New` means that the server does not know the session: the objects
//! leave before the acceptance, as on a first connection, unless its incarnation is that of the lost link: another relay of
//! the same world goes on as in `Returned`.
//!
//! Every step that runs callbacks may find the next connection afterwards: a new `session.number`.

use std::time::Duration;

use syncvar_runtime::unstable::ordered::{IdMap, Ids};
use syncvar_runtime::unstable::world::Departure;
use syncvar_runtime::{ConnectionId, DisconnectReason, NetworkReader, ReadError, ReadErrorKind};

use crate::Framing;
use crate::client::arrivals::DueCalls;
use crate::client::inbound::EarlyMessages;
use crate::client::inputs::OwnInputs;
use crate::client::objects::Objects;
use crate::client::session::{Greeting, Learning, ServerSchema, Ticket};
use crate::client::state_message::StateMessage;
use crate::client::{Arrivals, ClientEvent, ClientState, NetworkClient, PendingWrites};
use crate::message::{Accepted, Disconnect, Message as _, PROTOCOL_VERSION, Ready};
use crate::stats::Stats;

impl NetworkClient {
    /// Removes the objects and the state of the last connection.
    pub(super) fn reset_session(&mut self) {
        let objects = self.objects.world.ids(|_| true);
        self.forget(&objects, Departure::Destroyed);
        self.objects.forget_missed();
        self.session.reset();
        self.inbound.reset();
        self.inbound.early = EarlyMessages::default();
        self.context.clock.reset_server();
        self.writes = PendingWrites::default();
        self.predictions.end();
    }

    /// Handles a message of a server before its answer. A client leaves a server whose schema it cannot resolve.
    pub(super) fn handle_greeting(&mut self, message: StateMessage<'_>) -> Result<(), ReadError> {
        let (config, prefabs) = (&self.context.config, &self.objects.world.prefabs);
        let (report, result) = match self.session.take_answer(message, config, prefabs)? {
            Greeting::Waits => return Ok(()),
            Greeting::Resolved => {
                let prefabs = &self.objects.world.prefabs;
                self.session
                    .ask(prefabs, &mut self.outbound, &mut self.context);
                return Ok(());
            }
            Greeting::Learned(prefabs) => {
                // All objects leave with the prefabs of the last server.
                let (number, objects) = (self.session.number, self.objects.world.ids(|_| true));
                self.forget(&objects, Departure::Destroyed);
                if self.session.number == number {
                    prefabs.warn_of_intervals(self.context.config.tick_rate);
                    self.inbound.set_prefabs(&prefabs);
                    let stats = Stats::for_prefabs(&prefabs, false);
                    self.context.stats.behaviours = stats.behaviours;
                    self.objects = Objects::new(*prefabs, &self.context.config);
                    self.inputs = OwnInputs::default();
                    self.session.build.learning = Learning::Done;
                    let prefabs = &self.objects.world.prefabs;
                    self.session
                        .ask(prefabs, &mut self.outbound, &mut self.context);
                }
                return Ok(());
            }
            Greeting::Leaves(report, result) => (report, result),
        };
        self.session.forget_server();
        let reason = DisconnectReason::SchemaMismatch(Some(report));
        let (outbound, stats) = (&mut self.outbound, &mut self.context.stats);
        self.session
            .send(&Disconnect::from(&reason), outbound, stats);
        self.end_session(reason);
        result
    }

    /// Handles the server's `Connect`. A server with a different version that overlooks the difference is
    /// left here.
    pub(super) fn handle_accept(&mut self, payload: &[u8]) -> Result<(), ReadError> {
        let answer = Accepted::decode(payload)?;
        if answer.version != PROTOCOL_VERSION {
            self.end_session(DisconnectReason::VersionMismatch);
            return Ok(());
        }
        let framing = answer.framing();
        if framing > self.context.config.framing {
            let (what, value) = ("framing, for it was not asked for", framing.number().into());
            let kind = ReadErrorKind::InvalidValue { what, value };
            return Err(NetworkReader::new(payload).error(kind));
        }
        let (start, pace) = answer.start.unzip();
        let is_same_world = self.session.is_same_world(start);
        if self.session.has_outdated_objects() && !is_same_world {
            let number = self.session.number;
            self.inbound.early.drop_all(&mut self.context);
            let objects = self.objects.world.ids(|_| true);
            self.forget(&objects, Departure::Destroyed);
            if self.session.number != number || self.session.state != ClientState::Connecting {
                return Ok(());
            }
            let ticket = &mut self.session.ticket;
            let (granted, received) = (ticket.granted.take(), ticket.received);
            let asked = self.session.request.asked;
            self.reset_session();
            self.session.request.asked = asked;
            let ticket = &mut self.session.ticket;
            (ticket.granted, ticket.received) = (granted, received);
        }
        self.session
            .take_channels(answer.channels, &mut self.context.config);
        self.session.build.schema = ServerSchema::default();
        self.session.server.framing = framing;
        (self.session.server.start, self.session.server.pace) = (start, pace);
        self.enter_session(is_same_world);
        Ok(())
    }

    /// Enters the connected state and asks for the objects. `is_same_world` keeps those of the lost link.
    pub(super) fn enter_session(&mut self, is_same_world: bool) {
        self.session.state = ClientState::Connected;
        tracing::debug!(framing = ?self.session.server.framing, "the server has accepted this client");
        let returned = self
            .session
            .enter(is_same_world, &mut self.outbound, &mut self.arrivals);
        if returned == Some(false) {
            // The objects stay, and follow anyway.
            self.session.burst.in_progress = false;
            self.objects.forget_missed();
            self.inbound.reset();
            self.inbound.early.drop_all(&mut self.context);
            self.writes.refused = Ids::default();
            self.writes.apart = IdMap::default();
            self.context.clock.reset_server();
        }
        if returned != Some(true) {
            // Both directions have headers from now on, if the framing has them.
            let has_headers = self.session.server.framing == Framing::Compact;
            let carrier = self.session.carrier;
            let handshake = self
                .context
                .now()
                .saturating_sub(self.session.request.asked);
            let config = &self.context.config;
            let settings = config.loss.at_rate(config.tick_rate);
            self.inputs.restart();
            self.outbound
                .begin_headers(has_headers, carrier, config, handshake);
            let settings = carrier.datagrams.then_some(&settings);
            let lost = self.arrivals.take().filter(|_| returned.is_some());
            self.arrivals = has_headers.then(|| Arrivals::new(settings));
            if let (Some(arrivals), Some(lost)) = (&mut self.arrivals, lost) {
                arrivals.take_calls(lost);
            }
        }
        if let Some(translation) = self
            .session
            .build
            .translation
            .as_ref()
            .filter(|_| returned.is_none())
        {
            let changes = translation.changes().len();
            self.context.events.push(ClientEvent::Resolved { changes });
        }
        let event = match returned {
            None => ClientEvent::Connected,
            Some(resumed) => ClientEvent::Returned { resumed },
        };
        self.context.events.push(event);
        if self.context.config.auto_ready && returned != Some(true) {
            let stats = &mut self.context.stats;
            self.session.send(&Ready {}, &mut self.outbound, stats);
        }
    }

    /// Ends the connection and reports it. Received packets are applied before, although the rest of their tick is missing,
    /// and waiting calls run, unless the client may return and receive the state of their tick.
    pub(crate) fn end_session(&mut self, reason: DisconnectReason) {
        tracing::debug!(state = ?self.session.state, ?reason, "the connection has ended");
        let applies = self.is_connected() && self.objects.world.checked_out.depth() == 0;
        if applies && let Err(error) = self.apply_gathered(None) {
            tracing::debug!(%error, "a malformed message of the last tick");
        }
        let played = self.session.playback.take().is_some();
        let is_lost = !played && reason == DisconnectReason::ConnectionLost;
        let packet_size = self.context.config.packet_size;
        let (outbound, arrivals) = (&mut self.outbound, &mut self.arrivals);
        let returns = is_lost && self.session.keep_link(outbound, arrivals, packet_size);
        if applies {
            self.run_calls(DueCalls::Overdue(Duration::MAX));
        }
        let event = match self.session.state {
            ClientState::Disconnected => return,
            ClientState::Connecting => ClientEvent::Refused { reason },
            ClientState::Connected => ClientEvent::Disconnected { reason },
        };
        self.session.state = ClientState::Disconnected;
        self.session.closing = (!played).then_some(ConnectionId::SERVER);
        if !returns && !played {
            self.session.ticket = Ticket::default();
            self.inbound.early.drop_all(&mut self.context);
        }
        self.context.events.push(event);
    }
}
