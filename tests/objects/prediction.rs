//! Predictions: no correction without a difference, and a quick one after it.

mod anticipation;
mod recorded;
mod soak;
mod spawns;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use syncvar::behaviour::Assign as _;
use syncvar::codec::{Half, Quantized};
use syncvar::motion::{Group, Input};
use syncvar::prelude::*;
use syncvar::testing::{Conditions, Random};
use syncvar::{ClientConfig, ServerConfig, error::ObjectError};
use syncvar_testing::spawn_for;

use anticipation::Door;
use spawns::Shell;

#[derive(SyncValue, Clone, Default, PartialEq, Debug)]
struct Move {
    x: f32,
    y: f32,
}

#[derive(NetworkBehaviour, Default, Clone)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Player {
    #[sync_var(interpolate = linear)]
    position: SyncVar<Vector2>,
    #[sync_var(with = Half)]
    velocity: SyncVar<Vector2>,
    #[sync_var(with = Quantized<-1000, 1000, 100>)]
    track: SyncVar<f32>,
    #[sync_var(hook = on_steps)]
    steps: SyncVar<u32>,
    told: Vec<i64>,
}

impl Player {
    fn on_steps(&mut self, previous: u32) {
        self.told.push(i64::from(*self.steps) - i64::from(previous));
    }
}

/// Seconds of a tick.
const TICK: f32 = 1.0 / 30.0;

/// Metres per second.
const SPEED: f32 = 5.0;

fn step(player: &mut Player, input: &Move, _tick: u64) {
    player.velocity.x += (SPEED * input.x - player.velocity.x) * 0.5;
    player.velocity.y += (SPEED * input.y - player.velocity.y) * 0.5;
    let velocity = *player.velocity;
    player.position.update(|position| {
        position.x = (position.x + velocity.x * TICK).clamp(-50.0, 50.0);
        position.y = (position.y + velocity.y * TICK).clamp(-50.0, 50.0);
    });
    let way = (velocity.x.powi(2) + velocity.y.powi(2)).sqrt() * TICK;
    player.track.update(|track| *track = (*track + way) % 100.0);
    if input.x > 0.0 {
        player.steps += 1;
    }
}

struct Game {
    net: MemoryNetwork,
    id: NetId,
    random: Random,
    input: Move,
    /// Whether the server moves the player by a metre.
    push: bool,
    /// Whether the input stays.
    steady: bool,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Player>("player")
        .register::<Shell>("shell")
        .input::<Move>()
}

fn network(link: Conditions, datagrams: bool) -> MemoryNetwork {
    let config = ServerConfig {
        tick_rate: 30,
        ..ServerConfig::default()
    };
    let mut net = MemoryNetwork::with_config(prefabs, config, link);
    net.tick = Duration::from_secs(1) / 30;
    net.datagrams = datagrams;
    net
}

impl Game {
    fn new(link: Conditions, datagrams: bool) -> Self {
        let mut net = network(link, datagrams);
        net.connect();
        Self::begin(net)
    }

    /// Begins with the client 0 of a network.
    fn begin(mut net: MemoryNetwork) -> Self {
        let id = spawn_for(&mut net, Player::default(), 0);
        for _ in 0..100 {
            net.step();
        }
        net.client_mut(0).predict(id, step).unwrap();
        Self {
            net,
            id,
            random: Random::new(7),
            input: Move::default(),
            push: false,
            steady: false,
        }
    }

    fn tick(&mut self) {
        if !self.steady && self.random.chance(150) {
            let mut part = || {
                let number = self.random.below(201);
                #[expect(clippy::cast_precision_loss, reason = "small")]
                let part = (number as f32 / 100.0 - 1.0) * std::f32::consts::FRAC_1_SQRT_2;
                part
            };
            self.input = Move {
                x: part(),
                y: part(),
            };
        }
        self.net.client_mut(0).set_input(&self.input).unwrap();
        for tick in self.net.server.ticks_until(self.net.now() + self.net.tick) {
            self.net.server.step(self.id, tick, step).unwrap();
            if std::mem::take(&mut self.push) {
                let mut player = self.net.server.get_mut::<Player>(self.id).unwrap();
                player.position.x += 1.0;
            }
        }
        self.net.step();
    }

