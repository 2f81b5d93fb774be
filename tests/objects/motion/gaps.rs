//! Views over links that lose and delay several samples in succession.

use std::time::Duration;

use syncvar::motion::Interpolate;
use syncvar::prelude::*;
use syncvar::testing::Conditions;
use syncvar::{NetworkBehaviour, ServerConfig};

/// Frames per second: each is an update of both ends.
const FRAMES: u32 = 144;

/// Speed in metres per second.
const SPEED: f64 = 5.0;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Walker {
    #[sync_var(interpolate = linear)]
    position: SyncVar<Vector2>,
}

/// Position at a time in seconds: circles of eight metres across.
#[expect(clippy::cast_possible_truncation, reason = "a few metres")]
fn path(time: f64) -> Vector2 {
    let angle = time * SPEED / 4.0;
    Vector2::new(4.0 * angle.cos() as f32, 4.0 * angle.sin() as f32)
}

/// Frames of a walk, in metres.
struct Walk {
    /// Distances from the true path at the time of the view.
    errors: Vec<f32>,
    largest_step: f32,
}

/// Lets a walker walk for some seconds at a rate of ticks, over ways of 20 to 80 ms.
fn walk(tick_rate: u32, loss: f64, seed: u64, seconds: u32) -> Walk {
    let prefabs = || Prefabs::new().register::<Walker>("walker");
    let link = Conditions {
        delay: Duration::from_millis(20),
        jitter: Duration::from_millis(60),
        loss,
        seed,
        ..Conditions::default()
    };
    let config = ServerConfig {
        tick_rate,
        ..ServerConfig::default()
    };
    let mut net = MemoryNetwork::with_config(prefabs, config, link);
    (net.tick, net.datagrams) = (Duration::from_secs(1) / FRAMES, true);
    net.connect();
    let id = net.server.spawn(Walker::default());
    let (mut last, mut largest_step, mut errors) = (None, 0.0_f32, Vec::new());
    for frame in 0..seconds * FRAMES {
        for tick in net.server.ticks_until(net.now() + net.tick) {
            let time = f64::from(u32::try_from(tick).unwrap()) / f64::from(tick_rate);
            let mut walker = net.server.get_mut::<Walker>(id).unwrap();
            walker.position = path(time).into();
        }
        net.step();
        let (client, now) = (net.client(0), net.now());
        let view = client.view_at::<Walker>(id, now);
        let shown = view.and_then(|view| view.get(Walker::POSITION));
        let time = client.view_time_at(now);
        let (Some(shown), Some(time)) = (shown, time.filter(|_| frame > 3 * FRAMES)) else {
            continue;
        };
        largest_step = largest_step.max(last.map_or(0.0, |last| shown.distance(&last)));
        last = Some(shown);
        errors.push(shown.distance(&path(time.time.as_secs_f64())));
    }
    Walk {
        errors,
        largest_step,
    }
}

#[test]
fn lost_samples_cause_neither_a_leap_nor_an_error() {
    for rate in [20, 60] {
        for loss in [0.0, 0.02, 0.1] {
            let (mut largest_step, mut errors) = (0.0_f32, Vec::new());
            for seed in 0..6 {
                let walk = walk(rate, loss, seed, 60);
                largest_step = largest_step.max(walk.largest_step);
                errors.extend(walk.errors);
            }
            errors.sort_by(f32::total_cmp);
            let error = errors[(errors.len() - 1) * 99 / 100];
            let most = errors.last().unwrap();
            println!(
                "{rate} Hz, loss {loss}: error p99 {error:.4} m, most {most:.3} m, step {largest_step:.3} m"
            );
            assert!(largest_step < 0.15, "{largest_step} m at {rate} Hz, {loss}");
            assert!(error < 0.01, "{error} m at {rate} Hz, {loss}");
        }
    }
}

#[test]
fn a_lone_walker_that_rests_shortly_never_turns_back() {
    let prefabs = || Prefabs::new().register::<Walker>("walker");
    let config = ServerConfig {
        tick_rate: 20,
        ..ServerConfig::default()
    };
    let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
    (net.tick, net.datagrams) = (Duration::from_secs(1) / FRAMES, true);
    net.connect();
    let id = net.server.spawn(Walker::default());
    let (mut last, mut ticks) = (0.0, 0);
    for _ in 0..20 * FRAMES {
        for _ in net.server.ticks_until(net.now() + net.tick) {
            ticks += 1;
            if ticks % 12 < 8 {
                net.server.get_mut::<Walker>(id).unwrap().position.x += 0.25;
            }
        }
        net.step();
        let view = net.client(0).view::<Walker>(id);
        let Some(shown) = view.and_then(|view| view.get(Walker::POSITION)) else {
            continue;
        };
        let step = shown.x - last;
        last = shown.x;
        assert!((-1e-3..0.15).contains(&step), "{step}");
    }
    assert!(last > 60.0, "{last}");
}
