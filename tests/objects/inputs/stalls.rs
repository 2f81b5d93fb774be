//! Stalls of loops and links, returns and overtaking: inputs are late or ignored, and no client is to blame.

use syncvar_testing::token;

use super::*;

const FAST: u32 = 60;

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn link(delay: u64, jitter: u64, loss: f64, seed: u64) -> Conditions {
    Conditions {
        delay: millis(delay),
        jitter: millis(jitter),
        loss,
        seed,
        ..Conditions::default()
    }
}

/// Game at 60 Hz, and its counts.
struct Game {
    net: MemoryNetwork,
    number: u64,
    used: Used,
    /// Refused inputs that the client was told of, and the number of events.
    told: (u64, u32),
    /// Difference of the clocks in ticks after the last step.
    ahead: u64,
}

impl Game {
    fn new(link: Conditions, datagrams: bool) -> Self {
        Self::with_limits(link, datagrams, Limits::default())
    }

    fn with_limits(link: Conditions, datagrams: bool, limits: Limits) -> Self {
        let config = ServerConfig {
            tick_rate: FAST,
            limits,
            reconnect_grace: Duration::from_secs(5),
            session_tokens: Some(token),
            ..ServerConfig::default()
        };
        let prefabs = || Prefabs::new().input::<Move>();
        let mut net = MemoryNetwork::with_config(prefabs, config, link);
        net.tick = Duration::from_secs(1) / FAST;
        net.datagrams = datagrams;
        net.connect();
        Self {
            net,
            number: 0,
            used: Used::default(),
            told: (0, 0),
            ahead: 0,
        }
    }

    fn step(&mut self) {
        let net = &mut self.net;
        if !net.is_client_stalled(0) {
            self.number += 1;
            #[expect(clippy::cast_precision_loss, reason = "small")]
            let aim = (self.number / 4) as f32;
            let number = self.number;
            net.client_mut(0).set_input(&Move { number, aim }).unwrap();
        }
        let (connection, used) = (net.connection(0), &mut self.used);
        net.step_with(|server, now| {
            for tick in server.ticks_until(now) {
                match server.input::<Move>(connection, tick) {
                    Input::Known(_) => used.known += 1,
                    Input::Repeated(_) => used.repeated += 1,
                    Input::Missing => used.missing += 1,
                }
            }
        });
        while let Some(event) = net.server.poll_event() {
            let is_end = matches!(event, ServerEvent::Disconnected { .. });
            let is_blame = matches!(event, ServerEvent::Misbehaved { .. });
            assert!(!is_end && !is_blame, "{event:?} at {:?}", net.now());
        }
        while let Some(event) = net.client_mut(0).poll_event() {
            if let ClientEvent::InputsRefused { inputs } = event {
                self.told.0 += inputs;
                self.told.1 += 1;
            }
        }
        let tick = net.client(0).input_tick().unwrap_or_default();
        self.ahead = tick.saturating_sub(net.server.network_time().tick);
    }

    fn run(&mut self, time: Duration) -> Used {
        self.used = Used::default();
        let end = self.net.now() + time;
        while self.net.now() < end {
            self.step();
        }
        std::mem::take(&mut self.used)
    }

    /// Runs a second, and asserts that the inputs are in time again, and not early.
    fn recover(&mut self, usual: u64, name: &str) {
        self.run(Duration::from_secs(1));
        let used = self.run(Duration::from_secs(2));
        assert!(used.known >= 112, "{used:?} {name}");
        assert!(self.ahead <= usual + 6, "{} {usual} {name}", self.ahead);
        assert!(self.net.is_connected(0), "{name}");
    }
}

#[test]
fn a_stalled_server_has_the_inputs_of_its_last_ticks() {
    for (datagrams, stall) in [true, false]
        .into_iter()
        .flat_map(|datagrams| [300, 700, 1000, 3000].map(|stall| (datagrams, stall)))
    {
        let name = format!("datagrams {datagrams}, {stall} ms");
        let mut game = Game::new(link(30, 5, 0.0, 1), datagrams);
        game.run(Duration::from_secs(4));
        let usual = game.ahead;
        for _ in 0..3 {
            game.net.stall_server(millis(stall));
            game.run(millis(stall).saturating_sub(game.net.tick));
            let used = game.run(millis(100));
            assert!(used.repeated + used.missing <= 1, "{used:?} {name}");
            game.recover(usual, &name);
        }
        let refused = game.net.server.stats().refused.inputs;
        assert!(refused == 0, "{refused} refused, {name}");
    }
}