    fn corrections(&self) -> u64 {
        self.net.client(0).prediction_stats().corrections
    }

    fn predicted(&self) -> &Player {
        self.net.client(0).predicted::<Player>(self.id).unwrap()
    }

    /// Returns the shown position a part of a tick after the last update.
    fn shown(&self, part: f32) -> Vector2 {
        let now = self.net.now() + self.net.tick.mul_f32(part);
        let view = self.net.client(0).view_at::<Player>(self.id, now).unwrap();
        view.get(Player::POSITION).unwrap()
    }
}

fn distance(a: Vector2, b: Vector2) -> f32 {
    ((a.x - b.x).powi(2) + (a.y - b.y).powi(2)).sqrt()
}

fn bad_link() -> Conditions {
    Conditions {
        delay: Duration::from_millis(100),
        jitter: Duration::from_millis(20),
        loss: 0.05,
        ..Conditions::default()
    }
}

/// Ticks without a correction; `.ci/full` sets 100 000.
fn ticks() -> u32 {
    let ticks = std::env::var("PREDICTED_TICKS").ok();
    ticks.map_or(3000, |ticks| ticks.parse().expect("a number"))
}

#[test]
fn a_deterministic_step_needs_no_correction() {
    for (delay, datagrams) in [(0, true), (80, true), (80, false)] {
        let delay = Duration::from_millis(delay);
        let mut game = Game::new(
            Conditions {
                delay,
                ..Conditions::default()
            },
            datagrams,
        );
        for _ in 0..300 {
            game.tick();
        }
        let before = game.corrections();
        for _ in 0..ticks() {
            game.tick();
        }
        let stats = game.net.client(0).prediction_stats();
        assert_eq!(stats.corrections - before, 0, "{stats:?}");
        assert!(stats.steps >= u64::from(ticks()), "{stats:?}");
        let replica = game.net.client(0).get::<Player>(game.id).unwrap();
        let ahead = distance(*game.predicted().position, *replica.position);
        assert!(ahead > 0.0 || delay.is_zero(), "the prediction is ahead");
    }
}

#[test]
fn a_difference_is_corrected_within_the_round_trip() {
    let mut game = Game::new(
        Conditions {
            delay: Duration::from_millis(50),
            ..Conditions::default()
        },
        true,
    );
    for _ in 0..300 {
        game.tick();
    }
    for _ in 0..20 {
        let before = game.corrections();
        game.push = true;
        game.tick();
        let ticks = (1..20).find(|_| {
            game.tick();
            game.corrections() > before
        });
        // Three ticks of 33 ms, and the ticks by which the inputs are ahead of the server.
        assert!(ticks.is_some_and(|ticks| ticks <= 5), "{ticks:?}");
        for _ in 0..30 {
            game.tick();
        }
        assert_eq!(game.corrections(), before + 1, "one correction each");
    }
    let size = game.net.client(0).prediction_stats().largest_size;
    assert!((0.99..1.01).contains(&size), "{size}");
}

