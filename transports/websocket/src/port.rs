//! `WebPort`: a TCP port for WebSocket, plain TCP and pages.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use syncvar_tokio::tasks::{Acceptor, Door, End, Origins, Port};
use syncvar_tokio::tcp::{self, TcpAcceptor, TcpPort};
use tokio::net::TcpStream;

use crate::http::{self, ServedContent};
use crate::messages::MessageKind;
use crate::site::{Page, Site};

/// First byte of TLS: a handshake. As the length of a frame it would mean more than 352 MiB.
#[cfg(feature = "tls")]
const TLS: u8 = 0x16;

/// TCP port for WebSocket, plain TCP and pages, for [`Host::listen`](syncvar_tokio::Host::listen).
///
/// ```
/// use syncvar::websocket::WebPort;
///
/// let port = WebPort::new()
///     .page("/", "text/html; charset=utf-8", "<script src=game.js></script>")
///     .page("/game.js", "text/javascript", &b"console.log('hello')"[..])
///     .answer("/players", "text/plain", || "3".into());
/// # let _ = port;
/// ```
#[derive(Clone, Debug, Default)]
pub struct WebPort {
    site: Site,
    origins: Origins,
    messages: MessageKind,
    #[cfg(feature = "tls")]
    identity: Option<syncvar_tls::Identity>,
}

/// Listening socket of a [`WebPort`].
#[derive(Debug)]
pub struct WebAcceptor {
    tcp: TcpAcceptor,
    serving: Arc<Serving>,
}

/// Settings of the connections.
#[derive(Debug)]
struct Serving {
    content: ServedContent,
    #[cfg(feature = "tls")]
    tls: Option<crate::tls::Acceptor>,
}

impl WebPort {
    /// Makes a port without pages.
    pub fn new() -> Self {
        Self::default()
    }

    /// Speaks Mirror's `SimpleWebTransport`, for `MirrorHost::websocket`: a message is a packet, and plain TCP is
    /// refused. Pages and TLS remain.
    #[must_use]
    pub fn mirror(self) -> Self {
        let messages = MessageKind::Plain;
        Self { messages, ..self }
    }

    /// Allows the scripts of web pages of this origin to connect, such as `https://game.example` or
    /// `http://127.0.0.1:8080`. Without a call, every page may: a page that a player visits could play in the
    /// player's name on a server in the local network. Scripts of pages elsewhere are refused (403). A native client
    /// states no origin and may always connect; so may a program that lies about it.
    ///
    /// ```
    /// use syncvar::websocket::WebPort;
    ///
    /// let port = WebPort::new().origin("https://game.example").origin("https://test.game.example");
    /// # let _ = port;
    /// ```
    #[must_use]
    pub fn origin(mut self, origin: &str) -> Self {
        self.origins.allow(origin);
        self
    }

    /// Adds a page for a path, such as `/`. The path is compared without a query.
    #[must_use]
    pub fn page(self, path: &str, content_type: &str, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        self.answer(path, content_type, move || body.clone())
    }

    /// Adds a header to each answer, such as `Content-Security-Policy`. Each answer has `X-Content-Type-Options: nosniff` and
    /// `Cache-Control: no-cache`; with [`origin`](Self::origin), the scripts of pages elsewhere cannot read the answers.
    ///
    /// A name or a value that HTTP forbids is an error of [`Host::listen`](syncvar_tokio::Host::listen).
    ///
    /// ```
    /// use syncvar::websocket::WebPort;
    ///
    /// let port = WebPort::new()
    ///     .header("Content-Security-Policy", "default-src 'self'; connect-src 'self'")
    ///     .header("Referrer-Policy", "no-referrer");
    /// # let _ = port;
    /// ```
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.site.add_header(name, value);
        self
    }

    /// Serves TLS, too: pages and `wss`. Plain HTTP, WebSocket and TCP remain.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn tls(self, identity: &syncvar_tls::Identity) -> Self {
        let identity = Some(identity.clone());
        Self { identity, ..self }
    }

    /// Adds an answer for a path, made anew for each request on a thread of the sockets. It must be quick.
    #[must_use]
    pub fn answer(
        mut self,
        path: &str,
        content_type: &str,
        body: impl Fn() -> Bytes + Send + Sync + 'static,
    ) -> Self {
        self.site.add(path, Page::new(content_type, body));
        self
    }
}

impl Port for WebPort {
    type Acceptor = WebAcceptor;

    fn bind(self, addrs: &[SocketAddr]) -> io::Result<WebAcceptor> {
        Ok(WebAcceptor {
            tcp: TcpPort.bind(addrs)?,
            serving: Arc::new(Serving {
                content: ServedContent {
                    head: self.site.head()?,
                    site: self.site,
                    origins: self.origins,
                    messages: self.messages,
                },
                #[cfg(feature = "tls")]
                tls: self
                    .identity
                    .as_ref()
                    .map(crate::tls::Acceptor::new)
                    .transpose()?,
            }),
        })
    }
}

impl Acceptor for WebAcceptor {
    type Socket = TcpStream;

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.tcp.local_addr()
    }

    fn poll_accept(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<(SocketAddr, Self::Socket)>> {
        self.tcp.poll_accept(cx)
    }

    fn serve(
        &self,
        stream: TcpStream,
        door: Door,
    ) -> impl Future<Output = io::Result<End>> + Send + 'static {
        let serving = Arc::clone(&self.serving);
        async move {
            tcp::configure_client(&stream, door.options())?;
            let mut first = [0];
            if stream.peek(&mut first).await? == 0 {
                return Ok(End::Closed);
            }
            let content = &serving.content;
            #[cfg(feature = "tls")]
            if let ([TLS], Some(tls)) = (first, &serving.tls) {
                // Boxed: a session of TLS is large, and plain futures stay small.
                let serving = async {
                    let stream = tls.accept(stream).await?;
                    http::serve(stream, content, door).await
                };
                return Box::pin(serving).await;
            }
            match first {
                // A method. As the length of a frame, such a byte would mean more than 1 GiB.
                [b'A'..=b'Z'] => http::serve(stream, content, door).await,
                _ if content.messages == MessageKind::Plain => Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "no HTTP request",
                )),
                _ => tcp::serve(stream, door).await,
            }
        }
    }

    fn has_goodbye(&self) -> bool {
        self.serving.content.messages == MessageKind::Numbered
    }
}
