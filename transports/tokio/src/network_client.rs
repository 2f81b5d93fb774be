//! Socket options of a `NetworkClient`.

use std::io;

use syncvar_net::NetworkClient;

use crate::TransportOptions;

/// Largest packet from a server, in bytes, unless the client takes longer messages.
const MAX_PACKET: usize = 8 * 1024 * 1024;

/// Bytes before the payload of a long message.
const MESSAGE_HEAD: usize = 10;

/// Returns the options of a client's socket.
///
/// # Errors
///
/// When the client pings too rarely for the `idle_timeout`.
pub(crate) fn client_options(
    client: &NetworkClient,
    options: impl Into<TransportOptions>,
) -> io::Result<TransportOptions> {
    let (config, options) = (client.config(), options.into());
    let (pings, idle) = (config.ping_interval, options.idle_timeout);
    if config.compare_schemas && !pings.is_zero() && pings >= idle {
        let text = format!("`ping_interval` ({pings:?}) is not below `idle_timeout` ({idle:?})");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let longest = MAX_PACKET.max(config.max_message_size.saturating_add(MESSAGE_HEAD));
    Ok(TransportOptions {
        max_frame: longest.max(options.max_frame),
        ..options
    })
}