#[test]
fn a_write_of_the_owner_is_visible_in_its_prediction() {
    /// Character with a field that its owner writes.
    #[derive(NetworkBehaviour, Default, Clone)]
    #[network_behaviour(send_interval = 0)]
    struct Turret {
        #[sync_var]
        heat: SyncVar<u32>,
        #[sync_var(write = owner, hook = on_aim)]
        aim: SyncVar<u32>,
        told: u32,
    }

    impl Turret {
        fn on_aim(&mut self, _previous: u32) {
            self.told += 1;
        }
    }

    fn step(turret: &mut Turret, _: &Move, _tick: u64) {
        turret.heat += *turret.aim;
    }
    let prefabs = || prefabs().register::<Turret>("turret");
    let mut net = MemoryNetwork::with_config(prefabs, ServerConfig::default(), bad_link());
    net.tick = Duration::from_secs(1) / 30;
    net.connect();
    let id = spawn_for(&mut net, Turret::default(), 0);
    for _ in 0..100 {
        net.step();
    }
    net.client_mut(0).predict(id, step).unwrap();
    for tick in 0..120_u32 {
        let aim = tick / 10;
        net.client_mut(0)
            .get_mut::<Turret>(id)
            .unwrap()
            .aim
            .set(aim);
        net.client_mut(0).set_input(&Move::default()).unwrap();
        for tick in net.server.ticks_until(net.now() + net.tick) {
            net.server.step(id, tick, step).unwrap();
        }
        net.step();
        let predicted = net.client(0).predicted::<Turret>(id).unwrap();
        assert_eq!((*predicted.aim, predicted.told), (aim, 0));
    }
    // The server learns the writes later: that is a difference, and the repeated steps keep the present value.
    assert!(net.client(0).prediction_stats().corrections > 5);
    assert!(*net.server.get::<Turret>(id).unwrap().aim > 9);
}

#[test]
fn a_stopwatch_measures_the_replays() {
    /// A clock that is a millisecond later at each look.
    fn stopwatch() -> Duration {
        static LOOKS: AtomicU64 = AtomicU64::new(0);
        Duration::from_millis(LOOKS.fetch_add(1, Ordering::Relaxed))
    }
    let mut net = network(bad_link(), false);
    let config = ClientConfig {
        stopwatch: Some(stopwatch),
        ..ClientConfig::default()
    };
    net.connect_client(NetworkClient::with_config(prefabs(), config));
    let mut game = Game::begin(net);
    for tick in 0..150 {
        game.push = tick % 50 == 25;
        game.tick();
    }
    let stats = game.net.client(0).prediction_stats();
    assert_eq!(stats.longest_replay, Duration::from_millis(1));
    let replays = u64::try_from(stats.replay_time.as_millis()).unwrap();
    assert!((3..stats.replayed).contains(&replays), "{stats:?}");
}

#[test]
fn a_prediction_costs_nothing_for_other_objects() {
    let counts = [0, 2_000].map(|others| {
        let link = Conditions {
            delay: Duration::from_millis(80),
            ..Conditions::default()
        };
        let mut game = Game::new(link, false);
        let others: Vec<NetId> = (0..others)
            .map(|_| game.net.server.spawn(Player::default()))
            .collect();
        for tick in 0..150 {
            for id in others.iter().filter(|id| id.0 % 5 == tick % 5) {
                let mut other = game.net.server.get_mut::<Player>(*id).unwrap();
                other.position.x += 0.1;
            }
            game.push = tick == 75;
            game.tick();
        }
        let stats = game.net.client(0).prediction_stats();
        assert!(stats.corrections > 0 && stats.steps > 100);
        (stats.steps, stats.replayed, stats.corrections)
    });
    assert_eq!(counts[0], counts[1]);
}

#[test]
fn predictions_survive_losses_and_jitter() {
    let mut game = Game::new(bad_link(), true);
    for _ in 0..600 {
        game.tick();
    }
    let before = game.corrections();
    let (mut steps, mut last) = (Vec::new(), game.shown(0.0));
    for _ in 0..3000 {
        game.tick();
        for part in [0.0, 0.5] {
            let shown = game.shown(part);
            steps.push(distance(shown, last));
            last = shown;
        }
    }
    let corrections = game.corrections() - before;
    assert!(corrections < 20, "{corrections} corrections in 3000 ticks");
    // A longer way than half a tick at full speed is visible as a correction.
    let most = SPEED * TICK / 2.0;
    steps.sort_by(f32::total_cmp);
    let p99 = steps[steps.len() * 99 / 100] - most;
    assert!(p99 < 0.05, "{p99} m");
    // The player stops, and both ends agree.
    game.input = Move::default();
    game.net.set_link(0, Conditions::default());
    for _ in 0..200 {
        game.net.client_mut(0).set_input(&Move::default()).unwrap();
        for tick in game.net.server.ticks_until(game.net.now() + game.net.tick) {
            game.net.server.step(game.id, tick, step).unwrap();
        }
        game.net.step();
    }
    let server = game.net.server.get::<Player>(game.id).unwrap();
    assert_eq!(*server.position, *game.predicted().position);
    assert_eq!(*server.steps, *game.predicted().steps);
    assert!(distance(game.shown(0.0), *server.position) < 1e-4);
}

