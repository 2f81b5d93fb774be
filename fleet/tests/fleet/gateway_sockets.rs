//! A gateway over TCP between its nodes.

use std::time::{Duration, Instant};

use syncvar::prelude::*;
use syncvar::{Endpoint, PacketLimits, ServerConfig};
use syncvar_fleet::gateway::{Gateway, GatewayConfig};
use syncvar_fleet::link::LinkCarrier;
use syncvar_fleet::sockets::FleetSockets;
use syncvar_fleet::zone::ZoneId;
use syncvar_fleet::{NodeId, Role};

use crate::socket_zone::SocketZone;
use crate::zone_world::{Walker, prefabs};

/// Runs two zones and a gateway until the walker of a client is in the second zone. Returns the values of `calls` in the zone and on the
/// client, and the objects that have ended on the client.
fn walk() -> Result<Option<[u32; 3]>, Box<dyn std::error::Error>> {
    let server = ServerConfig {
        incarnation: 99,
        ..ServerConfig::default()
    };
    let config = GatewayConfig {
        server,
        ..GatewayConfig::default()
    };
    let carrier = LinkCarrier::new(NodeId(99), Role::Gateway, "").with_key("key");
    let mut gateway = Gateway::new(carrier, config)?;
    let mut links = FleetSockets::new();
    let mut nodes = Vec::new();
    let mut first = None;
    for number in 1..=2 {
        let (node, address) = SocketZone::new(number, first)?;
        first.get_or_insert(address);
        links.dial_tcp(gateway.carrier_mut(), address)?;
        nodes.push(node);
    }
    let mut client = NetworkClient::new(prefabs());
    let link = gateway.handle_connect(PacketLimits::STREAM);
    client.handle_connect();
    let (started, mut walker, mut called, mut ended) = (Instant::now(), None, 0, 0);
    while started.elapsed() < Duration::from_mins(1) {
        let now = started.elapsed();
        for node in &mut nodes {
            node.run(now, |server, program| {
                let walker = *walker.get_or_insert_with(|| {
                    let walker = server.spawn(Walker::default());
                    server.give_to_player(walker, "ann").expect("the walker");
                    walker
                });
                program.0.entry(walker).or_insert(1);
                let is_seen = client.identity(walker).is_some();
                if is_seen && let Ok(mut walker) = server.get_mut::<Walker>(walker) {
                    walker.x += 1.0;
                }
            })?;
        }
        links.receive(gateway.carrier_mut(), now);
        gateway.update(now);
        links.transmit(gateway.carrier_mut(), now);
        while let Some(event) = gateway.poll_event() {
            if let ServerEvent::Connected { connection } = event {
                let server = gateway.server_mut().ok_or("no server")?;
                server.set_player_key(connection, "ann")?;
            }
        }
        client.update(now);
        while let Some(packet) = gateway.poll_transmit() {
            client.handle_packet(packet.channel, &packet.to_bytes())?;
        }
        while let Some(event) = client.poll_event() {
            ended += u32::from(matches!(event, ClientEvent::Despawned { .. }));
        }
        let own = walker.filter(|walker| client.is_owner(*walker));
        if let Some(own) = own.filter(|_| called < 50) {
            called += 1;
            client.calls::<Walker>(own).call(called)?;
        }
        while gateway.accepts_packets(link)
            && let Some(packet) = client.poll_transmit()
        {
            Endpoint::handle_packet(&mut gateway, link, packet.channel, &packet.bytes)?;
        }
        let east = nodes[1].zone.server();
        if let Some(own) = own
            && let Some(there) = east.get::<Walker>(own)
            && let Some(seen) = client.get::<Walker>(own)
            && gateway.zone_of(own) == Some(ZoneId(2))
            && *seen.calls == 50
        {
            return Ok(Some([*there.calls, *there.wrong_calls, ended]));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(None)
}

#[test]
fn a_client_crosses_a_border_over_sockets() {
    assert_eq!(walk().unwrap(), Some([50, 0, 0]));
}
