//! Addresses and settings of a peer.

use std::time::Duration;

use syncvar_runtime::endpoint::Reconnect;

/// Addresses of a server.
///
/// ```
/// use syncvar_web::Servers;
///
/// let servers = Servers::at("example.org:7777");
/// assert_eq!(servers.websocket.as_deref(), Some("ws://example.org:7777/"));
/// // WebTransport alone, with a certificate of an authority.
/// let only = Servers { websocket: None, cert_hashes: None, ..servers };
/// assert_eq!(only.webtransport.as_deref(), Some("https://example.org:7777/"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Servers {
    /// URL of WebTransport, with `https:`.
    pub webtransport: Option<String>,
    /// URL of a JSON array of texts, each the SHA-256 of a certificate in hexadecimal digits. `None`, an error or an empty
    /// array: the browser verifies the chain.
    pub cert_hashes: Option<String>,
    /// URL of WebSocket, with `ws:` or `wss:`.
    pub websocket: Option<String>,
}

impl Servers {
    /// Returns the addresses of a server with one port for all, without TLS but for WebTransport: `example.org:7777`, as
    /// of `location.host`.
    pub fn at(host: &str) -> Self {
        Self {
            webtransport: Some(format!("https://{host}/")),
            cert_hashes: Some(format!("http://{host}/cert-hashes")),
            websocket: Some(format!("ws://{host}/")),
        }
    }

    /// Returns the addresses of a server whose port for WebSocket has a certificate of an authority.
    pub fn secure(host: &str) -> Self {
        Self {
            webtransport: Some(format!("https://{host}/")),
            cert_hashes: Some(format!("https://{host}/cert-hashes")),
            websocket: Some(format!("wss://{host}/")),
        }
    }
}

/// Settings of a [`WebPeer`](crate::WebPeer).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WebOptions {
    /// Time after which a WebSocket takes the place of a session of WebTransport that is not ready; 2 s by default.
    pub fallback_after: Duration,
    /// Silence of the server after which the connection is lost; 10 s by default. A sleep of the tab counts as one
    /// second.
    pub idle_timeout: Duration,
    /// Longest packet of the server, in bytes; 8 MiB by default.
    pub max_packet: usize,
    /// Received bytes between two frames of the page; 16 MiB by default. A session of WebTransport reads no
    /// further; a WebSocket, which cannot wait, ends.
    pub max_received: usize,
    /// New connections after a lost one, without an end by default; `None` for none.
    pub reconnect: Option<Reconnect>,
}

impl Default for WebOptions {
    fn default() -> Self {
        Self {
            fallback_after: Duration::from_secs(2),
            idle_timeout: Duration::from_secs(10),
            max_packet: 8 << 20,
            max_received: 16 << 20,
            reconnect: Some(Reconnect {
                max_attempts: u32::MAX,
                ..Reconnect::default()
            }),
        }
    }
}