#[test]
fn a_stalled_client_has_its_lead_after_a_second() {
    for (datagrams, stall) in [true, false]
        .into_iter()
        .flat_map(|datagrams| [100, 400, 1000, 3000].map(|stall| (datagrams, stall)))
    {
        let name = format!("datagrams {datagrams}, {stall} ms");
        let mut game = Game::new(link(30, 5, 0.0, 1), datagrams);
        game.run(Duration::from_secs(4));
        let usual = game.ahead;
        for _ in 0..3 {
            game.net.stall_client(0, millis(stall));
            game.run(millis(stall));
            game.recover(usual, &name);
        }
    }
}

#[test]
fn a_delay_spike_leaves_the_usual_lead_after_a_second() {
    for datagrams in [true, false] {
        for stall in [100, 250, 500, 1000, 2000] {
            let name = format!("datagrams {datagrams}, {stall} ms");
            let mut game = Game::new(link(30, 5, 0.0, 1), datagrams);
            game.run(Duration::from_secs(4));
            let usual = game.ahead;
            for direction in 0..3 {
                if direction != 1 {
                    game.net.stall_uplink(0, millis(stall));
                }
                if direction != 0 {
                    game.net.stall_downlink(0, millis(stall));
                }
                game.run(millis(stall));
                game.run(Duration::from_secs(1));
                assert!(game.ahead <= usual + 6, "{} {usual} {name}", game.ahead);
                let used = game.run(Duration::from_secs(2));
                assert!(used.known >= 112, "{used:?} {name}");
            }
        }
    }
}

#[test]
fn a_long_delay_with_overtaking_ends_within_a_second() {
    for datagrams in [true, false] {
        for seed in 0..20 {
            let name = format!("datagrams {datagrams}, seed {seed}");
            let mut game = Game::new(link(30, 5, 0.0, seed), datagrams);
            game.run(Duration::from_secs(4));
            let usual = game.ahead;
            game.net.set_link(0, link(1000, 200, 0.0, seed));
            game.run(millis(1000 + 100 * seed));
            game.net.set_link(0, link(30, 5, 0.0, seed));
            // Until the last packet of the long way has arrived.
            game.run(millis(1200));
            game.run(Duration::from_secs(1));
            assert!(game.ahead <= usual + 6, "{} {usual} {name}", game.ahead);
            game.recover(usual, &name);
        }
    }
}

#[test]
fn returns_are_no_misbehaviour() {
    for datagrams in [true, false] {
        for seed in 0..10 {
            let mut game = Game::new(link(40, 20, 0.05, seed), datagrams);
            game.run(Duration::from_secs(3));
            for _ in 0..5 {
                game.net.cut(0);
                game.run(millis(20 * seed));
                game.net.reconnect(0);
                game.run(Duration::from_secs(2));
            }
            let used = game.run(Duration::from_secs(2));
            assert!(used.known >= 80, "{used:?}, seed {seed}");
        }
    }
}

#[test]
fn jitter_with_overtaking_is_no_misbehaviour() {
    for datagrams in [true, false] {
        for seed in 0..10 {
            let mut game = Game::new(link(20, 400, 0.1, seed), datagrams);
            game.run(Duration::from_secs(6));
        }
    }
}

#[test]
fn refused_inputs_are_told_at_most_once_a_second() {
    for datagrams in [true, false] {
        let limits = Limits {
            input_rate: 30.0,
            ..Limits::default()
        };
        let mut game = Game::with_limits(link(30, 5, 0.0, 1), datagrams, limits);
        game.run(Duration::from_secs(10));
        let refused = game.net.server.stats().refused.inputs;
        assert!(game.told.1 >= 5 && game.told.1 <= 11, "{:?}", game.told);
        assert!(
            game.told.0 <= refused && game.told.0 * 2 > refused,
            "{:?} {refused}",
            game.told
        );
    }
}

#[test]
fn every_refused_input_is_told() {
    for (datagrams, seed) in (0..6).map(|seed| (seed % 2 == 0, seed)) {
        // Copies of inputs arrive a second late, behind newer ones.
        let mut game = Game::new(link(20, 1800, 0.1, seed), datagrams);
        for _ in 0..4 {
            game.run(Duration::from_secs(1));
            game.net.stall_server(millis(700));
            game.run(Duration::from_secs(1));
        }
        game.net.set_link(0, link(20, 5, 0.0, seed));
        game.run(Duration::from_secs(8));
        let refused = game.net.server.stats().refused.inputs;
        let name = format!("datagrams {datagrams}, seed {seed}");
        assert_eq!(game.told.0, refused, "{name}");
    }
}
