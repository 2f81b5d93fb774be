//! `QuicPort`: a UDP port for QUIC.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use quinn::{Endpoint, Incoming, TokioRuntime};
use syncvar_tls::Identity;
use syncvar_tokio::tasks::{Acceptor, Door, End, Port};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::config;
use crate::connection::{self, Native};

/// Bytes of datagrams that the system stores until they are read. After a restart all clients connect at once, and a lost first
/// datagram costs a client a second; the 200 kB of Linux are 90 of them.
const RECEIVE_BUFFER: usize = 4 << 20;

/// Connections that wait for the host.
const BACKLOG: usize = 64;

/// UDP port for QUIC, for [`Host::listen`](syncvar_tokio::Host::listen).
#[derive(Clone, Debug)]
pub struct QuicPort {
    identity: Identity,
    #[cfg(feature = "webtransport")]
    origins: syncvar_tokio::tasks::Origins,
}

/// Listening socket of a [`QuicPort`].
#[derive(Debug)]
pub struct QuicAcceptor {
    endpoint: Endpoint,
    config: quinn::ServerConfig,
    #[cfg(feature = "webtransport")]
    origins: syncvar_tokio::tasks::Origins,
    /// Connections whose clients have proved their addresses.
    incoming: mpsc::Receiver<Incoming>,
    /// Task that answers first datagrams; after shutdown: waits until the endpoint is idle.
    tasks: JoinSet<()>,
    is_closing: bool,
}

/// A connection before its handshake.
#[derive(Debug)]
pub struct QuicSocket(Incoming);

impl QuicPort {
    /// Makes a port with the certificate of a server.
    pub fn new(identity: &Identity) -> Self {
        Self {
            identity: identity.clone(),
            #[cfg(feature = "webtransport")]
            origins: syncvar_tokio::tasks::Origins::default(),
        }
    }

    /// Allows the scripts of web pages of this origin to connect by WebTransport, such as `https://game.example`.
    /// Without a call, every page may: a page that a player visits could play in the player's name on a server
    /// in the local network. Scripts of pages elsewhere are refused (403). A native client states no origin and may
    /// always connect; so may a program that lies about it.
    ///
    /// ```
    /// use syncvar::quic::QuicPort;
    /// use syncvar::tls::Identity;
    ///
    /// let identity = Identity::generated(&["localhost"])?;
    /// let port = QuicPort::new(&identity).origin("https://game.example");
    /// # let _ = port;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[cfg(feature = "webtransport")]
    #[must_use]
    pub fn origin(mut self, origin: &str) -> Self {
        self.origins.allow(origin);
        self
    }
}

impl Port for QuicPort {
    type Acceptor = QuicAcceptor;

    fn bind(self, addrs: &[SocketAddr]) -> io::Result<QuicAcceptor> {
        let config = config::server(&self.identity)?;
        let socket = UdpSocket::bind(addrs)?;
        // The system may limit it.
        let _ = socket2::SockRef::from(&socket).set_recv_buffer_size(RECEIVE_BUFFER);
        let runtime = Arc::new(TokioRuntime);
        let server = Some(config.clone());
        let endpoint = Endpoint::new(config::endpoint(&self.identity), server, socket, runtime)?;
        let (sender, incoming) = mpsc::channel(BACKLOG);
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(endpoint.clone(), sender));
        Ok(QuicAcceptor {
            endpoint,
            config,
            #[cfg(feature = "webtransport")]
            origins: self.origins,
            incoming,
            tasks,
            is_closing: false,
        })
    }
}

/// Answers first datagrams with a retry, and passes connections whose addresses are proved to the host.
async fn accept(endpoint: Endpoint, sender: mpsc::Sender<Incoming>) {
    while let Some(incoming) = endpoint.accept().await {
        if incoming.remote_address_validated() {
            if sender.send(incoming).await.is_err() {
                return;
            }
        } else if incoming.retry().is_err() {
            tracing::debug!("sending a retry failed");
        }
    }
}

impl Acceptor for QuicAcceptor {
    type Socket = QuicSocket;

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.endpoint.local_addr()
    }

    fn poll_accept(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<(SocketAddr, QuicSocket)>> {
        match ready!(self.incoming.poll_recv(cx)) {
            Some(incoming) => {
                let peer = incoming.remote_address();
                Poll::Ready(Ok((peer, QuicSocket(incoming))))
            }
            None => Poll::Pending,
        }
    }

    fn serve(
        &self,
        socket: QuicSocket,
        door: Door,
    ) -> impl Future<Output = io::Result<End>> + Send + 'static {
        let mut config = self.config.clone();
        #[cfg(feature = "webtransport")]
        let origins = self.origins.clone();
        async move {
            config.transport_config(Arc::new(config::transport(
                door.options(),
                config::CLIENT_STREAMS,
            )));
            let connecting = socket.0.accept_with(Arc::new(config))?;
            let connection = connecting.await?;
            #[cfg(feature = "webtransport")]
            if is_web(&connection) {
                // Boxed: keeps native futures small.
                return Box::pin(crate::web::serve(connection, door, origins)).await;
            }
            // With the first bytes of the client.
            let (write, read) = connection.accept_bi().await?;
            let native = Native(connection.clone());
            connection::exchange(&connection, read, write, &native, door).await
        }
    }

    fn poll_shut_down(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if !std::mem::replace(&mut self.is_closing, true) {
            self.tasks.abort_all();
            // The last datagrams of closed connections leave meanwhile.
            let endpoint = self.endpoint.clone();
            self.tasks.spawn(async move { endpoint.wait_idle().await });
        }
        while ready!(self.tasks.poll_join_next(cx)).is_some() {}
        Poll::Ready(())
    }
}

/// Returns whether the protocol of a connection is that of WebTransport.
#[cfg(feature = "webtransport")]
fn is_web(connection: &quinn::Connection) -> bool {
    let data = connection.handshake_data();
    let data = data.and_then(|data| data.downcast::<quinn::crypto::rustls::HandshakeData>().ok());
    data.is_some_and(|data| data.protocol.as_deref() == Some(crate::web::ALPN))
}
