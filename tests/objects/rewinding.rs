//! Rewinding: the server sees the world as a client showed it.

mod sight;
mod views;

use std::time::Duration;

use syncvar::codec::{Half, Quantized};
use syncvar::motion::{Input, Interpolate};
use syncvar::prelude::*;
use syncvar::testing::Conditions;
use syncvar::{NetworkBehaviour, ServerConfig};

const TICK: Duration = Duration::from_micros(33_334);

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Target {
    #[sync_var(interpolate = linear, snap = 20.0, history = 1)]
    position: SyncVar<Vector2>,
    #[sync_var(history = 1)]
    alive: SyncVar<bool>,
    #[sync_var]
    name: SyncVar<String>,
}

/// Shooter of a client.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Gun {
    #[sync_var]
    shots: SyncVar<u32>,
    /// Distances of the shots from the target, on the server.
    misses: Vec<f32>,
    /// View times of the shots: of the client and of the server, in seconds.
    times: Vec<(f64, f64)>,
}

#[network_calls]
impl Gun {
    #[command(rate = 1000)]
    fn shoot(&mut self, ctx: &mut CallContext<'_>, target: NetId, at: Vector2, time: f64) {
        let sender = ctx.sender().expect("a client");
        let server = ctx.expect_server();
        let (seen, past) = server.rewind(sender, |past| {
            let view = past.view::<Target>(target).expect("visible");
            (view.get(Target::POSITION), past.time().time)
        });
        self.shots += 1;
        self.misses.push(seen.expect("a history").distance(&at));
        self.times.push((time, past.as_secs_f64()));
    }
}

/// Input with the view time of its client in seconds.
#[derive(SyncValue, Clone, Default)]
struct Aim {
    seen: f64,
}

/// Radius of a target in metres.
const RADIUS: f32 = 0.5;

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Target>("target")
        .register::<Gun>("gun")
        .register::<Coded>("coded")
        .register::<Derived>("derived")
        .register::<Coarse>("coarse")
        .input::<Aim>()
}

fn network(link: Conditions) -> MemoryNetwork {
    let mut net = MemoryNetwork::with_config(prefabs, ServerConfig::default(), link);
    net.tick = TICK;
    net.datagrams = true;
    net
}

/// Path of a target that runs in a circle at 6 m/s and turns back at times.
fn path(step: u16) -> Vector2 {
    let (turn, rest) = (step / 60, step % 60);
    let along = f32::from(if turn % 2 == 0 { rest } else { 60 - rest });
    let angle = along * 0.1;
    Vector2::new(2.0 * angle.cos(), 2.0 * angle.sin())
}

/// Lets a client shoot at what it shows between two updates, each tick. Returns the distances and the errors of the view
/// time in ticks, from the third second on.
fn duel(link: Conditions) -> (Vec<f32>, Vec<f64>, u32) {
    let mut net = network(link);
    let shooter = net.connect();
    let connection = net.connection(shooter);
    let gun = net.server.spawn(Gun::default());
    let target = net.server.spawn(Target::default());
    net.server.set_owner(gun, Some(connection)).unwrap();
    let mut claimed = 0;
    for step in 0..1500 {
        net.server.get_mut::<Target>(target).unwrap().position = path(step).into();
        net.step();
        let now = net.now() + TICK.mul_f32(f32::from(step % 4) / 4.0);
        let client = net.client_mut(shooter);
        let Some(time) = client.view_time_at(now).filter(|_| client.is_owner(gun)) else {
            continue;
        };
        let view = client.view_at::<Target>(target, now);
        let seen = view.and_then(|view| view.get(Target::POSITION));
        // At the edge of the target.
        let Some(seen) = seen.filter(|_| step > 90 && step < 1400) else {
            continue;
        };
        let aim = Vector2::new(seen.x + RADIUS * 0.9, seen.y);
        client.show_view(now);
        let calls = client.calls::<Gun>(gun);
        calls.shoot(target, aim, time.time.as_secs_f64()).unwrap();
        claimed += 1;
    }
    net.settle();
    let gun = net.server.get::<Gun>(gun).unwrap();
    let errors = gun.times.iter();
    let errors = errors.map(|(seen, past)| (seen - past).abs() / TICK.as_secs_f64());
    (gun.misses.clone(), errors.collect(), claimed)
}

fn percentile(mut values: Vec<f64>, of_hundred: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    values[(values.len() - 1) * of_hundred / 100]
}

