//! Predictions by the steps of the program: ticks to run, restored states, recorded states.

use super::*;

/// A game whose client has a world of its own with two bodies of its player.
struct OwnWorld {
    net: MemoryNetwork,
    ids: [NetId; 2],
    random: Random,
    /// Bodies of the client's world, as an engine has them.
    bodies: [Player; 2],
    /// Whether the server moves the first body by a metre.
    push: bool,
    /// Ticks with a restored state.
    restored: Vec<u64>,
}

/// The step of the whole world: the second body follows the first one.
fn step_world(bodies: &mut [Player; 2], input: &Move, tick: u64) {
    step(&mut bodies[0], input, tick);
    let to = *bodies[0].position;
    bodies[1].position.update(|position| {
        position.x += (to.x - position.x) * 0.25;
        position.y += (to.y - position.y) * 0.25;
    });
}

impl OwnWorld {
    fn new(link: Conditions, datagrams: bool) -> Self {
        let mut net = network(link, datagrams);
        net.connect();
        let ids = [(); 2].map(|()| spawn_for(&mut net, Player::default(), 0));
        for _ in 0..100 {
            net.step();
        }
        for id in ids {
            net.client_mut(0).predict_recorded::<Player>(id).unwrap();
        }
        Self {
            net,
            ids,
            random: Random::new(7),
            bodies: Default::default(),
            push: false,
            restored: Vec::new(),
        }
    }

    /// The client's frame behind an update.
    fn run(&mut self) {
        let client = self.net.client_mut(0);
        let Some(run) = client.take_ticks() else {
            return;
        };
        if let Some(tick) = run.restored {
            self.restored.push(tick);
            for (body, id) in self.bodies.iter_mut().zip(self.ids) {
                if let Some(state) = client.predicted_at::<Player>(id, tick) {
                    *body = state.clone();
                }
            }
        }
        for tick in run.ticks {
            let input = client.input_at::<Move>(tick).unwrap_or_default();
            step_world(&mut self.bodies, &input, tick);
            for (body, id) in self.bodies.iter_mut().zip(self.ids) {
                if let Some(travels) = client.record_predicted(id, tick, body) {
                    *body = travels.clone();
                }
            }
        }
        assert_eq!(client.take_ticks(), None, "each tick runs once");
    }

    fn tick(&mut self) {
        let number = |random: &mut Random| f32::from(i8::try_from(random.below(3)).unwrap() - 1);
        let input = Move {
            x: number(&mut self.random),
            y: number(&mut self.random),
        };
        self.net.client_mut(0).set_input(&input).unwrap();
        self.run();
        for tick in self.net.server.ticks_until(self.net.now() + self.net.tick) {
            let (ids, net) = (self.ids, &mut self.net);
            let stepped = net.server.step_group(&ids, tick, |group, tick| {
                let input = group.input::<Move>(ids[0]).unwrap_or_default();
                let mut bodies = ids.map(|id| group.get_mut::<Player>(id).unwrap().clone());
                step_world(&mut bodies, &input, tick);
                for (id, body) in ids.into_iter().zip(bodies) {
                    group.get_mut::<Player>(id).unwrap().assign(body);
                }
            });
            stepped.unwrap();
            if std::mem::take(&mut self.push) {
                let mut player = self.net.server.get_mut::<Player>(ids[0]).unwrap();
                player.position.x += 1.0;
            }
        }
        self.net.step();
    }
}

#[test]
fn steps_of_the_program_need_no_correction() {
    for (delay, datagrams) in [(0, true), (80, true), (80, false)] {
        let link = Conditions {
            delay: Duration::from_millis(delay),
            ..Conditions::default()
        };
        let mut game = OwnWorld::new(link, datagrams);
        for _ in 0..100 {
            game.tick();
        }
        let before = (game.net.client(0).prediction_stats(), game.restored.len());
        for _ in 0..1000 {
            game.tick();
        }
        let stats = game.net.client(0).prediction_stats();
        assert_eq!(stats.corrections, before.0.corrections, "{stats:?}");
        assert_eq!(game.restored.len(), before.1);
        assert_eq!(stats.replayed, before.0.replayed);
        assert!(
            (999..=1001).contains(&(stats.steps - before.0.steps)),
            "{stats:?}"
        );
        let client = game.net.client(0);
        let newest = client.predicted::<Player>(game.ids[0]).unwrap();
        assert_eq!(newest.position, game.bodies[0].position);
        let received = client.get::<Player>(game.ids[0]).unwrap();
        assert!(
            delay == 0 || received.position != newest.position,
            "it is ahead"
        );
    }
}

#[test]
fn a_wrong_prediction_restores_the_state_of_the_server_once() {
    let link = Conditions {
        delay: Duration::from_millis(50),
        ..Conditions::default()
    };
    let mut game = OwnWorld::new(link, true);
    for _ in 0..100 {
        game.tick();
    }
    for _ in 0..10 {
        let before = (game.net.client(0).prediction_stats(), game.restored.len());
        game.push = true;
        for _ in 0..40 {
            game.tick();
        }
        assert_eq!(game.restored.len(), before.1 + 1);
        let stats = game.net.client(0).prediction_stats();
        // The push of the first body moves the second one, too.
        assert_eq!(stats.corrections, before.0.corrections + 2, "{stats:?}");
        assert!(stats.replayed > before.0.replayed);
    }
    let now = game.net.now();
    let view = game
        .net
        .client(0)
        .view_at::<Player>(game.ids[0], now)
        .unwrap();
    let shown = view.get(Player::POSITION).unwrap();
    assert!(distance(shown, *game.bodies[0].position) < 1.0);
}

#[test]
fn a_recorded_prediction_ends_with_its_object() {
    let mut game = OwnWorld::new(Conditions::default(), true);
    for _ in 0..20 {
        game.tick();
    }
    let [id, _] = game.ids;
    game.net.server.despawn(id).unwrap();
    for _ in 0..5 {
        game.net.step();
    }
    let client = game.net.client_mut(0);
    let tick = client.input_tick().unwrap();
    assert!(
        client
            .record_predicted(id, tick, &Player::default())
            .is_none()
    );
    assert!(client.predicted_at::<Player>(id, tick).is_none());
    assert!(client.take_ticks().is_some(), "the second body goes on");
}

#[test]
fn a_tick_that_has_not_begun_is_not_recorded() {
    let mut game = OwnWorld::new(Conditions::default(), true);
    game.tick();
    let client = game.net.client_mut(0);
    let tick = client.input_tick().unwrap() + 1;
    let player = Player {
        steps: 9.into(),
        ..Player::default()
    };
    assert!(
        client
            .record_predicted(game.ids[0], tick, &player)
            .is_none()
    );
    assert_ne!(client.predicted::<Player>(game.ids[0]).unwrap().steps, 9);
    // Nothing is predicted without a prediction.
    let mut net = network(Conditions::default(), true);
    net.connect();
    assert_eq!(net.client_mut(0).take_ticks(), None);
}
