//! `ZenohConfig`: place of a node in its fleet.

use std::net::IpAddr;
use std::path::PathBuf;

use serde_json::{Value, json};
use syncvar_fleet::Role;
use zenoh::Config;

use crate::ZenohError;

/// Settings of a node of a fleet on zenoh.
///
/// A node reaches the nodes at the addresses of [`connect`](Self::connect), and the nodes that connect to its addresses of
/// [`listen`](Self::listen). Nodes are not searched for by multicast, and none is introduced by its neighbour.
#[derive(Clone, Debug)]
pub struct ZenohConfig {
    /// Name of the world: 1 to 64 letters, digits, `-`, `_` and `.`. Nodes of different worlds do not see each other.
    pub world: String,
    /// Duty of the node.
    pub role: Role,
    /// Distance of a relay from its origin: 0 for an origin, 1 for its relays, 2 for the relays of these relays. A node follows the
    /// nodes of a lower tier, the highest tier first.
    pub tier: u8,
    /// Address for the clients of the node, by a convention of the program; empty without one.
    pub address: String,
    /// Addresses for nodes, such as `tls/10.0.0.1:7447`; `tcp/` on loopback only.
    pub listen: Vec<String>,
    /// Addresses of nodes, such as `tls/origin.internal:7447`. A lost one is dialled again after 0.1 to 1 s.
    pub connect: Vec<String>,
    /// Certificates of the addresses with `tls/`.
    pub tls: Option<TlsFiles>,
}

/// Files in PEM for links by TLS. Both ends of a link show a certificate of the same authority: a fleet trusts its nodes.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// Certificate of the authority.
    pub authority: PathBuf,
    /// Certificate of this node, for the names and addresses of [`ZenohConfig::listen`].
    pub certificate: PathBuf,
    /// Private key of this node.
    pub private_key: PathBuf,
}

impl ZenohConfig {
    /// Creates the settings of a node without addresses, of tier 0 for an [origin](Role::Origin) and 1 otherwise.
    pub fn new(world: &str, role: Role) -> Self {
        Self {
            world: world.into(),
            role,
            tier: u8::from(role != Role::Origin),
            address: String::new(),
            listen: Vec::new(),
            connect: Vec::new(),
            tls: None,
        }
    }

    /// Returns the configuration of zenoh.
    pub(crate) fn to_zenoh(&self) -> Result<Config, ZenohError> {
        self.check()?;
        let mut config = Config::default();
        let mut set = |key: &str, value: Value| {
            config
                .insert_json5(key, &value.to_string())
                .map_err(ZenohError::Zenoh)
        };
        set("mode", json!("peer"))?;
        set("scouting/multicast/enabled", json!(false))?;
        set("scouting/gossip/enabled", json!(false))?;
        set("listen/endpoints", json!(self.listen))?;
        set("connect/endpoints", json!(self.connect))?;
        // The node begins without its sources, and dials them for as long as it lives.
        set("connect/timeout_ms", json!(-1))?;
        set("connect/exit_on_failure", json!(false))?;
        let retry =
            json!({ "period_init_ms": 100, "period_max_ms": 1000, "period_increase_factor": 2 });
        set("connect/retry", retry)?;
        set("transport/link/tx/lease", json!(2000))?;
        // Records are dropped before a slow node, never blocked. Questions block for a moment at most: behind a longer wait
        // zenoh closes the link.
        set("transport/link/tx/queue/size/interactive_high", json!(16))?;
        let wait = "transport/link/tx/queue/congestion_control/block/wait_before_close";
        set(wait, json!(50_000))?;
        if let Some(files) = &self.tls {
            for (key, file) in [
                ("root_ca_certificate", &files.authority),
                ("listen_certificate", &files.certificate),
                ("listen_private_key", &files.private_key),
                ("connect_certificate", &files.certificate),
                ("connect_private_key", &files.private_key),
            ] {
                set(&format!("transport/link/tls/{key}"), json!(file))?;
            }
            set("transport/link/tls/enable_mtls", json!(true))?;
        }
        Ok(config)
    }

    fn check(&self) -> Result<(), ZenohError> {
        let is_allowed = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
        if !(1..=64).contains(&self.world.len()) || !self.world.chars().all(is_allowed) {
            return Err(ZenohError::World(self.world.clone()));
        }
        for endpoint in self.listen.iter().chain(&self.connect) {
            let is_safe = match endpoint.split_once('/') {
                Some(("tls", _)) => self.tls.is_some(),
                Some(("tcp", address)) => is_loopback(address),
                _ => false,
            };
            if !is_safe {
                return Err(ZenohError::Endpoint(endpoint.clone()));
            }
        }
        Ok(())
    }
}

/// Returns whether an address with its port is one of this machine.
fn is_loopback(address: &str) -> bool {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse().is_ok_and(|host: IpAddr| host.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_beyond_this_machine_are_encrypted() {
        let with = |endpoint: &str, tls: bool| {
            let mut config = ZenohConfig::new("world", Role::Relay);
            config.connect = vec![endpoint.into()];
            config.tls = tls.then(|| TlsFiles {
                authority: "authority.pem".into(),
                certificate: "node.pem".into(),
                private_key: "node.key".into(),
            });
            config.to_zenoh().map(drop)
        };
        for endpoint in ["tcp/127.0.0.1:7447", "tcp/[::1]:7447", "tcp/localhost:1"] {
            with(endpoint, false).unwrap();
        }
        for endpoint in [
            "tcp/10.0.0.1:7447",
            "tcp/0.0.0.0:1",
            "udp/127.0.0.1:1",
            "127.0.0.1:1",
        ] {
            let error = with(endpoint, true).unwrap_err().to_string();
            assert!(error.contains(endpoint), "{error}");
        }
        with("tls/10.0.0.1:7447", true).unwrap();
        with("tls/10.0.0.1:7447", false).unwrap_err();
    }

    #[test]
    fn a_world_is_one_part_of_a_key() {
        for world in ["", "a/b", "a*", "ä", &"a".repeat(65)] {
            let error = ZenohConfig::new(world, Role::Zone).to_zenoh().unwrap_err();
            assert!(matches!(error, ZenohError::World(_)), "{error}");
        }
    }
}
