//! Socket options of a `NetworkClient`.

use std::io;
use std::time::Duration;

use syncvar_net::NetworkClient;

use crate::TransportOptions;

/// Largest packet from a server, in bytes, unless the client takes longer messages.
const MAX_PACKET: usize = 8 * 1024 * 1024;

/// Bytes before the payload of a long message.
const MESSAGE_HEAD: usize = 10;

/// Returns the options of a client's socket. The server can send packets of up to 8 MiB, or of a message of
/// the client's [`max_message_size`](syncvar_net::ClientConfig::max_message_size), or of the
/// [`max_packet`](TransportOptions::max_packet) of `options`, if that is longer. The client keeps
/// the connection to a server that accepts nothing: silence ends it.
///
/// # Errors
///
/// With [`InvalidInput`](io::ErrorKind::InvalidInput) when the client's
/// [`ping_interval`](syncvar_net::ClientConfig::ping_interval) is not below the `idle_timeout`: the answers
/// to pings may be the server's only packets.
pub fn client_options(
    client: &NetworkClient,
    options: TransportOptions,
) -> io::Result<TransportOptions> {
    let config = client.config();
    let (pings, idle) = (config.ping_interval, options.idle_timeout);
    if config.compare_schemas && !pings.is_zero() && pings >= idle {
        let text = format!("`ping_interval` ({pings:?}) is not below `idle_timeout` ({idle:?})");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let longest = MAX_PACKET.max(config.max_message_size.saturating_add(MESSAGE_HEAD));
    Ok(TransportOptions {
        max_packet: longest.max(options.max_packet),
        stall_timeout: Duration::MAX,
        ..options
    })
}
