//! Iteration over the objects of one type: 20 doors among 100 000 other objects, on the server and on a
//! client. The cost follows the number of doors.

use std::hint::black_box;
use std::time::Duration;

use criterion::Criterion;
use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Door {
    #[sync_var]
    open: SyncVar<bool>,
}

#[derive(NetworkBehaviour, Default)]
struct Crate {
    #[sync_var]
    gold: SyncVar<u32>,
}

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    let mut group = criterion.benchmark_group("iter");
    for (doors, crates) in [(20, 0), (20, 100_000)] {
        let (doors, crates) = (0..doors, 0..crates);
        let mut net = MemoryNetwork::pair(|| {
            let prefabs = Prefabs::new().register::<Crate>("crate");
            prefabs.register::<Door>("door")
        });
        let ids: Vec<_> = doors
            .clone()
            .map(|_| net.server.spawn(Door { open: true.into() }))
            .collect();
        for _ in crates.clone() {
            net.server.spawn(Crate::default());
        }
        net.settle();
        let name = |end: &str| format!("{end}, {} of {}", doors.len(), doors.len() + crates.len());
        let (server, client) = (&net.server, net.client(0));
        assert_eq!(client.iter::<Door>().count(), ids.len());
        group.bench_function(name("server"), |bencher| {
            bencher.iter(|| {
                let open = server.iter::<Door>().filter(|(_, door)| *door.open);
                black_box(open.count())
            });
        });
        group.bench_function(name("client"), |bencher| {
            bencher.iter(|| {
                let open = client.iter::<Door>().filter(|(_, door)| *door.open);
                black_box(open.count())
            });
        });
        group.bench_function(name("for_each_mut"), |bencher| {
            let server = &mut net.server;
            bencher.iter(|| {
                server.for_each_mut::<Door>(|id, door| {
                    black_box((id, &*door));
                });
            });
        });
    }
    group.finish();
    criterion.final_summary();
}
