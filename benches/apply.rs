//! One tick on a client: from received bytes to applied changes and drained events.
//!
//! The server's part of the tick is in `fanout`. The floor's client reads the floor's bytes into values
//! by number, without events, hooks and checks.
//!
//! ```text
//! cargo bench --bench apply
//! ```

mod support;

use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion};
use syncvar::{ConnectionId, Framing, NetworkClient};

use support::cell::Cell;
use support::floor::{FloorClient, FloorServer};
use support::outbox::{Outbox, receive};
use support::random::Random;
use support::replication::{UnitServer, label};
use support::workload::{Change, Changes, Server};

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    for objects in [1_000, 10_000, 100_000] {
        measure_size(&mut criterion, objects);
    }
    criterion.final_summary();
}

fn measure_size(criterion: &mut Criterion, objects: u32) {
    let mut group = criterion.benchmark_group(format!("apply/{objects} objects"));
    let mut floor = FloorPair::new(objects);
    let mut pairs = [Framing::Compact, Framing::Unet]
        .map(|framing| (label(framing), UnitPair::new(objects, framing)))
        .into_iter()
        .chain([(
            "syncvar, without compiled types",
            UnitPair::untyped(objects),
        )])
        .collect::<Vec<_>>();
    for cell in Cell::ALL {
        measure_cell(&mut group, "floor", &mut floor, objects, cell);
        for (name, pair) in &mut pairs {
            measure_cell(&mut group, name, pair, objects, cell);
        }
    }
    group.finish();
}

fn measure_cell(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    pair: &mut impl Pair,
    objects: u32,
    cell: Cell,
) {
    let mut changes = Changes::new(objects);
    group.bench_function(BenchmarkId::new(name, cell), |bencher| {
        bencher.iter_custom(|ticks| {
            let tick = |_| {
                changes.make(pair, cell.percent, cell.fields);
                pair.tick();
                pair.apply()
            };
            (0..ticks).map(tick).sum()
        });
    });
}

/// A server and its client.
trait Pair: Server {
    /// Applies the bytes of the last tick on the client and returns the time.
    fn apply(&mut self) -> Duration;
}

struct FloorPair {
    server: FloorServer,
    client: FloorClient,
}

impl FloorPair {
    fn new(objects: u32) -> Self {
        let server = FloorServer::new(objects, 1, &mut Random::new(1));
        let mut snapshot = Vec::new();
        server.write_snapshot(&mut snapshot);
        let mut client = FloorClient::default();
        client.apply(&snapshot).expect("the floor reads itself");
        Self { server, client }
    }
}

impl Server for FloorPair {
    fn change(&mut self, object: u32, change: Change) {
        self.server.change(object, change);
    }

    fn tick(&mut self) {
        self.server.tick();
    }
}

impl Pair for FloorPair {
    fn apply(&mut self) -> Duration {
        let start = Instant::now();
        let applied = self.client.apply(&self.server.outboxes()[0]);
        applied.expect("the floor reads itself");
        start.elapsed()
    }
}

struct UnitPair {
    server: UnitServer,
    connection: ConnectionId,
    client: NetworkClient,
    outbox: Outbox,
}

impl UnitPair {
    fn new(objects: u32, framing: Framing) -> Self {
        let mut server = UnitServer::new(objects, 0, framing, &mut Random::new(1));
        let joined = server.connect();
        assert_eq!(joined.1.framing(), framing);
        Self::joined(server, joined, objects)
    }

    /// Creates a pair whose client has learned the schema.
    fn untyped(objects: u32) -> Self {
        let mut server = UnitServer::new(objects, 0, Framing::Compact, &mut Random::new(1));
        let joined = server.connect_untyped();
        Self::joined(server, joined, objects)
    }

    fn joined(server: UnitServer, joined: (ConnectionId, NetworkClient), objects: u32) -> Self {
        let (connection, client) = joined;
        let mut this = Self {
            server,
            connection,
            client,
            outbox: Outbox::default(),
        };
        this.tick();
        this.apply();
        assert_eq!(this.client.object_count(), objects as usize);
        this
    }
}

impl Server for UnitPair {
    fn change(&mut self, object: u32, change: Change) {
        self.server.change(object, change);
    }

    fn tick(&mut self) {
        self.server.tick_for(self.connection, &mut self.outbox);
    }
}

impl Pair for UnitPair {
    fn apply(&mut self) -> Duration {
        let packets = self.outbox.take_packets();
        let start = Instant::now();
        receive(&mut self.client, &packets);
        start.elapsed()
    }
}
