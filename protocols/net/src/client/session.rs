//! `Session`: one connection to a server, from its begin to its end.

mod burst;
mod handshake;
mod returning;

pub(super) use returning::Ticket;

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;

use super::{ClientEvent, NetworkClient};
use crate::Framing;
use crate::client::playback::Playback;
use crate::message::{Connect, Disconnect, JoinRequest, PROTOCOL_VERSION, Pace, Start};
use syncvar_runtime::endpoint::Payload;
use syncvar_runtime::prefab::text::PrefabText;
use syncvar_runtime::{Channel, ConnectionId, DisconnectReason, NetId};

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
    /// No connection, or a closed one.
    #[default]
    Disconnected,
    /// The transport is connected; the server's answer is pending.
    Connecting,
    /// The server has accepted the connection.
    Connected,
}

/// Connection to a server.
#[derive(Debug, Default)]
pub(super) struct Session {
    pub(super) state: ClientState,
    /// Framing of the server's messages.
    pub(super) framing: Framing,
    /// Incarnation and first tick of the server; `None` in [`Framing::Unet`].
    pub(super) start: Option<Start>,
    /// Times of the server; `None` in [`Framing::Unet`] and for records.
    pub(super) pace: Option<Pace>,
    /// Number of connections so far.
    pub(super) number: u64,
    /// Whether the first burst of objects is complete.
    pub(super) synchronized: bool,
    /// Whether a burst of objects is in progress: `SpawnFinished` 0 has arrived, 1 has not. New objects
    /// stay invisible until its end.
    pub(super) joining: bool,
    /// Registry of the server, as far as it has been sent to explain a refusal.
    pub(super) server_schema: Vec<PrefabText>,
    /// Bytes of that registry.
    schema_bytes: usize,
    /// Players of this client by number.
    pub(super) players: Vec<(i16, NetId)>,
    /// Packets that arrived while an object was checked out, with their carriers and channels.
    pub(super) deferred: VecDeque<(Channel, u8, Bytes)>,
    /// Own time of the last packet.
    pub(super) last_packet: Duration,
    /// Own time of the request to connect.
    pub(super) asked: Duration,
    /// Whether packets of unreliable channels travel as datagrams.
    pub(super) datagrams: bool,
    /// Length of the longest datagram of the transport; 0 without them.
    pub(super) max_datagram: usize,
    /// Connection that a side has ended, until the transport closes it.
    pub(super) closing: Option<ConnectionId>,
    /// Session of the server, which outlives the link.
    pub(super) ticket: Ticket,
    /// Records in place of a server; `None` for a connection.
    pub(super) playback: Option<Playback>,
    /// Payload of join requests.
    pub(super) join_payload: Payload,
}

impl Session {
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

    /// Returns whether the connection with this number is still open.
    pub(super) fn is_current(&self, number: u64) -> bool {
        self.number == number && self.is_connected()
    }

    /// Resets the session for a new connection. State, number, token and join payload stay.
    fn reset(&mut self) {
        *self = Self {
            state: self.state,
            number: self.number,
            datagrams: self.datagrams,
            max_datagram: self.max_datagram,
            last_packet: self.last_packet,
            ticket: self.ticket.without_objects(),
            join_payload: std::mem::take(&mut self.join_payload),
            ..Self::default()
        };
    }
}

impl NetworkClient {
    /// Closes the connection. The server receives at most 32 767 bytes of the text. The objects stay
    /// until the next connection, or [`forget_objects`](Self::forget_objects).
    pub fn disconnect(&mut self, text: &str) {
        if self.session.state != ClientState::Disconnected {
            let reason = DisconnectReason::Requested(text.into());
            self.send_own(&Disconnect::from(&reason));
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
        if self.is_away() {
            self.session.closing = None;
            self.session.server_schema.clear();
        } else {
            self.reset_session();
        }
        self.arrivals = None;
        self.outbound = super::Outbound::new(self.segment_size());
        self.session.asked = self.now();
        if self.context.config.compare_schemas {
            self.session.state = ClientState::Connecting;
            self.send_join_request();
            let schema_hash = self.objects.world.prefabs.schema_hash();
            self.send_own(&Connect {
                version: PROTOCOL_VERSION,
                schema_hash,
                framing: self.context.config.framing,
            });
        } else {
            self.accept_session();
        }
    }

    /// Removes the objects and the state of the former connection.
    pub(super) fn reset_session(&mut self) {
        self.forget_all();
        self.forget_missed();
        self.session.reset();
        self.inbound.reset();
        self.early = super::EarlyMessages::default();
        self.context.clock.reset_server();
        self.writes = super::PendingWrites::default();
        self.end_predictions();
    }

    /// Sets the payload of the next connections: a name, a token, a build. The server's program
    /// receives it before it accepts the client
    /// ([`ServerEvent::JoinRequested`](crate::ServerEvent::JoinRequested)). A server closes a
    /// connection with more than
    /// [`Limits::max_join_payload`](syncvar_runtime::Limits::max_join_payload), 4 096 bytes by
    /// default. A client that does not compare schemas sends no payload.
    pub fn set_join_payload(&mut self, payload: Payload) {
        self.session.join_payload = payload;
    }

    /// Sends the join request, if it has contents.
    fn send_join_request(&mut self) {
        let payload = self.session.join_payload.clone();
        let returning = self.session.ticket.returning();
        if returning.is_some() || !payload.is_empty() {
            self.send_own(&JoinRequest { returning, payload });
        }
    }

    /// Ends the connection: the transport has lost it.
    pub fn handle_disconnect(&mut self) {
        self.end_session(DisconnectReason::ConnectionLost);
        self.session.closing = None;
    }

    /// Ends the connection and reports it.
    pub(super) fn end_session(&mut self, reason: DisconnectReason) {
        tracing::debug!(state = ?self.session.state, ?reason, "the connection has ended");
        let played = self.session.playback.take().is_some();
        let is_lost = !played && reason == DisconnectReason::ConnectionLost;
        let returns = is_lost && self.keep_link();
        let event = match self.session.state {
            ClientState::Disconnected => return,
            ClientState::Connecting => ClientEvent::Refused { reason },
            ClientState::Connected => ClientEvent::Disconnected { reason },
        };
        self.session.state = ClientState::Disconnected;
        self.session.closing = (!played).then_some(ConnectionId::SERVER);
        if !returns && !played {
            self.session.ticket = Ticket::default();
            self.drop_all_early();
        }
        self.context.events.push(event);
    }
}
