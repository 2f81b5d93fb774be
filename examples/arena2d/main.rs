//! A shooter in two dimensions: a server at 60 Hz and 20 bots over TCP, in one process:
//!
//! ```text
//! cargo run --example arena2d
//! LOG=trace cargo run --example arena2d
//! ```
//!
//! Players see what is near (an interest grid), predict their own position, and pick up, shoot and chat by commands. Some bots
//! join late, some leave and return. In the end every replica is compared with the server's objects.

mod bot;
mod game;

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use syncvar::interest::SpatialGrid;
use syncvar::prelude::*;
use syncvar::tcp::{Host, TcpOptions};
use syncvar::testing::compare_replicas;
use syncvar::{Endpoint, ServerConfig};
use tokio::time::{Instant, MissedTickBehavior, interval};

use game::{Game, Player, Scores, prefabs};

const BOTS: u64 = 20;
/// Duration of the game.
const LENGTH: Duration = Duration::from_secs(5);

#[tokio::main]
async fn main() -> io::Result<ExitCode> {
    let level = std::env::var("LOG")
        .ok()
        .and_then(|level| level.parse().ok());
    let level: tracing::Level = level.unwrap_or(tracing::Level::WARN);
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_target(false)
        .without_time()
        .init();

    let mut config = ServerConfig::default();
    (config.tick_rate, config.profile) = (game::RATE, true);
    let mut server = NetworkServer::with_interest(prefabs(), config, SpatialGrid::xy(10.0, 30.0));
    let mut game = Game::new(&mut server);
    let mut host = Host::new(TcpOptions::default().into());
    host.listen_tcp("127.0.0.1:0").await?;
    let addr = host.local_addrs()?[0];
    let start = |number| Duration::from_millis(if number < 16 { 0 } else { 2000 });
    let bots =
        (0..BOTS).map(|number| tokio::spawn(bot::play(addr, number, (start(number), LENGTH))));
    let bots: Vec<_> = bots.collect();

    let begin = Instant::now();
    let mut ticks = interval(Duration::from_secs(1) / game::RATE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    while !bots.iter().all(|bot| bot.is_finished()) {
        tokio::select! {
            _ = ticks.tick() => {}
            () = host.readable() => continue,
        }
        host.receive(&mut server).await;
        game.tick(&mut server);
        Endpoint::update(&mut server, begin.elapsed());
        host.transmit(&mut server);
    }

    let (mut differences, mut corrections, mut hits) = (0, 0, 0);
    for bot in bots {
        let (bot, mut tcp) = bot.await??;
        let client = tcp.client_mut();
        let me = client.iter::<Player>().find(|(id, _)| client.is_owner(*id));
        let Some(connection) = me.and_then(|(id, _)| server.owner(id)) else {
            return Err(io::Error::other("a bot has no player"));
        };
        hits += client
            .iter::<Player>()
            .map(|(_, player)| player.hits)
            .sum::<u32>();
        corrections += bot.corrections;
        for difference in compare_replicas(&mut server, connection, client) {
            println!("{difference}");
            differences += 1;
        }
    }
    for (_, scores) in server.iter::<Scores>() {
        println!("kills: {:?}", scores.kills.iter().collect::<Vec<_>>());
    }
    println!(
        "{hits} hits seen, {corrections} corrections\n\n{}",
        server.stats()
    );
    Ok(if differences == 0 {
        println!("All replicas are equal to the server's objects.");
        ExitCode::SUCCESS
    } else {
        println!("{differences} replicas differ.");
        ExitCode::FAILURE
    })
}
