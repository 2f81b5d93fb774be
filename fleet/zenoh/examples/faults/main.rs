//! Spectators of a relay behind faults of processes: a relay and an origin that are stopped and killed.
//!
//! ```sh
//! cargo run --example faults          # nodes on zenoh
//! cargo run --example faults links    # nodes on the links of syncvar-fleet
//! ```
//!
//! Origin, relay and spectators are processes. Each tick of the origin has a sum over all objects: a spectator is equal to the origin if it sees
//! the sum of its own objects, and present if the tick is at most 0.5 s old. Ends with an error if a spectator is neither within 2 s after a
//! fault, or if it sees objects of two origins.

#[path = "../support/carriers.rs"]
mod carriers;
mod nodes;
#[path = "../support/process.rs"]
mod process;

use std::process::Command;
use std::time::{Duration, Instant};

use carriers::{OnLinks, OnZenoh};
use nodes::Spectator;
use process::{Fallible, NodeProcess, free_port};

/// Longest time until all spectators are equal after a fault.
const LIMIT: Duration = Duration::from_secs(2);

const SPECTATORS: usize = 5;

fn main() -> Fallible<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["origin", "links", address] => nodes::origin::<OnLinks>(address),
        ["origin", _, address] => nodes::origin::<OnZenoh>(address),
        ["relay", "links", address, port] => nodes::relay::<OnLinks>(address, port),
        ["relay", _, address, port] => nodes::relay::<OnZenoh>(address, port),
        [] | ["zenoh"] => play("zenoh"),
        ["links"] => play("links"),
        _ => Err("usage: faults [zenoh | links]".into()),
    }
}

fn play(carrier: &str) -> Fallible<()> {
    let [nodes, port] = [free_port()?, free_port()?];
    let start_origin = || NodeProcess::start(&["origin", carrier, &nodes]);
    let start_relay = || NodeProcess::start(&["relay", carrier, &nodes, &port]);
    let mut origin = start_origin()?;
    let mut relay = start_relay()?;
    let started = Instant::now();
    let spectators = (0..SPECTATORS).map(|_| Spectator::join(&port, started));
    let mut spectators = spectators.collect::<Fallible<Vec<_>>>()?;
    report(&mut spectators, "first join", Instant::now())?;
    for seconds in [1, 6, 15] {
        signal(&relay, "-STOP")?;
        watch(&mut spectators, Duration::from_secs(seconds))?;
        signal(&relay, "-CONT")?;
        let what = format!("relay stopped for {seconds} s");
        report(&mut spectators, &what, Instant::now())?;
    }
    signal(&origin, "-STOP")?;
    watch(&mut spectators, Duration::from_secs(6))?;
    signal(&origin, "-CONT")?;
    report(&mut spectators, "origin stopped for 6 s", Instant::now())?;
    drop(relay);
    watch(&mut spectators, Duration::from_secs(1))?;
    relay = start_relay()?;
    report(
        &mut spectators,
        "relay killed, the next one ready",
        Instant::now(),
    )?;
    drop(origin);
    watch(&mut spectators, Duration::from_secs(1))?;
    origin = start_origin()?;
    report(
        &mut spectators,
        "origin killed, the next one ready",
        Instant::now(),
    )?;
    drop((relay, origin));
    Ok(())
}

fn signal(process: &NodeProcess, name: &str) -> Fallible<()> {
    let pid = process.child.id().to_string();
    let status = Command::new("kill").args([name, &pid]).status()?;
    if status.success() {
        Ok(())
    } else {
        Err("kill fails".into())
    }
}

/// Moves all spectators for a time.
fn watch(spectators: &mut [Spectator], time: Duration) -> Fallible<()> {
    let until = Instant::now() + time;
    while Instant::now() < until {
        for spectator in &mut *spectators {
            spectator.run()?;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// Prints the time until all spectators are equal to the origin, since the end of a fault.
fn report(spectators: &mut [Spectator], what: &str, from: Instant) -> Fallible<()> {
    while !spectators.iter().all(|it| it.is_equal() && it.is_present()) {
        if from.elapsed() > LIMIT {
            let states: Vec<_> = spectators.iter().map(Spectator::state).collect();
            return Err(format!("{what}: not equal after {LIMIT:?}: {states:?}").into());
        }
        watch(spectators, Duration::from_millis(1))?;
    }
    println!("{what}: equal after {:.2} s", from.elapsed().as_secs_f64());
    watch(spectators, Duration::from_secs(1))
}
