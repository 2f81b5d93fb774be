//! `WebSocketClient`.

use std::io;

use syncvar_net::NetworkClient;
use syncvar_tokio::tasks::{Door, End};
use syncvar_tokio::{NetworkPeer, Peer, TransportOptions, client_options, tcp};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::Uri;

use crate::meter::Meter;
use crate::socket::{self, io_error};

/// Way of a native client to a server, by WebSocket.
///
/// ```no_run
/// use syncvar::prelude::*;
/// use syncvar::tcp::TcpOptions;
/// use syncvar::websocket::WebSocketClient;
///
/// # async fn play() -> std::io::Result<()> {
/// let client = NetworkClient::new(Prefabs::new());
/// let server = WebSocketClient::new("ws://example.org:7777");
/// let mut game = server.connect(client, TcpOptions::default()).await?;
/// while let Some(event) = game.next_event().await {
///     println!("{event:?}");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct WebSocketClient {
    url: String,
}

impl WebSocketClient {
    /// Makes a client for a URL, such as `ws://example.org:7777`. The default port is 80.
    pub fn new(url: &str) -> Self {
        let url = url.to_owned();
        Self { url }
    }

    /// Connects, for a program on tokio.
    ///
    /// The options are those of a TCP client:
    /// [`TcpClient::connect_with`](syncvar_tokio::tcp::TcpClient::connect_with).
    ///
    /// # Errors
    ///
    /// As [`peer`](Self::peer), and when the connection fails. After the `connect_timeout` its kind is
    /// [`TimedOut`](io::ErrorKind::TimedOut), with a [`Timeout`](syncvar_tokio::Timeout) inside; the
    /// answer of a server that speaks no WebSocket is [`InvalidData`](io::ErrorKind::InvalidData).
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    pub async fn connect(
        &self,
        client: NetworkClient,
        options: impl Into<TransportOptions>,
    ) -> io::Result<NetworkPeer> {
        let peer = self.peer(&client, options)?;
        NetworkPeer::connect(peer, client).await
    }

    /// Begins to connect, for a program with a loop.
    ///
    /// # Errors
    ///
    /// With [`InvalidInput`](io::ErrorKind::InvalidInput): for a URL that is none of WebSocket, and
    /// when the client's [`ping_interval`](syncvar_net::ClientConfig::ping_interval) is not below the
    /// `idle_timeout`.
    pub fn peer(
        &self,
        client: &NetworkClient,
        options: impl Into<TransportOptions>,
    ) -> io::Result<Peer> {
        let target = Target::parse(&self.url)?;
        let options = client_options(client, options)?;
        Peer::by_task(options, move |door| target.clone().run(door))
    }
}

/// Parts of a URL.
#[derive(Clone, Debug)]
struct Target {
    uri: Uri,
    host: String,
    port: u16,
}

impl Target {
    fn parse(url: &str) -> io::Result<Self> {
        let invalid = |text: &str| {
            let text = format!("{text}: `{url}`");
            io::Error::new(io::ErrorKind::InvalidInput, text)
        };
        let uri: Uri = url.parse().map_err(|_| invalid("malformed URL"))?;
        if uri.scheme_str() != Some("ws") {
            return Err(invalid("a URL of WebSocket begins with `ws:`"));
        }
        let host = uri.host().ok_or_else(|| invalid("no host in the URL"))?;
        // An address of IPv6 stands in brackets.
        let host = host
            .trim_start_matches('[')
            .trim_end_matches(']')
            .to_owned();
        let port = uri.port_u16().unwrap_or(80);
        Ok(Self { uri, host, port })
    }

    async fn run(self, door: Door) -> io::Result<End> {
        let stream = TcpStream::connect((&*self.host, self.port)).await?;
        tcp::configure(&stream, door.options())?;
        let door = door.with_peer(stream.peer_addr()?);
        let request = self.uri.into_client_request().map_err(io_error)?;
        let config = socket::config(door.options());
        let stream = Meter::new(stream);
        let connecting = tokio_tungstenite::client_async_with_config(request, stream, Some(config));
        let (stream, _) = connecting.await.map_err(io_error)?;
        socket::exchange(stream, door).await
    }
}
