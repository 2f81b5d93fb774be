//! One tick of a server: N objects, M clients, a part of the objects changed.
//!
//! Measures `update` and `poll_transmit` until no packet is left: from finished changes to the packets
//! of all clients. The hand-written floor of `support/floor.rs` runs beside it, with the same objects and
//! changes. The library runs with both of its framings.
//!
//! ```text
//! cargo bench --bench fanout                              # three pairs of N and M
//! cargo bench --bench fanout --features parallel          # and a server on all processors
//! SYNCVAR_BENCH_GRID=full cargo bench --bench fanout      # the whole grid, and 700 MB of buffers
//! ```

mod support;

use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion};
use syncvar::{Framing, ServerConfig};

use support::cell::Cell;
use support::floor::FloorServer;
use support::random::Random;
use support::replication::{UnitServer, label};
use support::workload::{Changes, Server};

/// `Compact` is the default for clients of this library.
const FRAMINGS: [Framing; 2] = [Framing::Compact, Framing::Unet];

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    for (objects, clients) in sizes() {
        measure_size(&mut criterion, objects, clients);
    }
    criterion.final_summary();
}

/// The pairs of N and M.
fn sizes() -> Vec<(u32, usize)> {
    if std::env::var("SYNCVAR_BENCH_GRID").is_ok_and(|grid| grid == "full") {
        let objects = [1_000, 10_000, 100_000].into_iter();
        objects
            .flat_map(|objects| [1, 10, 100].map(|clients| (objects, clients)))
            .collect()
    } else {
        vec![(10_000, 1), (10_000, 100), (100_000, 1)]
    }
}

/// Server configurations, with their names.
fn settings() -> Vec<(&'static str, ServerConfig)> {
    let settings = FRAMINGS.map(|framing| {
        let config = ServerConfig {
            framing,
            ..ServerConfig::default()
        };
        (label(framing), config)
    });
    #[cfg(feature = "parallel")]
    let settings = in_parallel_too(settings);
    Vec::from(settings)
}

/// Each configuration on one thread, and the first one on all processors.
#[cfg(feature = "parallel")]
fn in_parallel_too(
    settings: [(&'static str, ServerConfig); 2],
) -> [(&'static str, ServerConfig); 3] {
    let [compact, unet] = settings.map(|(name, mut config)| {
        config.parallel_from = usize::MAX;
        (name, config)
    });
    let mut parallel = compact.clone();
    (parallel.0, parallel.1.parallel_from) = ("syncvar, parallel", 1);
    [compact, unet, parallel]
}

fn measure_size(criterion: &mut Criterion, objects: u32, clients: usize) {
    let name = format!("fanout/{objects} objects, {clients} clients");
    let mut group = criterion.benchmark_group(name);
    let mut floor = FloorServer::new(objects, clients, &mut Random::new(1));
    let mut servers: Vec<_> = settings()
        .into_iter()
        .map(|(name, config)| {
            let random = &mut Random::new(1);
            (
                name,
                UnitServer::with_config(config, objects, clients, random),
            )
        })
        .collect();
    for cell in Cell::ALL {
        measure_cell(&mut group, "floor", &mut floor, objects, cell);
        for (name, server) in &mut servers {
            measure_cell(&mut group, name, server, objects, cell);
        }
    }
    group.finish();
}

fn measure_cell(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    server: &mut impl Server,
    objects: u32,
    cell: Cell,
) {
    let mut changes = Changes::new(objects);
    group.bench_function(BenchmarkId::new(name, cell), |bencher| {
        bencher.iter_custom(|ticks| {
            let tick = |_| {
                changes.make(server, cell.percent, cell.fields);
                let start = Instant::now();
                server.tick();
                start.elapsed()
            };
            (0..ticks).map(tick).sum()
        });
    });
}
