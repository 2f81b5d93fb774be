//! Seeks and steps: the world of a client is that of the server at the time.

use std::io::Cursor;
use std::time::Duration;

use syncvar::log::{LogReader, Player};
use syncvar::prelude::*;
use syncvar::testing::Random;

use crate::world::{Recorded, State, TICK, prefabs, state, untyped_state};

fn player(recorded: &Recorded) -> Player<Cursor<Vec<u8>>> {
    Player::new(LogReader::new(recorded.cursor()).unwrap())
}

/// Seeks to random times, forward and back, with some steps between.
fn seeks(seed: u64, client: &mut NetworkClient, state: fn(&NetworkClient) -> State) {
    let recorded = Recorded::new(seed, 300, 40);
    let (mut player, mut random) = (player(&recorded), Random::new(seed));
    let (start, span) = (player.start(), player.duration());
    let span = u32::try_from(span.as_micros()).unwrap();
    for _ in 0..250 {
        match random.below(5) {
            0 => drop(player.step_back(client).unwrap()),
            1 => drop(player.step_forward(client).unwrap()),
            _ => {
                let time = start + Duration::from_micros(random.below(span).into());
                player.seek(client, time).unwrap();
                assert_eq!(player.position(), time);
            }
        }
        let position = player.position();
        assert_eq!(
            state(client),
            *recorded.at(position),
            "seed {seed}, {position:?}"
        );
    }
}

#[test]
fn the_world_of_a_typed_client_is_that_of_the_server() {
    for seed in 0..4 {
        seeks(seed, &mut NetworkClient::new(prefabs()), state);
    }
}

#[test]
fn the_world_of_an_untyped_client_is_that_of_the_server() {
    for seed in 10..14 {
        let recorded = Recorded::new(seed, 1, 1);
        let mut client = player(&recorded).untyped_client().unwrap();
        seeks(seed, &mut client, untyped_state);
    }
}

#[test]
fn steps_back_reach_the_begin_and_steps_forward_the_end() {
    let recorded = Recorded::new(20, 60, 25);
    let (mut player, mut client) = (player(&recorded), NetworkClient::new(prefabs()));
    player.seek(&mut client, Duration::MAX).unwrap();
    assert_eq!(player.position(), player.end());
    let mut backward = vec![state(&client)];
    while player.step_back(&mut client).unwrap() {
        backward.push(state(&client));
    }
    assert_eq!(player.position(), player.start());
    backward.reverse();
    let mut forward = vec![state(&client)];
    while player.step_forward(&mut client).unwrap() {
        forward.push(state(&client));
    }
    assert_eq!(player.position(), player.end());
    assert_eq!(forward.len(), backward.len());
    assert!(forward == backward);
}

#[test]
fn a_new_client_continues_at_the_position() {
    let recorded = Recorded::new(21, 60, 25);
    let (mut player, mut first) = (player(&recorded), NetworkClient::new(prefabs()));
    let time = player.start() + 40 * TICK;
    player.seek(&mut first, time).unwrap();
    let mut second = NetworkClient::new(prefabs());
    player.update(&mut second, Duration::ZERO).unwrap();
    assert_eq!(state(&second), state(&first));
    assert_eq!(state(&second), *recorded.at(time));
}

#[test]
fn markers_name_the_ticks_of_their_keyframes() {
    let recorded = Recorded::new(22, 100, 30);
    let mut player = player(&recorded);
    let markers = player.markers().unwrap();
    let times: Vec<_> = markers.iter().map(|marker| marker.time).collect();
    assert_eq!(times, player.keyframes().skip(1).collect::<Vec<_>>());
    let values = [30, 60, 90].map(serde_json::Value::from);
    assert_eq!(
        markers.iter().map(|it| &it.value).collect::<Vec<_>>(),
        values.iter().collect::<Vec<_>>()
    );
    let mut client = NetworkClient::new(prefabs());
    for marker in markers {
        player.seek(&mut client, marker.time).unwrap();
        assert_eq!(player.tick(), Some(marker.tick));
        assert_eq!(client.tick(), Some(marker.tick));
    }
}
