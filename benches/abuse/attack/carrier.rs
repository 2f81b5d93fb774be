//! Byte streams of attackers: TCP, WebSocket and QUIC.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use quinn::crypto::rustls::QuicClientConfig;
use syncvar::tls::Trust;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpSocket;

/// Carrier of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carrier {
    Tcp,
    WebSocket,
    Quic,
}

/// Byte stream in both directions.
pub(super) struct Pipe {
    pub(super) carrier: Carrier,
    pub(super) input: Box<dyn AsyncRead + Send + Unpin>,
    pub(super) output: Box<dyn AsyncWrite + Send + Unpin>,
    /// Socket of QUIC, which the stream needs.
    _endpoint: Option<quinn::Endpoint>,
}

/// Request of a WebSocket; the key is the example of RFC 6455.
const REQUEST: &[u8] =
    b"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
    Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

impl Carrier {
    /// Connects from an address of loopback, up to the first frame.
    pub(super) async fn connect(self, source: Ipv4Addr, server: SocketAddr) -> io::Result<Pipe> {
        if self == Self::Quic {
            return quic((source, 0).into(), server).await;
        }
        let socket = TcpSocket::new_v4()?;
        socket.bind((source, 0).into())?;
        let mut stream = socket.connect(server).await?;
        if self == Self::WebSocket {
            stream.write_all(REQUEST).await?;
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await?);
            }
        }
        let (input, output) = stream.into_split();
        Ok(Pipe {
            carrier: self,
            input: Box::new(input),
            output: Box::new(output),
            _endpoint: None,
        })
    }

    /// Returns a packet in a frame of a client.
    pub(super) fn frame(self, channel: u8, packet: &[u8]) -> Vec<u8> {
        let length = packet.len() + 1;
        let head = match self {
            Self::Tcp | Self::Quic => u32::try_from(length)
                .unwrap_or(u32::MAX)
                .to_be_bytes()
                .to_vec(),
            Self::WebSocket => {
                // Final, binary, masked with zeros.
                let mut head = vec![0x82];
                match u8::try_from(length) {
                    Ok(short) if short < 126 => head.push(0x80 | short),
                    _ => {
                        head.push(0xfe);
                        let length = u16::try_from(length).unwrap_or(u16::MAX);
                        head.extend_from_slice(&length.to_be_bytes());
                    }
                }
                head.extend_from_slice(&[0; 4]);
                head
            }
        };
        [&head[..], &[channel], packet].concat()
    }
}

/// Connects a stream of QUIC.
async fn quic(source: SocketAddr, server: SocketAddr) -> io::Result<Pipe> {
    let tls = Trust::any_server_without_verification().client_config(&[b"syncvar/1"])?;
    let crypto = QuicClientConfig::try_from(tls).map_err(io::Error::other)?;
    let config = quinn::ClientConfig::new(Arc::new(crypto));
    let endpoint = quinn::Endpoint::client(source)?;
    let connecting = endpoint.connect_with(config, server, "localhost");
    let connection = connecting.map_err(io::Error::other)?.await?;
    let (output, input) = connection.open_bi().await?;
    Ok(Pipe {
        carrier: Carrier::Quic,
        input: Box::new(input),
        output: Box::new(output),
        _endpoint: Some(endpoint),
    })
}

impl Pipe {
    /// Reads a frame of the server: the number of the channel, and the packet.
    pub(super) async fn receive(&mut self) -> io::Result<(u8, Vec<u8>)> {
        let length = match self.carrier {
            Carrier::Tcp | Carrier::Quic => self.input.read_u32().await?,
            Carrier::WebSocket => {
                self.input.read_u8().await?;
                match self.input.read_u8().await? {
                    126 => self.input.read_u16().await?.into(),
                    127 => u32::try_from(self.input.read_u64().await?).unwrap_or(u32::MAX),
                    short => short.into(),
                }
            }
        };
        let channel = self.input.read_u8().await?;
        let mut packet = vec![0; usize::try_from(length).unwrap_or(0).saturating_sub(1)];
        self.input.read_exact(&mut packet).await?;
        Ok((channel, packet))
    }
}
