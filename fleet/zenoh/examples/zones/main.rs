//! Two zones, a voter and a gateway as processes: handovers in great number, and a walk over a hundred borders.
//!
//! ```sh
//! cargo run --example zones          # nodes on zenoh
//! cargo run --example zones links    # nodes on the links of syncvar-fleet
//! ```
//!
//! The zones have 30 ticks a second, and look at their carriers every millisecond. *Handovers*: 2 000 objects of about 250 bytes, of
//! which more than 33 leave for the other zone in each tick. The time of a handover is from the update that the object leaves to the moment at
//! which it is real in the other zone: meanwhile it is in no server. *Walk*: one walker crosses 100 borders, and a client of the gateway
//! compares its largest step with that of a walk without borders. Ends with an error if objects are lost or doubled, if a walker
//! disappears, or if its largest step is greater than without borders.

#[path = "../support/carriers.rs"]
mod carriers;
mod gateway;
mod player;
#[path = "../support/process.rs"]
mod process;
mod world;
mod zone;

use std::io::Write as _;
use std::time::Duration;

use carriers::{OnLinks, OnZenoh};
use process::{Fallible, NodeProcess, free_port};

/// Time of the measurement of handovers.
const HANDOVERS: Duration = Duration::from_secs(20);

/// Processes of zones; the last one only votes.
const PROCESSES: u32 = 3;

fn main() -> Fallible<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["zone", "links", number, game, own, ref others @ ..] => {
            zone::run::<OnLinks>(number.parse()?, game, own, others)
        }
        ["zone", _, number, game, own, ref others @ ..] => {
            zone::run::<OnZenoh>(number.parse()?, game, own, others)
        }
        ["gateway", "links", players, ref zones @ ..] => gateway::run::<OnLinks>(players, zones),
        ["gateway", _, players, ref zones @ ..] => gateway::run::<OnZenoh>(players, zones),
        [] | ["zenoh"] => play("zenoh"),
        ["links"] => play("links"),
        _ => Err("usage: zones [zenoh | links]".into()),
    }
}

fn play(carrier: &str) -> Fallible<()> {
    exchange(carrier)?;
    let without = walk(carrier, "plain")?;
    println!("walk without borders: {without}");
    let with = walk(carrier, "striped")?;
    println!("walk over 100 borders: {with}");
    if with.largest_step > without.largest_step || with.ends > 0 {
        return Err("the borders are visible".into());
    }
    Ok(())
}

/// The zones of a world.
struct Fleet {
    zones: Vec<NodeProcess>,
    addresses: Vec<String>,
}

impl Fleet {
    /// Starts the zones with a game, and waits until both are active.
    fn start(carrier: &str, game: &str) -> Fallible<Self> {
        let addresses = (0..PROCESSES).map(|_| free_port());
        let addresses = addresses.collect::<Fallible<Vec<_>>>()?;
        let mut zones = Vec::new();
        for number in 1..=PROCESSES {
            let own = number as usize - 1;
            let number = number.to_string();
            let mut arguments = vec!["zone", carrier, &number, game, &addresses[own]];
            arguments.extend(addresses[..own].iter().map(String::as_str));
            zones.push(NodeProcess::start(&arguments)?);
        }
        for zone in &mut zones {
            expect(zone, "active")?;
        }
        Ok(Self { zones, addresses })
    }
}

fn expect(process: &mut NodeProcess, line: &str) -> Fallible<()> {
    let found = process.line()?;
    if found == line {
        Ok(())
    } else {
        Err(format!("not `{line}`: {found}").into())
    }
}

/// Writes a line to a process.
fn tell(process: &mut NodeProcess, line: &str) -> Fallible<()> {
    let input = process.child.stdin.as_mut().ok_or("no input")?;
    writeln!(input, "{line}")?;
    Ok(input.flush()?)
}

/// Moves objects between two zones, and prints the times of the handovers.
fn exchange(carrier: &str) -> Fallible<()> {
    let mut fleet = Fleet::start(carrier, "exchange")?;
    tell(&mut fleet.zones[0], "go")?;
    std::thread::sleep(Duration::from_secs(3));
    for zone in &mut fleet.zones[..2] {
        tell(zone, "report")?;
        zone.line()?;
    }
    std::thread::sleep(HANDOVERS);
    let seconds = HANDOVERS.as_secs();
    for (zone, number) in fleet.zones[..2].iter_mut().zip(1..) {
        tell(zone, "report")?;
        println!("arrivals in zone {number}, {seconds} s: {}", zone.line()?);
    }
    // The objects on their way arrive.
    let mut objects = 0;
    for zone in &mut fleet.zones[..2] {
        tell(zone, "halt")?;
    }
    std::thread::sleep(Duration::from_secs(1));
    for zone in &mut fleet.zones[..2] {
        tell(zone, "count")?;
        objects += zone.line()?.parse::<u32>()?;
    }
    println!("{objects} objects in both zones");
    if objects != world::OBJECTS {
        return Err(format!("not {} objects", world::OBJECTS).into());
    }
    Ok(())
}

/// Lets a walker walk, and a player watch it.
fn walk(carrier: &str, game: &str) -> Fallible<player::Sight> {
    let mut fleet = Fleet::start(carrier, game)?;
    let players = free_port()?;
    let mut arguments = vec!["gateway", carrier, &players];
    arguments.extend(fleet.addresses.iter().map(String::as_str));
    let _gateway = NodeProcess::start(&arguments)?;
    player::watch(&players, || tell(&mut fleet.zones[0], "go"))
}
