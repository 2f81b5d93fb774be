//! Replay of 100 predicted objects by 10 ticks, after a difference from the server; then a tick of a client with 10 000 objects
//! of which it predicts none or one.
//!
//! ```text
//! cargo bench --bench predict
//! ```

#[path = "predict/others.rs"]
mod others;

use std::time::{Duration, Instant};

use criterion::Criterion;
use syncvar::codec::Half;
use syncvar::motion::Group;
use syncvar::prelude::*;
use syncvar::testing::Conditions;
use syncvar::{NetworkBehaviour, ServerConfig};

const OBJECTS: u16 = 100;
const TICKS: u32 = 10;

#[derive(SyncValue, Clone, Default)]
struct Move {
    x: f32,
}

#[derive(NetworkBehaviour, Default, Clone)]
#[network_behaviour(send_interval = 0)]
struct Mover {
    #[sync_var(interpolate = linear, snap = 5.0)]
    position: SyncVar<Vector3>,
    #[sync_var]
    velocity: SyncVar<Vector3>,
}

/// The same with a codec, whose values are rounded after each step.
#[derive(NetworkBehaviour, Default, Clone)]
#[network_behaviour(send_interval = 0)]
struct Rounded {
    #[sync_var(interpolate = linear, snap = 5.0)]
    position: SyncVar<Vector3>,
    #[sync_var(with = Half)]
    velocity: SyncVar<Vector3>,
}

trait Moves: NetworkBehaviour + Clone + Default {
    fn step(&mut self, x: f32);
}

macro_rules! moves {
    ($($behaviour:ty),*) => {$(
        impl Moves for $behaviour {
            fn step(&mut self, x: f32) {
                self.velocity.x += (x - self.velocity.x) * 0.1;
                self.position.x += self.velocity.x * 0.05;
            }
        }
    )*};
}

moves!(Mover, Rounded);

fn step<B: Moves>(ids: &[NetId]) -> impl FnMut(&mut Group<'_>, u64) + Send + Sync + 'static {
    let ids = ids.to_vec();
    move |group, _tick| {
        for id in &ids {
            let input = group.input::<Move>(*id).unwrap_or_default();
            if let Some(mover) = group.get_mut::<B>(*id) {
                mover.step(input.x);
            }
        }
    }
}

fn measure<B: Moves>(criterion: &mut Criterion, name: &str) {
    let config = ServerConfig {
        tick_rate: 20,
        ..ServerConfig::default()
    };
    let link = Conditions {
        delay: Duration::from_millis(100),
        ..Conditions::default()
    };
    let prefabs = || Prefabs::new().register::<B>("mover").input::<Move>();
    let mut net = MemoryNetwork::with_config(prefabs, config, link);
    net.connect();
    let ids: Vec<NetId> = (0..OBJECTS)
        .map(|_| net.server.spawn(B::default()))
        .collect();
    for _ in 0..60 {
        net.step();
    }
    for id in &ids {
        net.client_mut(0)
            .predict_behaviour::<B>(*id)
            .expect("visible");
    }
    net.client_mut(0).predict_group(&ids, step::<B>(&ids));
    for _ in 0..60 {
        net.client_mut(0)
            .set_input(&Move { x: 1.0 })
            .expect("the input");
        net.step();
    }
    let client = net.client_mut(0);
    criterion.bench_function(
        &format!("predict/100 objects by 10 ticks/{name}"),
        |bencher| {
            bencher.iter_custom(|iterations| {
                let mut total = Duration::ZERO;
                for _ in 0..iterations {
                    let before = client.prediction_stats().replayed;
                    let started = Instant::now();
                    client.predict_group(&ids, step::<B>(&ids));
                    let elapsed = started.elapsed();
                    let replayed = client.prediction_stats().replayed - before;
                    total += elapsed * TICKS / u32::try_from(replayed).expect("few ticks");
                }
                total
            });
        },
    );
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    measure::<Mover>(&mut criterion, "plain");
    measure::<Rounded>(&mut criterion, "with a codec");
    criterion.final_summary();
    // `cargo test --benches` runs the bench without this argument.
    if std::env::args().any(|argument| argument == "--bench") {
        others::print();
    }
}
