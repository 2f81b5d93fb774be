//! A tick without changes: 100 000 objects, 100 clients.
//!
//! Its cost must be constant and close to zero for all numbers of objects and clients.

mod support;

use std::time::Duration;

use criterion::Criterion;
use syncvar::Framing;

use support::random::Random;
use support::replication::UnitServer;
use support::workload::Server;

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    let mut group = criterion.benchmark_group("idle");
    for (objects, clients) in [(1_000, 1), (100_000, 100)] {
        let mut server = UnitServer::new(objects, clients, Framing::Compact, &mut Random::new(1));
        let name = format!("{objects} objects, {clients} clients");
        group.bench_function(name, |bencher| bencher.iter(|| server.tick()));
    }
    group.finish();
    criterion.final_summary();
}
