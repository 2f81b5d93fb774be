//! Handshake: acceptance or refusal by the server.

use crate::Framing;
use crate::client::arrivals::Arrivals;
use crate::client::writes::lossy::LossyWrites;
use crate::client::{ClientEvent, ClientState, NetworkClient};
use crate::link::header_bytes::MAX_HEADER;
use crate::link::round_trip::RoundTrip;
use crate::link::stream::StreamTicks;
use crate::message::{Accepted, Disconnect, Message, PROTOCOL_VERSION, Ready};
use syncvar_runtime::prefab::text::{PrefabText, first_difference};
use syncvar_runtime::{DisconnectReason, NetworkReader, ReadError, ReadErrorKind};

/// Most prefab descriptions that a server can make a client keep.
const MAX_SCHEMA_MESSAGES: usize = 4096;

impl NetworkClient {
    /// Enters the connected state and asks for the objects.
    pub(crate) fn accept_session(&mut self) {
        self.session.state = ClientState::Connected;
        tracing::debug!(framing = ?self.session.framing, "the server has accepted this client");
        let returned = self.enter_session();
        if returned != Some(true) {
            self.begin_headers();
        }
        match returned {
            None => self.context.events.push(ClientEvent::Connected),
            Some(resumed) => self.context.events.push(ClientEvent::Returned { resumed }),
        }
        if self.context.config.auto_ready && returned != Some(true) {
            self.send_own(&Ready {});
        }
    }

    /// Gives headers to the packets of both directions from now on, if the framing has them.
    fn begin_headers(&mut self) {
        let has_headers = self.session.framing == Framing::Compact;
        self.inputs.restart();
        self.outbound.headers = has_headers.then(StreamTicks::default);
        let settings = self.loss_settings();
        let lossy = (has_headers && self.session.datagrams).then(|| {
            let room = self.packet_size().saturating_sub(MAX_HEADER);
            let handshake = self.now().saturating_sub(self.session.asked);
            Box::new(LossyWrites::new(
                settings,
                room,
                RoundTrip::guess(handshake),
            ))
        });
        self.outbound.lossy = lossy;
        let settings = self.session.datagrams.then_some(&settings);
        self.arrivals = has_headers.then(|| Arrivals::new(settings));
    }

    /// Handles the server's `Connect`. A server of another version that overlooks the difference is
    /// left here.
    pub(crate) fn handle_accept(&mut self, payload: &[u8]) -> Result<(), ReadError> {
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
        if !self.end_former_session() {
            return Ok(());
        }
        self.session.framing = framing;
        (self.session.start, self.session.pace) = answer.start.unzip();
        self.accept_session();
        Ok(())
    }

    /// Keeps a prefab description of the server, for the message of a refusal.
    pub(crate) fn handle_schema(&mut self, payload: &[u8]) -> Result<(), ReadError> {
        let mut reader = NetworkReader::new(payload);
        let text = PrefabText::decode(&mut reader)?;
        reader.finish()?;
        let (needed, limit) = (payload.len(), self.context.config.limits.max_memory);
        let left = limit.saturating_sub(self.session.schema_bytes);
        if needed > left {
            return Err(reader.error(ReadErrorKind::TooMuchMemory { needed, left }));
        }
        self.session.schema_bytes += needed;
        let server_schema = &mut self.session.server_schema;
        if server_schema.len() >= MAX_SCHEMA_MESSAGES {
            let (count, limit) = (server_schema.len() + 1, MAX_SCHEMA_MESSAGES);
            return Err(reader.error(ReadErrorKind::TooManyElements { count, limit }));
        }
        server_schema.push(text);
        Ok(())
    }

    /// Ends the connection at the server's request.
    pub(crate) fn handle_end(&mut self, message: Disconnect) {
        let mut reason = message.into_reason();
        // A server may keep its schema to itself.
        if let DisconnectReason::SchemaMismatch(difference) = &mut reason
            && !self.session.server_schema.is_empty()
        {
            let own = self.objects.world.prefabs.texts();
            *difference = first_difference(&self.session.server_schema, &own).map(Box::new);
        }
        self.end_session(reason);
    }
}
