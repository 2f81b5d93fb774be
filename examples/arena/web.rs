//! The game for browsers: pages, WebTransport and WebSocket on one port, beside native bots by TCP.

use std::io;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::{Value, json};
use syncvar::ServerConfig;
use syncvar::prelude::*;
use syncvar::quic::QuicPort;
use syncvar::tcp::TcpOptions;
use syncvar::tls::Identity;
use syncvar::transport::Host;
use syncvar::websocket::WebPort;

use crate::body::Body;
use crate::crown::Crown;
use crate::fighter::Fighter;
use crate::game::Game;
use crate::{bot, prefabs};

/// Whether the pages are open.
pub(crate) static IS_OPEN: AtomicBool = AtomicBool::new(false);

/// Default address.
const ADDRESS: &str = "127.0.0.1:7777";

/// Time in which a page without a connection may return to its fighter: a sleeping tab loses its own.
const GRACE: Duration = Duration::from_mins(2);

/// Serves the game until the program is stopped.
pub(crate) async fn serve() -> io::Result<ExitCode> {
    let address = std::env::args().nth(1).unwrap_or_else(|| ADDRESS.into());
    let mut server = server();
    let mut game = Game::new(&mut server, Duration::MAX);
    let state = Arc::new(Mutex::new(Bytes::new()));
    let (mut host, addr) = listen(&address, &state)?;
    IS_OPEN.store(true, Ordering::Relaxed);
    println!("http://{addr}/");
    for name in ["Ada", "Bob", "Cleo"] {
        tokio::spawn(bot::play(addr, name));
    }
    let tick = |server: &mut NetworkServer, now| {
        let next = game.tick(server, now);
        *state.lock().unwrap_or_else(PoisonError::into_inner) = describe(server);
        next
    };
    host.run(&mut server, tick).await;
    Ok(ExitCode::SUCCESS)
}

/// Makes a server whose clients may return after a lost link.
fn server() -> NetworkServer {
    let config = ServerConfig {
        incarnation: u64::from_le_bytes(random()),
        reconnect_grace: GRACE,
        session_tokens: Some(random),
        ..ServerConfig::default()
    };
    NetworkServer::with_config(prefabs(), config)
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    SystemRandom::new()
        .fill(&mut bytes)
        .expect("the system has random numbers");
    bytes
}

/// Listens by TCP with the pages, and by UDP on the port of the same number.
fn listen(
    address: &str,
    state: &Arc<Mutex<Bytes>>,
) -> io::Result<(Host<NetworkServer>, SocketAddr)> {
    let identity = Identity::generated(&["localhost", "127.0.0.1"])?;
    let (hashes, state) = (identity.clone(), Arc::clone(state));
    let script = "text/javascript";
    let port = WebPort::new()
        .page(
            "/",
            "text/html; charset=utf-8",
            include_str!("web/index.html"),
        )
        .page("/page.js", script, include_str!("web/page.js"))
        .page("/drawing.js", script, include_str!("web/drawing.js"))
        .page(
            "/syncvar.js",
            script,
            include_str!("../../clients/typescript/syncvar.js"),
        )
        .answer("/cert-hashes", "application/json", move || {
            hashes.hashes_json().into()
        })
        .answer("/state.json", "application/json", move || {
            state.lock().unwrap_or_else(PoisonError::into_inner).clone()
        });
    let mut host = Host::new(TcpOptions::default());
    host.listen(address, port)?;
    let addr = host.local_addrs()?[0];
    host.listen(addr, QuicPort::new(&identity))?;
    Ok((host, addr))
}

/// Describes all objects as JSON, for a comparison with those of a page.
fn describe(server: &NetworkServer) -> Bytes {
    let objects = server
        .identities()
        .map(|identity| object(server, identity.net_id()));
    objects.collect::<Value>().to_string().into()
}

fn object(server: &NetworkServer, id: NetId) -> Value {
    if let (Some(fighter), Some(body)) = (server.get::<Fighter>(id), server.get::<Body>(id)) {
        let buffs = fighter.buffs.iter();
        let buffs: Vec<_> = buffs
            .map(|buff| json!({ "name": buff.name, "strength": buff.strength }))
            .collect();
        return json!({
            "id": id.0,
            "name": *fighter.name,
            "health": *fighter.health,
            "stance": format!("{:?}", *fighter.stance),
            "buffs": buffs,
            "position": { "x": body.position.x, "y": body.position.y },
        });
    }
    let crown = server.get::<Crown>(id);
    json!({
        "id": id.0,
        "wearer": crown.map_or(0, |crown| crown.wearer.id().0),
        "motto": crown.map_or("", |crown| crown.motto.as_str()),
    })
}
