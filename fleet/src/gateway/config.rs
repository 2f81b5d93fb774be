//! `GatewayConfig`: settings of a gateway.

use std::time::Duration;

use syncvar_net::ServerConfig;

/// Settings of a [`Gateway`](crate::gateway::Gateway).
///
/// ```
/// use syncvar::ServerConfig;
/// use syncvar_fleet::gateway::GatewayConfig;
///
/// let incarnation = 7; // rand::random()
/// let server = ServerConfig { incarnation, ..ServerConfig::default() };
/// let config = GatewayConfig { server, ..GatewayConfig::default() };
/// assert!(config.hold > config.playout);
/// ```
#[derive(Clone, Debug)]
pub struct GatewayConfig {
    /// Time by which the clients are behind the zones, beside the shortest travel time of a record; 50 ms by default. A record that is
    /// later than this by the jitter of the network is a tick late on the clients, and a prediction is corrected.
    pub playout: Duration,
    /// Time for which an object stays on the clients while no zone has it; 10 s by default. It is longer than the time from the end of the
    /// process of a zone to the start of its successor: at least two leases.
    pub hold: Duration,
    /// Addresses of further gateways, for clients whose gateway ends; none by default.
    pub alternates: Vec<String>,
    /// Settings of the server for the clients. Its incarnation is not 0. Tick rate, send interval, channels and framing are those of the
    /// zones.
    pub server: ServerConfig,
}

impl Default for GatewayConfig {
    fn default() -> Self {
        Self {
            playout: Duration::from_millis(50),
            hold: Duration::from_secs(10),
            alternates: Vec::new(),
            server: ServerConfig::default(),
        }
    }
}
