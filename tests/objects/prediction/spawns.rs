//! Objects that a client shows before the server's.

use super::*;

#[derive(NetworkBehaviour, Default, Clone)]
#[network_behaviour(send_interval = 0)]
pub(super) struct Shell {
    #[sync_var(interpolate = linear)]
    x: SyncVar<f32>,
}

impl Shell {
    pub(super) fn advance(&mut self) {
        self.x += 1.0;
    }
}

fn fly(shell: &mut Shell, _: &Move, _: u64) {
    shell.advance();
}

#[test]
fn a_predicted_spawn_becomes_the_servers_object() {
    for accepts in [true, false] {
        let mut game = Game::new(bad_link(), true);
        for _ in 0..100 {
            game.tick();
        }
        let owner = Some(game.net.connection(0));
        let shown = game.net.client_mut(0).predict_spawn(&Shell::default(), fly);
        let shown = shown.expect("a running clock");
        let tick = game.net.client(0).input_tick().unwrap();
        assert_eq!(game.net.client(0).predicted::<Shell>(shown).unwrap().x, 0.0);
        let (mut spawned, mut outcome, mut jumps) = (None, None, 0.0_f32);
        let mut last = 0.0;
        for _ in 0..90 {
            if game.net.server.network_time().tick >= tick && accepts && spawned.is_none() {
                let options = SpawnOptions {
                    owner,
                    ..SpawnOptions::default()
                };
                let shell = game.net.server.try_spawn(Shell::default(), options);
                spawned = Some(shell.unwrap());
            }
            for step in game.net.server.ticks_until(game.net.now() + game.net.tick) {
                if let Some(id) = spawned {
                    game.net.server.step(id, step, fly).unwrap();
                }
            }
            game.net.step();
            while let Some(event) = game.net.client_mut(0).poll_event() {
                if let ClientEvent::PredictedSpawn { predicted, object } = event {
                    assert_eq!(predicted, shown);
                    outcome = Some(object);
                }
            }
            let id = outcome.flatten().unwrap_or(shown);
            if let Some(shell) = game.net.client(0).predicted::<Shell>(id) {
                jumps = jumps.max((*shell.x - last - 1.0).abs());
                last = *shell.x;
            }
        }
        assert_eq!(outcome, Some(spawned));
        // The step of the spawn itself may differ by the tick in which the server spawns.
        assert!(jumps <= 3.0, "{jumps}");
        let client = game.net.client(0);
        assert!(client.predicted::<Shell>(shown).is_none());
        if let Some(id) = spawned {
            let server = *game.net.server.get::<Shell>(id).unwrap().x;
            assert!(*client.predicted::<Shell>(id).unwrap().x > server);
        }
    }
}

#[test]
fn spawns_of_successive_ticks_keep_their_order() {
    let delay = Duration::from_millis(50);
    let link = Conditions {
        delay,
        ..Conditions::default()
    };
    let mut game = Game::new(link, true);
    for _ in 0..100 {
        game.tick();
    }
    let owner = Some(game.net.connection(0));
    let before = game.corrections();
    let (mut predicted, mut spawned) = (Vec::new(), Vec::new());
    let (mut ticks, mut matched) = (Vec::new(), Vec::new());
    for step in 0..60 {
        if step < 3 {
            let client = game.net.client_mut(0);
            ticks.push(client.input_tick().unwrap() + 1);
            let shell = client.predict_spawn(&Shell::default(), fly);
            predicted.push(shell.expect("a running clock"));
        }
        game.net.client_mut(0).set_input(&game.input).unwrap();
        let (id, ticks, spawned) = (game.id, &ticks, &mut spawned);
        game.net.step_with(|server, now| {
            for tick in server.ticks_until(now) {
                server.step(id, tick, super::step).unwrap();
                if ticks.contains(&tick) {
                    let options = SpawnOptions {
                        owner,
                        ..SpawnOptions::default()
                    };
                    spawned.push(server.try_spawn(Shell::default(), options).unwrap());
                }
                for shell in spawned.iter() {
                    server.step(*shell, tick, fly).unwrap();
                }
            }
        });
        while let Some(event) = game.net.client_mut(0).poll_event() {
            if let ClientEvent::PredictedSpawn { predicted, object } = event {
                matched.push((predicted, object.expect("an object")));
            }
        }
    }
    let expected: Vec<_> = predicted.into_iter().zip(spawned).collect();
    assert_eq!(matched, expected);
    assert_eq!(game.corrections(), before);
}
