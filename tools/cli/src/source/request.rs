//! `SchemaRequest`: a client that asks for the schema of its server, and leaves. WIRE.md, section 5.

use std::convert::Infallible;
use std::time::Duration;

use bytes::{BufMut as _, Bytes, BytesMut};
use syncvar::schema::MAX_SCHEMA_TEXT;
use syncvar::{Channel, ConnectionId, Endpoint, PacketLimits, Transmit};

/// Version of the protocol.
const VERSION: u8 = 7;

/// Numbers of messages.
const SCHEMA: i16 = 21;
const CONNECT: i16 = 32;
const DISCONNECT: i16 = 33;

/// Reasons of a Disconnect.
const DIFFERENT_VERSIONS: u8 = 2;

/// Client without types and objects.
#[derive(Debug, Default)]
pub(super) struct SchemaRequest {
    queue: Option<Bytes>,
    polled: Bytes,
    text: Vec<u8>,
    outcome: Option<Result<String, String>>,
    is_connected: bool,
    is_closing: bool,
}

impl SchemaRequest {
    /// Takes the text of the schema, or the reason why there is none.
    pub(super) fn take_outcome(&mut self) -> Option<Result<String, String>> {
        self.outcome.take()
    }

    /// Handles the messages of a packet. Returns `None` at a malformed message.
    fn handle_messages(&mut self, mut packet: &[u8]) -> Option<()> {
        while self.outcome.is_none() && !packet.is_empty() {
            let (length, rest) = packet.split_first_chunk()?;
            let (number, rest) = rest.split_first_chunk()?;
            let (payload, rest) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
            packet = rest;
            match i16::from_le_bytes(*number) {
                SCHEMA => self.handle_schema(payload)?,
                DISCONNECT => {
                    let (reason, text) = payload.split_first()?;
                    self.outcome = Some(Err(refusal(*reason, text)));
                }
                number => {
                    let text = format!("an answer without a schema: message {number}");
                    self.outcome = Some(Err(text));
                }
            }
        }
        Some(())
    }

    /// Handles a part of the schema. Returns `None` if it is malformed.
    fn handle_schema(&mut self, payload: &[u8]) -> Option<()> {
        let (is_last, part) = payload.split_first()?;
        self.text.extend_from_slice(part);
        if self.text.len() > MAX_SCHEMA_TEXT {
            let text = format!("a schema of more than {MAX_SCHEMA_TEXT} bytes");
            self.outcome = Some(Err(text));
        } else if *is_last == 1 {
            let text = std::mem::take(&mut self.text);
            self.outcome = Some(Ok(String::from_utf8(text).ok()?));
        } else if *is_last > 1 || part.is_empty() {
            return None;
        }
        Some(())
    }
}

/// Describes a Disconnect: its reason, and the text behind it.
fn refusal(reason: u8, rest: &[u8]) -> String {
    if reason == DIFFERENT_VERSIONS {
        return format!("the server speaks another version of the protocol than {VERSION}");
    }
    let text = rest.split_first_chunk().and_then(|(length, rest)| {
        let text = rest.get(..u16::from_le_bytes(*length).into())?;
        std::str::from_utf8(text).ok()
    });
    match text {
        Some(text) if !text.is_empty() => format!("the server tells no schema: {text}"),
        _ => "the server tells no schema".to_owned(),
    }
}

fn message(number: i16, payload: &[u8]) -> Bytes {
    let mut bytes = BytesMut::new();
    bytes.put_u16_le(u16::try_from(payload.len()).unwrap_or(u16::MAX));
    bytes.put_i16_le(number);
    bytes.put_slice(payload);
    bytes.freeze()
}

impl Endpoint for SchemaRequest {
    type Error = Infallible;
    type Event = Infallible;

    fn handle_connect(&mut self, _: PacketLimits) -> ConnectionId {
        let mut payload = BytesMut::new();
        payload.put_u8(VERSION);
        // The hash of a client without types, `Compact`, the same hash, and no name of a build.
        payload.put_u64_le(0);
        payload.put_u8(1);
        payload.put_u64_le(0);
        payload.put_u16_le(0);
        self.queue = Some(message(CONNECT, &payload));
        self.is_connected = true;
        ConnectionId::SERVER
    }

    fn handle_packet(&mut self, _: ConnectionId, _: u8, packet: &[u8]) -> Result<(), Infallible> {
        if self.handle_messages(packet).is_none() {
            self.outcome = Some(Err("a malformed answer".to_owned()));
        }
        Ok(())
    }

    fn handle_disconnect(&mut self, _: ConnectionId) {
        self.is_connected = false;
    }

    fn disconnect(&mut self, _: ConnectionId, _: &str) {
        // Requested, without a text.
        self.queue = Some(message(DISCONNECT, &[0, 0, 0]));
        self.is_closing = true;
    }

    fn is_connected(&self, _: ConnectionId) -> bool {
        self.is_connected
    }

    fn update(&mut self, _: Duration) {}

    fn poll_transmit(&mut self) -> Option<Transmit<'_>> {
        self.polled = self.queue.take()?;
        let chunks = std::slice::from_ref(&self.polled);
        let (server, channel) = (ConnectionId::SERVER, Channel::Reliable);
        Some(Transmit::new(server, channel.number(), channel, chunks))
    }

    fn poll_close(&mut self) -> Option<ConnectionId> {
        std::mem::take(&mut self.is_closing).then_some(ConnectionId::SERVER)
    }

    fn poll_event(&mut self) -> Option<Infallible> {
        None
    }

    fn event_count(&self) -> u64 {
        0
    }

    fn forget_events(&mut self, _: u64) {}
}
