//! TLS below a WebSocket.

use std::fmt;
use std::io;
use std::sync::Arc;

use syncvar_tls::{Identity, Trust};
use tokio::net::TcpStream;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::{TlsAcceptor, TlsConnector, client, server};

/// Protocol above TLS (ALPN).
const HTTP: &[u8] = b"http/1.1";

/// Server's side.
pub(crate) struct Acceptor(TlsAcceptor);

impl Acceptor {
    pub(crate) fn new(identity: &Identity) -> io::Result<Self> {
        let config = identity.server_config(&[HTTP])?;
        Ok(Self(Arc::new(config).into()))
    }

    pub(crate) async fn accept(
        &self,
        stream: TcpStream,
    ) -> io::Result<server::TlsStream<TcpStream>> {
        self.0.accept(stream).await
    }
}

impl fmt::Debug for Acceptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Acceptor")
    }
}

/// Connects the client's side to a host with this name or address.
pub(crate) async fn connect(
    stream: TcpStream,
    host: &str,
    trust: &Trust,
) -> io::Result<client::TlsStream<TcpStream>> {
    let name = ServerName::try_from(host.to_owned());
    let name = name.map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    let config = trust.client_config(&[HTTP])?;
    TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
}
