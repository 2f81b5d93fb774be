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

mod carriers;
mod nodes;

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use carriers::{OnLinks, OnZenoh};
use nodes::Spectator;

type Fallible<T> = Result<T, Box<dyn Error>>;

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

/// Process of a node. It ends with the value.
struct NodeProcess(Child);

impl NodeProcess {
    /// Starts a node, and waits for its first line.
    fn start(arguments: &[&str]) -> Fallible<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().ok_or("no output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        if line.trim() != "ready" {
            return Err(format!("{arguments:?}: {line}").into());
        }
        Ok(Self(child))
    }

    fn signal(&self, name: &str) -> Fallible<()> {
        let pid = self.0.id().to_string();
        let status = Command::new("kill").args([name, &pid]).status()?;
        if status.success() {
            Ok(())
        } else {
            Err("kill fails".into())
        }
    }
}

impl Drop for NodeProcess {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
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
        relay.signal("-STOP")?;
        watch(&mut spectators, Duration::from_secs(seconds))?;
        relay.signal("-CONT")?;
        let what = format!("relay stopped for {seconds} s");
        report(&mut spectators, &what, Instant::now())?;
    }
    origin.signal("-STOP")?;
    watch(&mut spectators, Duration::from_secs(6))?;
    origin.signal("-CONT")?;
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

fn free_port() -> Fallible<String> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    Ok(listener.local_addr()?.to_string())
}
