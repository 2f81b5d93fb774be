//! Age of the values on a client against the loss of the link, in virtual time: a reliable channel, an
//! unreliable one, and an unreliable one with `redundancy = 1`.
//!
//! The age of a value counts from the moment when a newer one would have arrived without loss, so it is 0 on
//! a perfect link. 100 objects, a quarter of which changes in each tick at 30 Hz, over a link of 40 ms that
//! reorders packets. The simulated stream knows at once that a packet is lost, and repeats it; TCP needs a round
//! trip more, or its timer.
//!
//! ```text
//! cargo bench --bench staleness    # prints a table and writes benches/staleness.svg
//! ```

#[path = "support/chart.rs"]
mod chart;

use std::collections::VecDeque;
use std::error::Error;
use std::fs;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::testing::{Conditions, Random};
use syncvar::{NetworkBehaviour, ServerConfig};

use chart::{Chart, Series};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/staleness.svg");

const TICK: Duration = Duration::from_nanos(1_000_000_000 / 30);
const DELAY: Duration = Duration::from_millis(40);
const OBJECTS: usize = 100;

/// Ticks of a run, and those at its start that do not count.
const TICKS: usize = 900;
const WARM_UP: usize = 60;

/// Lost packets per thousand.
const LOSSES: [u16; 7] = [0, 10, 20, 50, 100, 150, 200];

macro_rules! mover {
    ($name:ident, $($setting:tt)*) => {
        #[derive(NetworkBehaviour, Default)]
        #[network_behaviour(send_interval = 0, $($setting)*)]
        struct $name {
            #[sync_var]
            x: SyncVar<u32>,
        }

        impl Moves for $name {
            fn x(&self) -> u32 {
                *self.x
            }

            fn set(&mut self, x: u32) {
                self.x.set(x);
            }
        }
    };
}

/// Behaviour whose value is the tick of its last change.
trait Moves: NetworkBehaviour + Default {
    fn x(&self) -> u32;
    fn set(&mut self, x: u32);
}

mover!(OnStream, channel = reliable);
mover!(Once, channel = unreliable);
mover!(Twice, channel = unreliable, redundancy = 1);

fn main() -> Result<(), Box<dyn Error>> {
    let series = [
        ("reliable", run::<OnStream> as fn(u16) -> Ages),
        ("unreliable", run::<Once>),
        ("redundancy = 1", run::<Twice>),
    ];
    println!("| loss | channel | values behind | age p50 | p99 | longest |");
    println!("| --- | --- | --- | --- | --- | --- |");
    let mut lines = Vec::new();
    for (name, run) in series {
        let mut points = Vec::new();
        for loss in LOSSES {
            let ages = run(loss);
            let percent = f64::from(loss) / 10.0;
            println!(
                "| {percent} % | {name} | {:.1} % | {:.0} ms | {:.0} ms | {:.0} ms |",
                ages.behind(),
                ages.quantile(50),
                ages.quantile(99),
                ages.quantile(100),
            );
            points.push((percent, ages.quantile(99)));
        }
        lines.push(Series { name, points });
    }
    let chart = Chart {
        title: "Age of the oldest hundredth of the values on a client",
        x_label: "lost packets, %",
        y_label: "age beyond the link's delay, ms",
        series: lines,
    };
    // `cargo test --benches` runs the bench without this argument, to see that it runs.
    if std::env::args().any(|argument| argument == "--bench") {
        fs::write(FILE, chart.to_svg())?;
    }
    Ok(())
}

/// Ages of all values in all ticks, in milliseconds, ascending.
struct Ages(Vec<f64>);

impl Ages {
    fn quantile(&self, percent: usize) -> f64 {
        let last = self.0.len() - 1;
        self.0[last * percent / 100]
    }

    /// Returns the part of the values with an age, in percent.
    fn behind(&self) -> f64 {
        let behind = self.0.iter().filter(|age| **age > 0.0).count();
        let per_thousand = u16::try_from(behind * 1_000 / self.0.len());
        f64::from(per_thousand.expect("a part of the values")) / 10.0
    }
}

/// Runs a world at a loss.
fn run<M: Moves>(loss_per_mille: u16) -> Ages {
    let link = Conditions {
        delay: DELAY,
        jitter: Duration::from_millis(10),
        loss: f64::from(loss_per_mille) / 1000.0,
        seed: 1,
        ..Conditions::default()
    };
    let prefabs = || Prefabs::new().register::<M>("mover");
    let mut net = MemoryNetwork::with_config(prefabs, ServerConfig::default(), link);
    (net.tick, net.datagrams) = (TICK, true);
    net.connect();
    let ids: Vec<_> = (0..OBJECTS)
        .map(|_| net.server.spawn(M::default()))
        .collect();
    net.settle();
    let mut random = Random::new(7);
    // Ticks of the changes of each object that the client may not have yet.
    let mut changes = vec![VecDeque::from([0_u32]); OBJECTS];
    let mut ages = Vec::new();
    for (tick, number) in (1_u32..).zip(0..TICKS) {
        for (id, changes) in ids.iter().zip(&mut changes) {
            if random.chance(250) {
                net.server.get_mut::<M>(*id).expect("it is there").set(tick);
                changes.push_back(tick);
            }
        }
        net.step();
        if number >= WARM_UP {
            let seen = |id: &NetId| net.client(0).get::<M>(*id).map_or(0, Moves::x);
            let replicas = ids.iter().map(seen);
            let pairs = replicas.zip(&mut changes);
            ages.extend(pairs.map(|(seen, changes)| age(seen, changes, tick)));
        }
    }
    ages.sort_by(f64::total_cmp);
    Ages(ages)
}

/// Returns for how long a newer value than this one should have been there, in milliseconds.
fn age(seen: u32, changes: &mut VecDeque<u32>, tick: u32) -> f64 {
    while changes.front().is_some_and(|change| *change <= seen) {
        changes.pop_front();
    }
    let Some(missed) = changes.front() else {
        return 0.0;
    };
    // A packet arrives two ticks after its own one: the link takes 40 to 50 ms.
    let due = missed + 2;
    f64::from(tick.saturating_sub(due)) * TICK.as_secs_f64() * 1_000.0
}
