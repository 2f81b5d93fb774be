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
use tracing::{Instrument, Level, info_span};

use game::{Game, Player, prefabs};

/// Duration of the game.
const LENGTH: Duration = Duration::from_secs(5);

#[tokio::main]
async fn main() -> io::Result<ExitCode> {
    let level = std::env::var("LOG").unwrap_or_else(|_| "warn".into());
    let level = level.parse::<Level>().map_err(io::Error::other)?;
    tracing_subscriber::fmt().with_max_level(level).init();

    let mut config = ServerConfig::default();
    (config.tick_rate, config.profile) = (game::RATE.into(), true);
    let mut server = NetworkServer::with_interest(prefabs(), config, SpatialGrid::xy(10.0, 30.0));
    let mut game = Game::new(&mut server);
    let mut host = Host::new(TcpOptions::default().into());
    host.listen_tcp("127.0.0.1:0").await?;
    let addr = host.local_addrs()?[0];
    let bots = (0..20).map(|number| {
        let start = Duration::from_secs(if number < 16 { 0 } else { 2 });
        let play = bot::play(
            addr,
            format!("bot {number}"),
            (start, LENGTH),
            number % 5 == 4,
        );
        tokio::spawn(play.instrument(info_span!("bot", number)))
    });
    let bots: Vec<_> = bots.collect();

    let begin = Instant::now();
    let mut ticks = interval(Duration::from_secs(1) / game::RATE.into());
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

    let (mut equal, mut hits, mut corrections) = (true, 0, 0);
    for bot in bots {
        let (bot, mut tcp) = bot.await??;
        let client = tcp.client_mut();
        let connection = server.owner(bot.me).expect("each bot has a player");
        for difference in compare_replicas(&mut server, connection, client) {
            println!("{difference}");
            equal = false;
        }
        corrections += bot.corrections;
        hits += client.iter::<Player>().map(|(_, it)| it.hits).sum::<u32>();
    }
    println!(
        "{}\n{hits} hits seen, {corrections} corrections",
        server.stats()
    );
    println!("all replicas are equal to the server's objects: {equal}");
    Ok(ExitCode::from(u8::from(!equal)))
}
