//! A server for Unity clients built on Mirror. Its prefabs are those of a small Unity project (`objects.rs`), and a script (`world.rs`) starts when the
//! first player joins.
//!
//! ```text
//! cargo run --example mirror_server                                  # Telepathy and KCP on port 7777, WebSocket on 27777
//! cargo run --example mirror_server -- 0.0.0.0:8000 0.0.0.0:8001 0.0.0.0:8002     # Telepathy, KCP, WebSocket
//! cargo run --example mirror_server -- --check                       # three bots join, one by each; compares everything at the end
//! ```
//!
//! On the Unity side: a `NetworkManager` with Telepathy, KCP or `SimpleWebTransport` as its transport, this machine as its address, and five prefabs with the asset ids
//! 1001 (`Player`, `Wallet` with `syncMode = Owner`, `Aim` with `syncDirection = ClientToServer`), 1002 (`Monster`), 1003 (`Door`), 1004
//! (`NetworkTransformReliable` with `syncDirection = ServerToClient` and `syncInterval = 0`) and 1005 (`NetworkAnimator` likewise; `objects.rs` names the
//! parameters and states of its controller). A door of the scene has the scene id 0x1234567800000001. `examples/mirror_bot` is such a client in Rust.

mod check;
mod objects;
mod world;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;

use syncvar::mirror::MirrorHost;
use syncvar::mirror::MirrorServer;
use syncvar::websocket::WebPort;

use world::World;

/// Mirror's port, for Telepathy and KCP.
const TELEPATHY: &str = "0.0.0.0:7777";

/// Port of `SimpleWebTransport`, for WebGL builds.
const WEBSOCKET: &str = "0.0.0.0:27777";

/// Candidate addresses; the first available one is used. `[::]` includes IPv4: Unity clients resolve `localhost` to either.
const KCP: &[SocketAddr] = &[
    SocketAddr::new(IpAddr::V6(Ipv6Addr::UNSPECIFIED), 7777),
    SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 7777),
];

#[tokio::main]
async fn main() -> io::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--check") {
        return Box::pin(check::run()).await;
    }
    let (mut world, server) = new_world();
    let telepathy = arguments.first().map_or(TELEPATHY, String::as_str);
    let host = MirrorHost::telepathy(telepathy, server).await?;
    let host = match arguments.get(1) {
        Some(kcp) => host.and_kcp(kcp.as_str()).await?,
        None => host.and_kcp(KCP).await?,
    };
    let websocket = arguments.get(2).map_or(WEBSOCKET, String::as_str);
    let host = host
        .and_websocket(websocket, WebPort::new().mirror())
        .await?;
    if let [telepathy, kcp, websocket] = host.local_addrs()?[..] {
        println!("Telepathy on {telepathy}, KCP on {kcp}, WebSocket on {websocket}");
    }
    host.run(move |server, now| world.tick(server, now)).await;
    Ok(ExitCode::SUCCESS)
}

/// Creates a server and its world.
fn new_world() -> (World, MirrorServer) {
    let mut server = world::server();
    (World::new(&mut server), server)
}
