//! The own runner of a client: its newest value, and its prediction.

use std::collections::BTreeMap;

use syncvar::ServerConfig;
use syncvar::prelude::*;
use syncvar::testing::MemoryNetwork;

use super::{FRAMES, Frames, SPEED, Strategy, TICK, TICKS, WAY, link};

/// Ticks between two pushes, and their length in metres.
const PUSHES: u64 = 60;
const PUSH: f32 = 0.8;

/// Input of a tick: the direction.
#[derive(SyncValue, Clone, Default)]
struct Heading {
    x: f32,
}

#[derive(NetworkBehaviour, Clone, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Runner {
    #[sync_var(interpolate = linear, snap = 3.0)]
    x: SyncVar<f32>,
    /// Tick of the position: a view shows the tick that it lies in.
    #[sync_var(interpolate = linear)]
    tick: SyncVar<f32>,
}

#[expect(clippy::cast_possible_truncation, reason = "a few metres")]
#[expect(clippy::cast_precision_loss, reason = "ticks of a run")]
fn step(runner: &mut Runner, input: &Heading, tick: u64) {
    let step = input.x * SPEED as f32 * TICK.as_secs_f32();
    runner.x.set((*runner.x + step).clamp(0.0, WAY as f32));
    runner.tick.set(tick as f32);
}

/// Runs a world with the runner of its client, with or without pushes that only the server knows. Returns what the newest
/// value shows, and what the prediction shows. The truth of a frame is the server's runner in the tick that the prediction
/// shows: the inputs are on their way, and the server will be there.
pub(super) fn run(names: [&'static str; 2], is_pushed: bool) -> [Strategy; 2] {
    let prefabs = || {
        Prefabs::new()
            .register::<Runner>("runner")
            .input::<Heading>()
    };
    let mut net = MemoryNetwork::with_config(prefabs, ServerConfig::default(), link());
    // Each frame is an update.
    (net.tick, net.datagrams) = (TICK / FRAMES, true);
    net.connect_client(NetworkClient::new(prefabs()));
    let options = SpawnOptions {
        owner: Some(net.connection(0)),
        ..SpawnOptions::default()
    };
    let id = net.server.try_spawn(Runner::default(), options);
    let id = id.expect("a free id");
    net.settle();
    net.client_mut(0).predict(id, step).expect("visible");
    let mut heading = Heading { x: 1.0 };
    let mut server = BTreeMap::new();
    let (mut newest, mut predicted, mut ticks) = (Frames::new(), Frames::new(), Vec::new());
    for _ in 0..TICKS * FRAMES {
        net.client_mut(0).set_input(&heading).expect("the input");
        for tick in net.server.ticks_until(net.now() + net.tick) {
            net.server.step(id, tick, step).expect("spawned");
            let mut runner = net.server.get_mut::<Runner>(id).expect("spawned");
            if is_pushed && tick % PUSHES == 0 {
                let push = if *runner.x > 2.0 { -PUSH } else { PUSH };
                runner.x += push;
            }
            server.insert(tick, f64::from(*runner.x));
        }
        net.step();
        let (client, now) = (net.client(0), net.now().as_secs_f64());
        let view = client.view::<Runner>(id).expect("visible");
        let [x, tick] = [Runner::X, Runner::TICK].map(|field| view.get(field));
        let known = client.get::<Runner>(id).expect("visible");
        newest.push((now, (*known.x).into()));
        predicted.push((now, x.unwrap_or_default().into()));
        ticks.push(f64::from(tick.unwrap_or_default()));
        let x = client
            .predicted::<Runner>(id)
            .map_or(0.0, |runner| *runner.x);
        heading.x = match x {
            _ if x <= 0.0 => 1.0,
            _ if f64::from(x) >= WAY => -1.0,
            _ => heading.x,
        };
    }
    let truth: Frames = { newest.iter().zip(ticks) }
        .map(|((time, _), tick)| (*time, position(&server, tick)))
        .collect();
    let [newest_name, predicted_name] = names;
    let strategy = |name, frames| Strategy {
        name,
        frames,
        truth: truth.clone(),
        delay: std::time::Duration::ZERO,
    };
    [
        strategy(newest_name, newest),
        strategy(predicted_name, predicted),
    ]
}

/// Returns the position of the server's runner between two ticks.
fn position(server: &BTreeMap<u64, f64>, tick: f64) -> f64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive tick"
    )]
    let before = tick as u64;
    let [from, to] = [before, before + 1].map(|tick| server.get(&tick).copied());
    let from = from.or(to).unwrap_or_default();
    from + (to.unwrap_or(from) - from) * tick.fract()
}
