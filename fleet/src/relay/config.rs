//! `RelayConfig`: settings of a relay.

use std::time::Duration;

use syncvar_net::ServerConfig;

#[cfg(doc)]
use syncvar_net::NetworkServer;

/// Settings of a relay.
///
/// ```
/// use std::time::Duration;
/// use syncvar_fleet::RelayConfig;
///
/// // A broadcast: spectators see the match half a minute later, and may chat.
/// let config = RelayConfig {
///     delay: Duration::from_secs(30),
///     forwarded: vec!["chat".into()],
///     ..RelayConfig::default()
/// };
/// # let _ = config;
/// ```
#[derive(Clone, Debug)]
pub struct RelayConfig {
    /// Time by which the spectators are behind the origin, beside the travel time; zero by default.
    pub delay: Duration,
    /// Most bytes of records that wait for the delay; 256 MiB by default. Beyond them the delay is shorter.
    pub max_delayed_bytes: usize,
    /// Names of the messages of the program that spectators may send to the origin; none by default. The
    /// [`Limits`](syncvar_runtime::Limits) of the server limit their rate. The remaining messages and all commands are refused.
    pub forwarded: Vec<String>,
    /// Addresses of relays of the same world, for spectators whose relay ends; none by default:
    /// [`NetworkServer::set_alternates`].
    pub alternates: Vec<String>,
    /// Settings of the server for the spectators. Its tick rate, send interval, channels, framing and incarnation are those of the
    /// origin. By default [`resume_bytes`](ServerConfig::resume_bytes) is 12 KiB: a spectator that returns after more bytes receives a
    /// snapshot of the relay.
    pub server: ServerConfig,
}

impl Default for RelayConfig {
    fn default() -> Self {
        Self {
            delay: Duration::ZERO,
            max_delayed_bytes: 256 << 20,
            forwarded: Vec::new(),
            alternates: Vec::new(),
            server: ServerConfig {
                // Times the number of spectators it is most of the memory of a relay.
                resume_bytes: 12 * 1024,
                ..ServerConfig::default()
            },
        }
    }
}
