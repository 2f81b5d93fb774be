//! State in packets that get lost, for minutes of virtual time: replicas become equal, a lost value is sent
//! again once, backlogs empty, and memory stays flat.
//!
//! ```text
//! cargo run --release --example lossy -- --minutes 10
//! ```
//!
//! 100 clients with round trips of 20 to 180 ms see all objects of a server with 30 ticks a second. Of their
//! datagrams 0 to 20 % are lost, alone or in bursts of 4; 5 % arrive late, and 2 % twice. The table lists the
//! entries that a client is sent beyond the changes: the price of the repairs. A failure prints a sentence,
//! and the exit code is 1.

mod link;
#[path = "../support/minutes.rs"]
mod minutes;
mod world;

use std::process::ExitCode;
use std::time::Duration;

use link::Quality;
use minutes::minutes;
use world::{Workload, World};

const CLIENTS: u32 = 100;

const WORKLOADS: [Workload; 3] = [
    Workload {
        name: "100 movers, 900 x 1 %",
        objects: 1_000,
        movers: 100,
        others: 10,
        repairs: [0.0, 0.1, 0.7, 0.7, 2.9],
    },
    Workload {
        name: "1 000 x 10 %",
        objects: 1_000,
        movers: 0,
        others: 100,
        repairs: [0.0, 0.9, 4.3, 4.3, 16.9],
    },
    Workload {
        name: "10 000 x 10 %",
        objects: 10_000,
        movers: 0,
        others: 100,
        repairs: [0.0, 0.9, 4.3, 4.3, 16.9],
    },
];

/// Lost datagrams per thousand, and the length of the bursts.
const LOSSES: [(u32, u32); 5] = [(0, 1), (10, 1), (50, 1), (50, 4), (200, 1)];

/// Repairs beyond those of the reference model, in percent of the changes. Some reordered datagrams are repaired
/// too; the model has none.
const TOLERANCE: f64 = 1.0;

/// Longest time after the last change and the last loss until all replicas are equal: one probe interval and
/// the longest round trip.
const REPAIR: Duration = Duration::from_millis(2_200);

/// Time before the memory and the entries count: longer than the life of a write record.
const WARM_UP: Duration = Duration::from_secs(4);

/// Growth of the memory that the check allows in a run: capacities depend on chance, and bursts detach clients,
/// whose backlogs reach this many bytes for each object.
const GROWTH: i64 = 8 << 20;
const BACKLOG: i64 = 16;

fn main() -> ExitCode {
    let minutes = match minutes() {
        Ok(minutes) => minutes,
        Err(error) => {
            eprintln!("{error}\nusage: lossy [--minutes N]");
            return ExitCode::FAILURE;
        }
    };
    // Virtual time of all runs together.
    let time = Duration::from_secs_f64(minutes * 60.0 / 15.0);
    println!("| objects | loss | entries beyond the changes | repairs done after | detached |");
    println!("| --- | --- | --- | --- | --- |");
    for workload in WORKLOADS {
        for ((lost, burst), most) in LOSSES.into_iter().zip(workload.repairs) {
            if let Err(error) = run(workload, (lost, burst), most, time) {
                eprintln!("{}, {lost} per thousand lost: {error}", workload.name);
                return ExitCode::FAILURE;
            }
        }
    }
    println!("all replicas are equal, the backlogs are empty, and memory is flat");
    ExitCode::SUCCESS
}

/// Plays a workload. `most` are the repairs of the reference model, in percent of the changes.
fn run(
    workload: Workload,
    (lost, burst): (u32, u32),
    most: f64,
    time: Duration,
) -> Result<(), String> {
    let mut world = World::new(workload, CLIENTS);
    world.quality = Quality {
        lost,
        burst,
        reordered: 50,
        repeated: 20,
    };
    let play = |world: &mut World, time| {
        let end = world.now() + time;
        while world.now() < end {
            world.play(workload);
        }
    };
    play(&mut world, WARM_UP);
    let (changes, repaired) = (world.changes, world.sum(|losses| losses.repaired));
    let growth = world.growth(|world| play(world, time));
    let pairs = i64::from(CLIENTS) * i64::from(workload.objects);
    if growth > GROWTH + BACKLOG * pairs {
        return Err(format!("memory grows by {} KB", growth >> 10));
    }
    let changes = (world.changes - changes) * u64::from(CLIENTS);
    let repaired = world.sum(|losses| losses.repaired) - repaired;
    let beyond = u32::try_from(repaired * 1_000 / changes.max(1)).unwrap_or(u32::MAX);
    let beyond = f64::from(beyond) / 10.0;
    if beyond > most + TOLERANCE {
        return Err(format!("{beyond:.1} % are repairs, of at most {most} %"));
    }
    world.quality = Quality::PERFECT;
    let end = world.now();
    while world.wrong() > 0 {
        if world.now() > end + REPAIR {
            let wrong = world.wrong();
            return Err(format!(
                "{wrong} values are wrong {REPAIR:?} after the last loss"
            ));
        }
        world.step();
    }
    let repair = world.now().saturating_sub(end);
    // The verdicts about the last packets, and their acknowledgements.
    let settled = world.now() + REPAIR;
    while world.now() < settled {
        world.step();
    }
    let backlog = world.sum(|losses| losses.backlog as u64);
    if backlog > 0 {
        return Err(format!("{backlog} entries stay in the backlogs"));
    }
    println!(
        "| {} | {} %{} | {:+.1} % | {} ms | {} |",
        workload.name,
        f64::from(lost) / 10.0,
        if burst > 1 { ", bursts of 4" } else { "" },
        beyond,
        repair.as_millis(),
        world.sum(|losses| losses.detached),
    );
    Ok(())
}
