//! Prediction for minutes with stalls of both ends, losses and returns: corrections follow stalls, and nobody is thrown out.

use syncvar_testing::{spawn_for, token};

use super::*;

const RATE: u32 = 60;

/// Ticks of a shell's flight.
const FLIGHT: u64 = 40;

#[derive(SyncValue, Clone, Default, PartialEq, Debug)]
struct Order {
    x: f32,
    /// Number of shots so far.
    shots: u32,
}

#[derive(NetworkBehaviour, Default, Clone)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Runner {
    #[sync_var(interpolate = linear)]
    x: SyncVar<f32>,
    #[sync_var]
    speed: SyncVar<f32>,
}

fn run(runner: &mut Runner, order: &Order, _tick: u64) {
    runner.speed += (order.x - *runner.speed) * 0.25;
    let speed = *runner.speed;
    runner.x += speed / 60.0;
}

fn fly(shell: &mut Shell, _: &Order, _: u64) {
    shell.advance();
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Runner>("runner")
        .register::<Shell>("shell")
        .input::<Order>()
}

/// Counts of a run.
#[derive(Debug, Default)]
struct Counts {
    /// Corrections in the second and a half behind a disturbance, and others.
    near: u64,
    far: u64,
    /// Spawns that became an object of the server, and others by the same division.
    matched: u32,
    unmatched_near: u32,
    unmatched_far: u32,
    /// Greatest lead of the input clock a second behind a disturbance, in ticks.
    ahead: u64,
    /// Ticks without an input in time, a second behind a disturbance and later.
    late: u32,
    /// Ticks with an input, likewise.
    known: u32,
}

struct Soak {
    net: MemoryNetwork,
    id: NetId,
    random: Random,
    order: Order,
    shells: Vec<(u64, NetId)>,
    /// Predicted spawns, with the time of each.
    waiting: Vec<(NetId, Duration)>,
    /// Shots that the server knows.
    shots: u32,
    /// Times of the begin and the end of the last disturbance.
    disturbed: (Duration, Duration),
    next: Duration,
    returns: Option<Duration>,
    counts: Counts,
}

impl Soak {
    fn new(seed: u64, datagrams: bool) -> Self {
        let config = ServerConfig {
            tick_rate: RATE,
            reconnect_grace: Duration::from_secs(10),
            session_tokens: Some(token),
            ..ServerConfig::default()
        };
        let link = Conditions {
            delay: Duration::from_millis(35),
            jitter: Duration::from_millis(10),
            loss: 0.05,
            seed,
            ..Conditions::default()
        };
        let mut net = MemoryNetwork::with_config(prefabs, config, link);
        net.tick = Duration::from_secs(1) / RATE;
        net.datagrams = datagrams;
        net.connect();
        let id = spawn_for(&mut net, Runner::default(), 0);
        Self {
            net,
            id,
            random: Random::new(seed),
            order: Order::default(),
            shells: Vec::new(),
            waiting: Vec::new(),
            shots: 0,
            disturbed: (Duration::ZERO, Duration::ZERO),
            next: Duration::from_secs(8),
            returns: None,
            counts: Counts::default(),
        }
    }

    /// Stalls an end or cuts the link each 5 s.
    fn disturb(&mut self) {
        let now = self.net.now();
        if self.returns.is_some_and(|at| at <= now) {
            self.returns = None;
            self.net.reconnect(0);
            self.disturbed.1 = self.disturbed.1.max(now + Duration::from_millis(500));
        }
        if now < self.next {
            return;
        }
        self.next = now + Duration::from_secs(5);
        let duration = Duration::from_millis((100 + self.random.below(2900)).into());
        self.disturbed = (now, now + duration);
        match self.random.below(5) {
            0 | 1 => self.net.stall_server(duration),
            2 | 3 => self.net.stall_client(0, duration),
            _ => {
                self.net.cut(0);
                self.returns = Some(now + duration / 2);
            }
        }
    }

    fn is_near(&self, at: Duration) -> bool {
        let end = self.disturbed.1 + Duration::from_millis(1500);
        (self.disturbed.0..end).contains(&at) || at < Duration::from_secs(6)
    }

