//! Random worlds: whatever the game does, the clients have the entities of the server.
//!
//! `RANDOM_WORLDS` is the number of worlds of each test, and `RANDOM_WORLD_STEPS` the number of their frames.

mod components;
mod game;
mod picture;

use std::collections::BTreeSet;
use std::time::Duration;

use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use bevy_syncvar::syncvar::ClientEvent;
use bevy_syncvar::syncvar::prelude::EventReader;
use bevy_syncvar::syncvar::testing::Conditions;

use components::Options;
use game::Game;
use picture::{Sight, difference, picture, weather};

impl Game {
    /// Asserts that the clients have the entities of the server, and no others.
    fn compare(&mut self, place: &str) {
        let world = self.server.world();
        let server = world.resource::<Server>();
        let connections: Vec<_> = server.connections().collect();
        assert_eq!(connections.len(), self.clients.len(), "{place}");
        for (client, connection) in self.clients.iter_mut().zip(connections) {
            let sight = Sight { server, connection };
            let own_picture = picture(world, Some(&sight));
            let mut remote = client.world_mut().query_filtered::<(), With<Remote>>();
            let count = remote.iter(client.world()).count();
            assert_eq!(count, own_picture.len(), "{place}");
            let view = picture(client.world(), None);
            assert!(own_picture.keys().eq(view.keys()), "{place}");
            for (id, (parent, own)) in &own_picture {
                let (shown_parent, shown) = &view[id];
                assert_eq!(parent, shown_parent, "parent of {id}, {place}");
                assert!(
                    own.keys().eq(shown.keys()),
                    "{id}, {place}: {own:?}, {shown:?}"
                );
                for (field, value) in own.iter().filter(|(_, value)| value.is_some()) {
                    assert_eq!(value, &shown[field], "{field} of {id}, {place}");
                }
            }
            let (own, shown) = (weather(world, Some(&sight)), weather(client.world(), None));
            match (own, shown) {
                (Some((wind, None)), Some((shown, _))) => assert_eq!(wind, shown, "{place}"),
                (own, shown) => assert_eq!(own, shown, "{place}"),
            }
        }
    }
}

/// Reads a number of the environment.
fn setting(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn count() -> u64 {
    setting("RANDOM_WORLDS", 12)
}

fn steps() -> u64 {
    setting("RANDOM_WORLD_STEPS", 150)
}

fn options(seed: u64) -> Options {
    Options {
        with_bundles: seed % 2 == 1,
        filters_parents: seed % 3 == 1,
    }
}

/// Plays a world, and compares the ends each time when they are quiet.
fn play(seed: u64, conditions: Conditions, rounds: u64, quiet: u64) {
    let mut game = Game::new(seed, conditions, options(seed));
    for step in 0..steps() {
        for _ in 0..game.below(6) {
            game.act();
        }
        game.step();
        match step % 1000 {
            60 if game.clients.len() < 2 => game.join(),
            600 => {
                game.leave();
                game.join();
            }
            _ => {}
        }
        if step % rounds == rounds - 1 {
            (0..quiet).for_each(|_| game.step());
            game.compare(&format!("step {step} of {seed}"));
        }
    }
}

#[test]
fn clients_have_the_entities_of_the_server() {
    for seed in 0..count() {
        play(seed, Conditions::default(), 30, 8);
    }
}

#[test]
fn clients_behind_losses_have_the_entities_of_the_server() {
    for seed in 0..count() {
        let conditions = Conditions {
            delay: Duration::from_millis(40),
            jitter: Duration::from_millis(20),
            loss: 0.1,
            duplicate: 0.02,
            reorder: 0.05,
            seed,
            ..Conditions::default()
        };
        play(seed, conditions, 75, 240);
    }
}

#[test]
fn the_changed_fields_travel_once() {
    for seed in 100..100 + count() {
        let options = Options {
            with_bundles: false,
            ..options(seed)
        };
        let mut game = Game::new(seed, Conditions::default(), options);
        game.shares = false;
        (0..10).for_each(|_| game.step());
        let mut reader: EventReader = game.clients[0]
            .world_mut()
            .resource_mut::<Client>()
            .event_reader();
        let mut before = picture(game.server.world(), None);
        for step in 0..steps() {
            for _ in 0..game.below(4) {
                game.act();
            }
            game.step();
            let after = picture(game.server.world(), None);
            let [sent, unsure] = difference(&before, &after);
            let client = game.clients[0].world().resource::<Client>();
            let mut received = Vec::new();
            for event in client.read_events(&mut reader) {
                if let ClientEvent::Changed { object, fields, .. } = event {
                    let behaviour = fields.behaviour();
                    let behaviour = behaviour
                        .trim_start_matches("Optional<")
                        .trim_end_matches('>');
                    if behaviour == "WeatherShadow" {
                        continue;
                    }
                    received.extend(
                        fields
                            .names()
                            .map(|name| format!("{object} {behaviour}.{name}")),
                    );
                }
            }
            let count = received.len();
            let received: BTreeSet<String> = received.into_iter().collect();
            assert_eq!(received.len(), count, "twice in step {step} of {seed}");
            let known = |set: &BTreeSet<String>| set - &unsure;
            assert_eq!(known(&received), known(&sent), "step {step} of {seed}");
            before = after;
        }
    }
}
