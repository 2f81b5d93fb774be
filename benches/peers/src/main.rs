//! One workload through several replication libraries and through a hand-written floor.
//!
//! Without arguments it measures everything, each library in a process of its own, and writes
//! `benches/RESULTS.md` and its two plots. `README.md` says what is measured and how.

mod codec;
mod grid;
mod loss;
mod measure;
mod peer;
mod peers;
mod plain_unit;
mod plot;
mod report;
mod rows;
mod sight;
#[path = "../../support/mod.rs"]
mod support;

use std::env;
use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};

use grid::Grid;
use peers::{Floor, Lightyear, Replicon, SyncvarCompact, SyncvarUnet};
use rows::Row;

/// Every process that is started: the libraries, those of them that know who sees what, and the
/// codecs.
const PEERS: [&str; 11] = [
    "floor",
    "syncvar",
    "syncvar-unet",
    "bevy_replicon",
    "lightyear",
    "sight",
    "codec",
    "loss-floor",
    "loss-syncvar",
    "loss-bevy_replicon",
    "loss-lightyear",
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => measure_all(Grid::Usual),
        ["--full"] => measure_all(Grid::Full),
        ["--peer", name] => measure_one(name, Grid::Usual),
        ["--peer", name, "--full"] => measure_one(name, Grid::Full),
        _ => Err("usage: syncvar-peers [--peer NAME] [--full]".into()),
    }
}

/// Measures every peer and writes the results.
fn measure_all(grid: Grid) -> Result<(), Box<dyn Error>> {
    let mut rows = Vec::new();
    for name in PEERS {
        let mut command = Command::new(env::current_exe()?);
        command.args(["--peer", name]).stdout(Stdio::piped());
        if grid == Grid::Full {
            command.arg("--full");
        }
        let output = command.spawn()?.wait_with_output()?;
        if !output.status.success() {
            return Err(format!("{name} ended with {}", output.status).into());
        }
        for line in str::from_utf8(&output.stdout)?.lines() {
            rows.push(serde_json::from_str::<Row>(line)?);
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let file = folder.join("RESULTS.md");
    // The sections of other benches stand at the end.
    let former = fs::read_to_string(&file).unwrap_or_default();
    let others = former.find("## Many connections");
    let others = others.and_then(|at| former.get(at..)).unwrap_or_default();
    fs::write(file, format!("{}\n{others}", report::results(&rows)))?;
    fs::write(
        folder.join("cost-by-clients.svg"),
        report::cost_by_clients(&rows),
    )?;
    fs::write(
        folder.join("cost-by-objects.svg"),
        report::cost_by_objects(&rows),
    )?;
    Ok(())
}

/// Makes the allocator keep freed memory, for all peers alike: glibc keeps twice the longest freed block, up to 64 MB.
/// Otherwise a join pays for page faults of the memory that the client before has given back, by its size.
fn keep_freed_memory() {
    drop(black_box(Vec::<u8>::with_capacity(31 << 20)));
}

/// Measures one peer and prints a row per line.
fn measure_one(name: &str, grid: Grid) -> Result<(), Box<dyn Error>> {
    keep_freed_memory();
    match name {
        "floor" => measure::run::<Floor>(grid),
        "syncvar" => measure::run::<SyncvarCompact>(grid),
        "syncvar-unet" => measure::run::<SyncvarUnet>(grid),
        "bevy_replicon" => measure::run::<Replicon>(grid),
        "lightyear" => measure::run::<Lightyear>(grid),
        "sight" => sight::run(),
        "codec" => codec::run(),
        "loss-floor" => loss::run::<loss::Floor>(),
        "loss-syncvar" => loss::run::<loss::Syncvar>(),
        "loss-bevy_replicon" => loss::run::<Replicon>(),
        "loss-lightyear" => loss::run::<loss::LossyLightyear>(),
        _ => return Err(format!("no peer is called {name}; there are {PEERS:?}").into()),
    }
    Ok(())
}
