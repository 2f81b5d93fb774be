//! A game with one board, behind a [`WebPort`].

use std::io;
use std::net::SocketAddr;

use syncvar::prelude::*;
use syncvar_testing::sockets::{self, Objects, Transport, prefabs, soon};
use syncvar_tokio::tcp::TransportOptions;
use syncvar_tokio::{Host, NetworkPeer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::{WebPort, WebSocketClient};

/// WebSocket without TLS at the client.
#[derive(Debug)]
pub(super) struct Web(WebPort);

impl Transport for Web {
    type Carrier = ();

    fn listen(&self, host: &mut Host<NetworkServer>, addr: SocketAddr) -> io::Result<()> {
        host.listen(addr, self.0.clone())
    }

    async fn connect(
        &self,
        server: SocketAddr,
        client: NetworkClient,
        options: TransportOptions,
    ) -> io::Result<NetworkPeer> {
        Box::pin(url(server).connect(client, options)).await
    }
}

pub(super) type Running = sockets::Running<Web>;

/// Starts a server with two pages.
pub(super) fn start(
    settings: impl Into<sockets::Settings>,
    game: impl FnMut(&mut NetworkServer, &Objects) + Send + 'static,
) -> Running {
    let port = WebPort::new()
        .page("/", "text/html", "<h1>page</h1>")
        .answer("/count", "text/plain", || "7".into());
    Running::start(Web(port), settings, game)
}

/// Starts a server on a port with settings.
pub(super) fn start_on(
    port: WebPort,
    options: TransportOptions,
    game: impl FnMut(&mut NetworkServer, &Objects) + Send + 'static,
) -> Running {
    Running::start(Web(port), options, game)
}

pub(super) fn url(server: SocketAddr) -> WebSocketClient {
    WebSocketClient::new(&format!("ws://{server}/"))
}

pub(super) fn client() -> NetworkClient {
    NetworkClient::new(prefabs())
}

/// Upgrades a connection by hand.
pub(super) async fn upgrade(addr: SocketAddr) -> TcpStream {
    upgrade_with(addr, "").await
}

/// Upgrades a connection by hand, with further lines of the head.
pub(super) async fn upgrade_with(addr: SocketAddr, lines: &str) -> TcpStream {
    let mut stream = ask_to_upgrade(addr, lines).await;
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(soon(stream.read_u8()).await.unwrap());
    }
    let head = String::from_utf8(head).unwrap();
    assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    // The example of RFC 6455.
    assert!(head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{head}");
    stream
}

/// Sends a request to upgrade, with further lines of the head.
pub(super) async fn ask_to_upgrade(addr: SocketAddr, lines: &str) -> TcpStream {
    let mut stream = TcpStream::connect(addr).await.unwrap();
    let request = format!(
        "GET /any HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n{lines}\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

/// Returns a frame of a client: masked with zeros.
pub(super) fn frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x80 | opcode];
    match u8::try_from(payload.len()) {
        Ok(short) if short < 126 => bytes.push(0x80 | short),
        _ => {
            bytes.push(0xfe);
            let length = u16::try_from(payload.len()).unwrap();
            bytes.extend_from_slice(&length.to_be_bytes());
        }
    }
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(payload);
    bytes
}

/// Messages of a client that joins: the handshake, and `Ready` behind a header.
pub(super) fn joining() -> Vec<u8> {
    let mut client = client();
    client.handle_connect();
    let connect = client.poll_transmit().unwrap().bytes;
    let connect = frame(2, &[&[0], &connect[..]].concat());
    [connect, frame(2, &[0, 2, 0, 0, 35, 0])].concat()
}
