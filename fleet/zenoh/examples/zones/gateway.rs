//! Process of the gateway.

use std::time::{Duration, Instant};

use syncvar::ServerConfig;
use syncvar::prelude::*;
use syncvar::transport::{Host, TransportOptions};
use syncvar_fleet::gateway::{Gateway, GatewayConfig};
use syncvar_fleet::{NodeId, Role};

use crate::carriers::Links;
use crate::process::Fallible;
use crate::world::clock;

/// Runs a gateway for players at an address, with the zones at others.
pub(crate) fn run<L: Links>(players: &str, zones: &[&str]) -> Fallible<()> {
    let incarnation = clock()?;
    let (mut links, carrier) = L::open(NodeId(incarnation), Role::Gateway, None, zones)?;
    let mut host = Host::new(TransportOptions::default());
    host.listen_tcp(players)?;
    let server = ServerConfig {
        incarnation,
        ..ServerConfig::default()
    };
    let config = GatewayConfig {
        server,
        ..GatewayConfig::default()
    };
    let mut gateway = Gateway::new(carrier, config)?;
    println!("ready");
    let started = Instant::now();
    loop {
        let now = started.elapsed();
        links.receive(gateway.carrier_mut(), now);
        host.receive(&mut gateway, now);
        gateway.update(now);
        while let Some(event) = gateway.poll_event() {
            if let ServerEvent::Connected { connection } = event
                && let Some(server) = gateway.server_mut()
            {
                server.set_player_key(connection, format!("player {connection}"))?;
            }
        }
        host.transmit(&mut gateway, now);
        links.transmit(gateway.carrier_mut(), now);
        std::thread::sleep(Duration::from_millis(1));
    }
}
