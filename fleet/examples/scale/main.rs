//! A relay with thousands of spectators over TCP, as processes of this machine.
//!
//! ```sh
//! cargo build --release -p syncvar-cli
//! cargo run --release -p syncvar-fleet --example scale -- 5000 20
//! cargo run --release -p syncvar-fleet --example scale -- 5000 20 valgrind    # counts the instructions of the origin
//! ```
//!
//! The arguments are the number of spectators and the seconds of each measurement. The origin has 100 objects at 10 ticks a second; the
//! relay is the program `syncvar relay` beside the directory of the examples; all spectators are `NetworkClient`s in processes apart
//! from both. Two *probes* measure the way of a tick: the first spectator of the relay, and the last. CPU time is that of a process
//! in the kernel and outside, so it is fit for a machine with other work; latency is not.
//!
//! With `valgrind` the origin runs a fixed number of ticks and prints its instructions: compare two runs with different numbers of
//! spectators.

mod origin;
mod process;
mod spectators;

use std::error::Error;
use std::time::{Duration, Instant};

use process::{MeasuredProcess, Usage};

type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

/// Spectators that join at once, beside the others.
const BURST: usize = 1_000;

/// Spectators of a process: each has a socket, and processes have limits.
const CROWD: usize = 5_000;

/// Spectators that join together, apart from those of the burst: a machine has a limited time for its own joins.
const WAVE: usize = 250;

/// Spectators of the measurement with few.
const FEW: usize = 10;

/// Time in which the relay is stopped.
const STOP: Duration = Duration::from_secs(10);

fn main() -> Result<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["origin", ticks] => origin::run(ticks.parse()?),
        ["crowd", address, count, wave] => {
            spectators::run_crowd(address, count.parse()?, wave.parse()?)
        }
        ["probe", address] => spectators::run_probe(address),
        [count, seconds, "valgrind"] => count_instructions(count.parse()?, seconds.parse()?),
        [count, seconds] => measure(count.parse()?, Duration::from_secs(seconds.parse()?)),
        _ => Err("usage: scale SPECTATORS SECONDS [valgrind]".into()),
    }
}

/// Origin and relay.
struct Chain {
    origin: MeasuredProcess,
    relay: MeasuredProcess,
    /// Address for spectators.
    address: String,
    health: String,
}

impl Chain {
    fn start(mut origin: MeasuredProcess) -> Result<Self> {
        let source = format!("tcp://{}", origin.line("relays: ")?);
        let arguments = ["relay", &source, "--listen", "tcp://127.0.0.1:0"];
        let health = ["--health", "127.0.0.1:0"];
        let mut relay = MeasuredProcess::start_relay(&[&arguments[..], &health].concat())?;
        let address = relay.line("spectators: ")?;
        let health = relay.line("health: ")?;
        relay.line("origin 1: ")?;
        Ok(Self {
            origin,
            relay,
            address,
            health,
        })
    }

    /// Starts spectators in waves, and waits until all see the world.
    fn join(&self, count: usize, wave: usize) -> Result<Vec<MeasuredProcess>> {
        let sizes = (0..count.div_ceil(CROWD)).map(|number| CROWD.min(count - number * CROWD));
        let crowds = sizes.map(|size| {
            let (size, wave) = (size.to_string(), wave.to_string());
            MeasuredProcess::start_self(&["crowd", &self.address, &size, &wave])
        });
        let mut crowds = crowds.collect::<Result<Vec<_>>>()?;
        for crowd in &mut crowds {
            crowd.line("ready: ")?;
        }
        Ok(crowds)
    }

    fn probe(&self) -> Result<MeasuredProcess> {
        let mut probe = MeasuredProcess::start_self(&["probe", &self.address])?;
        probe.line("ready: ")?;
        Ok(probe)
    }

    /// Returns a counter of the relay.
    fn counter(&self, name: &str) -> Result<u64> {
        let body = process::get(&self.health, "/ready")?;
        let (_, rest) = { body.split_once(&format!("\"{name}\":")) }.ok_or("no such counter")?;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        Ok(digits.parse()?)
    }

