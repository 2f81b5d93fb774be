//! Costs of the plugin beside `syncvar` without an engine:
//!
//! ```sh
//! cargo run --release -p bevy_syncvar_bench
//! cargo run --release -p bevy_syncvar_bench --features replicon --ignore-rust-version   # beside bevy_replicon
//! ```
//!
//! 10 000 objects, 10 % changed in each frame, spread over the table. Times are microseconds of CPU of whole frames with the
//! writes of the game: the 20th percentile of 200 frames. The worlds of a table take turns in blocks of 20 frames, so load on
//! the machine meets every world. The table of a client has the frames of the client alone, and the bytes of both ends.
//!
//! The last table compares the figures with their targets.
//!
//! Instructions of 40 frames of a client, 1 000 changed entities each, whatever else the machine does; with `all` behind the name,
//! all fields change:
//!
//! ```sh
//! valgrind --tool=callgrind --toggle-collect='*Client*World*::frame*' target/release/bevy_syncvar_bench "any set"
//! ```

mod engine_free;
mod idle;
mod plugin;
#[cfg(feature = "replicon")]
mod replicon;
mod targets;
mod unit;

use std::env;
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
    /// Does the unmeasured work before a frame.
    fn prepare(&mut self, tick: u32, fields: Fields) {
        let _ = (tick, fields);
    }

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

/// A table.
struct Table {
    title: &'static str,
    heads: &'static [(&'static str, Fields)],
    rows: Vec<Row>,
}

/// A row of a table.
struct Row {
    name: &'static str,
    world: Box<dyn World>,
    /// Bytes of the world behind the last measured frame.
    bytes: i64,
    figures: Vec<Figures>,
}

/// Figures of a cell.
#[derive(Clone, Copy, Default)]
struct Figures {
    /// Microseconds of a frame.
    micros: f64,
    /// Fewest allocations of a frame.
    allocations: u64,
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
            bytes: memory.bytes_current,
            figures: Vec::new(),
        }
    }

    fn bytes_per_object(&self) -> i64 {
        self.bytes / i64::try_from(OBJECTS).unwrap_or(1)
    }

    /// Runs a turn.
    fn run(&mut self, turn: u32, fields: Fields, cell: &mut Cell) {
        for tick in turn * FRAMES..(turn + 1) * FRAMES {
            let mut time = Duration::ZERO;
            let before = measure(|| self.world.prepare(tick, fields));
            let count = measure(|| {
                let start = ThreadTime::now();
                self.world.frame(tick, fields);
                time = start.elapsed();
            });
            let behind = measure(|| self.world.finish());
            for part in [before, count, behind] {
                self.bytes += part.bytes_current;
            }
            cell.times.push(time);
            let fewest = cell.allocations.unwrap_or(u64::MAX);
            cell.allocations = Some(fewest.min(count.count_total));
        }
    }
}

impl Cell {
    fn figures(mut self) -> Figures {
        self.times.sort_unstable();
        Figures {
            micros: self.times[self.times.len() / 5].as_secs_f64() * 1e6,
            allocations: self.allocations.unwrap_or_default(),
        }
    }
}

impl Table {
    /// Measures worlds in turns, and prints the table.
    fn measure(
        title: &'static str,
        heads: &'static [(&'static str, Fields)],
        rows: Vec<Row>,
    ) -> Self {
        let mut table = Self { title, heads, rows };
        for (_, fields) in heads {
            let mut cells: Vec<Cell> = table.rows.iter().map(|_| Cell::default()).collect();
            for turn in 0..TURNS {
                for (row, cell) in table.rows.iter_mut().zip(&mut cells) {
                    row.run(turn, *fields, cell);
                }
            }
            for (row, cell) in table.rows.iter_mut().zip(cells) {
                row.figures.push(cell.figures());
            }
        }
        table.print();
        table
    }

    fn print(&self) {
        let heads: Vec<&str> = self.heads.iter().map(|(head, _)| *head).collect();
        let title = self.title;
        println!(
            "\n| {title}: µs (allocations) | {} | bytes per object |",
            heads.join(" | ")
        );
        println!("|---|{}---|", "---|".repeat(heads.len()));
        for row in &self.rows {
            let cells = row.figures.iter().map(|cell| {
                let Figures {
                    micros,
                    allocations,
                } = cell;
                format!("{micros:.1} ({allocations})")
            });
            let cells: Vec<String> = cells.collect();
            let bytes = row.bytes_per_object();
            println!("| {} | {} | {bytes} |", row.name, cells.join(" | "));
        }
    }

    /// Returns a row by its name.
    fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }
}

const ALL: &[(&str, Fields)] = &[
    ("one field", Fields::One),
    ("all fields", Fields::All),
    ("idle", Fields::None),
];

fn server_rows(clients: usize) -> Vec<Row> {
    vec![
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
    ]
}

/// Maker of a world.
type Make = fn() -> Box<dyn World>;

const CLIENTS: &[(&str, Make)] = &[
    ("engine-free", || {
        Box::new(engine_free::CoreClient::new(OBJECTS))
    }),
    ("bundle", || {
        Box::new(plugin::PluginClient::<true>::new(OBJECTS))
    }),
    ("any set", || {
        Box::new(plugin::PluginClient::<false>::new(OBJECTS))
    }),
    #[cfg(feature = "replicon")]
    ("bevy_replicon", || {
        Box::new(replicon::RepliconClient::new(OBJECTS))
    }),
];

fn client_rows() -> Vec<Row> {
    let rows = CLIENTS.iter().map(|(name, make)| Row::new(name, make));
    rows.collect()
}

/// Runs frames of a client for a profiler: one field changes, or all.
fn profile(name: &str, fields: Fields) {
    let Some((_, make)) = CLIENTS.iter().find(|(known, _)| *known == name) else {
        return eprintln!("no client is named `{name}`");
    };
    let mut world = make();
    for tick in 0..2 * FRAMES {
        world.prepare(tick, fields);
        world.frame(tick, fields);
        world.finish();
    }
}

fn idle_rows() -> Vec<Row> {
    vec![
        Row::new("no plugin", || Box::new(idle::app(0))),
        Row::new("1 type", || Box::new(idle::app(1))),
        Row::new("16 types", || Box::new(idle::app(16))),
    ]
}

fn main() {
    let mut arguments = env::args().skip(1);
    if let Some(name) = arguments.next() {
        let fields = arguments.next().map_or(Fields::One, |_| Fields::All);
        return profile(&name, fields);
    }
    let many = Table::measure("server, 100 clients", ALL, server_rows(100));
    let one = Table::measure("server, 1 client", ALL, server_rows(1));
    let client = Table::measure("client, 1 client", ALL, client_rows());
    let idle = Table::measure("idle server", &ALL[2..], idle_rows());
    targets::print(&many, &one, &client, &idle);
}