    fn play(&mut self) {
        if self.net.is_client_stalled(0) || !self.net.is_connected(0) {
            return;
        }
        let now = self.net.now();
        if self.random.chance(100) {
            self.order.x = self.random.between(-1.0, 1.0);
        }
        let client = self.net.client_mut(0);
        if self.random.chance(30) {
            self.order.shots += 1;
            if let Some(id) = client.predict_spawn(&Shell::default(), fly) {
                self.waiting.push((id, now));
            }
        }
        client.set_input(&self.order).unwrap();
    }

    fn tick(&mut self) {
        self.disturb();
        self.play();
        let connection = self.net.connection(0);
        let is_settled = self.net.now() > self.disturbed.1 + Duration::from_secs(1);
        let is_settled =
            is_settled && self.returns.is_none() && self.net.now() > Duration::from_secs(6);
        let (id, shells, shots) = (self.id, &mut self.shells, &mut self.shots);
        let counts = &mut self.counts;
        self.net.step_with(|server, now| {
            for tick in server.ticks_until(now) {
                server.step(id, tick, run).unwrap();
                match server.input::<Order>(connection, tick) {
                    Input::Known(order) => {
                        counts.known += u32::from(is_settled);
                        if std::mem::replace(shots, order.shots) != order.shots {
                            let options = SpawnOptions {
                                owner: Some(connection),
                                ..SpawnOptions::default()
                            };
                            let shell = server.try_spawn(Shell::default(), options).unwrap();
                            shells.push((tick + FLIGHT, shell));
                        }
                    }
                    _ => counts.late += u32::from(is_settled),
                }
                shells.retain(|(until, shell)| {
                    let flies = tick < *until;
                    if flies {
                        server.step(*shell, tick, fly).unwrap();
                    } else {
                        server.despawn(*shell).unwrap();
                    }
                    flies
                });
            }
        });
        self.review(is_settled);
    }

    fn review(&mut self, is_settled: bool) {
        let now = self.net.now();
        while let Some(event) = self.net.server.poll_event() {
            let is_end = matches!(event, ServerEvent::Disconnected { .. });
            let is_blame = matches!(event, ServerEvent::Misbehaved { .. });
            assert!(!is_end && !is_blame, "{event:?} at {now:?}");
        }
        while let Some(event) = self.net.client_mut(0).poll_event() {
            match event {
                ClientEvent::Spawned { object } if object == self.id => {
                    self.net.client_mut(0).predict(object, run).unwrap();
                }
                ClientEvent::PredictedSpawn { predicted, object } => {
                    let at = self.waiting.iter().position(|(id, _)| *id == predicted);
                    let (_, spawned) = self.waiting.swap_remove(at.expect("a predicted spawn"));
                    let is_near = self.is_near(spawned) || self.is_near(now);
                    match object {
                        Some(_) => self.counts.matched += 1,
                        None if is_near => self.counts.unmatched_near += 1,
                        None => self.counts.unmatched_far += 1,
                    }
                }
                _ => {}
            }
        }
        let corrections = self.net.client(0).prediction_stats().corrections;
        let new = corrections - self.counts.near - self.counts.far;
        if self.is_near(now) {
            self.counts.near += new;
        } else {
            self.counts.far += new;
        }
        if is_settled {
            let tick = self.net.client(0).input_tick().unwrap_or_default();
            let ahead = tick.saturating_sub(self.net.server.network_time().tick);
            self.counts.ahead = self.counts.ahead.max(ahead);
        }
    }
}

/// Seconds of a run; `.ci/full` sets 600.
fn seconds() -> u64 {
    let seconds = std::env::var("PREDICTED_SECONDS").ok();
    seconds.map_or(60, |seconds| seconds.parse().expect("a number"))
}

#[test]
fn stalls_and_returns_cost_corrections_only_behind_them() {
    for datagrams in [true, false] {
        for seed in 0..3 {
            let mut soak = Soak::new(seed, datagrams);
            while soak.net.now() < Duration::from_secs(seconds()) {
                soak.tick();
            }
            let counts = &soak.counts;
            let name = format!("datagrams {datagrams}, seed {seed}: {counts:?}");
            // A lost packet of the stream delays those behind it by a round trip.
            let (late, ahead) = if datagrams { (500, 10) } else { (100, 40) };
            assert!(counts.late <= 3 + counts.known / late, "{name}");
            assert!(counts.ahead <= ahead, "{name}");
            assert!(counts.far <= 2 + u64::from(counts.late), "{name}");
            assert!(counts.unmatched_far <= counts.matched / 50, "{name}");
            println!("{name}");
        }
    }
}