#[test]
fn wrong_ticks_end_within_the_round_trip_and_two_ticks() {
    /// Ticks of 33 ms in 200 ms, without the jitter.
    const ROUND_TRIP: u64 = 6;
    let mut game = Game::new(bad_link(), true);
    for _ in 0..600 {
        game.tick();
    }
    game.steady = true;
    let mut lengths = Vec::new();
    for round in 0..60 {
        let sign = if round % 2 == 0 { 1.0 } else { -1.0 };
        game.input = Move {
            x: 0.3 * sign,
            y: 0.2 * sign,
        };
        for _ in 0..30 {
            game.tick();
        }
        let (mut server, mut predicted) = (Vec::new(), Vec::new());
        let pushed = game.net.server.network_time().tick + 1;
        for number in 0..60 {
            game.push = number == 0;
            game.tick();
            let state = game.net.server.get::<Player>(game.id).unwrap();
            server.push((game.net.server.network_time().tick, *state.position));
            let tick = game.net.client(0).input_tick().unwrap();
            predicted.push((number, tick, *game.predicted().position));
        }
        let is_wrong = |(_, tick, position): &&(u64, u64, Vector2)| {
            let mut truth = server.iter().filter(|(other, _)| other == tick);
            *tick >= pushed && truth.any(|(_, truth)| truth != position)
        };
        let last = predicted.iter().rfind(is_wrong);
        // In ticks of the server since the push.
        lengths.push(last.map_or(0, |(number, _, _)| number + 1));
    }
    assert!(
        lengths.iter().all(|ticks| *ticks <= ROUND_TRIP + 2),
        "{lengths:?}"
    );
}

#[test]
fn hooks_tell_each_predicted_change_once() {
    for link in [Conditions::default(), bad_link()] {
        let mut game = Game::new(link, true);
        for _ in 0..1000 {
            game.tick();
        }
        let predicted = game.predicted();
        let told: i64 = predicted.told.iter().sum();
        assert_eq!(told, i64::from(*predicted.steps));
        assert!(predicted.told.len() > 100);
        let replica = game.net.client(0).get::<Player>(game.id).unwrap();
        assert!(replica.told.is_empty(), "the replica runs no hook");
    }
}

#[test]
fn an_error_is_shown_decaying() {
    let link = Conditions {
        delay: Duration::from_millis(50),
        ..Conditions::default()
    };
    let mut game = Game::new(link, true);
    game.random = Random::new(1);
    for _ in 0..300 {
        game.tick();
    }
    let before = game.corrections();
    let shown = game.shown(0.0);
    game.push = true;
    while game.corrections() == before {
        game.tick();
    }
    let jump = distance(game.shown(0.0), shown);
    assert!(jump < 0.9, "{jump} m at once");
    for _ in 0..12 {
        game.tick();
    }
    let now = game.shown(1.0);
    assert!(distance(now, *game.predicted().position) < 0.25);
}

