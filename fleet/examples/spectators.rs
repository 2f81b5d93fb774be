//! Spectators without game code, which report the objects they see and the time that the packets take.
//!
//! ```sh
//! cargo run -p syncvar-fleet --example spectators -- 127.0.0.1:7777 100 10
//! ```
//!
//! The arguments are the address of a relay, the number of spectators and the seconds.

use std::time::{Duration, Instant};

use syncvar::prelude::*;
use syncvar::transport::{Peer, TransportOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:7777".into());
    let count: usize = arguments.next().map_or(Ok(1), |it| it.parse())?;
    let seconds: u64 = arguments.next().map_or(Ok(5), |it| it.parse())?;
    let mut spectators = Vec::new();
    for _ in 0..count {
        let client = NetworkClient::learning();
        let peer = Peer::tcp(&address, &client, TransportOptions::default())?;
        spectators.push((peer, client));
    }
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(seconds) {
        for (peer, client) in &mut spectators {
            let now = started.elapsed();
            peer.receive(client, now)?;
            client.update(now);
            peer.transmit(client, now);
            while client.poll_event().is_some() {}
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let ready = spectators
        .iter()
        .filter(|(_, it)| it.object_count() > 0)
        .count();
    let ticks = spectators.iter().filter_map(|(_, client)| client.tick());
    let (first, last) = ticks.fold((u64::MAX, 0), |(first, last), tick| {
        (tick.min(first), tick.max(last))
    });
    println!("{ready} of {count} spectators see the world, at ticks {first} to {last}");
    if let Some((_, client)) = spectators.first() {
        let steps = client.identities().filter_map(|object| {
            let steps = client.value(object.net_id(), "Wanderer", "steps")?;
            steps.to_string().parse::<u64>().ok()
        });
        println!(
            "{} objects, {} steps in all",
            client.object_count(),
            steps.sum::<u64>()
        );
    }
    Ok(())
}
