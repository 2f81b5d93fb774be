//! A server and two clients over TCP, one of which joins late, in one process:
//!
//! ```text
//! cargo run --example quickstart
//! ```
//!
//! The same game in two terminals:
//!
//! ```text
//! cargo run --example quickstart -- serve 127.0.0.1:7777
//! cargo run --example quickstart -- join 127.0.0.1:7777
//! ```

#[path = "quickstart/player.rs"]
mod player;

use std::fmt::Display;
use std::io;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use syncvar::prelude::*;
use syncvar::tcp::{TcpClient, TcpServer, TransportOptions};
use syncvar::{NetworkIdentity, stats::MessageType};

use player::{Player, place};

/// Builds the registry of prefabs, equal on the server and its clients.
fn prefabs() -> Prefabs {
    Prefabs::new().register::<Player>("player")
}

/// The game, on the server.
struct Game {
    ada: NetId,
    /// Number of steps so far.
    steps: u32,
    /// Duration of the game.
    length: Duration,
    /// Bytes of all updates so far.
    bytes: u64,
}

impl Game {
    fn new(server: &mut NetworkServer, length: Duration) -> Self {
        let ada = server.spawn(Player::new("Ada", 100));
        Self {
            ada,
            steps: 0,
            length,
            bytes: 0,
        }
    }

    /// Runs one tick; its changes are sent when it returns.
    fn tick(&mut self, server: &mut NetworkServer, now: Duration) -> ControlFlow<()> {
        while let Some(event) = server.poll_event() {
            say("server", format!("{event:?}"));
        }
        let bytes = server.stats().encoded(MessageType::UpdateBatch).bytes;
        if bytes > self.bytes {
            let (new, clients) = (bytes - self.bytes, server.connections().count());
            let cost = format!("  update: {new} bytes, written once for {clients} client(s)");
            say("server", cost);
            self.bytes = bytes;
        }
        if now > self.length {
            return ControlFlow::Break(());
        }
        if now > Duration::from_millis(500) * (self.steps + 1) {
            if self.steps == 6 {
                server.spawn(Player::new("Grace", 80));
                say("server", "Grace is spawned");
            } else if let Ok(mut ada) = server.get_mut::<Player>(self.ada) {
                say("server", ada.act(self.steps));
            }
            self.steps += 1;
        }
        ControlFlow::Continue(())
    }
}

/// Opens a server with a game on it.
async fn open(addr: &str, length: Duration) -> io::Result<(TcpServer, Game)> {
    let mut server = NetworkServer::new(prefabs());
    let game = Game::new(&mut server, length);
    let server = TcpServer::bind(addr, server, TransportOptions::default()).await?;
    say("server", format!("listens on {}", server.local_addr()?));
    Ok((server, game))
}

/// Joins a server and prints all events until the server ends the connection. Returns the client with its
/// replicas.
async fn join(addr: String, who: &str) -> io::Result<TcpClient> {
    let mut tcp = TcpClient::connect(addr, NetworkClient::new(prefabs())).await?;
    while let Some(event) = tcp.next_event().await {
        match event {
            ClientEvent::Spawned { object } => {
                let [name, health, position] = fields(tcp.client().get(object));
                let player = format!("{name}, health {health}, at {position}");
                say(who, format!("{object} is there: {player}"));
            }
            ClientEvent::Changed { object, fields, .. } => {
                say(who, format!("{object} changes: {fields:?}"));
                if let Ok(mut player) = tcp.client_mut().get_mut::<Player>(object) {
                    for seen in player.seen.drain(..) {
                        say(who, format!("  hook: {seen}"));
                    }
                }
            }
            event => say(who, format!("{event:?}")),
        }
    }
    Ok(tcp)
}

#[tokio::main]
async fn main() -> io::Result<ExitCode> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => return Box::pin(demo()).await,
        ["serve", addr] => {
            let (server, mut game) = open(addr, Duration::from_mins(10)).await?;
            server.run(move |server, now| game.tick(server, now)).await;
        }
        ["join", addr] => {
            join(addr.into(), "client").await?;
        }
        _ => {
            println!("usage: quickstart [serve ADDR | join ADDR]");
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs a server, a client, and a little later another client; in the end all replicas must be equal.
async fn demo() -> io::Result<ExitCode> {
    let (server, mut game) = open("127.0.0.1:0", Duration::from_secs(5)).await?;
    let addr = server.local_addr()?.to_string();
    let server = tokio::spawn(server.run(move |server, now| game.tick(server, now)));
    let early = tokio::spawn(join(addr.clone(), "early"));
    tokio::time::sleep(Duration::from_millis(1600)).await;
    let late = tokio::spawn(join(addr, "late"));

    let (server, early, late) = (server.await?, early.await??, late.await??);
    Ok(if compare(&server, early.client(), late.client()) {
        println!("\nAll replicas are equal to the server's objects.");
        ExitCode::SUCCESS
    } else {
        println!("\nThe replicas are NOT equal to the server's objects.");
        ExitCode::FAILURE
    })
}

/// Prints every field of every object on the server and on both clients. Returns `true` if all are
/// equal.
fn compare(server: &NetworkServer, early: &NetworkClient, late: &NetworkClient) -> bool {
    println!("\nobject  field     server            early             late");
    let mut equal = [early, late].map(NetworkClient::object_count) == [server.object_count(); 2];
    for id in server.identities().map(NetworkIdentity::net_id) {
        let columns = [server.get(id), early.get(id), late.get(id)].map(fields);
        for (row, field) in ["name", "health", "position"].into_iter().enumerate() {
            let [on_server, on_early, on_late] = columns.each_ref().map(|column| &column[row]);
            equal &= on_server == on_early && on_server == on_late;
            println!("{id}      {field:10}{on_server:18}{on_early:18}{on_late}");
        }
    }
    equal
}

/// Returns the exact values of a player as text; empty without a player.
fn fields(player: Option<&Player>) -> [String; 3] {
    let values = |p: &Player| [p.name.to_string(), p.health.to_string(), place(&p.position)];
    player.map(values).unwrap_or_default()
}

/// Prints a line with time, name and text.
fn say(who: &str, what: impl Display) {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    println!("{:5.2} s  {who:8}{what}", START.elapsed().as_secs_f64());
}
