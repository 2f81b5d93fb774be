//! Costs of the plugin beside `syncvar` without an engine: `cargo run --release -p bevy_syncvar_bench`.
//!
//! 10 000 objects, 10 % changed in each tick, spread over the table. The times are microseconds of CPU of
//! whole frames with the writes of the game: the 20th percentile of 200 frames. Programs beside it on the machine disturb
//! the caches.

mod engine_free;
mod plugin;
mod unit;

use std::time::Duration;

use allocation_counter::measure;
use cpu_time::ThreadTime;

/// Number of objects.
const OBJECTS: usize = 10_000;
/// Number of objects for each changed object of a tick.
const CHANGED: usize = 10;
/// Measured frames.
const FRAMES: u32 = 200;

/// A world with measured frames.
trait World {
    /// Makes the world with connected clients, which receive nothing after the join.
    fn new(objects: usize, clients: usize) -> Self;

    /// Runs a frame in which some fields of one of [`CHANGED`] objects change.
    fn frame(&mut self, tick: u32, fields: Fields);
}

/// Fields that change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fields {
    None,
    One,
    All,
}

/// Returns the time and the allocations of a frame.
fn frames<W: World>(world: &mut W, fields: Fields) -> (f64, u64) {
    let mut times = Vec::new();
    let mut allocations = u64::MAX;
    for tick in 0..FRAMES {
        let mut time = Duration::ZERO;
        let count = measure(|| {
            let start = ThreadTime::now();
            world.frame(tick, fields);
            time = start.elapsed();
        });
        times.push(time);
        allocations = allocations.min(count.count_total);
    }
    times.sort_unstable();
    let index = times.len() / 5;
    (times[index].as_secs_f64() * 1e6, allocations)
}

fn row<W: World>(name: &str, clients: usize) {
    let mut made = None;
    let memory = measure(|| made = Some(W::new(OBJECTS, clients)));
    let Some(mut world) = made else {
        return;
    };
    let bytes = memory.bytes_current / i64::try_from(OBJECTS).unwrap_or(1);
    print!("| {name} | {clients} ");
    for fields in [Fields::One, Fields::All, Fields::None] {
        let (time, allocations) = frames(&mut world, fields);
        print!("| {time:.1} | {allocations} ");
    }
    println!("| {bytes} |");
}

fn main() {
    println!(
        "| server | clients | one field | allocations | all fields | allocations | idle | allocations | bytes per object |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for clients in [100, 1] {
        row::<engine_free::Server>("engine-free", clients);
        row::<plugin::Server<true>>("bundle", clients);
        row::<plugin::Server<false>>("any set", clients);
    }
    println!(
        "\n| client | | one field | allocations | all fields | allocations | idle | allocations | bytes per object, both ends |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    row::<engine_free::Client>("engine-free", 1);
    row::<plugin::Client<true>>("bundle", 1);
    row::<plugin::Client<false>>("any set", 1);
}
