//! Costs of the plugin beside `syncvar` without an engine:
//!
//! ```sh
//! cargo run --release -p bevy_syncvar_bench
//! cargo run --release -p bevy_syncvar_bench --features replicon --ignore-rust-version   # beside bevy_replicon
//! ```
//!
//! 10 000 objects, 10 % changed in each frame, spread over the table. Times are microseconds of CPU of whole frames with the
//! writes of the game: the 20th percentile of 200 frames. The worlds of a table take turns in blocks of 20 frames, so load on
//! the machine meets every world.

mod engine_free;
mod idle;
mod plugin;
#[cfg(feature = "replicon")]
mod replicon;
mod unit;

use std::time::Duration;

use allocation_counter::measure;
use cpu_time::ThreadTime;

/// Number of objects.
const OBJECTS: usize = 10_000;
/// Number of objects for each changed object of a frame.
const CHANGED: usize = 10;
/// Turns of each world.
const TURNS: u32 = 10;
/// Measured frames of a turn.
const FRAMES: u32 = 20;

/// A world with measured frames.
trait World {
    /// Runs a frame, in which fields of each tenth object change.
    fn frame(&mut self, tick: u32, fields: Fields);

    /// Does the unmeasured work behind a frame.
    fn finish(&mut self) {}
}

/// Fields that change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fields {
    None,
    One,
    All,
}

/// A row of a table.
struct Row {
    name: &'static str,
    world: Box<dyn World>,
    bytes: i64,
    cells: Vec<String>,
}

/// Times and allocations of the frames of a row.
#[derive(Default)]
struct Cell {
    times: Vec<Duration>,
    allocations: Option<u64>,
}

impl Row {
    fn new(name: &'static str, make: impl Fn() -> Box<dyn World>) -> Self {
        let mut world = None;
        let memory = measure(|| world = Some(make()));
        Self {
            name,
            world: world.expect("it has been made"),
            bytes: memory.bytes_current / i64::try_from(OBJECTS).unwrap_or(1),
            cells: Vec::new(),
        }
    }

    /// Runs a turn.
    fn run(&mut self, turn: u32, fields: Fields, cell: &mut Cell) {
        for tick in turn * FRAMES..(turn + 1) * FRAMES {
            let mut time = Duration::ZERO;
            let count = measure(|| {
                let start = ThreadTime::now();
                self.world.frame(tick, fields);
                time = start.elapsed();
            });
            self.world.finish();
            cell.times.push(time);
            let fewest = cell.allocations.unwrap_or(u64::MAX);
            cell.allocations = Some(fewest.min(count.count_total));
        }
    }
}

impl Cell {
    fn text(mut self) -> String {
        self.times.sort_unstable();
        let time = self.times[self.times.len() / 5].as_secs_f64() * 1e6;
        format!("{time:.1} ({})", self.allocations.unwrap_or_default())
    }
}

/// Measures the worlds of a table in turns.
fn table(title: &str, mut rows: Vec<Row>, kinds: &[(&str, Fields)]) {
    for (_, fields) in kinds {
        let mut cells: Vec<Cell> = rows.iter().map(|_| Cell::default()).collect();
        for turn in 0..TURNS {
            for (row, cell) in rows.iter_mut().zip(&mut cells) {
                row.run(turn, *fields, cell);
            }
        }
        for (row, cell) in rows.iter_mut().zip(cells) {
            row.cells.push(cell.text());
        }
    }
    let heads: Vec<&str> = kinds.iter().map(|(head, _)| *head).collect();
    println!(
        "\n| {title}: µs (allocations) | {} | bytes per object |",
        heads.join(" | ")
    );
    println!("|---|{}---|", "---|".repeat(heads.len()));
    for row in rows {
        println!(
            "| {} | {} | {} |",
            row.name,
            row.cells.join(" | "),
            row.bytes
        );
    }
}

fn main() {
    let all = [
        ("one field", Fields::One),
        ("all fields", Fields::All),
        ("idle", Fields::None),
    ];
    for clients in [100, 1] {
        let rows = vec![
            Row::new("engine-free", || {
                Box::new(engine_free::CoreServer::new(OBJECTS, clients))
            }),
            Row::new("bundle", || {
                Box::new(plugin::PluginServer::<true>::new(OBJECTS, clients))
            }),
            Row::new("any set", || {
                Box::new(plugin::PluginServer::<false>::new(OBJECTS, clients))
            }),
            #[cfg(feature = "replicon")]
            Row::new("bevy_replicon", || {
                Box::new(replicon::RepliconServer::new(OBJECTS, clients))
            }),
        ];
        table(&format!("server, {clients} clients"), rows, &all);
    }
    let rows = vec![
        Row::new("engine-free", || {
            Box::new(engine_free::CoreClient::new(OBJECTS))
        }),
        Row::new("bundle", || {
            Box::new(plugin::PluginClient::<true>::new(OBJECTS))
        }),
        Row::new("any set", || {
            Box::new(plugin::PluginClient::<false>::new(OBJECTS))
        }),
        #[cfg(feature = "replicon")]
        Row::new("bevy_replicon", || {
            Box::new(replicon::RepliconPair::new(OBJECTS))
        }),
    ];
    table("both ends, one client", rows, &all);
    let rows = vec![
        Row::new("no plugin", || Box::new(idle::app(0))),
        Row::new("1 type", || Box::new(idle::app(1))),
        Row::new("16 types", || Box::new(idle::app(16))),
    ];
    table("idle server", rows, &all[2..]);
}
