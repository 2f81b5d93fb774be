//! First messages of a link: the answer to a join request, the session, and the begin of headers.

use syncvar_runtime::{ConnectionId, NetworkWriter};

use crate::link::header_bytes::MAX_HEADER;
use crate::message::{
    Accepted, Alternates, Counts, Grant, GrantKind, Message, PROTOCOL_VERSION, Return, ServerPace,
    Start,
};
use crate::server::context::Context;
use crate::server::datagram_link::DatagramLink;
use crate::server::ground::Ground;
use crate::server::sessions::connection::Connection;
use crate::server::sessions::headers::Headers;
use crate::server::sessions::session::Session;
use crate::{Framing, SessionToken};

impl Ground<'_> {
    /// Sends an accepted connection its session and the answer to its Connect.
    pub(crate) fn welcome(&mut self, connection: ConnectionId) {
        self.grant_session(connection);
        if self.sessions.is_local(connection) {
            return;
        }
        let framing = self.sessions.framing(connection).unwrap_or_default();
        let answer = self.acceptance(framing);
        self.send(connection, &answer);
        self.begin_headers(connection);
        if framing == Framing::Compact {
            self.send_alternates(connection);
        }
    }

    /// Sends a connection the addresses of further servers, if there are any.
    pub(crate) fn send_alternates(&mut self, connection: ConnectionId) {
        let addresses = self.context.alternates.clone();
        if !addresses.is_empty() {
            self.send(connection, &Alternates { addresses });
        }
    }

    /// Returns the answer to a Connect.
    fn acceptance(&mut self, framing: Framing) -> Accepted {
        let start = Start {
            incarnation: self.context.config.incarnation,
            first_tick: self.context.ticks.first(),
        };
        let pace = ServerPace {
            tick_rate: self.context.config.tick_rate,
            send_interval: self.context.config.default_interval(),
        };
        Accepted {
            version: PROTOCOL_VERSION,
            start: (framing == Framing::Compact).then_some((start, pace)),
            channels: self.context.config.channels.clone(),
        }
    }

    /// Gives headers to the packets of a connection behind the answer to its Connect.
    fn begin_headers(&mut self, connection: ConnectionId) {
        // Behind a header.
        let packet_size = self.context.config.gathered_size();
        let packet_size = packet_size.saturating_sub(MAX_HEADER);
        let Some(accepted) = self.sessions.connections.get_mut(connection.0) else {
            return;
        };
        if accepted.framing == Framing::Compact {
            let store = &mut self.outbound.store;
            accepted.send_queue.flush(store);
            accepted.send_queue.direct = Framing::Unet.segments(packet_size);
            accepted.headers.from = Some(store.end());
            begin_datagrams(self.context, accepted);
            self.sessions.list_datagrams(connection);
        }
    }

    /// Gives an accepted connection a session, if the server grants sessions.
    fn grant_session(&mut self, connection: ConnectionId) {
        let Some(source) = self.context.config.session_tokens else {
            return;
        };
        let token = SessionToken::new(source());
        if self.context.config.reconnect_grace.is_zero() {
            return;
        }
        let Some(granted) = self.sessions.connections.get_mut(connection.0) else {
            return;
        };
        if !self.sessions.returns.add_token(token, connection) {
            return;
        }
        granted.session = Some(Box::new(Session::new(token, connection)));
        let grant = Grant {
            kind: GrantKind::New,
            token,
            sent: 0,
            received: granted.intake.reliable,
        };
        self.send(connection, &grant);
    }

    /// Answers a returned client, in a packet without a number. `resumed`: the counts of a client that goes on.
    pub(crate) fn greet(
        &mut self,
        connection: ConnectionId,
        returning: Return,
        resumed: Option<Counts>,
    ) {
        let framing = self.sessions.framing(connection).unwrap_or(Framing::Unet);
        let answer = self.acceptance(framing);
        let next_chunk = self.outbound.store.end();
        let next_token = self.context.config.session_tokens.map(|source| source());
        let Some(known) = self.sessions.connections.get_mut(connection.0) else {
            return;
        };
        if let (Some(token), Some(session)) = (next_token, &mut known.session) {
            let next = SessionToken::new(token);
            let returns = &mut self.sessions.returns;
            returns.rotate(session, returning.token, next);
        }
        if known.session.is_some() && resumed.is_none() {
            restart(self.context, known, returning, next_chunk);
        }
        let has_datagrams = resumed.is_none() && known.datagrams.is_some();
        let Some(session) = &mut known.session else {
            return;
        };
        let kind = match resumed {
            Some(_) => GrantKind::Resumed,
            None => GrantKind::Restarted,
        };
        let grant = Grant {
            kind,
            token: session.token,
            sent: session.recent.sent(),
            received: known.intake.reliable,
        };
        let mut writer = NetworkWriter::new();
        grant.encode(&mut writer);
        answer.encode(&mut writer);
        let greeting = Some(writer.take_bytes());
        match resumed {
            Some(counts) => session.recent.resume(greeting, counts.received),
            None => session.recent.restart(greeting),
        }
        known.list(&mut self.outbound.outgoing);
        if has_datagrams {
            self.sessions.list_datagrams(connection);
        }
    }
}

/// Begins the packets of a returned client anew.
fn restart(context: &Context, known: &mut Connection, returning: Return, next_chunk: u64) {
    // The client begins its inputs anew, and may give a new input to a tick.
    known.motion.inputs = None;
    known.intake.reliable = returning.counts.map_or(0, |counts| counts.sent);
    known.headers = Headers {
        datagrams: known.headers.datagrams,
        from: (known.framing == Framing::Compact).then_some(next_chunk),
        ..Headers::default()
    };
    begin_datagrams(context, known);
}

/// Begins the datagrams of a connection, if its transport has them and its packets have headers.
fn begin_datagrams(context: &Context, connection: &mut Connection) {
    let headers = &connection.headers;
    let longest = headers.datagrams.filter(|_| headers.from.is_some());
    let (settings, size) = (context.loss_settings(), context.config.datagram_size());
    let datagrams = longest.map(|longest| DatagramLink::new(settings, longest.min(size)));
    connection.datagrams = datagrams.map(Box::new);
    connection.ledger.forget_datagrams();
}
