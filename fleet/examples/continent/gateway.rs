//! Process of the gateway: pages and bots join here, and it is the origin of the relay.

use std::time::{Duration, Instant};

use syncvar::ServerConfig;
use syncvar::prelude::*;
use syncvar::transport::{Host, TransportOptions};
use syncvar::untyped::Value;
use syncvar::websocket::WebPort;
use syncvar_fleet::gateway::{Gateway, GatewayConfig};
use syncvar_fleet::link::LinkCarrier;
use syncvar_fleet::sockets::FleetSockets;
use syncvar_fleet::{NodeId, Origin, Role};

use crate::Fallible;
use crate::world::start_number;

/// Runs a gateway with the page at an address for players, an address for relays, and the addresses of zones. Prints the number of each zone that
/// a page wants to kill.
pub(crate) fn run(players: &str, relays: &str, zones: &[&str]) -> Fallible<()> {
    let incarnation = start_number();
    let mut carrier = LinkCarrier::new(NodeId(incarnation), Role::Gateway, "");
    let mut links = FleetSockets::new();
    for zone in zones {
        links.dial_tcp(&mut carrier, zone)?;
    }
    let mut host = Host::new(TransportOptions::default());
    host.listen(players, pages())?;
    let server = ServerConfig {
        incarnation,
        ..ServerConfig::default()
    };
    let config = GatewayConfig {
        server,
        ..GatewayConfig::default()
    };
    let mut gateway = Gateway::new(carrier, config)?;
    let mut origin: Option<Origin> = None;
    let mut upstream = LinkCarrier::new(NodeId(incarnation + 1), Role::Origin, "");
    let mut sockets = FleetSockets::new();
    sockets.listen_tcp(relays)?;

    let started = Instant::now();
    loop {
        let now = started.elapsed();
        links.receive(gateway.carrier_mut(), now);
        host.receive(&mut gateway, now);
        sockets.receive(&mut upstream, now);
        gateway.update(now);
        while let Some(event) = gateway.poll_event() {
            match event {
                ServerEvent::Connected { connection } => enter(&mut gateway, connection)?,
                ServerEvent::Message { message, .. } => {
                    if let Some(Value::Struct(kill)) = message.value()
                        && let Some(zone) = kill.get("zone")
                    {
                        println!("{zone}");
                    }
                }
                _ => {}
            }
        }
        if let Some(server) = gateway.server_mut() {
            let origin = match &mut origin {
                Some(origin) => origin,
                None => origin.insert(Origin::begin(server)?),
            };
            origin.pump(server, &mut upstream, now);
        }
        host.transmit(&mut gateway, now);
        links.transmit(gateway.carrier_mut(), now);
        sockets.transmit(&mut upstream, now);
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Names a player: a bot by its own name, a page by its connection.
fn enter(gateway: &mut Gateway<LinkCarrier>, connection: ConnectionId) -> Fallible<()> {
    let Some(server) = gateway.server_mut() else {
        return Ok(());
    };
    let payload = server.join_payload(connection);
    let name = payload.and_then(|it| it.decode::<String>().ok());
    let name = name.filter(|it| it.starts_with("bot "));
    let guest = || format!("guest {connection} of {}", std::process::id());
    server.set_player_key(connection, name.unwrap_or_else(guest))?;
    Ok(())
}

fn pages() -> WebPort {
    let html = "text/html; charset=utf-8";
    let script = "text/javascript; charset=utf-8";
    WebPort::new()
        .page("/", html, include_str!("web/index.html"))
        .page("/page.js", script, include_str!("web/page.js"))
        .page(
            "/syncvar.js",
            script,
            include_str!("../../../clients/typescript/syncvar.js"),
        )
        .page(
            "/track.js",
            script,
            include_str!("../../../clients/typescript/track.js"),
        )
}
