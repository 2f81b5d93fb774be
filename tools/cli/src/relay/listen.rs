//! `Listener`: addresses for spectators.

use std::io;

use syncvar::quic::QuicPort;
use syncvar::tls::Identity;
use syncvar::transport::Host;
use syncvar::websocket::WebPort;
use syncvar_fleet::Relay;
use syncvar_fleet::link::LinkCarrier;

/// Transport and place of an address.
#[derive(Debug)]
pub(super) enum Listener<'a> {
    Tcp(&'a str),
    Udp(&'a str),
    Quic(&'a str),
    WebSocket(&'a str),
}

impl<'a> Listener<'a> {
    /// Reads an address such as `ws://0.0.0.0:7777`; without a transport it is TCP.
    pub(super) fn parse(text: &'a str) -> Result<Self, String> {
        let (scheme, place) = text.split_once("://").unwrap_or(("tcp", text));
        Ok(match scheme {
            "tcp" => Self::Tcp(place),
            "udp" => Self::Udp(place),
            "quic" => Self::Quic(place),
            "ws" => Self::WebSocket(place),
            other => {
                return Err(format!("unknown transport `{other}`: tcp, udp, quic or ws"));
            }
        })
    }

    /// Listens for spectators.
    pub(super) fn open(&self, host: &mut Host<Relay<LinkCarrier>>) -> io::Result<()> {
        match *self {
            Self::Tcp(place) => host.listen_tcp(place),
            Self::Udp(place) => host.listen_udp(place),
            Self::WebSocket(place) => host.listen(place, WebPort::new()),
            Self::Quic(place) => {
                let name = place.rsplit_once(':').map_or(place, |(name, _)| name);
                let identity = Identity::generated(&[name, "localhost", "127.0.0.1"])?;
                host.listen(place, QuicPort::new(&identity))
            }
        }
    }
}