    /// Lets time pass, and prints the cost of both processes.
    fn report(&mut self, what: &str, seconds: Duration, spectators: usize) -> Result<()> {
        self.origin.ask()?;
        let (before, records) = (
            (self.origin.usage()?, self.relay.usage()?),
            self.counter("records")?,
        );
        let started = Instant::now();
        std::thread::sleep(seconds);
        let after = (self.origin.usage()?, self.relay.usage()?);
        let records = self.counter("records")? - records;
        let elapsed = started.elapsed().as_secs_f64();
        let origin = origin::OriginReport::parse(&self.origin.ask()?)?;
        let relay = Usage::since(after.1, before.1);
        println!("{what}, {spectators} spectators:");
        println!(
            "  origin: {} ticks, {:.0} B a tick on the link, {} questions, CPU {:.1} µs a tick",
            origin.ticks,
            origin.bytes_per_tick(),
            origin.questions,
            Usage::since(after.0, before.0).cpu.as_secs_f64() * 1e6
                / f64::from(u32::try_from(origin.ticks.max(1))?),
        );
        println!(
            "  publishing call: p50 {:?}, p99 {:?}, longest {:?}",
            origin.median, origin.p99, origin.longest
        );
        println!(
            "  relay: {records} records decoded, {:.1} % of a core, {:.1} MB resident",
            relay.cpu.as_secs_f64() / elapsed * 100.0,
            megabytes(after.1.resident),
        );
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "sizes of processes")]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

fn measure(count: usize, seconds: Duration) -> Result<()> {
    let origin = MeasuredProcess::start_self(&["origin", "0"])?;
    let mut chain = Chain::start(origin)?;
    let mut first = chain.probe()?;
    let few = chain.join(FEW, FEW)?;
    chain.report("few", seconds, FEW + 1)?;
    println!("  first spectator: {}", first.ask()?);
    let empty = chain.relay.usage()?.resident;
    let mut crowds = chain.join(count.saturating_sub(FEW + 2), WAVE)?;
    let mut last = chain.probe()?;
    first.ask()?;
    last.ask()?;
    chain.report("many", seconds, count)?;
    let full = chain.relay.usage()?.resident;
    let kilobytes = full.saturating_sub(empty) / 1024 / count.max(1);
    println!(
        "  relay: {kilobytes} KB for each spectator, beside {:.1} MB",
        megabytes(empty)
    );
    println!("  first spectator: {}", first.ask()?);
    println!("  last spectator:  {}", last.ask()?);
    for crowd in &mut crowds {
        println!("  crowd: {}", crowd.ask()?);
    }
    join_at_once(&mut chain, &mut first)?;
    stop(&mut chain, &mut crowds)?;
    drop((few, crowds));
    Ok(())
}

/// Lets many spectators join in one moment.
fn join_at_once(chain: &mut Chain, first: &mut MeasuredProcess) -> Result<()> {
    chain.origin.ask()?;
    first.ask()?;
    let before = chain.relay.usage()?;
    let started = Instant::now();
    let burst = chain.join(BURST, BURST)?;
    let elapsed = started.elapsed();
    let relay = Usage::since(chain.relay.usage()?, before);
    let origin = origin::OriginReport::parse(&chain.origin.ask()?)?;
    println!(
        "{BURST} joins at once: all see the world after {elapsed:.2?}, {} questions to the origin, {:.2?} of CPU of the relay",
        origin.questions, relay.cpu
    );
    println!("  first spectator meanwhile: {}", first.ask()?);
    drop(burst);
    Ok(())
}

/// Stops the relay for a while.
fn stop(chain: &mut Chain, crowds: &mut [MeasuredProcess]) -> Result<()> {
    chain.origin.ask()?;
    chain.relay.signal("-STOP")?;
    std::thread::sleep(STOP);
    let origin = origin::OriginReport::parse(&chain.origin.ask()?)?;
    chain.relay.signal("-CONT")?;
    println!(
        "relay stopped for {STOP:?}: publishing call p50 {:?}, p99 {:?}, longest {:?} in {} ticks",
        origin.median, origin.p99, origin.longest, origin.ticks
    );
    std::thread::sleep(Duration::from_secs(3));
    for crowd in crowds {
        println!("  crowd, 3 s later: {}", crowd.ask()?);
    }
    Ok(())
}

/// Runs the origin under valgrind for as many ticks as the seconds have.
fn count_instructions(count: usize, seconds: u64) -> Result<()> {
    let ticks = (seconds * u64::from(origin::RATE)).to_string();
    let origin = MeasuredProcess::start_counted(&["origin", &ticks])?;
    let mut chain = Chain::start(origin)?;
    let crowds = chain.join(count, WAVE)?;
    println!("{count} spectators, {ticks} ticks:");
    chain.origin.wait()?;
    drop(crowds);
    Ok(())
}
