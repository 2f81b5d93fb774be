//! Addresses of servers, and the ways to them.

use std::fmt;
use std::io;
use std::time::{Duration, Instant};

use syncvar::prelude::*;
use syncvar::quic::QuicClient;
use syncvar::tls::Trust;
use syncvar::transport::{Peer, TransportOptions};
use syncvar::websocket::WebSocketClient;

use super::Access;
use super::request::SchemaRequest;

/// Pause between two looks at the socket.
const PAUSE: Duration = Duration::from_millis(2);

/// Address of a server.
#[derive(Debug)]
pub(crate) struct Address {
    transport: Transport,
    /// Host and port.
    place: String,
}

#[derive(Clone, Copy, Debug)]
enum Transport {
    Tcp,
    Udp,
    Quic,
    WebSocket,
}

const TRANSPORTS: [(&str, Transport); 4] = [
    ("tcp", Transport::Tcp),
    ("udp", Transport::Udp),
    ("quic", Transport::Quic),
    ("ws", Transport::WebSocket),
];

impl Address {
    /// Reads an address such as `tcp://127.0.0.1:7777`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (scheme, place) = text.split_once("://").unwrap_or_default();
        let transport = TRANSPORTS.iter().find(|(name, _)| *name == scheme);
        let Some(&(_, transport)) = transport else {
            return Err(format!(
                "unknown transport `{scheme}`: tcp, udp, quic or ws"
            ));
        };
        let place = place.trim_end_matches('/').to_owned();
        let port = place.rsplit_once(':').map(|(_, port)| port.parse::<u16>());
        if !matches!(port, Some(Ok(_))) {
            return Err(format!("no port in the address `{text}`"));
        }
        Ok(Self { transport, place })
    }

    /// Asks the server for the text of its schema.
    pub(super) fn ask(&self, access: &Access) -> Result<String, String> {
        let started = Instant::now();
        let options = TransportOptions {
            connect_timeout: access.timeout,
            handshake_timeout: access.timeout,
            ..TransportOptions::default()
        };
        let peer = self.peer(access, options);
        let mut peer = peer.map_err(|error| error.to_string())?;
        let mut request = SchemaRequest::default();
        loop {
            let received = peer.receive(&mut request, started.elapsed());
            if let Some(outcome) = request.take_outcome() {
                peer.disconnect_blocking(&mut request, "");
                return outcome;
            }
            received.map_err(|error| error.to_string())?;
            if started.elapsed() > access.timeout {
                return Err("no schema in time".to_owned());
            }
            peer.transmit(&mut request, started.elapsed());
            std::thread::sleep(PAUSE);
        }
    }

    /// Begins to connect.
    pub(crate) fn peer(&self, access: &Access, transport: TransportOptions) -> io::Result<Peer> {
        // The transports take their limits from a client.
        let client = NetworkClient::new(Prefabs::new());
        let place = self.place.as_str();
        match self.transport {
            Transport::Tcp => Peer::tcp(place, &client, transport),
            Transport::Udp => Peer::udp(place, &client, transport),
            Transport::WebSocket => {
                WebSocketClient::new(&format!("ws://{place}")).peer(&client, transport)
            }
            Transport::Quic => {
                let trust = match &access.authority {
                    Some(file) => Trust::roots_pem(&std::fs::read(file)?)?,
                    // A schema is public, and nothing is sent to the server.
                    None => Trust::any_server_without_verification(),
                };
                QuicClient::new(place, trust).peer(&client, transport)
            }
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.transport {
            Transport::Tcp => "tcp",
            Transport::Udp => "udp",
            Transport::Quic => "quic",
            Transport::WebSocket => "ws",
        };
        write!(f, "{name}://{}", self.place)
    }
}
