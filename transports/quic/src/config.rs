//! Settings of quinn.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{ClientConfig, EndpointConfig, IdleTimeout, ServerConfig, TransportConfig, VarInt};
use quinn_proto::HashedConnectionIdGenerator;
use ring::hmac::{HMAC_SHA256, Key};
use syncvar_tls::{Identity, Trust};
use syncvar_tokio::TransportOptions;

/// Protocol of native clients (ALPN).
const NATIVE: &[u8] = b"syncvar/1";

/// Protocols of a port.
#[cfg(not(feature = "webtransport"))]
const PROTOCOLS: &[&[u8]] = &[NATIVE];
#[cfg(feature = "webtransport")]
const PROTOCOLS: &[&[u8]] = &[NATIVE, crate::web::ALPN];

/// Streams that a peer may open: bidirectional and unidirectional.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Streams(u32, u32);

/// Streams of a client. One is in use; HTTP/3 adds a stream for the session, and three or more unidirectional streams.
pub(crate) const CLIENT_STREAMS: Streams = if cfg!(feature = "webtransport") {
    Streams(4, 8)
} else {
    Streams(1, 0)
};

/// Streams of a server.
const SERVER_STREAMS: Streams = Streams(0, 0);

/// Connections whose handshake waits for the host, and bytes of their early data.
const MAX_INCOMING: usize = 256;
const MAX_INCOMING_BYTES: u64 = 1024 * 1024;

/// Most datagrams that wait in a direction, in bytes.
const DATAGRAMS: usize = 64 * 1024;

/// Bytes of the stream on the way to the peer.
const SEND_WINDOW: u64 = 1024 * 1024;

/// Least bytes of the stream on the way from the peer.
const MIN_RECEIVE_WINDOW: u32 = 64 * 1024;

/// Longest silence that quinn takes.
const MAX_IDLE: Duration = Duration::from_hours(24);

/// Silence of a server after which a client asks for a sign of life. A server sends in each tick with changes. A server that has started again answers
/// with a reset, so this time decides how soon its clients return.
const KEEP_ALIVE: Duration = Duration::from_millis(250);

/// Returns the settings of a server's socket.
///
/// A server that has started again, with the same private key from PEM, does not know the connections of before. It recognises their
/// numbers, and the clients recognise its resets (RFC 9000, 10.3): both follow from the key. So a client notices
/// the end of its connection at its next datagram, and not after the `idle_timeout`.
pub(crate) fn endpoint(identity: &Identity) -> EndpointConfig {
    let key = Key::new(HMAC_SHA256, &identity.secret("syncvar quic resets"));
    let secret = identity.secret("syncvar quic connections");
    let number = secret
        .iter()
        .take(8)
        .fold(0, |number, byte| number << 8 | u64::from(*byte));
    let mut config = EndpointConfig::new(Arc::new(key));
    config
        .cid_generator(move || Box::new(HashedConnectionIdGenerator::from_key(number)))
        // Datagrams that arrive together have one time, and each of their clients waits for a reset. It is shorter than the
        // datagram, and cheaper than the retry that any first datagram gets: a forged address gains nothing.
        .min_reset_interval(Duration::ZERO);
    config
}

pub(crate) fn server(identity: &Identity) -> io::Result<ServerConfig> {
    let tls = identity.server_config(PROTOCOLS)?;
    let crypto = QuicServerConfig::try_from(tls).map_err(io::Error::other)?;
    let mut config = ServerConfig::with_crypto(Arc::new(crypto));
    config
        .max_incoming(MAX_INCOMING)
        .incoming_buffer_size_total(MAX_INCOMING_BYTES);
    Ok(config)
}

pub(crate) fn client(trust: &Trust, options: &TransportOptions) -> io::Result<ClientConfig> {
    let tls = trust.client_config(&[NATIVE])?;
    let crypto = QuicClientConfig::try_from(tls).map_err(io::Error::other)?;
    let mut config = ClientConfig::new(Arc::new(crypto));
    let mut transport = transport(options, SERVER_STREAMS);
    transport.keep_alive_interval(Some(KEEP_ALIVE.min(options.idle_timeout / 3)));
    config.transport_config(Arc::new(transport));
    Ok(config)
}

/// Returns the settings of a connection whose peer may open these streams.
pub(crate) fn transport(options: &TransportOptions, streams: Streams) -> TransportConfig {
    let window = u32::try_from(options.max_inbox_bytes).unwrap_or(u32::MAX);
    let window = VarInt::from_u32(window.clamp(MIN_RECEIVE_WINDOW, u32::MAX / 4));
    let mut config = TransportConfig::default();
    config
        .max_idle_timeout(IdleTimeout::try_from(options.idle_timeout.min(MAX_IDLE)).ok())
        .max_concurrent_bidi_streams(streams.0.into())
        .max_concurrent_uni_streams(streams.1.into())
        .stream_receive_window(window)
        .receive_window(window)
        .send_window(SEND_WINDOW)
        .datagram_receive_buffer_size(Some(DATAGRAMS))
        .datagram_send_buffer_size(DATAGRAMS);
    config
}
