//! Input crates, headless: keys of the client move the walker of the server.

use std::time::Duration;

use bevy::input::ButtonState;
use bevy::input::keyboard::{Key, KeyCode, KeyboardInput};
use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use bevy_syncvar_ecosystem::inputs::{self, Walker};
use bevy_time::TimeUpdateStrategy;

/// A server and a client in virtual time.
struct Game {
    server: App,
    client: App,
}

impl Game {
    fn new(inputs: fn(&mut App)) -> Self {
        let (listener, link) = MemoryLink::pair();
        let mut game = Self {
            server: inputs::server(ServerPlugin::new(listener)),
            client: inputs::client(ClientPlugin::new(link), inputs),
        };
        game.client.finish();
        for app in [&mut game.server, &mut game.client] {
            let frame = Duration::from_secs(1) / 120;
            app.insert_resource(TimeUpdateStrategy::ManualDuration(frame));
        }
        game.frames(120);
        game
    }

    fn frames(&mut self, count: usize) {
        for _ in 0..count {
            self.server.update();
            self.client.update();
        }
    }

    fn set(&mut self, key: KeyCode, state: ButtonState) {
        self.client.world_mut().write_message(KeyboardInput {
            key_code: key,
            logical_key: Key::Dead(None),
            state,
            text: None,
            repeat: false,
            window: Entity::PLACEHOLDER,
        });
    }

    /// Returns the walkers of both ends.
    fn walkers(&mut self) -> [Walker; 2] {
        [&mut self.server, &mut self.client].map(|app| {
            let mut walkers = app.world_mut().query::<&Walker>();
            *walkers.single(app.world()).unwrap()
        })
    }
}

fn play(inputs: fn(&mut App)) {
    let mut game = Game::new(inputs);
    assert_eq!(game.walkers(), [Walker::default(); 2]);
    game.set(KeyCode::KeyD, ButtonState::Pressed);
    game.frames(60);
    let [here, there] = game.walkers();
    assert!(here.x > 1.0 && there.x > here.x, "{here:?}, {there:?}");
    game.set(KeyCode::KeyD, ButtonState::Released);
    game.set(KeyCode::KeyA, ButtonState::Pressed);
    game.frames(120);
    game.set(KeyCode::KeyA, ButtonState::Released);
    game.frames(60);
    let [here, there] = game.walkers();
    assert_eq!(here, there);
    assert!(here.x < -1.0, "{here:?}");
    // Each of the frames is half a tick: some presses begin and end between two ticks.
    for _ in 0..5 {
        game.set(KeyCode::Space, ButtonState::Pressed);
        game.frames(1);
        game.set(KeyCode::Space, ButtonState::Released);
        game.frames(12);
    }
    game.frames(60);
    let jumps = game.walkers().map(|walker| walker.jumps);
    assert_eq!(jumps, [5, 5]);
    let client = game.client.world().resource::<Client>();
    assert_eq!(client.prediction_stats().corrections, 0);
}

#[test]
fn actions_of_leafwing_are_inputs() {
    play(inputs::leafwing::plugin);
}

#[test]
fn actions_of_enhanced_input_are_inputs() {
    play(inputs::enhanced::plugin);
}
