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
use std::marker::PhantomData;
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion};
use syncvar::mirror::components::{
    Hybrid, NetworkTransform, Reliable, TransformMethod, Unreliable,
};
use syncvar::mirror::{
    Limits, MirrorPrefab, MirrorPrefabs, MirrorServer, MirrorServerConfig, SpawnPolicy,
};
use syncvar::values::{Quaternion, Vector3};
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
    measure_transforms::<Reliable>(&mut criterion);
    measure_transforms::<Hybrid>(&mut criterion);
    measure_transforms::<Unreliable>(&mut criterion);
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
            connect(&mut this.server);
            this.tick();
        }
        this
    }
}

/// Measures a tick in which 10 000 transforms move and turn, for 100 clients.
fn measure_transforms<M: TransformMethod>(criterion: &mut Criterion) {
    const OBJECTS: u32 = 10_000;
    const CLIENTS: usize = 100;
    let mut server = MovingServer::<M>::new(OBJECTS, CLIENTS);
    let name = format!("mirror/{OBJECTS} transforms, {CLIENTS} clients");
    let mut group = criterion.benchmark_group(name);
    group.bench_function(BenchmarkId::from_parameter(M::NAME), |bencher| {
        bencher.iter_custom(|ticks| {
            let tick = |_| {
                server.step();
                let start = Instant::now();
                server.tick();
                start.elapsed()
            };
            (0..ticks).map(tick).sum()
        });
    });
    group.finish();
    if let Some(time) = server.cpu_time() {
        println!("{}: {time:?} of CPU time for each tick", M::NAME);
    }
    #[expect(clippy::cast_precision_loss, reason = "the number is rounded")]
    let bytes = server.bytes as f64 / f64::from(server.ticks) / CLIENTS as f64;
    println!(
        "{}: {:.1} bytes for each transform and client",
        M::NAME,
        bytes / f64::from(OBJECTS)
    );
}

/// A `MirrorServer` with moving transforms.
struct MovingServer<M> {
    server: MirrorServer,
    objects: Vec<NetId>,
    now: Duration,
    /// Ticks since all clients joined, and their bytes.
    ticks: u32,
    bytes: usize,
    method: PhantomData<M>,
}

impl<M: TransformMethod> MovingServer<M> {
    fn new(objects: u32, clients: usize) -> Self {
        let prefab = MirrorPrefab::new("unit", 1.into());
        let prefabs = MirrorPrefabs::new().register::<NetworkTransform<M>>(prefab);
        let config = MirrorServerConfig {
            spawn_policy: SpawnPolicy::WhenReady,
            ..MirrorServerConfig::default()
        };
        let mut server = MirrorServer::with_config(prefabs, config);
        let spawn = |_| server.spawn(NetworkTransform::<M>::default());
        let objects = (0..objects).map(spawn).collect();
        let mut this = Self {
            server,
            objects,
            now: Duration::ZERO,
            ticks: 0,
            bytes: 0,
            method: PhantomData,
        };
        for _ in 0..clients {
            connect(&mut this.server);
            this.tick();
        }
        (this.ticks, this.bytes) = (0, 0);
        this
    }

    /// Moves and turns all transforms: a walk in a circle of 10 m, with an angle of its own for each.
    fn step(&mut self) {
        let time = self.now.as_secs_f32();
        for (index, id) in { 0_u16.. }.zip(&self.objects) {
            let angle = time + f32::from(index);
            let (sin, cos) = angle.sin_cos();
            let transform = self.server.get_mut::<NetworkTransform<M>>(*id);
            let mut transform = transform.expect("the object was spawned");
            transform.position = Vector3::new(10.0 * cos, 0.0, 10.0 * sin);
            let (sin, cos) = (angle / 2.0).sin_cos();
            transform.rotation = Quaternion::new(0.0, sin, 0.0, cos);
        }
    }

    /// Returns the CPU time of a tick, which does not depend on other load: that of many ticks with their motion, less
    /// that of the motion. `None` on a system without the file.
    fn cpu_time(&mut self) -> Option<Duration> {
        const TICKS: u32 = 100;
        let used = || -> Option<u64> {
            let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
            text.split_whitespace().next()?.parse().ok()
        };
        let start = used()?;
        for _ in 0..TICKS {
            self.step();
            self.tick();
        }
        let ticks = used()?;
        (0..TICKS).for_each(|_| self.step());
        let motion = used()? - ticks;
        let nanos = (ticks - start).saturating_sub(motion);
        Some(Duration::from_nanos(nanos) / TICKS)
    }

    fn tick(&mut self) {
        self.now += Duration::from_secs(1) / 60;
        self.server.update(self.now);
        self.ticks += 1;
        while let Some(transmit) = self.server.poll_transmit() {
            self.bytes += transmit.len();
            black_box(transmit.chunks());
        }
    }
}

/// Connects a client that is ready.
fn connect(server: &mut MirrorServer) {
    let connection = server.handle_connect(Limits::TELEPATHY);
    // A batch of time 0 with one message: `ReadyMessage`.
    let ready = [0, 0, 0, 0, 0, 0, 0, 0, 2, 0xbc, 0xaa];
    let handled = server.handle_packet(connection, Channel::Reliable, &ready);
    handled.expect("a client may be ready");
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
