//! `Way`: a transport of both ends.

use std::io;
use std::net::SocketAddr;

use syncvar::prelude::*;
use syncvar::quic::{QuicClient, QuicPort};
use syncvar::tcp::TransportOptions;
use syncvar::tls::{Identity, Trust};
use syncvar::transport::{Host, Peer};
use syncvar::websocket::{WebPort, WebSocketClient};

/// Transport, with its port and its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Tcp,
    WebSocket,
    Wss,
    Quic,
    #[cfg(feature = "webtransport")]
    WebTransport,
}

impl Way {
    /// Returns whether all packets travel in a stream.
    pub(crate) fn is_stream(self) -> bool {
        matches!(self, Self::Tcp | Self::WebSocket | Self::Wss)
    }

    pub(crate) fn listen(self, host: &mut Host<NetworkServer>) {
        let identity = || Identity::generated(&["localhost"]).unwrap();
        let anywhere = "127.0.0.1:0";
        match self {
            Self::Tcp => host.listen_tcp(anywhere),
            Self::WebSocket => host.listen(anywhere, WebPort::new()),
            Self::Wss => host.listen(anywhere, WebPort::new().tls(&identity())),
            Self::Quic => host.listen(anywhere, QuicPort::new(&identity())),
            #[cfg(feature = "webtransport")]
            Self::WebTransport => host.listen(anywhere, QuicPort::new(&identity())),
        }
        .unwrap();
    }

    /// Begins to connect.
    pub(crate) fn peer(
        self,
        server: SocketAddr,
        client: &NetworkClient,
        options: TransportOptions,
    ) -> io::Result<Peer> {
        let trust = Trust::any_server_without_verification();
        match self {
            Self::Tcp => Peer::tcp(server, client, options),
            Self::WebSocket => {
                WebSocketClient::new(&format!("ws://{server}")).peer(client, options)
            }
            Self::Wss => {
                let url = WebSocketClient::new(&format!("wss://{server}"));
                url.trust(trust).peer(client, options)
            }
            Self::Quic => QuicClient::new(&server.to_string(), trust).peer(client, options),
            #[cfg(feature = "webtransport")]
            Self::WebTransport => web::peer(server, client, options),
        }
    }
}

#[cfg(feature = "webtransport")]
mod web {
    //! Client of WebTransport.

    use std::io;
    use std::net::SocketAddr;

    use bytes::Bytes;
    use syncvar::PacketLimits;
    use syncvar::prelude::*;
    use syncvar::tcp::{TransportOptions, exchange};
    use syncvar::transport::tasks::{Datagrams, Door, End};
    use syncvar::transport::{Peer, client_options};
    use web_transport_quinn::{ClientBuilder, Session};

    struct Carrier(Session);

    impl Datagrams for Carrier {
        fn send(&self, datagram: Bytes) -> bool {
            self.0.send_datagram(datagram).is_ok()
        }

        async fn receive(&self) -> Bytes {
            match self.0.read_datagram().await {
                Ok(datagram) => datagram,
                Err(_) => std::future::pending().await,
            }
        }
    }

    pub(super) fn peer(
        server: SocketAddr,
        client: &NetworkClient,
        options: TransportOptions,
    ) -> io::Result<Peer> {
        Peer::by_task(client_options(client, options)?, move |door| {
            run(server, door)
        })
    }

    async fn run(server: SocketAddr, door: Door) -> io::Result<End> {
        let client = ClientBuilder::new().dangerous();
        let client = client
            .with_no_certificate_verification()
            .map_err(io::Error::other)?;
        let url: url::Url = format!("https://{server}/")
            .parse()
            .map_err(io::Error::other)?;
        let session = client.connect(url).await.map_err(io::Error::other)?;
        let (write, read) = session.open_bi().await.map_err(io::Error::other)?;
        let frame = door.options().max_packet;
        let limits = PacketLimits {
            max_unreliable: 1200,
            datagrams: true,
            ..PacketLimits::frames(frame)
        };
        exchange(read, write, &Carrier(session), door, limits).await
    }
}
