//! A client joins a world of N objects.
//!
//! `server` is one tick in which a connection has become ready: the snapshot of every object, and
//! all packets polled. `client` is a new client that receives these packets; all its events are drained.
//! The floor writes and reads the same values by hand, without packets.

mod support;

use std::time::{Duration, Instant};

use criterion::{BatchSize, BenchmarkId, Criterion, SamplingMode};
use syncvar::Framing;

use support::floor::{FloorClient, FloorServer};
use support::outbox::{Outbox, Packets, receive};
use support::random::Random;
use support::replication::{UnitServer, connected_client};
use support::workload::Server;

const DIALECT: Framing = Framing::Compact;

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    for objects in [1_000, 10_000, 100_000] {
        measure_server(&mut criterion, objects);
        measure_client(&mut criterion, objects);
    }
    criterion.final_summary();
}

fn measure_server(criterion: &mut Criterion, objects: u32) {
    let mut group = criterion.benchmark_group("join/server");
    group.sampling_mode(SamplingMode::Flat);
    let floor = FloorServer::new(objects, 0, &mut Random::new(1));
    let mut buffer = Vec::new();
    group.bench_function(BenchmarkId::new("floor", objects), |bencher| {
        bencher.iter(|| floor.write_snapshot(&mut buffer));
    });
    let mut syncvar = UnitServer::new(objects, 1, DIALECT, &mut Random::new(1));
    group.bench_function(BenchmarkId::new("syncvar", objects), |bencher| {
        bencher.iter_custom(|joins| (0..joins).map(|_| one_join(&mut syncvar)).sum());
    });
    group.finish();
}

fn one_join(server: &mut UnitServer) -> Duration {
    let connection = server.join();
    let start = Instant::now();
    server.tick();
    let elapsed = start.elapsed();
    server.server.handle_disconnect(connection);
    elapsed
}

fn measure_client(criterion: &mut Criterion, objects: u32) {
    let mut group = criterion.benchmark_group("join/client");
    group.sampling_mode(SamplingMode::Flat);
    let mut snapshot = Vec::new();
    FloorServer::new(objects, 0, &mut Random::new(1)).write_snapshot(&mut snapshot);
    group.bench_function(BenchmarkId::new("floor", objects), |bencher| {
        bencher.iter_batched(
            FloorClient::default,
            |mut client| {
                client.apply(&snapshot).expect("the floor reads itself");
                client
            },
            BatchSize::PerIteration,
        );
    });
    let packets = packets_of_a_join(objects);
    group.bench_function(BenchmarkId::new("syncvar", objects), |bencher| {
        bencher.iter_batched(
            || connected_client(DIALECT),
            |mut client| {
                receive(&mut client, &packets);
                client
            },
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

fn packets_of_a_join(objects: u32) -> Packets {
    let mut server = UnitServer::new(objects, 0, DIALECT, &mut Random::new(1));
    let connection = server.join();
    let mut outbox = Outbox::default();
    server.tick_for(connection, &mut outbox);
    outbox.take_packets()
}
