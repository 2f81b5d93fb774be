//! A Rust bot on a Mirror server: a Unity build, or `examples/mirror_server`.
//!
//! ```text
//! cargo run --example mirror_bot -- telepathy 127.0.0.1:7777
//! cargo run --example mirror_bot -- kcp 127.0.0.1:7777
//! ```
//!
//! It joins, sends a chat message, aims, toggles the door, and prints all events for some seconds (the third argument).

#[allow(dead_code, reason = "some of it is the server's alone")]
#[path = "mirror_server/objects.rs"]
mod objects;

use std::io;
use std::time::Duration;

use syncvar::mirror::MirrorPeer;
use syncvar::mirror::{MirrorClient, MirrorClientEvent};
use tokio::time::{Instant, timeout_at};

use objects::{Aim, Door, GlobalMsg, Item, Player, SCENE_DOOR, Wallet, prefabs};

#[tokio::main]
async fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let transport = arguments.next().unwrap_or_else(|| "telepathy".into());
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:7777".into());
    let seconds = arguments.next().and_then(|seconds| seconds.parse().ok());

    let mut client = MirrorClient::new(prefabs());
    let added = client.add_scene_object(SCENE_DOOR, Door::default());
    added.map_err(io::Error::other)?;
    let mut peer = match &*transport {
        "kcp" => MirrorPeer::kcp(address, client).await?,
        _ => MirrorPeer::telepathy(address, client).await?,
    };
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(5));
    while let Ok(Some(event)) = timeout_at(end, peer.next_event()).await {
        println!("{event:?}");
        if let MirrorClientEvent::PlayerChanged { .. } = event {
            greet(peer.client_mut());
        }
    }
    report(peer.client());
    peer.disconnect().await;
    Ok(())
}

/// Acts once when the bot gets its player.
fn greet(client: &mut MirrorClient) {
    let Some(player) = client.local_player() else {
        return;
    };
    let mut said = client
        .calls::<Player>(player)
        .chat("hello from Rust".into());
    if let Some(door) = client.scene_object(SCENE_DOOR) {
        said = said.and(client.calls::<Door>(door).toggle());
    }
    if let Ok(mut aim) = client.get_mut::<Aim>(player) {
        aim.yaw.set(1.5);
        aim.firing.set(true);
    }
    let item = Item {
        id: 1,
        name: "n".into(),
        weight: 2.0,
    };
    let sent = client.send(&GlobalMsg { a: 7, item });
    if let (Err(error), _) = (said, &sent) {
        println!("a call was not sent: {error}");
    }
    if let Err(error) = sent {
        println!("a message was not sent: {error}");
    }
}

/// Prints the bot's replicas at the end.
fn report(client: &MirrorClient) {
    println!(
        "{} objects, {:?} to the server and back",
        client.object_count(),
        client.rtt()
    );
    let player = client.local_player();
    if let Some(player) = player.and_then(|id| client.get::<Player>(id)) {
        println!("{}, health {}", player.name, player.health);
        println!("inventory {:?}", player.inventory.to_vec());
        for line in &player.seen {
            println!("  {line}");
        }
    }
    if let Some(wallet) = player.and_then(|id| client.get::<Wallet>(id)) {
        println!("{} gold", wallet.gold);
    }
}
