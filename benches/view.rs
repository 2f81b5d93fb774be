//! One frame of a client: interpolated position and rotation of each of 1 000 moving objects.
//!
//! ```text
//! cargo bench --bench view
//! ```

use std::hint::black_box;
use std::time::Duration;

use criterion::Criterion;
use syncvar::prelude::*;

const OBJECTS: u16 = 1_000;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Mover {
    #[sync_var(interpolate = linear, snap = 5.0)]
    position: SyncVar<Vector3>,
    #[sync_var(interpolate = spherical)]
    rotation: SyncVar<Quaternion>,
}

fn main() {
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Mover>("mover"));
    let ids: Vec<NetId> = (0..OBJECTS)
        .map(|_| net.server.spawn(Mover::default()))
        .collect();
    for step in 0..60_u8 {
        let angle = f32::from(step) * 0.2;
        for id in &ids {
            let mut mover = net.server.get_mut::<Mover>(*id).expect("spawned");
            mover.position.x += 0.1;
            let turned = Quaternion::new(0.0, angle.sin(), 0.0, angle.cos());
            mover.rotation.set(turned);
        }
        net.step();
    }
    let client = net.client(0);
    let now = net.now() + Duration::from_millis(10);
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    criterion.bench_function("view/1000 objects/position", |bencher| {
        bencher.iter(|| {
            for id in &ids {
                let view = client.view_at::<Mover>(*id, now).expect("visible");
                black_box(view.get(Mover::POSITION));
            }
        });
    });
    criterion.bench_function("view/1000 objects/position and rotation", |bencher| {
        bencher.iter(|| {
            for id in &ids {
                let view = client.view_at::<Mover>(*id, now).expect("visible");
                black_box((view.get(Mover::POSITION), view.get(Mover::ROTATION)));
            }
        });
    });
    criterion.final_summary();
}