#[test]
fn a_hit_on_the_screen_is_a_hit_on_the_server() {
    for round_trip in [20, 60, 100, 180] {
        for seed in 0..3 {
            let link = Conditions {
                delay: Duration::from_millis(round_trip / 2 - 5),
                jitter: Duration::from_millis(10),
                loss: 0.02,
                seed,
                ..Conditions::default()
            };
            let (misses, errors, claimed) = duel(link);
            assert_eq!(misses.len(), claimed as usize, "a reliable command arrives");
            let hits = misses.iter().filter(|miss| **miss <= RADIUS).count();
            let error = percentile(errors.clone(), 95);
            assert!(
                hits * 100 >= misses.len() * 99,
                "{hits} hits of {claimed} at {round_trip} ms, seed {seed}"
            );
            assert!(
                error < 0.01,
                "{error} ticks at {round_trip} ms, seed {seed}"
            );
        }
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Coded {
    #[sync_var(interpolate = hermite, with = Quantized<-100, 100, 100>, history = 0.5)]
    x: SyncVar<f32>,
    #[sync_var(interpolate = linear, with = Half, history = 0.5, hook = on_pose)]
    pose: SyncVar<[f32; 2]>,
    #[sync_var(interpolate = spherical, history = 0.5)]
    rotation: SyncVar<Quaternion>,
    #[sync_var(history = 0.5, threshold = differs)]
    stance: SyncVar<String>,
    former: [f32; 2],
}

impl Coded {
    fn on_pose(&mut self, former: [f32; 2]) {
        self.former = former;
    }

    fn differs(former: &String, now: &String) -> bool {
        former != now
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Derived {
    #[network_behaviour(base)]
    base: Coded,
    #[sync_var(interpolate = linear, history = 0.2, write = owner)]
    y: SyncVar<f32>,
}

#[test]
fn every_codec_and_method_and_a_base_have_a_history() {
    let mut net = network(Conditions::default());
    net.connect();
    let id = net.server.spawn(Derived::default());
    for step in 1..=60_u8 {
        let mut derived = net.server.get_mut::<Derived>(id).unwrap();
        let x = f32::from(step) * 0.25;
        derived.base.x.set(x);
        derived.base.pose.set([x, -x]);
        let half = x / 20.0;
        derived
            .base
            .rotation
            .set(Quaternion::new(half.sin(), 0.0, 0.0, half.cos()));
        derived.base.stance.set(format!("step {step}"));
        derived.y.set(x);
        drop(derived);
        net.step();
    }
    let client = net.client(0);
    let shown = client.view::<Derived>(id).unwrap();
    let connection = net.connection(0);
    net.server.rewind(connection, |past| {
        let past = past.view::<Derived>(id).unwrap();
        // Without a command the view is estimated; this link has no delay.
        let x = past.get(Coded::X).unwrap();
        assert!((x - shown.get(Coded::X).unwrap()).abs() < 0.26, "{x}");
        let pose = past.get(Coded::POSE).unwrap();
        assert!((pose[0] - x).abs() < 1e-4 && (pose[1] + x).abs() < 1e-4);
        assert!((past.get(Derived::Y).unwrap() - x).abs() < 1e-4);
        let turned = past.get(Coded::ROTATION).unwrap().x.asin() * 20.0;
        assert!((turned - x).abs() < 1e-3, "{turned}");
        let step: f32 = past.get(Coded::STANCE).unwrap()[5..].parse().unwrap();
        assert!((step * 0.25 - x).abs() < 0.26);
    });
}

/// Values that travel in steps of half a metre.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Coarse {
    #[sync_var(interpolate = linear, with = Quantized<-100, 100, 2>, history = 0.5)]
    x: SyncVar<f32>,
}

#[test]
fn a_shot_tests_the_values_that_the_client_has_seen() {
    let mut net = network(Conditions::default());
    net.connect();
    let id = net.server.spawn(Coarse { x: 1.2.into() });
    let connection = net.connection(0);
    for step in 1..=70_u8 {
        let x = 1.2 + f32::from(step / 12);
        net.server.get_mut::<Coarse>(id).unwrap().x.set(x);
        net.step();
        let past = net
            .server
            .rewind(connection, |past| past.view::<Coarse>(id)?.get(Coarse::X));
        // Between two steps the client is on the line between them.
        if step % 12 > 5 {
            assert_eq!(past, Some(1.0 + f32::from(step / 12)), "step {step}");
        }
    }
    let shown = net.client(0).view::<Coarse>(id).unwrap().get(Coarse::X);
    assert_eq!(shown, Some(6.0));
    assert_eq!(net.server.get::<Coarse>(id).unwrap().x, 6.2);
}

#[test]
fn the_past_has_the_values_of_its_time_only_for_observed_objects_with_a_history() {
    let mut net = network(Conditions::default());
    let client = net.connect();
    let connection = net.connection(client);
    let id = net.server.spawn(Target::default());
    net.server.get_mut::<Target>(id).unwrap().alive.set(true);
    net.settle();
    net.server.get_mut::<Target>(id).unwrap().alive.set(false);
    let alive = |net: &MemoryNetwork| {
        net.server.rewind(connection, |past| {
            past.view::<Target>(id)?.get(Target::ALIVE)
        })
    };
    net.step();
    assert_eq!(alive(&net), Some(true), "a tick behind");
    for _ in 0..3 {
        net.step();
    }
    assert_eq!(alive(&net), Some(false));
    let other = net.server.spawn(Gun::default());
    net.settle();
    net.server.rewind(connection, |past| {
        assert!(past.view::<Gun>(id).is_none(), "another behaviour");
        assert!(past.view::<Gun>(other).is_some());
    });
    net.server.hide(id, connection).unwrap();
    net.settle();
    assert_eq!(alive(&net), None);
    assert_eq!(
        net.server.rewind(ConnectionId(77), |past| past.time().tick),
        net.server.network_time().tick,
        "an unknown connection shows the present"
    );
}

#[test]
fn the_host_sees_the_present() {
    let mut server = NetworkServer::new(prefabs());
    let host = server.connect_local();
    let id = server.spawn(Target::default());
    for step in 0..10_u8 {
        server.get_mut::<Target>(id).unwrap().position.x = step.into();
        server.update(TICK * u32::from(step));
    }
    let x = server.rewind(host, |past| past.view::<Target>(id)?.get(Target::POSITION));
    assert_eq!(x, Some(Vector2::new(9.0, 0.0)));
}

#[test]
fn a_false_view_is_limited_to_what_the_connection_can_show() {
    let link = Conditions {
        delay: Duration::from_millis(50),
        ..Conditions::default()
    };
    let mut net = network(link);
    let client = net.connect();
    let connection = net.connection(client);
    let id = net.server.spawn(Target::default());
    let forged = |net: &mut MemoryNetwork, claim: &[u8]| {
        for step in 0..60 {
            net.server.get_mut::<Target>(id).unwrap().position = path(step).into();
            net.step();
        }
        let present = net.server.network_time().time;
        let honest = net.client(client).view_time_at(net.now()).unwrap().time;
        // A packet of the stream without a tick, with a View alone.
        let length = u8::try_from(claim.len()).unwrap();
        let packet = [&[0, length, 0, 41, 0][..], claim].concat();
        net.server.handle_packet(connection, 0, &packet).unwrap();
        let claimed = net.server.rewind(connection, |past| past.time().time);
        // Negative above the present.
        let age =
            |time: Duration| (present.as_secs_f64() - time.as_secs_f64()) / TICK.as_secs_f64();
        (age(claimed), age(honest))
    };
    let (oldest, honest) = forged(&mut net, &[0]);
    // One repetition of a packet, its jitter, and the second interval of a link that loses packets.
    assert!(
        (honest..honest + 7.0).contains(&oldest),
        "{oldest} and {honest} ticks"
    );
    let (newest, honest) = forged(&mut net, &[255; 9]);
    assert!(honest > 2.0 && (0.0..=1.0).contains(&newest), "{newest}");
}

#[test]
fn an_input_has_the_view_of_its_frame() {
    for datagrams in [true, false] {
        let link = Conditions {
            delay: Duration::from_millis(40),
            jitter: Duration::from_millis(20),
            loss: 0.02,
            seed: 4,
            ..Conditions::default()
        };
        let mut net = network(link);
        net.datagrams = datagrams;
        let client = net.connect();
        let connection = net.connection(client);
        let id = net.server.spawn(Target::default());
        let mut errors = Vec::new();
        for step in 0..900 {
            net.server.get_mut::<Target>(id).unwrap().position = path(step).into();
            let now = net.now() + TICK.mul_f32(f32::from(step % 4) / 4.0);
            let client = net.client_mut(client);
            client.show_view(now);
            let seen = client.view_time_at(now);
            let seen = seen.map_or(0.0, |seen| seen.time.as_secs_f64());
            client.set_input(&Aim { seen }).unwrap();
            for tick in net.server.ticks_until(net.now() + TICK) {
                let input = net.server.input::<Aim>(connection, tick);
                let past = net.server.rewind(connection, |past| past.time().time);
                if let Input::Known(Aim { seen }) = input
                    && step > 200
                {
                    let error = (seen - past.as_secs_f64()).abs() / TICK.as_secs_f64();
                    errors.push(error);
                }
            }
            net.step();
        }
        assert!(errors.len() > 500, "{}", errors.len());
        let error = percentile(errors, 95);
        assert!(error < 1.0, "{error} ticks, datagrams {datagrams}");
    }
}
