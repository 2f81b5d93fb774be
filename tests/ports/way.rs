//! `Way`: a transport of both ends.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::quic::{QuicClient, QuicPort};
use syncvar::tcp::TransportOptions;
use syncvar::tls::{Identity, Trust};
use syncvar::transport::{Host, NetworkPeer, Peer};
use syncvar::websocket::{WebPort, WebSocketClient};
use syncvar_testing::sockets::{self, Objects, Settings, Transport};

/// Number of movers.
pub(crate) const MOVERS: u32 = 40;

/// Game over a transport.
pub(crate) type Running = sockets::Running<Way>;

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

    /// Starts a server; `game` runs in each tick.
    pub(crate) fn start(
        self,
        settings: impl Into<Settings>,
        game: impl FnMut(&mut NetworkServer, &Objects) + Send + 'static,
    ) -> Running {
        let mut settings = settings.into();
        settings.config.tick_rate = 200;
        settings.client.ping_interval = Duration::from_millis(200);
        settings.movers = MOVERS;
        sockets::Running::start(self, settings, game)
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

impl Transport for Way {
    type Carrier = ();

    fn listen(&self, host: &mut Host<NetworkServer>, addr: SocketAddr) -> io::Result<()> {
        let identity = || Identity::generated(&["localhost"]).unwrap();
        match self {
            Self::Tcp => host.listen_tcp(addr),
            Self::WebSocket => host.listen(addr, WebPort::new()),
            Self::Wss => host.listen(addr, WebPort::new().tls(&identity())),
            Self::Quic => host.listen(addr, QuicPort::new(&identity())),
            #[cfg(feature = "webtransport")]
            Self::WebTransport => host.listen(addr, QuicPort::new(&identity())),
        }
    }

    async fn connect(
        &self,
        server: SocketAddr,
        client: NetworkClient,
        options: TransportOptions,
    ) -> io::Result<NetworkPeer> {
        let peer = self.peer(server, &client, options)?;
        NetworkPeer::of(peer, client).await
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
