//! Two bots fight over a bad link: predicted movement, a hit-scan weapon that the server rewinds for, rockets.
//!
//! ```text
//! cargo run --example duel -- --conditions "80ms 20ms 5%"
//! ```
//!
//! The conditions are those of each direction: delay, jitter, loss. The program prints a table and ends with the exit code 1
//! if fewer than 99 of 100 hits on a screen are hits on the server. Without conditions, or with an address in front of them,
//! `cargo run --example duel --features web` prints a URL instead: a page plays against the bot, a second page in its place.

mod rules;
#[cfg(feature = "web")]
mod web;

use std::process::ExitCode;
use std::time::Duration;

use rules::{Move, Player, RADIUS, RATE, Rocket, fly, hits, step};
use syncvar::ServerConfig;
use syncvar::motion::Interpolate;
use syncvar::prelude::*;
use syncvar::testing::{Conditions, Random};

const TICKS: u32 = 60 * RATE;

/// One player's program.
struct Bot {
    id: NetId,
    random: Random,
    input: Move,
}

impl Bot {
    /// Plays a frame at a time of the client's clock.
    fn play(&mut self, client: &mut NetworkClient, tick: u32, now: Duration) -> Option<()> {
        if tick.is_multiple_of(20) {
            let [x, y] = [0, 1].map(|_| self.random.between(-1.0, 1.0));
            self.input = Move { x, y };
        }
        client.set_input(&self.input).ok()?;
        client.show_view(now);
        let own = *client.predicted::<Player>(self.id)?.position;
        let (enemy, _) = client.iter::<Player>().find(|(id, _)| *id != self.id)?;
        let view = client.view_at::<Player>(enemy, now)?;
        let seen = view.get(Player::POSITION)?;
        let distance = seen.distance(&own).max(0.1);
        let ahead = Vector2::new((seen.x - own.x) / distance, (seen.y - own.y) / distance);
        if tick.is_multiple_of(60) {
            client.calls::<Player>(self.id).launch(ahead).ok()?;
        }
        if tick.is_multiple_of(4) {
            // Bots miss at times.
            let beside = self.random.between(-1.5, 1.5) * RADIUS / distance;
            let length = 1.0_f32.hypot(beside);
            let (x, y) = (ahead.x - ahead.y * beside, ahead.y + ahead.x * beside);
            let ray = Vector2::new(x / length, y / length);
            let calls = client.calls::<Player>(self.id);
            calls.fire(own, ray, hits(own, ray, seen)).ok()?;
        }
        Some(())
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let text = arguments.find(|it| it == "--conditions");
    let text = text.and_then(|_| arguments.next());
    let Some(link) = conditions(text.as_deref().unwrap_or("40ms 10ms 2%")) else {
        eprintln!("write the conditions as \"80ms 20ms 5%\": delay, jitter, loss");
        return ExitCode::FAILURE;
    };
    #[cfg(feature = "web")]
    if text.is_none()
        || std::env::args()
            .nth(1)
            .is_some_and(|it| it != "--conditions")
    {
        return web::serve(text.is_some().then_some(link));
    }
    let prefabs = || {
        let prefabs = Prefabs::new().register::<Player>("player");
        prefabs.register::<Rocket>("rocket").input::<Move>()
    };
    let mut net = MemoryNetwork::with_config(prefabs, ServerConfig::default(), link);
    (net.tick, net.datagrams) = (Duration::from_secs(1) / RATE, true);
    let mut bots = [1, 2].map(|seed| {
        let client = net.connect();
        let mut player = Player::default();
        player.health.set(100);
        let id = net.server.spawn(player);
        let owner = net.connection(client);
        net.server.set_owner(id, Some(owner)).expect("connected");
        Bot {
            id,
            random: Random::new(seed),
            input: Move::default(),
        }
    });
    net.settle();
    for (client, bot) in bots.iter().enumerate() {
        net.client_mut(client)
            .predict(bot.id, step)
            .expect("visible");
    }
    for tick in 0..TICKS {
        for (client, bot) in bots.iter_mut().enumerate() {
            // Frames lie between two updates.
            let now = net.now() + net.tick * (tick % 4) / 4;
            bot.play(net.client_mut(client), tick, now);
        }
        for tick in net.server.ticks_until(net.now() + net.tick) {
            for bot in &bots {
                net.server.step(bot.id, tick, step).expect("spawned");
            }
            fly(&mut net.server);
        }
        net.step();
    }
    report(&net, &bots)
}

fn report(net: &MemoryNetwork, bots: &[Bot]) -> ExitCode {
    println!("| shots | hits claimed | confirmed | deaths | view delay | corrections | largest |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let (mut claimed, mut confirmed) = (0, 0);
    for (client, bot) in bots.iter().enumerate() {
        let player = net.server.get::<Player>(bot.id).expect("spawned");
        let delay = net.client(client).view_delay().unwrap_or_default();
        let stats = net.client(client).prediction_stats();
        let (shots, hits, real) = (player.fired.len(), player.claimed, player.confirmed);
        print!("| {shots} | {hits} | {real} | {} ", player.deaths);
        let (corrections, largest) = (stats.corrections, stats.largest_size);
        println!("| {delay:.0?} | {corrections} | {largest:.2} m |");
        (claimed, confirmed) = (claimed + hits, confirmed + real);
    }
    if claimed > 0 && confirmed * 100 >= claimed * 99 {
        ExitCode::SUCCESS
    } else {
        eprintln!("{confirmed} of {claimed} hits on a screen are hits on the server");
        ExitCode::FAILURE
    }
}

/// Reads `80ms 20ms 5%`.
fn conditions(text: &str) -> Option<Conditions> {
    let mut words = text.split_whitespace();
    let mut number = |unit| words.next()?.strip_suffix(unit)?.parse::<f64>().ok();
    let mut time = || Duration::try_from_secs_f64(number("ms")? / 1e3).ok();
    Some(Conditions {
        delay: time()?,
        jitter: time()?,
        loss: number("%")? / 100.0,
        ..Conditions::default()
    })
}
