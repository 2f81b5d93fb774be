//! A server for Unity clients that are built on Mirror: its prefabs are those of a small Unity project (`objects.rs`), and what happens there is a
//! script (`world.rs`) that starts when the first player comes in.
//!
//! ```text
//! cargo run --example mirror_server                                  # Telepathy and KCP, both on port 7777
//! cargo run --example mirror_server -- 0.0.0.0:8000 0.0.0.0:8001     # Telepathy, KCP
//! cargo run --example mirror_server -- --check                       # two bots join, one by each; compares everything at the end
//! ```
//!
//! On the Unity side: a `NetworkManager` with Telepathy or KCP as its transport, this machine as its address, and three prefabs with the asset ids
//! 1001 (`Player`, `Wallet` with `syncMode = Owner`, `Aim` with `syncDirection = ClientToServer`), 1002 (`Monster`) and 1003 (`Door`). A door of the scene has
//! the scene id 0x1234567800000001. `examples/mirror_bot` is such a client in Rust.

mod check;
mod objects;
mod world;

use std::io;
use std::process::ExitCode;

use syncvar_mirror::MirrorServer;
use syncvar_mirror::transport::MirrorHost;

use world::World;

/// Mirror's port, of both transports.
const ADDRESS: &str = "0.0.0.0:7777";

#[tokio::main]
async fn main() -> io::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--check") {
        return check::run().await;
    }
    let address = |index: usize| arguments.get(index).map_or(ADDRESS, String::as_str);
    let (mut world, server) = new_world();
    let host = MirrorHost::telepathy(address(0), server).await?;
    let host = host.and_kcp(address(1)).await?;
    if let [telepathy, kcp] = host.local_addrs()?[..] {
        println!("Telepathy on {telepathy}, KCP on {kcp}");
    }
    host.run(move |server, now| world.tick(server, now)).await;
    Ok(ExitCode::SUCCESS)
}

/// A server, and the world on it.
fn new_world() -> (World, MirrorServer) {
    let mut server = world::server();
    (World::new(&mut server), server)
}
