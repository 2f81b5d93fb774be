//! `QuicClient`.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use quinn::Endpoint;
use syncvar_net::NetworkClient;
use syncvar_tls::Trust;
use syncvar_tokio::tasks::{Door, End};
use syncvar_tokio::{NetworkPeer, Peer, TransportOptions, client_options};

use crate::config;
use crate::connection::{self, Native};

/// Way of a client to a server, by QUIC.
///
/// ```no_run
/// use syncvar::prelude::*;
/// use syncvar::quic::QuicClient;
/// use syncvar::tcp::TransportOptions;
/// use syncvar::tls::Trust;
///
/// # async fn play() -> Result<(), Box<dyn std::error::Error>> {
/// let trust = Trust::roots_pem(&std::fs::read("authority.pem")?)?;
/// let server = QuicClient::new("example.org:7777", trust);
/// let client = NetworkClient::new(Prefabs::new());
/// let mut game = server.connect(client, TransportOptions::default()).await?;
/// while let Some(event) = game.next_event().await {
///     println!("{event:?}");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct QuicClient {
    server: String,
    trust: Trust,
}

impl QuicClient {
    /// Makes a client for a name or address with its port, such as `example.org:7777` or `[::1]:7777`, that
    /// accepts the servers of `trust`.
    pub fn new(server: &str, trust: Trust) -> Self {
        let server = server.to_owned();
        Self { server, trust }
    }

    /// Connects, for a program on tokio.
    ///
    /// The options have the meaning of a TCP client:
    /// [`TcpClient::connect_with`](syncvar_tokio::tcp::TcpClient::connect_with).
    ///
    /// # Errors
    ///
    /// As [`peer`](Self::peer), and when the connection fails: with
    /// [`InvalidData`](io::ErrorKind::InvalidData) for a server that the trust refuses or that speaks a different protocol. After
    /// the `connect_timeout` its kind is [`TimedOut`](io::ErrorKind::TimedOut), with a
    /// [`Timeout`](syncvar_tokio::Timeout) inside.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    pub async fn connect(
        &self,
        client: NetworkClient,
        options: TransportOptions,
    ) -> io::Result<NetworkPeer> {
        let peer = self.peer(&client, options)?;
        NetworkPeer::of(peer, client).await
    }

    /// Begins to connect, for a program with a loop.
    ///
    /// # Errors
    ///
    /// With [`InvalidInput`](io::ErrorKind::InvalidInput): without a port, and when the client's
    /// [`ping_interval`](syncvar_net::ClientConfig::ping_interval) is not below the `idle_timeout`.
    pub fn peer(&self, client: &NetworkClient, options: TransportOptions) -> io::Result<Peer> {
        let options = client_options(client, options)?;
        let Some((host, _)) = self.server.rsplit_once(':') else {
            let text = format!("no port in the address: `{}`", self.server);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        };
        // An address of IPv6 stands in brackets.
        let host = host.trim_matches(['[', ']']).to_owned();
        let (server, trust) = (self.server.clone(), self.trust.clone());
        Peer::by_task(options, move |door| {
            run(server.clone(), host.clone(), trust.clone(), door)
        })
    }
}

/// Connects to the first address of a server, and runs the connection.
async fn run(server: String, host: String, trust: Trust, door: Door) -> io::Result<End> {
    let addr = tokio::net::lookup_host(&*server).await?.next();
    let addr = addr.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no address"))?;
    let any: SocketAddr = match addr {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let endpoint = Endpoint::client(any)?;
    let config = config::client(&trust, door.options())?;
    let invalid = |error| io::Error::new(io::ErrorKind::InvalidInput, error);
    let connecting = endpoint
        .connect_with(config, addr, &host)
        .map_err(invalid)?;
    let connection = connecting.await.map_err(refused)?;
    let door = door.with_peer(addr);
    let (write, read) = connection.open_bi().await?;
    let native = Native(connection.clone());
    let end = connection::exchange(&connection, read, write, &native, door).await;
    connection.close(0_u32.into(), b"");
    // The close of the connection leaves before the socket is dropped.
    endpoint.wait_idle().await;
    end
}

/// Converts an error of a handshake: a TLS error becomes `InvalidData`.
fn refused(error: quinn::ConnectionError) -> io::Error {
    match error {
        quinn::ConnectionError::TransportError(error) => {
            io::Error::new(io::ErrorKind::InvalidData, error)
        }
        error => error.into(),
    }
}
