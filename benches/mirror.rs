//! One tick of a server with Mirror's protocol: N objects, M clients, a part of the objects
//! changed. The objects are equal to the objects of the measurement of Mirror's own server (SPEC of the
//! recordings, section 20): four integers, three floats and a short string, in one component.
//!
//! Measures `update` and `poll_transmit` until no packet is left: from finished changes to the transport
//! messages of all clients, including batch headers, time and pings. The hand-written floor of
//! `support/floor.rs` runs beside it; its bytes are shorter.
//!
//! On the machine of the last measurement Mirror's own code, built for mono 6.8 with a transport
//! that counts bytes, took for 10 000 objects and 100 clients, alternating with this bench: 48 to 63 ms at
//! 0 % or 1 % changed, 77 to 90 ms at 10 %, 455 to 607 ms at 100 %. The bytes of both were equal.
//! The bench took 8 µs, 24 to 36 µs, 0.10 to 0.23 ms, and 0.7 to 1.1 ms.
//!
//! Times of Mirror's own server on another machine (its real code under Mono's JIT, one
//! thread), in milliseconds, by the part of the objects that has changed, with one or all fields each:
//!
//! | N | M | 0 % | 1 % | 10 % | 100 % | 10 %, all | 100 %, all |
//! |---|---|---|---|---|---|---|---|
//! | 10 000 | 1 | 0.38 | 0.47 | 1.22 | 6.59 | 1.33 | 7.97 |
//! | 10 000 | 100 | 24.70 | 26.36 | 39.48 | 266.07 | 40.39 | 292.90 |
//! | 100 000 | 1 | 10.47 | 11.79 | 18.72 | 65.86 | 19.73 | 78.33 |
//!
//! ```text
//! cargo bench --bench mirror
//! ```

mod support;

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion};
use syncvar::mirror::{
    Limits, MirrorPrefab, MirrorPrefabs, MirrorServer, MirrorServerConfig, SpawnPolicy,
};
use syncvar::{Channel, NetId};

use support::cell::Cell;
use support::floor::FloorServer;
use support::random::Random;
use support::workload::{Change, Changes, Server, Unit, Values};

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    for (objects, clients) in [(10_000, 1), (10_000, 100), (100_000, 1)] {
        let name = format!("mirror/{objects} objects, {clients} clients");
        let mut group = criterion.benchmark_group(name);
        let mut floor = FloorServer::new(objects, clients, &mut Random::new(1));
        let mut server = MirrorUnitServer::new(objects, clients, &mut Random::new(1));
        for cell in Cell::ALL {
            measure_cell(&mut group, "floor", &mut floor, objects, cell);
            measure_cell(&mut group, "syncvar-mirror", &mut server, objects, cell);
        }
        group.finish();
    }
    criterion.final_summary();
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

/// A `MirrorServer` with bare connections as clients: their packets are polled and dropped.
struct MirrorUnitServer {
    server: MirrorServer,
    objects: Vec<NetId>,
    now: Duration,
}

impl MirrorUnitServer {
    /// Creates a server with objects of random values; all `clients` have their snapshots.
    fn new(objects: u32, clients: usize, random: &mut Random) -> Self {
        let prefabs = MirrorPrefabs::new().register::<Unit>(MirrorPrefab::new("unit", 1.into()));
        let config = MirrorServerConfig {
            spawn_policy: SpawnPolicy::WhenReady,
            ..MirrorServerConfig::default()
        };
        let mut server = MirrorServer::with_config(prefabs, config);
        let spawn = |_| server.spawn(Unit::from(Values::random(random)));
        let objects = (0..objects).map(spawn).collect();
        let mut this = Self {
            server,
            objects,
            now: Duration::ZERO,
        };
        for _ in 0..clients {
            let connection = this.server.handle_connect(Limits::TELEPATHY);
            // A batch of time 0 with one message: `ReadyMessage`.
            let ready = [0, 0, 0, 0, 0, 0, 0, 0, 2, 0xbc, 0xaa];
            let handled = this
                .server
                .handle_packet(connection, Channel::Reliable, &ready);
            handled.expect("a client may be ready");
            this.tick();
        }
        this
    }
}

impl Server for MirrorUnitServer {
    fn change(&mut self, object: u32, change: Change) {
        let id = self.objects[object as usize];
        let unit = self.server.get_mut::<Unit>(id);
        unit.expect("the object was spawned").apply(change);
    }

    fn tick(&mut self) {
        self.now += Duration::from_millis(10);
        self.server.update(self.now);
        while let Some(transmit) = self.server.poll_transmit() {
            black_box(transmit.chunks());
        }
    }
}
