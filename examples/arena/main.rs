//! A small game over TCP: fighters, played by bots, strike each other for a crown. The server and all clients run in this process:
//!
//! ```text
//! cargo run --example arena
//! ```
//!
//! With the feature `web` it prints a URL instead: bots and the pages of browsers play together until Ctrl-C.
//! `-- 0.0.0.0:7777` is another address, for a phone; `-- --check` plays the game without pages.
//!
//! ```text
//! cargo run --example arena --features web
//! ```
//!
//! Look in its output for these features:
//!
//! * a **command** is a request of a bot to the server: to strike, to drink, to take the crown;
//! * an **RPC** or **event** is a message of the server to all observers or to one client;
//! * a **pack** is a fighter's inventory, sent to its owner alone;
//! * a **stance** and a **motto** are written by the owner of the object and relayed by the server;
//! * **Cleo** joins late and receives a snapshot of each object;
//! * the crown changes its **owner** each time a fighter takes it.
//!
//! In the end the program compares every replica with the server's object.

mod body;
mod bot;
mod crown;
mod fighter;
mod game;
mod report;
#[cfg(feature = "web")]
mod web;

use std::fmt::Display;
use std::io;
use std::process::ExitCode;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use syncvar::prelude::*;
use syncvar::tcp::{TcpServer, TransportOptions};

use body::Body;
use crown::Crown;
use fighter::Fighter;
use game::Game;

/// Builds the registry of prefabs, equal on the server and its clients.
fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<(Fighter, Body)>("fighter")
        .register::<Crown>("crown")
}

#[tokio::main]
async fn main() -> io::Result<ExitCode> {
    #[cfg(feature = "web")]
    if std::env::args().nth(1).as_deref() != Some("--check") {
        return web::serve().await;
    }
    Box::pin(play()).await
}

/// Plays a short game, and compares all replicas.
async fn play() -> io::Result<ExitCode> {
    let mut server = NetworkServer::new(prefabs());
    let mut game = Game::new(&mut server, Duration::from_secs(6));
    let tcp = TcpServer::bind("127.0.0.1:0", server, TransportOptions::default()).await?;
    let addr = tcp.local_addr()?;
    say("server", format!("the arena is open at {addr}"));
    let server = tokio::spawn(tcp.run(move |server, now| game.tick(server, now)));

    let ada = tokio::spawn(bot::play(addr, "Ada"));
    tokio::time::sleep(Duration::from_millis(150)).await;
    let bob = tokio::spawn(bot::play(addr, "Bob"));
    tokio::time::sleep(Duration::from_secs(2)).await;
    let cleo = tokio::spawn(bot::play(addr, "Cleo"));

    let server = server.await?;
    let bots = [ada.await??, bob.await??, cleo.await??];
    Ok(if report::compare(&server, &bots) {
        println!("\nEvery replica has what it may have, and nothing else.");
        ExitCode::SUCCESS
    } else {
        println!("\nThe replicas are NOT what they should be.");
        ExitCode::FAILURE
    })
}

/// Prints a line with time, name and text. With pages, the log is silent.
fn say(who: &str, what: impl Display) {
    #[cfg(feature = "web")]
    if web::IS_OPEN.load(std::sync::atomic::Ordering::Relaxed) {
        return;
    }
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    println!("{:5.2} s  {who:8}{what}", START.elapsed().as_secs_f64());
}
