//! WebTransport: a session on a connection, for browsers.

use std::io;

use bytes::Bytes;
use quinn::Connection;
use syncvar_tokio::tasks::{Datagrams, Door, End, Origins};
use web_transport_quinn::http::{HeaderValue, StatusCode, header};
use web_transport_quinn::{Request, Session};

use crate::connection::{self, Carrier};

/// Protocol of WebTransport (ALPN): HTTP/3.
pub(crate) const ALPN: &[u8] = b"h3";

/// Accepts one session on any path, and its first bidirectional stream, for the scripts of allowed origins.
pub(crate) async fn serve(connection: Connection, door: Door, origins: Origins) -> io::Result<End> {
    let result = serve_session(&connection, door, origins).await;
    connection::with_reason(result, &connection)
}

async fn serve_session(connection: &Connection, door: Door, origins: Origins) -> io::Result<End> {
    let request = Request::accept(connection.clone()).await;
    let request = request.map_err(io::Error::other)?;
    let stated = request.headers.get_all(header::ORIGIN).iter();
    if !origins.allows(stated.map(HeaderValue::as_bytes)) {
        let refused = request.reject(StatusCode::FORBIDDEN).await;
        refused.map_err(io::Error::other)?;
        // The answer is lost if this end closes the connection first.
        connection.closed().await;
        return Ok(End::Closed);
    }
    let origin = request.headers.get(header::ORIGIN);
    let origin = origin.and_then(|origin| origin.to_str().ok());
    let door = door.with_origin(origin.map(str::to_owned));
    let session = request.ok().await;
    let session = Web(session.map_err(io::Error::other)?);
    let streams = session.0.accept_bi().await.map_err(io::Error::other)?;
    let (write, read) = streams;
    connection::exchange(connection, read, write, &session, door).await
}

/// Datagrams of a session.
pub(crate) struct Web(pub(crate) Session);

impl Carrier for Web {
    fn max_datagram(&self) -> Option<usize> {
        Some(self.0.max_datagram_size()).filter(|&longest| longest > 1)
    }
}

impl Datagrams for Web {
    /// A full queue loses its oldest datagrams: later datagrams bring newer state.
    fn send(&self, datagram: Bytes) -> bool {
        let has_room = self.0.datagram_send_buffer_space() >= datagram.len();
        self.0.send_datagram(datagram).is_ok() && has_room
    }

    async fn receive(&self) -> Bytes {
        match self.0.read_datagram().await {
            Ok(datagram) => datagram,
            // The stream reports the end.
            Err(_) => std::future::pending().await,
        }
    }
}
