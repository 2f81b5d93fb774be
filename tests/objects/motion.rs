//! Views: interpolated fields between their samples, behind the server's time.

#![expect(clippy::float_cmp, reason = "resting values are not computed")]

mod gaps;

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::testing::Conditions;
use syncvar::{Framing, NetworkBehaviour, ServerConfig, codec::Half};
use syncvar_testing::client;

/// Speed of a runner in metres per second.
const SPEED: f32 = 5.0;

const TICK: Duration = Duration::from_micros(33_334);

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Runner {
    #[sync_var(interpolate = linear, extrapolate = 0.1, snap = 3.0, hook = on_position)]
    position: SyncVar<Vector3>,
    #[sync_var(interpolate = spherical)]
    rotation: SyncVar<Quaternion>,
    #[sync_var(interpolate = nearest)]
    stance: SyncVar<String>,
    #[sync_var]
    health: SyncVar<i32>,
    heard: Vec<f32>,
}

impl Runner {
    fn on_position(&mut self, _: Vector3) {
        self.heard.push(self.position.x);
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Car {
    #[network_behaviour(base)]
    base: Runner,
    #[sync_var(interpolate = hermite, with = Half, threshold = turned)]
    wheel: SyncVar<f32>,
}

impl Car {
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "the signature of a threshold"
    )]
    fn turned(former: &f32, now: &f32) -> bool {
        (former - now).abs() > 0.01
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Avatar {
    #[sync_var(interpolate = linear, write = owner)]
    x: SyncVar<f32>,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Runner>("runner")
        .register::<Car>("car")
        .register::<Avatar>("avatar")
        .register::<Dancer>("dancer")
        .register::<Soloist>("soloist")
        .register::<Singer>("singer")
}

fn network(link: Conditions) -> MemoryNetwork {
    let mut net = MemoryNetwork::with_config(prefabs, ServerConfig::default(), link);
    net.tick = TICK;
    net.datagrams = true;
    net
}

/// Steps and returns the view of each of four frames per step.
fn frames<T>(
    net: &mut MemoryNetwork,
    mut view: impl FnMut(&NetworkClient, Duration) -> T,
) -> Vec<T> {
    net.step();
    let now = net.now();
    let frames = [0, 1, 2, 3].map(|frame| now + TICK / 4 * frame);
    frames.map(|now| view(net.client(0), now)).into()
}

fn x_of(client: &NetworkClient, id: NetId, now: Duration) -> f32 {
    let view = client.view_at::<Runner>(id, now).unwrap();
    view.get(Runner::POSITION).unwrap().x
}

/// Lets a runner run for some steps, and returns the largest step between two frames and the distances from the true
/// path at the view time, in metres.
fn run(link: Conditions, steps: u16) -> (f32, Vec<f32>, MemoryNetwork) {
    let mut net = network(link);
    net.connect();
    let id = net.server.spawn(Runner::default());
    let begin = net.now();
    let (mut last, mut largest, mut errors): (Option<f32>, f32, Vec<f32>) = (None, 0.0, Vec::new());
    for step in 0..steps {
        // The path at the time of the update that follows.
        let time = (net.now() + TICK).saturating_sub(begin).as_secs_f32();
        net.server.get_mut::<Runner>(id).unwrap().position.x = SPEED * time;
        let seen = frames(&mut net, |client, now| {
            client.get::<Runner>(id)?;
            let time = client.view_time_at(now)?.time;
            Some((x_of(client, id, now), time))
        });
        for (x, time) in seen.into_iter().flatten().filter(|_| step > steps / 2) {
            largest = largest.max((x - last.unwrap_or(x)).abs());
            last = Some(x);
            errors.push((x - SPEED * time.saturating_sub(begin).as_secs_f32()).abs());
        }
    }
    (largest, errors, net)
}

fn percentile(mut values: Vec<f32>, of_hundred: usize) -> f32 {
    values.sort_by(f32::total_cmp);
    values[(values.len() - 1) * of_hundred / 100]
}

#[test]
fn a_view_follows_the_true_path_behind_the_server() {
    let (largest, errors, net) = run(Conditions::default(), 300);
    let frame = SPEED * TICK.as_secs_f32() / 4.0;
    assert!(largest < frame * 1.06, "{largest}");
    // The server's tick is its time rounded down.
    assert!(percentile(errors, 100) < SPEED * TICK.as_secs_f32() * 1.1);
    let delay = net.client(0).view_delay().unwrap();
    assert!(
        (TICK.mul_f32(0.99)..TICK.mul_f32(1.1)).contains(&delay),
        "{delay:?}"
    );
    let (newest, heard) = {
        let (_, runner) = net.client(0).iter::<Runner>().next().unwrap();
        (runner.position.x, runner.heard.len())
    };
    assert!(heard > 290, "hooks run at the arrival: {heard}");
    let (id, _) = net.client(0).iter::<Runner>().next().unwrap();
    assert!(x_of(net.client(0), id, net.now()) < newest);
}

#[test]
fn loss_and_jitter_cause_no_visible_jump() {
    let frame = SPEED * TICK.as_secs_f32() / 4.0;
    for seed in 0..4 {
        let link = Conditions {
            delay: Duration::from_millis(80),
            jitter: Duration::from_millis(40),
            loss: 0.05,
            seed,
            ..Conditions::default()
        };
        let (largest, errors, net) = run(link, 900);
        assert!(
            largest < frame * 1.06,
            "{largest} m in a frame, seed {seed}"
        );
        let error = percentile(errors, 99);
        assert!(error < 0.01, "{error} m, seed {seed}");
        // Two ticks and twice the deviation of the arrivals, which the client's steps gather.
        let delay = net.client(0).view_delay().unwrap();
        assert!(
            delay < TICK * 2 + Duration::from_millis(2 * 25),
            "{delay:?}"
        );
    }
}

#[test]
fn a_start_after_a_rest_takes_one_interval() {
    let mut net = network(Conditions::default());
    net.connect();
    let id = net.server.spawn(Runner::default());
    let other = net.server.spawn(Runner::default());
    for step in 0..60_u8 {
        // Its packets show that the first one rests.
        net.server.get_mut::<Runner>(other).unwrap().position.x = f32::from(step);
        net.step();
    }
    net.server.get_mut::<Runner>(id).unwrap().position.x = 2.0;
    let seen: Vec<f32> = (0..8)
        .flat_map(|_| frames(&mut net, |client, now| x_of(client, id, now)))
        .collect();
    let between = seen.iter().filter(|x| **x > 0.0 && **x < 2.0).count();
    assert!((2..=5).contains(&between), "{seen:?}");
    assert_eq!((seen[0], *seen.last().unwrap()), (0.0, 2.0));
    assert!(seen.is_sorted(), "{seen:?}");
}

#[test]
fn teleports_rotations_and_states_have_their_way() {
    let mut net = network(Conditions::default());
    net.connect();
    let id = net.server.spawn(Runner::default());
    for _ in 0..30 {
        net.step();
    }
    {
        let mut runner = net.server.get_mut::<Runner>(id).unwrap();
        runner.position.x = 100.0;
        runner.rotation.set(Quaternion::new(0.0, 1.0, 0.0, 0.0));
        runner.stance.set("crouched".into());
    }
    let seen: Vec<(f32, Quaternion, String)> = (0..5)
        .flat_map(|_| {
            frames(&mut net, |client, now| {
                let view = client.view_at::<Runner>(id, now).unwrap();
                let position = view.get(Runner::POSITION).unwrap();
                let rotation = view.get(Runner::ROTATION).unwrap();
                (position.x, rotation, view.get(Runner::STANCE).unwrap())
            })
        })
        .collect();
    assert!(
        seen.iter().all(|(x, ..)| *x == 0.0 || *x == 100.0),
        "{seen:?}"
    );
    let turning = seen.iter().filter(|(_, it, _)| it.y > 0.01 && it.y < 0.99);
    for (_, rotation, _) in turning {
        assert!((rotation.y.powi(2) + rotation.w.powi(2) - 1.0).abs() < 1e-4);
    }
    assert_eq!(seen.last().unwrap().2, "crouched");
    assert_eq!(seen[0].2, "");
}

#[test]
fn a_base_a_codec_and_a_threshold_have_views() {
    let mut net = network(Conditions::default());
    net.connect();
    let id = net.server.spawn(Car::default());
    for step in 0..60_u8 {
        let mut car = net.server.get_mut::<Car>(id).unwrap();
        car.base.position.x = f32::from(step) * 0.1;
        car.wheel.set(f32::from(step) * 0.5);
        drop(car);
        net.step();
    }
    let client = net.client(0);
    let view = client.view::<Car>(id).unwrap();
    let (x, wheel) = (
        view.get(Runner::POSITION).unwrap().x,
        view.get(Car::WHEEL).unwrap(),
    );
    assert!(x > 5.0 && x < 5.9, "{x}");
    assert!((wheel - x * 5.0).abs() < 0.05, "{wheel} and {x}");
    assert!(
        client.view::<Runner>(id).is_none(),
        "a base is no behaviour of the object"
    );
}

#[test]
fn an_owner_sees_its_own_values_and_others_a_view() {
    let mut net = network(Conditions::default());
    let (first, second) = (net.connect(), net.connect());
    net.settle();
    let id = net.server.spawn(Avatar::default());
    let owner = net.connection(first);
    net.server.set_owner(id, Some(owner)).unwrap();
    for step in 0..60_u8 {
        net.step();
        if let Ok(mut avatar) = net.client_mut(first).get_mut::<Avatar>(id) {
            avatar.x.set(f32::from(step));
        }
    }
    let own = net.client(first).view::<Avatar>(id).unwrap();
    assert_eq!(own.get(Avatar::X), None);
    let seen = net.client(second).view::<Avatar>(id).unwrap();
    let seen = seen.get(Avatar::X).unwrap();
    let newest = *net.client(second).get::<Avatar>(id).unwrap().x;
    assert!(seen > newest - 3.0 && seen < newest, "{seen} and {newest}");
}

#[test]
fn a_new_object_has_no_samples_of_a_former_one() {
    let mut net = network(Conditions::default());
    net.connect();
    let id = net.server.spawn(Runner::default());
    for _ in 0..10 {
        net.server.get_mut::<Runner>(id).unwrap().position.x += 1.0;
        net.step();
    }
    let connection = net.connection(0);
    net.server.hide(id, connection).unwrap();
    net.settle();
    assert!(net.client(0).view::<Runner>(id).is_none());
    net.server.get_mut::<Runner>(id).unwrap().position.x = 500.0;
    net.server.show(id, connection).unwrap();
    for _ in 0..5 {
        for x in frames(&mut net, |client, now| {
            client.get::<Runner>(id)?;
            Some(x_of(client, id, now))
        }) {
            assert!(x.is_none_or(|x| x == 500.0), "{x:?}");
        }
    }
    assert!(net.client(0).view::<Runner>(id).is_some());
}

#[test]
fn another_connection_begins_with_new_samples() {
    let mut net = network(Conditions::default());
    net.connect();
    let id = net.server.spawn(Runner::default());
    for step in 0..20_u8 {
        net.server.get_mut::<Runner>(id).unwrap().position.x = f32::from(step);
        net.step();
    }
    net.cut(0);
    net.server.get_mut::<Runner>(id).unwrap().position.x = -7.0;
    net.reconnect(0);
    net.settle();
    assert_eq!(x_of(net.client(0), id, net.now()), -7.0);
    for _ in 0..20 {
        net.server.get_mut::<Runner>(id).unwrap().position.x -= 0.5;
        net.step();
    }
    let shown = x_of(net.client(0), id, net.now());
    assert!(shown < -15.0 && shown > -17.0, "{shown}");
}

#[test]
fn without_ticks_the_view_is_the_newest_value() {
    let mut net = network(Conditions::default());
    net.connect_client(client(prefabs(), Framing::Unet));
    let id = net.server.spawn(Runner::default());
    for _ in 0..10 {
        net.server.get_mut::<Runner>(id).unwrap().position.x += 0.5;
        net.settle();
        let newest = net.client(0).get::<Runner>(id).unwrap().position.x;
        assert_eq!(x_of(net.client(0), id, net.now()), newest);
    }
    let client = net.client(0);
    assert_eq!(
        (client.view_delay(), client.view_time_at(net.now())),
        (None, None)
    );
}

#[test]
fn interpolation_is_no_part_of_the_schema() {
    #[derive(NetworkBehaviour, Default)]
    struct Plain {
        #[sync_var]
        x: SyncVar<f32>,
    }
    mod shown {
        use syncvar::prelude::*;
        #[derive(NetworkBehaviour, Default)]
        pub(super) struct Plain {
            #[sync_var(interpolate = linear)]
            pub(super) x: SyncVar<f32>,
        }
    }
    let schema = |behaviour: syncvar::schema::BehaviourSchema| {
        behaviour
            .fields
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(schema(Plain::SCHEMA), schema(shown::Plain::SCHEMA));
    let x = Plain::default().x;
    assert_eq!(x, shown::Plain::default().x);
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Dancer {
    #[sync_var(interpolate = linear, on_view = on_x_shown)]
    x: SyncVar<f32>,
    #[sync_var(on_view = on_pose_shown, hook = on_pose)]
    pose: SyncVar<String>,
    arrived: Vec<String>,
    shown: Vec<String>,
    steps: Vec<f32>,
}

impl Dancer {
    fn on_pose(&mut self, _: String) {
        let pose = self.pose.to_string();
        self.arrived.push(pose);
    }

    fn on_pose_shown(&mut self, pose: String) {
        assert_ne!(pose, "panics");
        self.shown.push(pose);
    }

    fn on_x_shown(&mut self, x: f32) {
        self.steps.push(x);
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Soloist {
    #[network_behaviour(base)]
    base: Dancer,
    #[sync_var(on_view = on_solo_shown)]
    solo: SyncVar<bool>,
    solos: Vec<bool>,
}

impl Soloist {
    fn on_solo_shown(&mut self, solo: bool) {
        self.solos.push(solo);
    }
}

#[test]
fn hooks_of_the_view_run_when_it_passes_the_tick() {
    let link = Conditions {
        delay: Duration::from_millis(40),
        jitter: Duration::from_millis(30),
        loss: 0.05,
        seed: 5,
        ..Conditions::default()
    };
    let mut net = network(link);
    net.connect();
    let id = net.server.spawn(Dancer::default());
    let mut late = Vec::new();
    for step in 0..300_u16 {
        let mut dancer = net.server.get_mut::<Dancer>(id).unwrap();
        dancer.x.set(step.into());
        drop(dancer);
        net.step();
        for frame in [0, 1] {
            let now = net.now() + TICK / 2 * frame;
            net.client_mut(0).show_view(now);
            let client = net.client(0);
            let Some(dancer) = client.get::<Dancer>(id).filter(|_| step > 100) else {
                continue;
            };
            let view = client.view_at::<Dancer>(id, now).unwrap();
            let shown = view.get(Dancer::X).unwrap();
            let told = dancer.steps.last().copied().unwrap_or_default();
            assert!(told <= shown, "{told} is ahead of {shown}");
            late.push(shown - told);
        }
    }
    // A tick without its sample is not told.
    assert!(percentile(late, 90) <= 1.0);
    let dancer = net.client(0).get::<Dancer>(id).unwrap();
    assert!(dancer.steps.is_sorted(), "in the order of the ticks");
}

#[test]
fn a_hook_of_the_view_gets_the_value_of_its_tick_once() {
    let mut net = network(Conditions::default());
    net.connect();
    let id = net.server.spawn(Soloist::default());
    for _ in 0..20 {
        net.server.get_mut::<Soloist>(id).unwrap().base.x += 1.0;
        net.step();
    }
    for pose in ["jump", "bow", "panics", "rest"] {
        let mut soloist = net.server.get_mut::<Soloist>(id).unwrap();
        soloist.base.pose.set(pose.into());
        soloist.solo.set(pose == "bow" || pose == "panics");
        drop(soloist);
        net.step();
        let soloist = net.client(0).get::<Soloist>(id).unwrap();
        assert_eq!(soloist.base.arrived.last().unwrap(), pose);
        assert!(!soloist.base.shown.iter().any(|shown| shown == pose));
    }
    for _ in 0..5 {
        net.step();
    }
    let soloist = net.client(0).get::<Soloist>(id).unwrap();
    assert_eq!(soloist.base.shown, ["jump", "bow", "rest"]);
    assert_eq!(soloist.solos, [true, false]);
    let events = std::iter::from_fn(|| net.client_mut(0).poll_event());
    let failed = events.filter(|event| matches!(event, ClientEvent::HookFailed(_)));
    assert_eq!(failed.count(), 1, "the panic of a hook is reported");
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Singer {
    #[sync_var(on_view = on_song_shown)]
    song: SyncVar<u32>,
    #[sync_var(on_view = on_verse_shown)]
    verse: SyncVar<u32>,
    #[sync_var(write = owner)]
    heard: SyncVar<u32>,
    log: Vec<String>,
}

impl Singer {
    fn on_song_shown(&mut self, song: u32, ctx: &mut NetworkContext<'_>) {
        let others = ctx.client().map(|client| client.iter::<Singer>().count());
        self.log.push(format!("{} {song} {others:?}", ctx.net_id()));
        if ctx.is_owner() {
            self.heard.set(song);
        }
    }

    fn on_verse_shown(&self, verse: u32) {
        assert!(self.song < 6 || verse != 3, "panics");
    }
}

#[test]
fn a_hook_of_the_view_takes_a_context() {
    let mut net = network(Conditions::default());
    net.connect();
    let owner = Some(net.connection(0));
    let options = || SpawnOptions {
        owner,
        ..SpawnOptions::default()
    };
    let id = net.server.try_spawn(Singer::default(), options()).unwrap();
    let other = net.server.try_spawn(Singer::default(), options()).unwrap();
    for _ in 0..20 {
        net.step();
    }
    for (song, verse) in [(5, 1), (6, 3)] {
        let mut singer = net.server.get_mut::<Singer>(id).unwrap();
        singer.song.set(song);
        singer.verse.set(verse);
        drop(singer);
        net.step();
        assert!(net.client(0).get::<Singer>(id).unwrap().log.len() < 2);
    }
    for _ in 0..20 {
        net.step();
    }
    let singer = net.client(0).get::<Singer>(id).unwrap();
    assert_eq!(
        singer.log,
        ["#1 5 Some(1)", "#1 6 Some(1)"],
        "its object is checked out"
    );
    assert_eq!(
        net.server.get::<Singer>(id).unwrap().heard,
        6,
        "a write of the owner"
    );
    assert!(net.client(0).get::<Singer>(other).unwrap().log.is_empty());
    let events = std::iter::from_fn(|| net.client_mut(0).poll_event());
    let failed = events.filter(|event| matches!(event, ClientEvent::HookFailed(_)));
    assert_eq!(failed.count(), 1, "the panic of a hook is reported");
}

/// Runs a runner over a link. Returns the largest step between two frames in metres, the mean delay of the view, and the
/// deviation of the arrivals of ticks, in seconds.
fn delay_over(link: Conditions) -> (f32, f64, f64) {
    let mut net = network(link);
    net.connect();
    let id = net.server.spawn(Runner::default());
    let (mut last, mut largest): (Option<f32>, f32) = (None, 0.0);
    let (mut delays, mut late): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    for step in 0..1200_u16 {
        net.server.get_mut::<Runner>(id).unwrap().position.x = f32::from(step) * SPEED / 30.0;
        let shown = frames(&mut net, |client, now| {
            client.get::<Runner>(id)?;
            Some(x_of(client, id, now))
        });
        let counts = step > 300;
        for x in shown.into_iter().flatten().filter(|_| counts) {
            largest = largest.max((x - last.unwrap_or(x)).abs());
            last = Some(x);
        }
        let now = net.now().as_secs_f64();
        while let Some(event) = net.client_mut(0).poll_event() {
            if let (ClientEvent::Tick { tick, .. }, true) = (event, counts) {
                late.push(now - f64::from(u32::try_from(tick).unwrap()) * TICK.as_secs_f64());
            }
        }
        let delay = net.client(0).view_delay().filter(|_| counts);
        delays.extend(delay.map(|delay| delay.as_secs_f64()));
    }
    let mean = |values: &[f64]| {
        let count = f64::from(u32::try_from(values.len()).unwrap());
        values.iter().sum::<f64>() / count
    };
    let middle = mean(&late);
    let squares: Vec<f64> = late.iter().map(|it| (it - middle).powi(2)).collect();
    (largest, mean(&delays), mean(&squares).sqrt())
}

#[test]
fn the_delay_of_the_view_is_two_ticks_and_two_deviations() {
    for (delay, jitter, loss) in [
        (0, 0, 0.0),
        (30, 20, 0.05),
        (90, 20, 0.05),
        (80, 40, 0.05),
        (40, 100, 0.02),
        (90, 20, 0.2),
    ] {
        let link = Conditions {
            delay: Duration::from_millis(delay),
            jitter: Duration::from_millis(jitter),
            loss,
            seed: 2,
            ..Conditions::default()
        };
        let (largest, delay, deviation) = delay_over(link);
        assert!(largest < 0.1, "{largest} m in a frame");
        let most = TICK.as_secs_f64() * 2.0 + 2.0 * deviation;
        assert!(delay <= most * 1.001, "{delay} s of {most} s");
    }
}

#[test]
fn a_view_writes_its_values_into_a_behaviour_of_the_program() {
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Walker>("walker"));
    #[derive(SyncValue, Clone, Default, PartialEq, Debug)]
    enum Gait {
        #[default]
        Rest,
        Run,
    }
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    struct Base {
        #[sync_var(interpolate = linear, with = syncvar::codec::Half)]
        height: SyncVar<f32>,
    }
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    struct Walker {
        #[network_behaviour(base)]
        base: Base,
        #[sync_var(interpolate = linear, hook = on_position, threshold = far)]
        position: SyncVar<f32>,
        #[sync_var(interpolate = nearest)]
        gait: SyncVar<Gait>,
        #[sync_var(interpolate = linear, write = owner)]
        aim: SyncVar<f32>,
        #[sync_var]
        name: SyncVar<String>,
        hooks: u32,
    }
    impl Walker {
        fn on_position(&mut self, _: f32) {
            self.hooks += 1;
        }
        #[expect(clippy::trivially_copy_pass_by_ref, reason = "the form of a threshold")]
        fn far(last_sent: &f32, now: &f32) -> bool {
            (last_sent - now).abs() > 0.01
        }
    }
    let owner = Some(net.connection(0));
    let options = SpawnOptions {
        owner,
        ..SpawnOptions::default()
    };
    let id = net.server.try_spawn(Walker::default(), options).unwrap();
    for step in 0..60 {
        let mut walker = net.server.get_mut::<Walker>(id).unwrap();
        walker.position += 1.0;
        walker.base.height += 0.5;
        walker
            .gait
            .set(if step > 2 { Gait::Run } else { Gait::Rest });
        drop(walker);
        net.step();
    }
    let client = net.client(0);
    let view = client.view_at::<Walker>(id, net.now()).unwrap();
    let mut shown = Walker {
        name: "own".into(),
        ..Walker::default()
    };
    let written = view.write_into(&mut shown);
    let all = Base::HEIGHT.bit() | Walker::POSITION.bit() | Walker::GAIT.bit();
    assert_eq!(written, all, "not the field that this client writes");
    assert_eq!(Some(*shown.position), view.get(Walker::POSITION));
    assert_eq!(Some(*shown.base.height), view.get(Base::HEIGHT));
    assert_eq!((&*shown.gait, shown.name.as_str()), (&Gait::Run, "own"));
    assert!(*shown.position > 1.0 && *shown.position < 60.0);
    assert_eq!((shown.sync_var_dirty_bits(), shown.hooks), (0, 0));
}