#[test]
fn colliding_players_are_predicted_together() {
    /// Two players that keep a distance of one metre.
    fn together(ids: [NetId; 2]) -> impl FnMut(&mut Group<'_>, u64) + Send + Sync + 'static {
        move |group, tick| {
            for id in ids {
                let input = group.input::<Move>(id).unwrap_or_default();
                if let Some(player) = group.get_mut::<Player>(id) {
                    step(player, &input, tick);
                }
            }
            let first = group.get_mut::<Player>(ids[0]).map(|it| *it.position);
            let second = group.get_mut::<Player>(ids[1]);
            if let (Some(first), Some(second)) = (first, second)
                && distance(first, *second.position) < 1.0
            {
                second.position.x = first.x + 1.0;
            }
        }
    }
    let link = Conditions {
        delay: Duration::from_millis(60),
        ..Conditions::default()
    };
    let mut net = network(link, true);
    net.connect();
    let first = spawn_for(&mut net, Player::default(), 0);
    let mut other = Player::default();
    other.position.set(Vector2::new(3.0, 0.0));
    let ids = [first, net.server.spawn(other)];
    for _ in 0..100 {
        net.step();
    }
    let client = net.client_mut(0);
    for id in ids {
        client.predict_behaviour::<Player>(id).unwrap();
    }
    client.predict_group(&ids, together(ids));
    let mut server_step = together(ids);
    for number in 0..300 {
        let x = if number < 100 { 0.0 } else { 1.0 };
        net.client_mut(0).set_input(&Move { x, y: 0.0 }).unwrap();
        for tick in net.server.ticks_until(net.now() + net.tick) {
            net.server.step_group(&ids, tick, &mut server_step).unwrap();
        }
        net.step();
    }
    let client = net.client(0);
    let [own, pushed] = ids.map(|id| client.predicted::<Player>(id).unwrap().position.x);
    assert!((pushed - own - 1.0).abs() < 1e-3, "{own} pushes {pushed}");
    assert!(pushed > client.get::<Player>(ids[1]).unwrap().position.x + 0.3);
    assert_eq!(client.prediction_stats().corrections, 0);
}

#[test]
fn predictions_end_with_their_objects() {
    let mut game = Game::new(Conditions::default(), true);
    for _ in 0..60 {
        game.tick();
    }
    let other = NetId(99);
    let client = game.net.client_mut(0);
    assert_eq!(
        client.predict(other, step),
        Err(ObjectError::NoSuchObject(other))
    );
    assert!(
        client
            .predict(game.id, |_: &mut Door, _: &Move, _| ())
            .is_err()
    );
    game.net.server.despawn(game.id).unwrap();
    for _ in 0..10 {
        game.net.step();
    }
    assert!(game.net.client(0).predicted::<Player>(game.id).is_none());
}

#[test]
fn any_schedule_ends_with_the_servers_state() {
    let cases = std::env::var("PROPTEST_CASES").ok();
    let cases: u64 = cases.map_or(16, |cases| cases.parse().expect("a number"));
    for seed in 0..cases / 4 {
        let mut net = network(Conditions::default(), true);
        net.connect();
        let id = net.server.spawn(Player::default());
        let play = |net: &mut MemoryNetwork, random: Option<&mut Random>| {
            let mut input = Move::default();
            if let Some(random) = random {
                #[expect(clippy::cast_precision_loss, reason = "small")]
                let x = random.below(3) as f32 - 1.0;
                input.x = x;
                let connections: Vec<_> = net.server.connections().collect();
                if random.chance(30) {
                    let owner = random.pick(&connections).copied();
                    net.server.set_owner(id, owner).unwrap();
                }
                if random.chance(50) {
                    net.server.get_mut::<Player>(id).unwrap().position.y += 0.5;
                }
            }
            for index in 0..net.client_count() {
                let client = net.client_mut(index);
                client.set_input(&input).unwrap();
                while let Some(event) = client.poll_event() {
                    if event == (ClientEvent::Spawned { object: id }) {
                        client.predict(id, step).unwrap();
                    }
                }
            }
            if net.is_server_stalled() {
                return;
            }
            for tick in net.server.ticks_until(net.now() + net.tick) {
                net.server.step(id, tick, step).unwrap();
            }
        };
        net.simulate(seed, 200, |net, random| play(net, Some(random)));
        for _ in 0..120 {
            play(&mut net, None);
            net.step();
        }
        let server = net.server.get::<Player>(id).unwrap().clone();
        for index in 0..net.client_count() {
            if net.is_connected(index) {
                let client = net.client(index);
                let predicted = client.predicted::<Player>(id).unwrap();
                let fields = |it: &Player| (*it.position, *it.velocity, *it.track, *it.steps);
                assert_eq!(
                    fields(predicted),
                    fields(&server),
                    "seed {seed}, client {index}"
                );
            }
        }
    }
}
