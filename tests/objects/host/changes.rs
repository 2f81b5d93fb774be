//! What a host is told has changed.

use syncvar::behaviour::BehaviourFields;
use syncvar::prelude::*;

use super::{fields, hosted, told};
use syncvar_testing::{Door, Player, change, drain};

#[test]
fn changed_names_the_fields_as_it_does_to_others() {
    let (mut net, _) = hosted(1);
    let door = net.server.spawn(Door::default());
    let player = net.server.spawn(Player::new(1, "a"));
    net.settle();
    told(&mut net);
    drain(&mut net, 0);
    change(&mut net, player, |player| {
        player.score.set(3);
        player.health.set(2);
        player.last_input = 9;
    });
    net.server.get_mut::<Door>(door).unwrap().open.set(true);
    net.settle();
    let events = told(&mut net);
    assert_eq!(events, drain(&mut net, 0));
    assert_eq!(fields(&events[0]), ["open"], "objects by ascending number");
    assert_eq!(fields(&events[1]), ["health", "score"]);
}

#[test]
fn local_fields_and_reads_are_no_change() {
    let (mut net, _) = hosted(1);
    let id = net.server.spawn(Player::new(1, "a"));
    net.settle();
    told(&mut net);
    change(&mut net, id, |player| player.last_input = 3);
    change(&mut net, id, |player| player.health.set(1));
    net.settle();
    assert!(told(&mut net).is_empty());
}

/// Lesson 14 on a host: what is sent again by hand is told, and no hook runs.
#[test]
fn manual_dirty_bit_is_reported_without_a_hook() {
    let (mut net, _) = hosted(1);
    let id = net.server.spawn(Player::new(1, "a"));
    net.settle();
    told(&mut net);
    change(&mut net, id, |player| player.set_dirty_bit(0b11));
    net.settle();
    assert_eq!(
        told(&mut net).iter().map(fields).collect::<Vec<_>>(),
        [["health", "name"]]
    );
    assert_eq!(super::hooks(&mut net, id), [""; 0]);
}

#[test]
fn change_before_a_despawn_is_not_reported() {
    let (mut net, _) = hosted(1);
    let id = net.server.spawn(Player::new(1, "a"));
    net.settle();
    told(&mut net);
    change(&mut net, id, |player| player.health.set(2));
    net.server.despawn(id).unwrap();
    let options = SpawnOptions {
        net_id: Some(id),
        ..SpawnOptions::default()
    };
    net.server.try_spawn(Door::default(), options).unwrap();
    net.settle();
    let expected = [super::despawned(id, false), super::spawned(id)];
    assert_eq!(told(&mut net), expected);
}
