//! A journal of many objects: its cost in the tick, and the time from the files to a loaded server.
//!
//! `cargo run --release -p syncvar-log --example recovery -- [OBJECTS] [TICKS]`: 100 000 objects, of which 1 000 change in each tick, for 900
//! ticks.

use std::error::Error;
use std::time::{Duration, Instant};

use syncvar::NetworkTime;
use syncvar::log::{Journal, JournalOptions, JournalSync};
use syncvar::prelude::*;

/// Objects that change in a tick.
const CHANGES: usize = 1_000;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Unit {
    #[sync_var]
    position: SyncVar<Vector3>,
    #[sync_var]
    health: SyncVar<u32>,
    #[sync_var(read = server)]
    seed: SyncVar<u64>,
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Unit>("unit")
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut argument = |default| arguments.next().map_or(Ok(default), |it| it.parse::<u32>());
    let (objects, ticks) = (argument(100_000)?, argument(900)?);
    let directory = std::env::temp_dir().join(format!("syncvar-recovery-{}", std::process::id()));
    let mut server = NetworkServer::new(prefabs());
    let ids: Vec<_> = (0..objects)
        .map(|number| {
            server.spawn(Unit {
                seed: u64::from(number).into(),
                ..Unit::default()
            })
        })
        .collect();
    let options = JournalOptions {
        save_interval: Duration::from_secs(10),
        sync: JournalSync::Every(Duration::from_secs(1)),
        ..JournalOptions::default()
    };
    let mut journal = Journal::open(&directory, &mut server, options)?;
    let (mut updates, mut appends) = (Vec::new(), Vec::new());
    for tick in 1..=ticks {
        for number in 0..CHANGES {
            let id = ids[(tick as usize * CHANGES + number) % ids.len()];
            let mut unit = server.get_mut::<Unit>(id)?;
            unit.position.x += 0.5;
            *unit.health += 1;
        }
        let begin = Instant::now();
        server.update(NetworkTime::of_tick(tick.into(), 30).time);
        updates.push(begin.elapsed());
        let begin = Instant::now();
        journal.update(&mut server)?;
        appends.push(begin.elapsed());
        std::thread::sleep(Duration::from_millis(2));
    }
    println!("{objects} objects, {CHANGES} of them change in each of {ticks} ticks");
    println!(
        "{:<16}{:>8} {:>8} {:>8}",
        "in the tick (ms)", "p50", "p99", "longest"
    );
    print("server.update", updates);
    print("journal.update", appends);
    let health = *server.get::<Unit>(ids[0]).ok_or("a unit")?.health;
    drop((journal, server));

    let begin = Instant::now();
    let save = Journal::recover(&directory)?.ok_or("a journal")?;
    let recovered = begin.elapsed();
    let mut server = NetworkServer::new(prefabs());
    server.load(&save)?;
    let loaded = begin.elapsed();
    let unit = server.get::<Unit>(ids[0]).ok_or("a unit")?;
    assert_eq!(*unit.health, health);
    println!("recover {recovered:.0?}, with load {loaded:.0?}");
    std::fs::remove_dir_all(&directory)?;
    Ok(())
}

fn print(name: &str, mut times: Vec<Duration>) {
    times.sort();
    let milliseconds = |index: usize| times[index].as_secs_f64() * 1e3;
    let last = times.len() - 1;
    println!(
        "{name:<16}{:>8.2} {:>8.2} {:>8.2}",
        milliseconds(last / 2),
        milliseconds(last * 99 / 100),
        milliseconds(last)
    );
}
