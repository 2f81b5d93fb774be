//! Price of a restricted field: 100 000 objects with one of four fields changed, and one client.
//!
//! `plain` has no restricted field. `unchanged` has one that only the owner reads; another field changes.
//! In `changed` this field changes too, on objects without an owner. A tick is the update and the polling
//! of all packets.

use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode, Throughput};
use syncvar::NetworkBehaviour;
use syncvar::prelude::*;

const OBJECTS: u32 = 100_000;

#[derive(NetworkBehaviour, Default)]
struct Plain {
    #[sync_var]
    health: SyncVar<i32>,
    #[sync_var]
    x: SyncVar<f32>,
    #[sync_var]
    y: SyncVar<f32>,
    #[sync_var]
    gold: SyncVar<u32>,
}

#[derive(NetworkBehaviour, Default)]
struct Restricted {
    #[sync_var]
    health: SyncVar<i32>,
    #[sync_var]
    x: SyncVar<f32>,
    #[sync_var]
    y: SyncVar<f32>,
    #[sync_var(read = owner)]
    gold: SyncVar<u32>,
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    let mut group = criterion.benchmark_group("restricted");
    group.sampling_mode(SamplingMode::Flat);
    group.throughput(Throughput::Elements(OBJECTS.into()));
    measure::<Plain>(&mut group, "plain", |it| it.health += 1);
    measure::<Restricted>(&mut group, "unchanged", |it| it.health += 1);
    measure::<Restricted>(&mut group, "changed", |it| {
        it.health += 1;
        it.gold += 1;
    });
    group.finish();
    criterion.final_summary();
}

fn measure<B: NetworkBehaviour + Default>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    change: impl Fn(&mut B),
) {
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<B>("object"));
    let objects: Vec<_> = (0..OBJECTS)
        .map(|_| net.server.spawn(B::default()))
        .collect();
    net.settle();
    let server = &mut net.server;
    let mut now = server.now();
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|ticks| {
            let tick = |_| {
                for id in &objects {
                    change(&mut server.get_mut::<B>(*id).expect("the object exists"));
                }
                now += Duration::from_millis(50);
                let start = Instant::now();
                tick(server, now);
                start.elapsed()
            };
            (0..ticks).map(tick).sum()
        });
    });
}

/// A function of its own, so that an instruction count can begin and end here.
#[inline(never)]
fn tick(server: &mut NetworkServer, now: Duration) {
    server.update(now);
    while let Some(transmit) = server.poll_transmit() {
        std::hint::black_box((transmit.header, transmit.chunks));
    }
}
