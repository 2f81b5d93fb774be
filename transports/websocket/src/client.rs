//! `WebSocketClient`.

use std::io;

use syncvar_net::NetworkClient;
use syncvar_tokio::tasks::{Door, End};
use syncvar_tokio::{NetworkPeer, Peer, TransportOptions, client_options, tcp};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::Uri;

use crate::messages::MessageKind;
use crate::meter::Meter;
use crate::socket::{self, io_error};

/// Way of a native client to a server, by WebSocket.
///
/// ```no_run
/// use syncvar::prelude::*;
/// use syncvar::tcp::TransportOptions;
/// use syncvar::websocket::WebSocketClient;
///
/// # async fn play() -> std::io::Result<()> {
/// let client = NetworkClient::new(Prefabs::new());
/// let server = WebSocketClient::new("ws://example.org:7777");
/// let mut game = server.connect(client, TransportOptions::default()).await?;
/// while let Some(event) = game.next_event().await {
///     println!("{event:?}");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct WebSocketClient {
    url: String,
    #[cfg(feature = "tls")]
    trust: Option<syncvar_tls::Trust>,
}

impl WebSocketClient {
    /// Makes a client for a URL: `ws://example.org:7777`, or `wss:` with the feature `wss`. The default
    /// ports are 80 and 443.
    pub fn new(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            #[cfg(feature = "tls")]
            trust: None,
        }
    }

    /// Sets the servers that a client of `wss:` accepts.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn trust(self, trust: syncvar_tls::Trust) -> Self {
        let trust = Some(trust);
        Self { trust, ..self }
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
        options: TransportOptions,
    ) -> io::Result<NetworkPeer> {
        let peer = self.peer(&client, options)?;
        NetworkPeer::of(peer, client).await
    }

    /// Begins to connect, for a program with a loop.
    ///
    /// # Errors
    ///
    /// With [`InvalidInput`](io::ErrorKind::InvalidInput): for a URL that is none of WebSocket, and
    /// when the client's [`ping_interval`](syncvar_net::ClientConfig::ping_interval) is not below the
    /// `idle_timeout`.
    pub fn peer(&self, client: &NetworkClient, options: TransportOptions) -> io::Result<Peer> {
        let target = self.target()?;
        let options = client_options(client, options)?;
        Peer::by_task(options, move |door| {
            target.clone().run(MessageKind::Numbered, door)
        })
    }

    /// Connects a client of Mirror to a server with `SimpleWebTransport`, for a program on tokio.
    ///
    /// # Errors
    ///
    /// As [`connect`](Self::connect), without a rule for pings.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    #[cfg(feature = "mirror")]
    pub async fn connect_mirror(
        &self,
        client: syncvar_mirror::MirrorClient,
        options: TransportOptions,
    ) -> io::Result<syncvar_tokio::mirror::MirrorPeer> {
        let target = self.target()?;
        let run = move |door| target.clone().run(MessageKind::Plain, door);
        let peer = Peer::by_task(options, run)?;
        syncvar_tokio::mirror::MirrorPeer::connect(peer, client).await
    }

    fn target(&self) -> io::Result<Target> {
        let invalid = |text: &str| {
            let text = format!("{text}: `{}`", self.url);
            io::Error::new(io::ErrorKind::InvalidInput, text)
        };
        let uri: Uri = self.url.parse().map_err(|_| invalid("malformed URL"))?;
        let (security, port) = match uri.scheme_str() {
            Some("ws") => (Security::Plain, 80),
            #[cfg(feature = "tls")]
            Some("wss") => {
                let trust = self.trust.clone();
                let trust = trust.ok_or_else(|| invalid("no trust for a URL with `wss:`"))?;
                (Security::Tls(trust), 443)
            }
            _ => return Err(invalid(SCHEMES)),
        };
        let host = uri.host().ok_or_else(|| invalid("no host in the URL"))?;
        // An address of IPv6 stands in brackets.
        let host = host.trim_matches(['[', ']']).to_owned();
        let port = uri.port_u16().unwrap_or(port);
        Ok(Target {
            uri,
            host,
            port,
            security,
        })
    }
}

#[cfg(feature = "tls")]
const SCHEMES: &str = "a URL of WebSocket begins with `ws:` or `wss:`";
#[cfg(not(feature = "tls"))]
const SCHEMES: &str = "a URL of WebSocket begins with `ws:`; `wss:` needs the feature `wss`";

/// Parts of a URL.
#[derive(Clone, Debug)]
struct Target {
    uri: Uri,
    host: String,
    port: u16,
    security: Security,
}

#[derive(Clone, Debug)]
enum Security {
    Plain,
    #[cfg(feature = "tls")]
    Tls(syncvar_tls::Trust),
}

impl Target {
    async fn run(self, messages: MessageKind, door: Door) -> io::Result<End> {
        let stream = TcpStream::connect((&*self.host, self.port)).await?;
        tcp::configure(&stream, door.options())?;
        let door = door.with_peer(stream.peer_addr()?);
        match self.security {
            Security::Plain => upgrade(stream, self.uri, messages, door).await,
            #[cfg(feature = "tls")]
            Security::Tls(trust) => {
                let stream = crate::tls::connect(stream, &self.host, &trust).await?;
                upgrade(stream, self.uri, messages, door).await
            }
        }
    }
}

/// Makes a WebSocket of a stream, and runs it.
async fn upgrade<S>(stream: S, uri: Uri, messages: MessageKind, door: Door) -> io::Result<End>
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let request = uri.into_client_request().map_err(io_error)?;
    let config = socket::config(door.options(), messages);
    let stream = Meter::new(stream);
    let connecting = tokio_tungstenite::client_async_with_config(request, stream, Some(config));
    let (stream, _) = connecting.await.map_err(io_error)?;
    socket::exchange(stream, messages, door).await
}
