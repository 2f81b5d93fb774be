//! A shooter in two dimensions: a server at 60 Hz and 20 bots over TCP, in one loop:
//!
//! ```text
//! cargo run --features tcp,glam --example arena2d
//! LOG=trace cargo run --features tcp,glam --example arena2d
//! ```
//!
//! Players see what is near (an interest grid) and predict their own position. Some bots join late, some lose their link and
//! return. In the end every replica is compared with the server's objects.

mod bot;
mod game;

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use syncvar::ServerConfig;
use syncvar::interest::SpatialGrid;
use syncvar::prelude::*;
use syncvar::tcp::TcpOptions;
use syncvar::testing::compare_replicas;
use syncvar::transport::{Host, Peer};
use tracing::{Level, info_span};

use bot::Bot;
use game::{Game, RATE, prefabs};

/// End of the game, and of the rest in which the last shots and packets arrive.
const ENDS: [Duration; 2] = [Duration::from_secs(4), Duration::from_secs(6)];

/// Returns 16 bytes that a client cannot guess.
fn token() -> [u8; 16] {
    let number = || u128::from(RandomState::new().hash_one(0));
    (number() << 64 | number()).to_ne_bytes()
}

fn main() -> io::Result<ExitCode> {
    let level = std::env::var("LOG").unwrap_or_else(|_| "warn".into());
    let level = level.parse::<Level>().map_err(io::Error::other)?;
    tracing_subscriber::fmt().with_max_level(level).init();
    let config = ServerConfig {
        tick_rate: RATE.into(),
        reconnect_grace: Duration::from_secs(5),
        session_tokens: Some(token),
        profile: true,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_interest(prefabs(), config, SpatialGrid::xy(10.0, 30.0));
    let mut game = Game::new(&mut server);
    let mut host = Host::new(TcpOptions::default());
    host.listen_tcp("127.0.0.1:0")?;
    let addr = host.local_addrs()?[0];

    let (begin, mut bots) = (Instant::now(), Vec::new());
    for tick in 0.. {
        std::thread::sleep(
            (Duration::from_secs(tick) / RATE.into()).saturating_sub(begin.elapsed()),
        );
        let now = begin.elapsed();
        if now > ENDS[1] {
            break;
        }
        host.receive(&mut server, now);
        game.tick(&mut server);
        server.update(now);
        host.transmit(&mut server, now);
        // The last four bots are late.
        if bots.len() < 16 || bots.len() < 20 && tick > 120 {
            bots.push(Bot::new(addr, &format!("bot {}", bots.len()))?);
        }
        for (number, bot) in bots.iter_mut().enumerate() {
            let _span = info_span!("bot", number).entered();
            if tick == 150 && number % 5 == 4 {
                // A broken link: the client returns to its session.
                bot.peer = Peer::tcp(addr, &bot.client, TcpOptions::default())?;
            }
            bot.frame(now, now < ENDS[0]);
        }
    }

    let (mut equal, mut corrections) = (true, 0);
    let connections: Vec<_> = server.connections().collect();
    for (connection, bot) in connections.into_iter().zip(&mut bots) {
        for difference in compare_replicas(&mut server, connection, &mut bot.client) {
            println!("{difference}");
            equal = false;
        }
        corrections += bot.corrections;
    }
    println!("{}\n{corrections} corrections", server.stats());
    println!("all replicas are equal to the server's objects: {equal}");
    Ok(ExitCode::from(u8::from(!equal)))
}
