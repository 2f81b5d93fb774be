//! A character and crates of Avian, predicted: prints the corrections, the longest visible step and the cost of a rollback.
//!
//! ```sh
//! cargo run --release --bin character            # 2 000 ticks
//! cargo run --release --bin character -- 100000
//! ```

use std::env;
use std::time::Duration;

use bevy_syncvar::syncvar::testing::Conditions;
use bevy_syncvar_ecosystem::avian::Steer;
use bevy_syncvar_ecosystem::avian::arena::{Arena, open, wander};

fn main() {
    let ticks = env::args().nth(1).and_then(|text| text.parse().ok());
    let ticks = ticks.unwrap_or(2_000);
    println!("| link | players | ticks | corrections | longest step | rollback of 8 ticks |");
    println!("| --- | --- | --- | --- | --- | --- |");
    let delay = Conditions {
        delay: Duration::from_millis(80),
        ..Conditions::default()
    };
    row("without loss", delay.clone(), 1, ticks);
    row("5 % loss, jitter 20 ms", open(1), 1, ticks);
    row("without loss", delay, 3, ticks.min(2_000));
    row("5 % loss, jitter 20 ms", open(1), 3, ticks.min(2_000));
}

/// Plays one arena with seven crates.
fn row(name: &str, conditions: Conditions, players: usize, ticks: u32) {
    let mut arena = Arena::new(conditions, players, 7);
    arena.frames(ticks, wander);
    let corrections = arena.corrections(0);
    let seen = arena.seen[0].clone();
    arena.frames(180, |_, _| Steer::default());
    let per_tick = seen.replays.iter().map(|(repeated, duration)| {
        let ticks = u32::try_from(*repeated + 1).unwrap_or(u32::MAX);
        *duration / ticks
    });
    let mut per_tick: Vec<Duration> = per_tick.collect();
    per_tick.sort_unstable();
    let median = per_tick.get(per_tick.len() / 2);
    let cost = median.map_or_else(String::new, |median| format!("{:.2?}", *median * 8));
    println!(
        "| {name} | {players} | {ticks} | {corrections} | {:.1} cm | {cost} |",
        100.0 * seen.longest_step,
    );
    assert!(arena.distance(0) < 0.05, "{}", arena.distance(0));
}
