//! Hooks: when they run, in which order, and what they are told.

use syncvar::behaviour::BehaviourFields;
use syncvar::prelude::*;
use syncvar_testing::{Player, change, drain, hooks, network};

/// N3, U27: on change, with the previous value; the field already has the new one.
#[test]
fn a_hook_is_given_the_previous_value_and_sees_the_new_one() {
    let mut net = network(1);
    let id = net.server.spawn(Player::new(100, "Ann"));
    net.settle();
    change(&mut net, id, |player| player.health -= 10);
    net.settle();
    assert_eq!(hooks(&mut net, 0, id), ["health 100 -> 90 (Ann, 0)"]);
}

/// U5: not for the initial state, whether the object is new or the client is.
// checklist: N5
#[test]
fn no_hook_runs_for_an_initial_state() {
    let mut net = network(1);
    let id = net.server.spawn(Player::new(55, "Ann"));
    net.settle();
    let late = net.connect();
    net.settle();
    for client in [0, late] {
        assert_eq!(hooks(&mut net, client, id), [""; 0]);
        let player = net.client(client).get::<Player>(id).unwrap();
        assert_eq!(
            player.state(),
            (55, "Ann".into(), 0),
            "n2: the state is there before anything else"
        );
    }
}

/// Lesson 2: hooks run when everything of the object is applied, in declaration order.
#[test]
fn hooks_run_in_declaration_order_after_all_fields_are_applied() {
    let mut net = network(1);
    let id = net.server.spawn(Player::new(1, "a"));
    net.settle();
    change(&mut net, id, |player| {
        player.score.set(7);
        player.name.set("b".into());
        player.health.set(2);
    });
    net.settle();
    assert_eq!(
        hooks(&mut net, 0, id),
        ["health 1 -> 2 (b, 7)", "name a -> b (2)"]
    );
}

/// Lesson 14: a bit set by hand sends the value again; the hook runs for changes only.
#[test]
fn no_hook_runs_for_a_value_that_is_the_same_as_before() {
    let mut net = network(1);
    let id = net.server.spawn(Player::new(1, "a"));
    net.settle();
    drain(&mut net, 0);
    change(&mut net, id, |player| player.set_dirty_bit(0b11));
    net.settle();
    assert_eq!(hooks(&mut net, 0, id), [""; 0]);
    let events = drain(&mut net, 0);
    let [ClientEvent::Changed { fields, .. }] = &events[..] else {
        panic!("{events:?}")
    };
    assert_eq!(
        fields.names().collect::<Vec<_>>(),
        ["health", "name"],
        "it was received all the same"
    );
}

#[test]
fn hooks_run_after_every_behaviour_of_the_object_is_applied() {
    let mut net = network(1);
    let id = net
        .server
        .spawn((syncvar_testing::Door::default(), Player::new(1, "a")));
    net.settle();
    net.server
        .get_mut::<syncvar_testing::Door>(id)
        .unwrap()
        .open
        .set(true);
    change(&mut net, id, |player| player.health.set(0));
    net.settle();
    assert_eq!(hooks(&mut net, 0, id), ["health 1 -> 0 (a, 0)"]);
    assert_eq!(
        net.client(0).get::<syncvar_testing::Door>(id).unwrap().open,
        true
    );
}

/// M2, M11: state is written on the server only; what a hook or the application writes on a client
/// stays there.
#[test]
fn client_write_never_reaches_the_server() {
    let mut net = network(2);
    let id = net.server.spawn(Player::new(1, "a"));
    net.settle();
    net.client_mut(0)
        .get_mut::<Player>(id)
        .unwrap()
        .health
        .set(999);
    net.settle();
    assert_eq!(*net.server.get::<Player>(id).unwrap().health, 1);
    assert_eq!(*net.client(1).get::<Player>(id).unwrap().health, 1);
    change(&mut net, id, |player| player.health.set(2));
    net.settle();
    assert_eq!(
        *net.client(0).get::<Player>(id).unwrap().health,
        2,
        "the server's next value replaces it"
    );
}

#[test]
fn the_changed_event_names_object_behaviour_and_fields() {
    let mut net = network(1);
    let id = net
        .server
        .spawn((syncvar_testing::Door::default(), Player::new(1, "a")));
    net.settle();
    drain(&mut net, 0);
    change(&mut net, id, |player| {
        player.health.set(2);
        player.score.set(3);
    });
    net.settle();
    let events = drain(&mut net, 0);
    let [
        ClientEvent::Changed {
            object,
            behaviour,
            fields,
        },
    ] = &events[..]
    else {
        panic!("{events:?}")
    };
    assert_eq!((*object, *behaviour, fields.behaviour()), (id, 1, "Player"));
    assert_eq!(fields.names().collect::<Vec<_>>(), ["health", "score"]);
    let changed = events[0].changed::<Player>().unwrap();
    assert_eq!((changed.object(), changed.position()), (id, 1));
    assert!(changed.contains(Player::SCORE) && !changed.contains(Player::NAME));
    assert_eq!(fields.dirty_bits(), 0b101);
}

/// U11: of one type too; they are told apart by their positions.
#[test]
fn behaviours_of_one_type_differ_by_position() {
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<(Player, Player)>("pair"));
    let id = net.server.spawn((Player::default(), Player::default()));
    net.settle();
    while net.client_mut(0).poll_event().is_some() {}
    net.server
        .get_mut_at::<Player>(id, 1)
        .unwrap()
        .health
        .set(7);
    net.settle();
    let health = |index| net.client(0).get_at::<Player>(id, index).map(|p| *p.health);
    assert_eq!([health(0), health(1), health(2)], [Some(0), Some(7), None]);
    assert_eq!(net.server.get_at::<Player>(id, 1).unwrap().health, 7);
    let event = net.client_mut(0).poll_event();
    assert!(
        matches!(event, Some(ClientEvent::Changed { behaviour: 1, .. })),
        "{event:?}"
    );
}
